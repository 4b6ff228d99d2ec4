#include "lab/page/suitability_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "lab/page/text.hpp"

namespace pilfer::lab::page {
namespace {

struct answer {
  std::string_view text;
  std::string_view workload;  // its id; empty: says nothing
};
struct question {
  std::string_view text;
  std::vector<answer> answers;
};

const std::vector<question>& questions() {
  static const std::vector<question> all = {
      {"What is the work?",
       {{"choose…", ""},
        {"recursion with tasks of nanoseconds", "nanosecond-fork-join"},
        {"divide and conquer with a cut-off", "divide-and-conquer"},
        {"loops over arrays", "loops"},
        {"many small tasks, any order", "small-tasks"},
        {"requests in a fair order", "fair-order"},
        {"reading very many files", "files"},
        {"a whole program: graphs, documents", "whole-programs"}}},
      {"How is it spread?",
       {{"evenly, or I do not know", ""},
        {"skewed: a few tasks are long", "skewed"},
        {"few tasks move to others", "few-steals"},
        {"many tasks move to others", "many-steals"}}},
      {"Whose are the processors?", {{"mine alone", ""}, {"shared with others", "shared-cores"}}},
      {"What else counts?",
       {{"nothing", ""}, {"urgent tasks first", "priorities"}, {"waking up soon", "wake-up"}, {"memory", "memory"}}},
  };
  return all;
}

std::string questions_html() {
  std::string html = R"(<form class="needs-js questions" id="questions">)";
  for (const question& each : questions()) {
    html += fmt::format("<label><span>{}</span><select>", escaped(each.text));
    for (const answer& one : each.answers) {
      html += fmt::format(R"(<option value="{}">{}</option>)", escaped(one.workload), escaped(one.text));
    }
    html += "</select></label>";
  }
  return html + R"(</form><div class="needs-js advice" id="advice" role="status" aria-live="polite"></div>)";
}

const standing& leader_of(const ranking& of) {
  return *std::ranges::find_if(of.standings, [](const standing& s) { return s.leads; });
}

// Near 1 the third decimal is what tells them apart.
std::string ratio_text(double ratio) { return ratio < 2 ? fmt::format("{:.3f}", ratio) : figure(ratio); }
std::string times(double ratio) { return ratio_text(ratio) + "×"; }
std::string interval_text(const estimate& e) { return fmt::format("[{}, {}]", ratio_text(e.low), ratio_text(e.high)); }

std::string others_text(const ranking& of) {
  std::string near;
  for (const standing& each : of.standings) {
    if (!each.within_noise) continue;
    near += fmt::format(R"({}<span class="impl">{}</span> <span class="num">{}</span>)", near.empty() ? "" : ", ",
                        escaped(each.impl), times(each.to_leader.value));
  }
  return near.empty() ? "nobody" : near;
}

// The next one that is shown to be worse.
std::string next_text(const ranking& of) {
  for (const standing& each : of.standings) {
    if (each.leads || each.within_noise || each.to_leader.value < 1) continue;
    return fmt::format(R"(<span class="impl">{}</span> <span class="num">{} {}</span>)", escaped(each.impl),
                       times(each.to_leader.value), interval_text(each.to_leader));
  }
  return "–";
}

std::string overview_html(const std::vector<suited_workload>& workloads) {
  std::string html =
      R"(<table class="overview" id="overview"><thead><tr><th>work</th><th>measured in</th><th>best</th><th>within the noise of it</th><th>next</th></tr></thead>)";
  for (const suited_workload& each : workloads) {
    html += fmt::format(R"(<tbody data-workload="{}">)", each.id);
    const std::string heading = fmt::format(R"(<a href="#work-{}">{}</a>)", each.id, escaped(each.title));
    if (each.rankings.empty()) {
      html +=
          fmt::format(R"(<tr><th scope="row">{}</th><td colspan="4" class="none">not measured in this run</td></tr>)",
                      escaped(each.title));
    }
    for (std::size_t i = 0; i < each.rankings.size(); ++i) {
      const ranking& r = each.rankings[i];
      html += "<tr>";
      if (i == 0) html += fmt::format(R"(<th scope="row" rowspan="{}">{}</th>)", each.rankings.size(), heading);
      html += fmt::format(
          R"(<td data-h="measured in"><a href="#{}">{}</a></td><td data-h="best"><span class="impl best">{}</span></td><td data-h="within the noise">{}</td><td data-h="next">{}</td></tr>)",
          slug(r.suite), escaped(r.suite), escaped(leader_of(r).impl), others_text(r), next_text(r));
    }
    html += "</tbody>";
  }
  return html + "</table>\n";
}

std::string evidence_html(const ranking& of) {
  std::string rows;
  for (const standing& each : of.standings) {
    for (const evidence& e : each.rests_on) {
      rows += fmt::format(
          R"(<tr><td class="impl">{}</td><td>{}</td><td class="params">{}</td><td class="num">{} {}</td><td class="num">{}</td><td class="num">{} {}{}</td></tr>)",
          escaped(each.impl), escaped(e.name), escaped(e.params), figure(e.median), escaped(e.unit),
          figure(e.leaders_median), times(e.to_leader.value), interval_text(e.to_leader), e.paired ? "" : " unpaired");
    }
  }
  return fmt::format(
      R"(<details class="data"><summary>Figures that this rests on</summary><div class="scroll"><table><thead><tr><th>who</th><th>what</th><th>with</th><th class="num">median</th><th class="num">leader</th><th class="num">to leader [95 %]</th></tr></thead><tbody>{}</tbody></table></div></details>)",
      rows);
}

std::string standing_html(const standing& s, const ranking& of, double longest) {
  const char* const state = s.leads ? "lead" : s.within_noise ? "noise" : "behind";
  std::string said = s.leads ? "best" : times(s.to_leader.value) + " " + interval_text(s.to_leader);
  if (s.within_noise) said += " within the noise";
  if (s.rests_on.size() < of.groups) said += fmt::format(" · in {} of {}", s.rests_on.size(), of.groups);
  return fmt::format(
      R"(<li data-impl="{0}" data-state="{1}" class="{1}{4}"><span class="impl">{0}</span><span class="bar" style="--w:{2}"></span><span class="num">{3}</span></li>)",
      escaped(s.impl), state, coordinate(std::clamp(100 * s.to_leader.value / longest, 1.0, 100.0)), escaped(said),
      s.to_leader.value > longest ? " cut" : "");
}

std::string ranking_html(const ranking& of) {
  double longest = 1;
  for (const standing& each : of.standings) longest = std::max(longest, each.to_leader.value);
  // A bar five times as long says as much as one fifty times as long, and leaves the others to be seen.
  longest = std::min(longest, 5.0);
  constexpr std::size_t first_ones = 6;
  std::string shown;
  std::string more;
  for (std::size_t i = 0; i < of.standings.size(); ++i) {
    (i < first_ones ? shown : more) += standing_html(of.standings[i], of, longest);
  }
  if (!more.empty()) {
    more = fmt::format(
        R"(<details class="more"><summary>{} more</summary><ol class="standings" start="{}">{}</ol></details>)",
        of.standings.size() - first_ones, first_ones + 1, more);
  }
  return fmt::format(
      R"(<div class="ranking" data-suite="{}"><h4><a href="#{}">{}</a> <span class="fine">{} comparison{}; cost relative to the best, shorter is better</span></h4><ol class="standings">{}</ol>{}{}</div>)",
      escaped(of.suite), slug(of.suite), escaped(of.suite), of.groups, of.groups == 1 ? "" : "s", shown, more,
      evidence_html(of));
}

}  // namespace

std::string suitability_html(const std::vector<suited_workload>& workloads) {
  std::string html =
      R"(<section id="suitability"><h2>Which queue and scheduler suit my workload?</h2><p class="lead">From this run alone: medians of pairs, over all comparable rows of an experiment. Who cannot be told from the best is “within the noise”.</p>)";
  html += questions_html();
  html += overview_html(workloads);
  for (const suited_workload& each : workloads) {
    if (each.rankings.empty()) continue;
    html += fmt::format(
        R"(<details class="work" id="work-{0}" data-workload="{0}"><summary><span class="name">{1}</span> <span class="fine">{2}</span></summary><div class="rankings">)",
        each.id, escaped(each.title), escaped(each.meaning));
    for (const ranking& r : each.rankings) html += ranking_html(r);
    html += "</div></details>\n";
  }
  return html + "</section>\n";
}

}  // namespace pilfer::lab::page
