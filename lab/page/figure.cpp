#include "lab/page/figure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/page/distribution.hpp"
#include "lab/page/svg.hpp"
#include "lab/page/text.hpp"

namespace pilfer::lab::page {
namespace {

std::string swatch(const chart& what, std::size_t series) {
  sketch on;
  constexpr double width = 26;
  constexpr double height = 14;
  if (what.kind == chart_kind::lines) {
    on.line(1, height / 2, width - 1, height / 2, fmt::format("line d{}", (series + series / palette_size) % 4));
    on.path(marker_path(series, width / 2, height / 2, 4), "marker");
  } else {
    on.rect(6, 1, height, height - 2, what.kind == chart_kind::violins ? "violin" : "bar");
  }
  return fmt::format(R"(<svg class="swatch" viewBox="0 0 {} {}" aria-hidden="true">{}</svg>)", width, height,
                     on.body());
}

std::string reference_entry(const chart& what) {
  if (!what.reference) return {};
  const std::string label = what.reference_label.empty() ? "reference" : what.reference_label;
  return fmt::format(
      R"(<li class="ref"><svg class="swatch" viewBox="0 0 26 14" aria-hidden="true"><line class="reference" x1="1" y1="7" x2="25" y2="7"/></svg>{} <span class="num">({})</span></li>)",
      escaped(label), figure(*what.reference));
}

std::string legend(const chart& what) {
  std::string items;
  const bool nothing_to_tell_apart = what.lines_or_groups.size() == 1 && what.lines_or_groups.front().name.empty();
  if (!labels_each_bar(what) && !nothing_to_tell_apart) {
    for (std::size_t i = 0; i < what.lines_or_groups.size(); ++i) {
      items += fmt::format(R"(<li class="{}" data-i="{}">{}{}</li>)", series_class(i), i, swatch(what, i),
                           escaped(what.lines_or_groups[i].name));
    }
  }
  items += reference_entry(what);
  return items.empty() ? "" : fmt::format(R"(<ul class="legend">{}</ul>)", items);
}

std::string number_cell(double value) { return fmt::format(R"(<td class="num">{}</td>)", plain(value)); }
std::string number_cell(const std::optional<double>& value) {
  return value ? number_cell(*value) : std::string("<td></td>");
}

// Also what the CSV file is made of: plain numbers, a heading for each column.
std::string data_table(const chart& what) {
  const bool lines = what.kind == chart_kind::lines;
  const bool samples = what.kind == chart_kind::boxes || what.kind == chart_kind::violins;
  const std::string where = what.x.label.empty() ? (lines ? "x" : "category") : what.x.label;
  std::string head = fmt::format(R"(<th>series</th><th>{}</th><th class="num">{}</th>)", escaped(where),
                                 escaped(what.y.label.empty() ? "value" : what.y.label));
  head +=
      samples
          ? R"(<th class="num">min</th><th class="num">q1</th><th class="num">q3</th><th class="num">max</th><th class="num">n</th>)"
          : R"(<th class="num">low</th><th class="num">high</th>)";
  std::string body;
  for (const series& each : what.lines_or_groups) {
    for (const point& p : each.points) {
      body += fmt::format("<tr><td>{}</td>", escaped(each.name));
      body += lines ? number_cell(p.x) : fmt::format("<td>{}</td>", escaped(p.category));
      const std::vector<double> sorted = samples ? finite_sorted(p.samples) : std::vector<double>{};
      if (!sorted.empty()) {
        const five_numbers five = summarize(sorted);
        for (const double value : {five.middle, sorted.front(), five.quartile_low, five.quartile_high, sorted.back(),
                                   static_cast<double>(sorted.size())}) {
          body += number_cell(value);
        }
      } else {
        body += number_cell(p.y) + number_cell(p.low);
        if (samples) body += "<td></td><td></td>";
        body += number_cell(p.high);
        if (samples) body += "<td></td>";
      }
      body += "</tr>";
    }
  }
  return fmt::format(
      R"(<details class="data"><summary>Data of this chart</summary><div class="scroll"><table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div></details><button type="button" class="needs-js csv" data-file="{}.csv">CSV</button>)",
      head, body, slug(what.id));
}

std::string fine_print(const chart& what, std::size_t skipped) {
  std::string text;
  if (needs_logarithm(what)) {
    text = R"(<p class="fine">Logarithmic axis: on a plain one the largest value would leave the others flat.</p>)";
  }
  if (skipped == 0) return text;
  const bool logarithmic = what.x.logarithmic || what.y.logarithmic;
  return text + fmt::format(R"(<p class="fine">{} {} not drawn: {}. The table has all.</p>)", skipped,
                            skipped == 1 ? "value is" : "values are",
                            logarithmic ? "no number, or not above 0 on a logarithmic axis" : "no number");
}

std::size_t point_count(const chart& what) {
  std::size_t count = 0;
  for (const series& each : what.lines_or_groups) count += each.points.size();
  return count;
}

bool small(const chart& what) {
  constexpr std::size_t few_series = 6;
  constexpr std::size_t few_marks = 12;
  if (what.lines_or_groups.size() > few_series) return false;
  return what.kind == chart_kind::lines || point_count(what) <= few_marks;
}

}  // namespace

std::string figure_html(const chart& what, bool half) {
  const drawing broad = svg_of(what, wide);
  const drawing slim = svg_of(what, narrow);
  std::string html = fmt::format(R"(<figure class="chart{}" id="chart-{}"><figcaption>{}</figcaption>)",
                                 half ? " half" : "", slug(what.id), escaped(what.title));
  if (broad.marks == 0) {
    html += R"(<p class="empty">Nothing was measured that this chart could show.</p>)";
  } else {
    html += legend(what);
    html += half ? fmt::format(R"(<div class="plot">{}</div>)", slim.svg)
                 : fmt::format(R"(<div class="plot">{}{}</div>)", broad.svg, slim.svg);
  }
  if (!what.caption.empty()) html += fmt::format(R"(<p class="caption">{}</p>)", escaped(what.caption));
  html += fine_print(what, broad.skipped);
  html += fmt::format(R"(<div class="under">{}</div></figure>)", data_table(what));
  return html + "\n";
}

std::string figures_html(const std::vector<chart>& charts) {
  std::string html;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    const bool pair = i + 1 < charts.size() && small(charts[i]) && small(charts[i + 1]);
    html += figure_html(charts[i], pair);
    if (pair) html += figure_html(charts[++i], true);
  }
  return html.empty() ? html : "<div class=\"charts\">" + html + "</div>\n";
}

}  // namespace pilfer::lab::page
