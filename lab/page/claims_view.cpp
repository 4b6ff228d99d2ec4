#include "lab/page/claims_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lab/page/text.hpp"

namespace pilfer::lab::page {
namespace {

struct verdict_words {
  verdict which;
  const char* id;
  const char* sign;
  const char* words;
};
constexpr std::array verdicts = {
    verdict_words{verdict::met, "met", "✓", "met"},
    verdict_words{verdict::missed, "missed", "✗", "missed"},
    verdict_words{verdict::reported, "reported", "•", "reported"},
    verdict_words{verdict::not_shown, "not-shown", "–", "not shown here"},
};

const verdict_words& words_of(verdict which) { return verdicts[static_cast<std::size_t>(which)]; }

std::size_t count_of(const verdict_counts& counts, verdict which) {
  switch (which) {
    case verdict::met: return counts.met;
    case verdict::missed: return counts.missed;
    case verdict::reported: return counts.reported;
    case verdict::not_shown: return counts.not_shown;
  }
  return 0;
}

std::string badge(verdict which) {
  const verdict_words& words = words_of(which);
  return fmt::format(R"(<span class="badge {}"><span aria-hidden="true">{}</span> {}</span>)", words.id, words.sign,
                     words.words);
}

std::string goal_text(const claim& c) {
  if (!c.goal) return "–";
  return (c.goal_is == goal_side::at_most ? "≤ " : "≥ ") + figure(*c.goal);
}

std::string measured_text(const claim& c) {
  if (!c.measured) return "–";
  std::string text = fmt::format("<strong>{}</strong>", figure(c.measured->value));
  if (c.measured->low != c.measured->value || c.measured->high != c.measured->value) {
    text +=
        fmt::format(R"( <span class="interval">[{}, {}]</span>)", figure(c.measured->low), figure(c.measured->high));
  }
  return text;
}

// The goal is the line in the middle and right of it is better. The ends are four times and a quarter; near the goal the
// scale is wider, since there it matters.
std::string meter(const claim& c) {
  if (!c.goal || !c.measured || !(*c.goal > 0) || !(c.measured->value > 0)) return {};
  const double direction = c.goal_is == goal_side::at_most ? -1 : 1;
  constexpr double middle = 60;
  const auto at = [&](double value) {
    if (!(value > 0)) return direction > 0 ? 0.0 : 2 * middle;
    const double octaves = direction * std::log2(value / *c.goal);
    const double away = std::sqrt(std::min(std::abs(octaves) / 2, 1.0));
    return middle + std::copysign(away, octaves) * (middle - 2);
  };
  const double here = at(c.measured->value);
  const double low = at(c.measured->low);
  const double high = at(c.measured->high);
  const std::string said = fmt::format("{} times the goal", figure(c.measured->value / *c.goal));
  return fmt::format(
      R"(<svg class="meter {}" viewBox="0 0 120 16" preserveAspectRatio="xMinYMid" role="img" aria-label="{}"><title>{}</title><rect class="track" x="0" y="5" width="120" height="6" rx="3"/><rect class="level" x="{}" y="4" width="{}" height="8" rx="1"/><line class="span" x1="{}" y1="8" x2="{}" y2="8"/><line class="goal" x1="60" y1="0" x2="60" y2="16"/></svg>)",
      words_of(verdict_of(c)).id, said, said, coordinate(std::min(middle, here)),
      coordinate(std::max(1.5, std::abs(here - middle))), coordinate(std::min(low, high)),
      coordinate(std::max(low, high)));
}

std::string claim_row(const claim& c) {
  const verdict which = verdict_of(c);
  std::string note;
  constexpr std::size_t long_note = 170;
  if (c.note.size() > long_note) {
    const std::size_t cut = c.note.rfind(' ', long_note / 2);
    const std::string begin = cut == std::string::npos ? "Note" : c.note.substr(0, cut) + " …";
    note = fmt::format(R"(<details class="note"><summary>{}</summary>{}</details>)", escaped(begin), escaped(c.note));
  } else if (!c.note.empty()) {
    note = fmt::format(R"(<div class="note">{}</div>)", escaped(c.note));
  }
  return fmt::format(
      R"(<tr class="claim" data-verdict="{}"><td class="v">{}</td><td class="what">{}<div class="id">{}</div>{}</td><td class="num" data-h="paper">{}</td><td class="num" data-h="goal">{}</td><td class="num" data-h="measured">{}</td><td class="m">{}</td></tr>)",
      words_of(which).id, badge(which), escaped(c.text), escaped(c.id), note, c.paper ? figure(*c.paper) : "–",
      goal_text(c), measured_text(c), meter(c));
}

constexpr const char* table_head =
    R"(<thead><tr><th>verdict</th><th>what</th><th class="num">paper</th><th class="num">goal</th><th class="num">measured [95 %]</th><th class="m"><span class="ends"><span>worse</span><span>goal</span><span>better</span></span></th></tr></thead>)";

}  // namespace

verdict verdict_of(const claim& of) {
  if (!of.measured || !std::isfinite(of.measured->value)) return verdict::not_shown;
  const std::optional<bool> met = of.met();
  if (!met) return verdict::reported;
  return *met ? verdict::met : verdict::missed;
}

void verdict_counts::add(const claim& of) {
  switch (verdict_of(of)) {
    case verdict::met: ++met; break;
    case verdict::missed: ++missed; break;
    case verdict::reported: ++reported; break;
    case verdict::not_shown: ++not_shown; break;
  }
}

verdict_counts count_verdicts(const std::vector<claim>& claims) {
  verdict_counts counts;
  for (const claim& each : claims) counts.add(each);
  return counts;
}

std::string verdict_dots_html(const verdict_counts& counts) {
  std::string html;
  for (const verdict_words& each : verdicts) {
    const std::size_t count = count_of(counts, each.which);
    const bool judged = each.which == verdict::met || each.which == verdict::missed;
    if (count == 0 || !judged) continue;
    html +=
        fmt::format(R"( <span class="dot {}" title="{} {}">{}{}</span>)", each.id, count, each.words, each.sign, count);
  }
  return html;
}

std::string claims_summary_html(const document& all) {
  verdict_counts counts;
  std::string body;
  for (const section& each : all.sections) {
    if (each.claims.empty()) continue;
    body += fmt::format(R"(<tbody><tr class="of"><th colspan="6"><a href="#{}">{}</a></th></tr>)", slug(each.name),
                        escaped(each.title));
    for (const claim& c : each.claims) {
      counts.add(c);
      body += claim_row(c) + "\n";
    }
    body += "</tbody>\n";
  }
  std::string html = R"(<section id="claims"><h2>All claims</h2>)";
  if (counts.total() == 0) return html + R"(<p class="empty">No claims: nothing was measured.</p></section>)";
  html += fmt::format(
      R"(<p class="lead">Every figure that the papers or our goals name: {} in all. Nothing is left out; what this machine cannot show says why.</p><div class="tiles" role="group" aria-label="Show only">)",
      counts.total());
  for (const verdict_words& each : verdicts) {
    html += fmt::format(
        R"(<button type="button" class="tile {0}" data-filter="{0}" aria-pressed="false"><span class="count">{1}</span><span class="of"><span aria-hidden="true">{2}</span> {3}</span></button>)",
        each.id, count_of(counts, each.which), each.sign, each.words);
  }
  html +=
      R"(</div><p class="needs-js search"><label>Find <input type="search" id="find-claim" placeholder="words in a claim"></label> <span id="found" role="status"></span></p>)";
  html += fmt::format(R"(<table class="claims" id="all-claims">{}{}</table></section>)", table_head, body);
  return html + "\n";
}

std::string claims_html(const section& of) {
  if (of.claims.empty()) return {};
  std::string html = fmt::format(R"(<h3>Claims</h3><table class="claims">{}<tbody>)", table_head);
  for (const claim& c : of.claims) html += claim_row(c) + "\n";
  return html + "</tbody></table>\n";
}

}  // namespace pilfer::lab::page
