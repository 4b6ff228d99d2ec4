#include "litmus/random_program.hpp"

namespace pilfer::model::litmus {
namespace {

// splitmix64: small, and the same on every machine.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) noexcept : state_(seed) {}
  std::size_t below(std::size_t n) noexcept {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return static_cast<std::size_t>((z ^ (z >> 31)) % n);
  }
  bool one_in(std::size_t n) noexcept { return below(n) == 0; }
  template <class... Choices>
  std::memory_order one_of(Choices... choices) noexcept {
    const std::memory_order all[]{choices...};
    return all[below(sizeof...(choices))];
  }

 private:
  std::uint64_t state_;
};

constexpr auto rlx = std::memory_order_relaxed;
constexpr auto acq = std::memory_order_acquire;
constexpr auto rel = std::memory_order_release;
constexpr auto ar = std::memory_order_acq_rel;
constexpr auto sc = std::memory_order_seq_cst;

// Programs differ in which orders they prefer: with all of them mixed evenly, hardly any outcome hangs on one of them.
enum class flavour : std::uint8_t { mixed, acquire_release, fences, seq_cst, relaxed };
constexpr std::size_t flavours = 5;

class generator {
 public:
  explicit generator(std::uint64_t seed) : random_(seed) {}

  program make() {
    flavour_ = static_cast<flavour>(random_.below(flavours));
    const std::size_t threads = 2 + random_.below(2);
    constexpr const char* names[] = {"x", "y", "z"};
    const std::size_t locations = random_.one_in(6) ? 1 : 2 + random_.below(2);
    for (std::size_t l = 0; l < locations; ++l) made_.locations.emplace_back(names[l]);
    for (std::size_t t = 0; t < threads; ++t) {
      made_.threads.emplace_back();
      const std::size_t size = threads == 2 ? 2 + random_.below(4) : 1 + random_.below(4);
      while (made_.threads.back().size() < size && total_ < max_random_instructions) {
        made_.threads.back().push_back(one());
        ++total_;
      }
      if (made_.threads.back().empty()) made_.threads.pop_back();
    }
    return std::move(made_);
  }

 private:
  instruction one() {
    instruction i;
    i.location = static_cast<std::uint8_t>(random_.below(made_.locations.size()));
    const std::size_t kind = random_.below(flavour_ == flavour::fences ? 24 : 20);
    if (kind < 7) {
      i.kind = operation::load;
      i.order = load_order();
    } else if (kind < 14) {
      i.kind = operation::store;
      i.order = store_order();
      i.operand = next_value();
      if (const int from = some_register(); from >= 0 && random_.one_in(4)) {
        i.from = from;
        i.operand = static_cast<int>(random_.below(2));
      }
    } else if (kind < 17) {
      read_modify_write(i);
    } else if (kind == 17 && some_register() >= 0) {
      i.kind = operation::only_if;
      i.from = some_register();
      i.operand = static_cast<int>(random_.below(3));
      i.equal = random_.one_in(2);
    } else {
      i.kind = operation::fence;
      i.order = flavour_ == flavour::fences && random_.one_in(2) ? sc : random_.one_of(acq, rel, ar, sc);
    }
    const bool reads = i.kind != operation::store && i.kind != operation::fence && i.kind != operation::only_if;
    if (reads && made_.registers < max_registers) i.result = static_cast<int>(made_.registers++);
    return i;
  }

  void read_modify_write(instruction& i) {
    constexpr operation kinds[] = {operation::fetch_add, operation::exchange, operation::cas, operation::weak_cas};
    i.kind = kinds[modifications_ >= 4 ? 2 : random_.below(4)];
    ++modifications_;
    i.order = flavour_ == flavour::relaxed   ? rlx
              : flavour_ == flavour::seq_cst ? sc
                                             : random_.one_of(rlx, acq, rel, ar, sc);
    i.operand = i.kind == operation::fetch_add ? 1 + static_cast<int>(random_.below(2)) : next_value();
    if (i.kind == operation::cas || i.kind == operation::weak_cas) {
      i.expected = random_.one_in(2) ? 0 : 1 + static_cast<int>(random_.below(3));
      i.failure = random_.one_of(rlx, acq, sc);
    }
  }

  std::memory_order load_order() {
    switch (flavour_) {
      case flavour::acquire_release: return random_.one_in(4) ? rlx : acq;
      case flavour::seq_cst: return random_.one_in(4) ? acq : sc;
      case flavour::fences:
      case flavour::relaxed: return rlx;
      case flavour::mixed: break;
    }
    return random_.one_of(rlx, acq, sc);
  }
  std::memory_order store_order() {
    switch (flavour_) {
      case flavour::acquire_release: return random_.one_in(4) ? rlx : rel;
      case flavour::seq_cst: return random_.one_in(4) ? rel : sc;
      case flavour::fences:
      case flavour::relaxed: return rlx;
      case flavour::mixed: break;
    }
    return random_.one_of(rlx, rel, sc);
  }
  // Mostly different ones, so that outcomes tell stores apart.
  int next_value() { return random_.one_in(4) ? 1 : ++value_; }
  // One that this thread has set; -1 if there is none.
  int some_register() {
    int found = -1;
    for (const instruction& i : made_.threads.back())
      if (i.result >= 0 && (found < 0 || random_.one_in(2))) found = i.result;
    return found;
  }

  random_source random_;
  program made_;
  flavour flavour_ = flavour::mixed;
  std::size_t total_ = 0;
  int modifications_ = 0;
  int value_ = 0;
};

}  // namespace

program random_program(std::uint64_t seed) { return generator(seed).make(); }

}  // namespace pilfer::model::litmus
