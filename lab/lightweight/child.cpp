#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>

#include "lab/lightweight/experiments.hpp"
#include "lab/measure/usage.hpp"
#include "lab/programs/workload.hpp"
#include "lab/schedulers/session.hpp"

namespace pilfer::lab::lightweight {
namespace {

using programs::workload;

struct order {
  workload what;
  const schedulers::entry* who = nullptr;
  std::size_t workers = 0;
  std::int64_t repeat = 0;
};

std::optional<std::int64_t> positive(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

std::optional<order> understood_order(const std::vector<std::string>& arguments) {
  if (arguments.size() != 5) return std::nullopt;
  const auto& all = programs::all_programs();
  const auto what = std::ranges::find(all, arguments[0], programs::name_of);
  const schedulers::entry* const who = schedulers::find_scheduler(arguments[1]);
  const auto workers = positive(arguments[2]);
  const auto size = positive(arguments[3]);
  const auto repeat = positive(arguments[4]);
  if (what == all.end() || who == nullptr || !who->make || !workers || !size || !repeat) return std::nullopt;
  return order{{*what, *size}, who, static_cast<std::size_t>(*workers), *repeat};
}

// A pool of its own for each answer: while this process waits for a line, it has no other threads.
std::string answer(const order& given) {
  const std::unique_ptr<schedulers::session> with = given.who->make(given.workers);
  static_cast<void>(with->seconds_of(programs::scaled(given.what.what, programs::scale::tiny)));  // threads are there
  const std::optional<std::uint64_t> stolen = with->steals_so_far();
  const usage before = usage_so_far();
  const auto begin = std::chrono::steady_clock::now().time_since_epoch();
  double seconds = 0;
  for (std::int64_t i = 0; i < given.repeat; ++i) seconds += with->seconds_of(given.what);
  const usage used = usage_so_far().since(before);
  const std::optional<std::uint64_t> now = with->steals_so_far();
  return fmt::format("{:.9f} {:.9f} {} {} {}", std::chrono::duration<double>(begin).count(), seconds,
                     used.voluntary_switches, used.involuntary_switches,
                     stolen && now ? std::to_string(*now - *stolen) : "-");
}

}  // namespace

int run_child(const std::vector<std::string>& arguments, std::istream& in, std::ostream& out,
              std::ostream& complaints) {
  const std::optional<order> given = understood_order(arguments);
  if (!given) {
    complaints << "lab child: expected PROGRAM SCHEDULER WORKERS SIZE REPEAT\n";
    return 2;
  }
  try {
    static_cast<void>(answer(*given));  // what is found out once, as the right answer, is known from here on
    out << "ready" << '\n' << std::flush;
    for (std::string line; std::getline(in, line);) out << answer(*given) << '\n' << std::flush;
  } catch (const std::exception& wrong) {
    complaints << "lab child: " << wrong.what() << '\n';
    return 1;
  }
  return 0;
}

}  // namespace pilfer::lab::lightweight
