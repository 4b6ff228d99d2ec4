// Text of the report: escaping, numbers as people read them, and how wide a label is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pilfer::lab::page {

// For element content and for attribute values within double quotes. Shows as it was, also an address; but the file has no
// "://" from data.
[[nodiscard]] std::string escaped(std::string_view text);

// JSON text that may stand in a <script> element: no "</script>", no "<!--", no "://". Parses to the same value.
[[nodiscard]] std::string script_safe(std::string_view json_text);

// [a-z0-9-]+ for ids and file names, from any text.
[[nodiscard]] std::string slug(std::string_view text);

// "0.643", "12.3", "1 234", "2.5e-07": what a reader takes in at a glance. "–" if it is not finite.
[[nodiscard]] std::string figure(double value);
// Six significant digits, for machines; "" if it is not finite.
[[nodiscard]] std::string plain(double value);
// A coordinate: two decimals at most.
[[nodiscard]] std::string coordinate(double value);

// The unit in "time (ms)"; empty if there is none.
[[nodiscard]] std::string unit_of(std::string_view axis_label);

// Not less than the width in the usual sans-serif fonts, in units of the font's size 1.
[[nodiscard]] double text_width(std::string_view text);

// Lines not wider than `width` (in units of the font's size), broken at blanks and after / - _ , where possible. Nothing
// is cut: what has no such place is broken anywhere.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, double width);

}  // namespace pilfer::lab::page
