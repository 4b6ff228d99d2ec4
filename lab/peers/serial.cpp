// Serial C++: what pilfer and the other libraries of this process are compared with.
#include <utility>

#include "lab/peers/classic_session.hpp"
#include "lab/peers/run_contest.hpp"
#include "lab/programs/fib.hpp"

namespace pilfer::lab::peers {
namespace {

struct plain_calls {
  template <class F, class G>
  static auto fork_join(F&& f, G&& g) {
    const auto first = f();
    return std::pair(first, g());
  }
};

std::int64_t transcode_all(const std::vector<std::string>& documents) {
  std::int64_t sum = 0;
  for (const std::string& one : documents) sum += transcoded(one);
  return sum;
}

class serial_team final : public team {
 public:
  outcome run(contest what, std::int64_t size) override {
    if (const auto classic = classic_program(what)) return classics_.run(*classic, size);
    switch (what) {
      case contest::fib_spawn: return timed([n = static_cast<int>(size)] { return programs::serial_fib(n); });
      case contest::skynet: return timed([size] { return serial_skynet(0, size); });
      case contest::spawn: return timed([size] { return serial_spawn(size); });
      case contest::ping_pong: return timed([size] { return serial_ping_pong(size); });
      case contest::json: {
        const std::vector<std::string> all = json_documents(size);
        return timed([&all] { return transcode_all(all); });
      }
      default: return run_with_forks<plain_calls>(what, size, [](auto program) { return program(); });
    }
  }

 private:
  classic_session classics_{schedulers::serial_name, 1};
};

}  // namespace

std::vector<entrant> serial_entrants() {
  return {{.name = serial_name,
           .own_sequential = serial_name,
           .contests = {contest::fib, contest::fib_spawn, contest::skynet, contest::spawn, contest::ping_pong,
                        contest::nqueens, contest::integrate, contest::quicksort, contest::merge_sort, contest::matmul,
                        contest::json},
           .make = [](std::size_t /*workers*/) { return std::make_unique<serial_team>(); }}};
}

}  // namespace pilfer::lab::peers
