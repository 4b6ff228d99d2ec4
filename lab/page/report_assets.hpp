// Style sheet and script of the report, from report.css and report.js: put into the program when it is built.
#pragma once

#include <string>

namespace pilfer::lab::page {

[[nodiscard]] std::string report_css();
[[nodiscard]] std::string report_js();

}  // namespace pilfer::lab::page
