#include "lab/page/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "lab/measure/statistics.hpp"
#include "lab/page/claims_view.hpp"
#include "lab/page/figure.hpp"
#include "lab/page/report_assets.hpp"
#include "lab/page/suitability.hpp"
#include "lab/page/suitability_view.hpp"
#include "lab/page/text.hpp"

namespace pilfer::lab::page {
namespace {

constexpr double much_disturbed = 0.05;
constexpr double busy_load = 0.5;

std::string duration(double seconds) {
  if (seconds < 90) return fmt::format("{} s", figure(seconds));
  return fmt::format("{:.0f} min {:.0f} s", std::floor(seconds / 60), std::fmod(seconds, 60));
}

std::string readable_date(const std::string& iso) {
  std::string text = iso;
  std::ranges::replace(text, 'T', ' ');
  if (text.ends_with('Z')) text = text.substr(0, text.size() - 1) + " UTC";
  return text;
}

// ---- the top -------------------------------------------------------------------------------------------------------

std::vector<std::string> warnings_of(const document& all) {
  std::vector<std::string> said = all.warnings;
  std::string partial;
  std::string disturbed;
  for (const section& each : all.sections) {
    if (!each.complete) partial += (partial.empty() ? "" : ", ") + each.name;
    const double share = each.disturbed.value_or(0);
    if (share > much_disturbed) {
      disturbed += fmt::format("{}{} ({:.0f} %)", disturbed.empty() ? "" : ", ", each.name, share * 100);
    }
  }
  if (!all.complete) said.insert(said.begin(), "This run was not completed: what is missing has not been measured.");
  if (!partial.empty()) said.push_back("Not complete: " + partial + ".");
  if (all.on.load_average >= busy_load) {
    said.push_back(fmt::format("When the run began the load average was {}: something else was running, too.",
                               figure(all.on.load_average)));
  }
  if (!disturbed.empty()) said.push_back("Others used the processors during " + disturbed + ".");
  return said;
}

std::string facts_html(const machine& on) {
  std::string html = R"(<dl class="facts">)";
  const auto fact = [&](const char* name, const std::string& value) {
    if (!value.empty()) html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, escaped(value));
  };
  fact("processor", on.cpu);
  const std::string allowed = on.cores_allowed == on.cores ? "" : fmt::format(", {} allowed", on.cores_allowed);
  fact("processors", fmt::format("{}{}", on.cores, allowed));
  fact("clock governor", on.governor);
  fact("virtualization", on.virtualization);
  fact("kernel", on.kernel);
  fact("load at the beginning", figure(on.load_average));
  fact("compiler", on.compiler);
  fact("build", on.build);
  fact("pilfer", on.pilfer);
  fact("commit", on.commit);
  std::string versions;
  for (const auto& [name, version] : on.versions)
    versions += fmt::format("{}{} {}", versions.empty() ? "" : ", ", name, version);
  fact("compared with", versions);
  return html + "</dl>";
}

std::string top_html(const document& all) {
  double seconds = 0;
  std::size_t charts = 0;
  std::size_t rows = 0;
  for (const section& each : all.sections) {
    seconds += each.seconds;
    charts += each.charts.size();
    rows += each.rows.size();
  }
  std::string line = fmt::format("{} · {} experiments, {} charts, {} measurements", escaped(readable_date(all.on.date)),
                                 all.sections.size(), charts, figure(static_cast<double>(rows)));
  if (seconds > 0) line += " · " + duration(seconds);
  if (!all.effort.empty()) line += " · " + escaped(all.effort);
  std::string html = fmt::format(
      R"(<header class="top"><h1>{}</h1><p class="when">{}</p><div class="tools needs-js"><button type="button" id="theme">Light or dark</button><button type="button" id="download">Download results.json</button></div>)",
      escaped(all.title), line);
  const std::vector<std::string> warnings = warnings_of(all);
  if (!warnings.empty()) {
    html += R"(<div class="warning" role="alert"><strong>Read with care</strong><ul>)";
    for (const std::string& each : warnings) html += fmt::format("<li>{}</li>", escaped(each));
    html += "</ul></div>";
  }
  html += facts_html(all.on);
  if (!all.command.empty()) html += fmt::format(R"(<p class="fine">Made by <code>{}</code></p>)", escaped(all.command));
  if (!all.papers.empty()) {
    html += R"(<details class="fine"><summary>The papers, by their numbers</summary><ul>)";
    for (const std::string& paper : all.papers) html += fmt::format("<li>{}</li>", escaped(paper));
    html += "</ul></details>";
  }
  return html + "</header>\n";
}

std::string contents_html(const document& all) {
  std::string html =
      R"(<ul><li><a href="#claims">All claims</a></li><li><a href="#suitability">What suits my work?</a></li></ul><ul class="experiments">)";
  for (const section& each : all.sections) {
    html += fmt::format(R"(<li><a href="#{}">{}</a>{}</li>)", slug(each.name), escaped(each.title),
                        verdict_dots_html(count_verdicts(each.claims)));
  }
  return html + "</ul>";
}

// ---- an experiment -------------------------------------------------------------------------------------------------

// Short for the reader, precise for the CSV file.
std::string figure_cell(const std::optional<double>& value) {
  if (!value) return "<td></td>";
  return fmt::format(R"(<td class="num" data-v="{}">{}</td>)", plain(*value), figure(*value));
}

std::string row_html(const row& r, bool first_of_name) {
  std::optional<double> middle;
  std::optional<double> least;
  std::optional<double> ratio;
  if (!r.samples.empty()) {
    middle = median(r.samples);
    least = minimum(r.samples);
  }
  if (r.ratio_to_sequential) ratio = r.ratio_to_sequential->value;
  const std::string interval = r.ratio_to_sequential ? fmt::format("[{}, {}]", figure(r.ratio_to_sequential->low),
                                                                   figure(r.ratio_to_sequential->high))
                                                     : "";
  return fmt::format(
      R"(<tr{}><td>{}</td><td class="impl">{}</td><td class="params">{}</td>{}{}<td>{}</td>{}<td class="num interval">{}</td><td class="num">{}</td></tr>)",
      first_of_name ? R"( class="first")" : "", escaped(r.name), escaped(r.impl), escaped(params_text(r.params)),
      figure_cell(middle), figure_cell(least), escaped(r.unit), figure_cell(ratio), interval, r.samples.size());
}

std::string rows_html(const section& of) {
  if (of.rows.empty()) return R"(<p class="empty">No rows were measured.</p>)";
  std::string html = fmt::format(
      R"(<details class="data rows"><summary>{} row{}</summary><div class="scroll"><table><thead><tr><th>what</th><th>who</th><th>with</th><th class="num">median</th><th class="num">min</th><th>unit</th><th class="num">to sequential</th><th class="num">95 %</th><th class="num">samples</th></tr></thead><tbody>)",
      of.rows.size(), of.rows.size() == 1 ? "" : "s");
  const std::string* name = nullptr;
  for (const row& r : of.rows) {
    html += row_html(r, name != nullptr && *name != r.name) + "\n";
    name = &r.name;
  }
  return html +
         fmt::format(
             R"(</tbody></table></div></details><button type="button" class="needs-js csv" data-file="{}.csv">CSV</button>)",
             slug(of.name));
}

std::string section_html(const section& of) {
  std::string html = fmt::format(R"(<section class="experiment" id="{}"><h2>{}</h2><p class="source">)", slug(of.name),
                                 escaped(of.title));
  html += fmt::format("<code>{}</code>", escaped(of.name));
  if (!of.source.empty()) html += " · after " + escaped(of.source);
  if (of.seconds > 0) html += " · " + duration(of.seconds);
  if (of.disturbed && *of.disturbed > 0) {
    html += fmt::format(R"( · <span class="{}">disturbed {:.1f} % of the time</span>)",
                        *of.disturbed > much_disturbed ? "bad" : "good", *of.disturbed * 100);
  }
  if (!of.complete) html += R"( · <span class="bad">not complete</span>)";
  html += "</p>";
  if (!of.summary.empty()) html += fmt::format(R"(<p class="lead">{}</p>)", escaped(of.summary));
  html += figures_html(of.charts);
  html += claims_html(of);
  html += fmt::format(R"(<div class="under">{}</div>)", rows_html(of));
  if (!of.notes.empty()) {
    html += R"(<div class="notes"><h3>Notes</h3><ul>)";
    for (const std::string& each : of.notes) html += fmt::format("<li>{}</li>", escaped(each));
    html += "</ul></div>";
  }
  return html + "</section>\n";
}

// ---- the whole -----------------------------------------------------------------------------------------------------

std::vector<row> all_rows(const document& all) {
  std::vector<row> rows;
  for (const section& each : all.sections) std::ranges::copy(each.rows, std::back_inserter(rows));
  return rows;
}

std::string data_of(const document& all, const std::vector<row>& rows) {
  if (!all.data.empty()) return all.data;
  report whole{.on = all.on, .rows = {}, .claims = {}};
  std::ranges::copy_if(rows, std::back_inserter(whole.rows), [](const row& r) { return !r.samples.empty(); });
  for (const section& each : all.sections) std::ranges::copy(each.claims, std::back_inserter(whole.claims));
  return json_text(whole);
}

// Nothing but what is in the file: whatever a name of a row may contain, no browser fetches anything.
constexpr const char* head_html =
    R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
)";

}  // namespace

std::string html_of(const document& all) {
  const std::vector<row> rows = all_rows(all);
  const std::string contents = contents_html(all);
  std::string html = head_html;
  html += fmt::format("<title>{} · {}</title>\n<style>\n{}</style>\n", escaped(all.title), escaped(all.on.date),
                      report_css());
  html += "<script>document.documentElement.classList.add('js')</script></head><body>\n";
  html += R"(<a class="skip" href="#main">To the content</a>)";
  html += fmt::format(
      R"(<details class="menu"><summary>Contents</summary><nav aria-label="Contents">{}</nav></details>)", contents);
  html +=
      fmt::format(R"(<div class="page"><nav class="side" aria-label="Contents">{}</nav><main id="main">)", contents);
  html += top_html(all);
  html += claims_summary_html(all);
  html += suitability_html(suitability(rows));
  for (const section& each : all.sections) html += section_html(each);
  html += "</main></div>\n<div id=\"tip\" role=\"presentation\" hidden></div>\n";
  html +=
      fmt::format("<script type=\"application/json\" id=\"results\">{}</script>\n", script_safe(data_of(all, rows)));
  html += fmt::format("<script>\n{}</script>\n</body></html>\n", report_js());
  return html;
}

}  // namespace pilfer::lab::page
