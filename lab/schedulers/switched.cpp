// pilfer::pool with the configuration chosen when it is made: what PILFER_SCHEDULER=NAME gives a user.
#include <string>
#include <utility>

#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>

#include "lab/schedulers/pool_session.hpp"
#include "lab/schedulers/registry.hpp"
#include "lab/schedulers/users_fork.hpp"

namespace pilfer::lab::schedulers {
namespace {

class switched_pool {
 public:
  switched_pool(std::size_t workers, const std::string& name)
      : pool_(pool_options{.workers = workers, .scheduler = name}) {}
  template <class F>
  auto run(F&& f) {
    return pool_.run(std::forward<F>(f));
  }
  [[nodiscard]] pool_statistics statistics() const { return pool_.statistics(); }

 private:
  pool pool_;
};

}  // namespace

std::vector<entry> switched_entries() {
  std::vector<entry> list;
  for (auto part : {classic_entries, block_entries, split_entries, light_entries}) {
    for (const entry& fixed : part()) {
      list.push_back({.name = "switched/" + fixed.name,
                      .description = "pilfer::pool with " + fixed.name,
                      .of = family::switched,
                      .make = [name = fixed.name](std::size_t workers) {
                        return std::make_unique<pool_session<switched_pool, users_fork>>(workers, name);
                      }});
    }
  }
  return list;
}

}  // namespace pilfer::lab::schedulers
