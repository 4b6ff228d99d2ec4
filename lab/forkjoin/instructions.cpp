#include "lab/forkjoin/instructions.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "lab/measure/interrupt.hpp"
#include "lab/measure/progress.hpp"
#include "lab/programs/fib.hpp"
#include "lab/schedulers/child_process.hpp"
#include "lab/schedulers/session.hpp"

namespace pilfer::lab::forkjoin {
namespace {

constexpr int large_fib = 25;
constexpr int small_fib = 10;

const char* scheduler_of(const std::string& form) {
  if (form == "serial") return schedulers::serial_name;
  if (form == "plain") return schedulers::default_name;
  if (form == "context") return schedulers::context_name;
  return schedulers::throwing_name;
}

std::optional<std::uint64_t> instructions_of(const std::string& form, int n) {
  throw_if_interrupted();
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  schedulers::child_process valgrind({"valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-fd=1",
                                      self, "bench", "fork-join", "--instructions", form, std::to_string(n)},
                                     schedulers::complaints::dropped);
  return collected(valgrind.read_to_end());
}

}  // namespace

const std::vector<std::string>& instruction_forms() {
  static const std::vector<std::string> forms = {"serial", "plain", "context", "throwing"};
  return forms;
}

bool run_for_instructions(const std::string& form, int n) {
  const schedulers::entry* const who = schedulers::find_scheduler(scheduler_of(form));
  if (who == nullptr || !who->make) return false;
  // Not seconds_of: the right answer would be found by running serial code too.
  const std::int64_t right = n < 1 ? 0 : static_cast<std::int64_t>(programs::fib_forks(n - 1)) + 1;
  if (who->make(1)->run_fib(n) != right) throw std::runtime_error(fmt::format("fib({}) is not {}", n, right));
  return true;
}

std::optional<std::uint64_t> collected(const std::string& callgrind_output) {
  constexpr std::string_view key = "Collected :";
  const auto found = callgrind_output.find(key);
  if (found == std::string::npos) return std::nullopt;
  const auto first = callgrind_output.find_first_not_of(' ', found + key.size());
  if (first == std::string::npos) return std::nullopt;
  std::uint64_t value = 0;
  const char* const end = callgrind_output.data() + callgrind_output.size();
  if (std::from_chars(callgrind_output.data() + first, end, value).ec != std::errc{}) return std::nullopt;
  return value;
}

counted_instructions count_instructions() {
  const auto forks = static_cast<double>(programs::fib_forks(large_fib) - programs::fib_forks(small_fib));
  std::vector<double> per_fork;
  progress shown("callgrind", instruction_forms().size());
  for (const std::string& form : instruction_forms()) {
    shown.step(form);
    try {
      const auto large = instructions_of(form, large_fib);
      const auto small = instructions_of(form, small_fib);
      if (!large || !small) return {{}, "callgrind could not run this program"};
      per_fork.push_back((static_cast<double>(*large) - static_cast<double>(*small)) / forks);
    } catch (const std::system_error&) {
      return {{}, "valgrind is not installed"};
    }
  }
  const double serial = per_fork[0];
  return {instruction_counts{.serial = serial,
                             .plain = per_fork[1] - serial,
                             .context = per_fork[2] - serial,
                             .throwing = per_fork[3] - serial},
          {}};
}

}  // namespace pilfer::lab::forkjoin
