// The free functions of check.hpp and operations.hpp, each handed to this OS thread's engine.
#include "model/operations.hpp"

#include <algorithm>
#include <cstring>

#include "engine.hpp"

namespace pilfer::model {
namespace {

// The part of a path that names a file for people: "pilfer/queue/abp_deque.hpp".
[[nodiscard]] std::string short_path(const char* path) {
  const char* best = path;
  for (const char* mark : {"/include/", "/model/"}) {
    if (const char* at = std::strstr(path, mark)) best = std::max(best, at + std::strlen(mark));
  }
  return best;
}

// "T pilfer::queue::some<T>::steal() [with ...]" -> "steal"
[[nodiscard]] std::string function_name(std::string_view full) {
  const std::size_t end = full.find('(');
  if (end == std::string_view::npos) return std::string(full);
  full = full.substr(0, end);
  const std::size_t start = full.find_last_of(": ");
  return std::string(start == std::string_view::npos ? full : full.substr(start + 1));
}

[[nodiscard]] site site_of(char kind, memory_order order, const where& at) {
  return {.file = at.file_name(),
          .function = function_name(at.function_name()),
          .line = at.line(),
          .column = at.column(),
          .kind = kind,
          .order = order};
}

}  // namespace

memory_order engine::effective(char kind, memory_order order, const where& at) {
  if (weakened.empty() && !records_sites) return order;
  if (conducting()) return order;
  for (const auto& [w, weaker] : weakened) {
    if (w.line == at.line() && w.column == at.column() && w.kind == kind && w.order == order &&
        w.file == at.file_name()) {
      return weaker;
    }
  }
  if (records_sites) {
    const site here = site_of(kind, order, at);
    if (std::find(executed.begin(), executed.end(), here) == executed.end()) executed.push_back(here);
  }
  return order;
}

void engine::require(bool holds, const char* what) {
  if (!holds) fail(fault::assertion, what);
}

void engine::set_phase(std::size_t number) {
  if (!conducting()) self().phase = number;
}

void require(bool holds, const char* what) { engine::mine().require(holds, what); }
void phase(std::size_t number) { engine::mine().set_phase(number); }
void announce(unsigned n) { engine::mine().announce(n); }
void await(unsigned n) { engine::mine().await(n); }
void note(const char* text, std::uint64_t value) { engine::mine().note(text, value); }

std::vector<site> executed_sites() {
  engine::mine().records_sites = false;
  return engine::mine().executed;
}
void clear_executed_sites() {
  engine::mine().executed.clear();
  engine::mine().records_sites = true;
}
void weaken(const site& at, std::memory_order weaker) { engine::mine().weakened.emplace_back(at, weaker); }
void clear_weakened() { engine::mine().weakened.clear(); }
std::string short_file(const site& at) { return short_path(at.file.c_str()); }
void plant(checker_mutant mutant) { engine::mine().mutant = mutant; }

namespace detail {
result explore(const options& how, const scenario_ops& what) { return engine::mine().explore(how, what); }
}  // namespace detail

namespace operations {

// NOLINTBEGIN(bugprone-exception-escape): without memory, or with more events than it has room for, the checker ends
// A location is checked when it is used: it may lie in freed memory, or be one whose construction is not visible yet.
void create(location& self, std::uint64_t value, const char* name) noexcept {
  engine::mine().create(self, value, name);
}
void destroy(location& self) noexcept { engine::mine().destroy(self); }
std::uint64_t load(const location& at, memory_order order, const where& site) noexcept {
  engine& e = engine::mine();
  return e.load(e.checked(at), order, site);
}
void store(location& at, std::uint64_t value, memory_order order, const where& site) noexcept {
  engine& e = engine::mine();
  e.store(e.checked(at), value, order, site);
}
std::uint64_t exchange(location& at, std::uint64_t value, memory_order order, const where& site) noexcept {
  engine& e = engine::mine();
  return e.read_modify_write(e.checked(at), engine::rmw::exchange, 0, value, 0, order, order, site).found;
}
std::uint64_t fetch_add(location& at, std::uint64_t value, std::size_t bytes, memory_order order,
                        const where& site) noexcept {
  engine& e = engine::mine();
  const std::uint64_t mask = bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
  return e.read_modify_write(e.checked(at), engine::rmw::add, 0, value, mask, order, order, site).found;
}
bool compare_exchange(location& at, std::uint64_t& expected, std::uint64_t desired, memory_order success,
                      memory_order failure, bool weak, const where& site) noexcept {
  engine& e = engine::mine();
  const auto kind = weak ? engine::rmw::weak_cas : engine::rmw::cas;
  const auto done = e.read_modify_write(e.checked(at), kind, expected, desired, 0, success, failure, site);
  expected = done.found;
  return done.stored;
}
void fence(memory_order order, const where& site) noexcept { engine::mine().fence(order, site); }
bool asymmetric_fences() noexcept { return engine::mine().asymmetric_fences(); }
void light_fence() noexcept { engine::mine().light_fence(); }
bool heavy_fence(const where& site) noexcept { return engine::mine().heavy_fence(site); }
void pause(const where& site) noexcept { engine::mine().pause(site); }
void lock(location& at, const where& site) noexcept {
  engine& e = engine::mine();
  e.lock(e.checked(at), site);
}
void unlock(location& at, const where& site) noexcept {
  engine& e = engine::mine();
  e.unlock(e.checked(at), site);
}
bool futex_wait(const location& at, std::uint64_t expected, bool timed, const where& site) noexcept {
  engine& e = engine::mine();
  return e.futex_wait(e.checked(at), expected, timed, site);
}
std::size_t futex_wake(const location& at, std::size_t count, const where& site) noexcept {
  engine& e = engine::mine();
  return e.futex_wake(e.checked(at), count, site);
}
void* allocate(std::size_t bytes, std::size_t alignment) noexcept { return engine::mine().allocate(bytes, alignment); }
void deallocate(void* memory) noexcept { engine::mine().deallocate(memory); }
void read_cell(cell_history& history, const where& site) noexcept { engine::mine().read_cell(history, site); }
void write_cell(cell_history& history, const where& site) noexcept { engine::mine().write_cell(history, site); }
void destroy_cell(cell_history& history) noexcept { engine::mine().destroy_cell(history); }

// NOLINTEND(bugprone-exception-escape)
}  // namespace operations
}  // namespace pilfer::model
