#include "lab/serve/wrk.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "lab/serve/process.hpp"

namespace pilfer::lab::serve {
namespace {

// What each request sends, and gets back.
constexpr const char* script = "wrk.method = \"POST\"\nwrk.body = string.rep(\"pilfer! \", 8)\n";

// wrk takes its script from a file.
class script_file {
 public:
  script_file() : path_((std::filesystem::temp_directory_path() / "pilfer-wrk-XXXXXX").string()) {
    const int made = ::mkstemp(path_.data());
    if (made < 0) throw std::system_error(errno, std::generic_category(), path_);
    ::close(made);
    std::ofstream(path_) << script;
  }
  ~script_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  script_file(const script_file&) = delete;
  script_file& operator=(const script_file&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

// "1.23ms" in microseconds.
std::optional<double> microseconds(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return std::nullopt;
  const std::string unit = end;
  if (unit == "us") return value;
  if (unit == "ms") return value * 1e3;
  if (unit == "s") return value * 1e6;
  if (unit == "m") return value * 60e6;
  return std::nullopt;
}

}  // namespace

load_result parse_wrk(const std::string& text) {
  std::optional<double> per_second;
  std::optional<double> median;
  std::optional<double> slowest;
  std::uint64_t requests = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    std::string second;
    words >> first >> second;
    if (first == "Requests/sec:") per_second = std::strtod(second.c_str(), nullptr);
    if (first == "50%") median = microseconds(second);
    if (first == "99%") slowest = microseconds(second);
    if (second == "requests") requests = std::strtoull(first.c_str(), nullptr, 10);
    if (first == "Socket" || first == "Non-2xx") throw std::runtime_error("wrk: " + line);
  }
  if (!per_second || !median || !slowest || requests == 0 || !(*per_second > 0))
    throw std::runtime_error(fmt::format("wrk said '{}'", text));
  return {.requests = requests, .per_second = *per_second, .median_us = *median, .slowest_us = *slowest};
}

std::string wrk_version() {
  try {
    process wrk({"wrk", "--version"});
    std::istringstream words(wrk.read_to_end());
    std::string name;
    std::string version;
    words >> name >> version;
    const std::size_t slash = version.find('/');  // "debian/4.1.0-3+b2"
    return name == "wrk" ? version.substr(slash == std::string::npos ? 0 : slash + 1) : "";
  } catch (const std::system_error&) {
    return {};
  }
}

load_result run_wrk(const std::string& address, int at_a_time, std::chrono::milliseconds how_long) {
  const script_file what;
  // It knows whole seconds only, so it is stopped by a signal.
  const std::chrono::seconds longest = std::chrono::ceil<std::chrono::seconds>(how_long) + std::chrono::seconds(1);
  process wrk({"wrk", "--threads", "1", "--connections", std::to_string(at_a_time), "--duration",
               fmt::format("{}s", longest.count()), "--latency", "--timeout", "10s", "--script", what.path(),
               fmt::format("http://{}/", address)});
  if (wrk.await_handler(SIGINT)) std::this_thread::sleep_for(how_long);
  // Again and again: between setting its handler and falling asleep it takes no notice of a signal.
  return parse_wrk(wrk.read_to_end(SIGINT));
}

}  // namespace pilfer::lab::serve
