#include "litmus/program.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace pilfer::model::litmus {
namespace {

struct order_name {
  std::string_view name;
  std::memory_order order;
};
constexpr std::array<order_name, 5> order_names{{{"rlx", std::memory_order_relaxed},
                                                 {"acq", std::memory_order_acquire},
                                                 {"rel", std::memory_order_release},
                                                 {"ar", std::memory_order_acq_rel},
                                                 {"sc", std::memory_order_seq_cst}}};

std::string name_of(std::memory_order order) {
  for (const order_name& each : order_names)
    if (each.order == order) return std::string(each.name);
  return "?";
}

// What C++ takes when only one order is given.
std::memory_order failure_of(std::memory_order success) {
  if (success == std::memory_order_acq_rel) return std::memory_order_acquire;
  if (success == std::memory_order_release) return std::memory_order_relaxed;
  return success;
}

class parser {
 public:
  parser(std::string_view text, program& into) : text_(text), program_(into) {}

  void threads() {
    do {
      program_.threads.emplace_back();
      if (program_.threads.size() > max_program_threads) fail("too many threads");
      do {
        program_.threads.back().push_back(one());
      } while (take(";"));
    } while (take("|"));
    if (!rest().empty()) fail("not understood");
  }

  // `name=value` terms; the caller gets each.
  template <class Term>
  void condition(Term&& term) {
    do {
      const std::string what = name();
      expect("=");
      term(what, number());
    } while (take("&"));
    if (!rest().empty()) fail("not understood");
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw bad_program(why + " at '" + std::string(text_.substr(at_)) + "' in '" + std::string(text_) + "'");
  }

  // The number in r<number>.
  [[nodiscard]] static std::optional<int> register_number(const std::string& name) {
    if (name.size() != 2 || name[0] != 'r' || std::isdigit(static_cast<unsigned char>(name[1])) == 0) return {};
    return name[1] - '0';
  }

 private:
  std::string_view rest() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return text_.substr(at_);
  }
  bool take(std::string_view token) {
    if (!rest().starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail("expected " + std::string(token));
  }
  std::string name() {
    std::size_t size = 0;
    for (const char c : rest()) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) break;
      ++size;
    }
    if (size == 0 || std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) fail("expected a name");
    at_ += size;
    return std::string(text_.substr(at_ - size, size));
  }
  int number() {
    int value = 0;
    bool any = false;
    for (rest(); at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0; ++at_, any = true)
      value = 10 * value + (text_[at_] - '0');
    if (!any) fail("expected a number");
    return value;
  }
  std::optional<std::memory_order> order() {
    for (const order_name& each : order_names)
      if (take(each.name)) return each.order;
    return {};
  }
  std::uint8_t location(const std::string& what) {
    if (register_number(what)) fail("a register where a location should be");
    auto at = std::find(program_.locations.begin(), program_.locations.end(), what);
    if (at == program_.locations.end()) {
      if (program_.locations.size() == max_locations) fail("too many locations");
      at = program_.locations.insert(at, what);
    }
    return static_cast<std::uint8_t>(at - program_.locations.begin());
  }
  int known_register() {
    const auto which = register_number(name());
    if (!which || !is_set(*which)) fail("expected a register of this thread");
    return *which;
  }
  // Set by this thread: no thread may look into another's registers.
  [[nodiscard]] bool is_set(int which) const {
    const auto& thread = program_.threads.back();
    return std::any_of(thread.begin(), thread.end(), [&](const instruction& i) { return i.result == which; });
  }

  instruction one() {
    instruction made;
    std::string first = name();
    if (first == "fence") {
      made.order = order().value_or(std::memory_order_relaxed);
      return made;
    }
    if (first == "if") {
      made.kind = operation::only_if;
      made.from = known_register();
      made.equal = !take("!=");
      if (made.equal) expect("==");
      made.operand = number();
      return made;
    }
    if (const auto result = register_number(first)) {
      for (const auto& thread : program_.threads)
        for (const instruction& i : thread)
          if (i.result == *result) fail("a register is set twice");
      made.result = *result;
      program_.registers = std::max(program_.registers, static_cast<std::size_t>(*result) + 1);
      expect("=");
      first = name();
    } else if (take("=")) {
      store(made, first);
      return made;
    }
    access(made, first);
    return made;
  }

  void store(instruction& made, const std::string& to) {
    made.kind = operation::store;
    made.location = location(to);
    if (rest().starts_with('r')) {
      made.from = known_register();
      if (take("+")) made.operand = number();
    } else {
      made.operand = number();
    }
    made.order = order().value_or(std::memory_order_relaxed);
  }

  // A load, or a read-modify-write called `what`.
  void access(instruction& made, const std::string& what) {
    if (!take("(")) {
      made.kind = operation::load;
      made.location = location(what);
      made.order = order().value_or(std::memory_order_relaxed);
      return;
    }
    if (what == "add") {
      made.kind = operation::fetch_add;
    } else if (what == "swap") {
      made.kind = operation::exchange;
    } else if (what == "cas") {
      made.kind = operation::cas;
    } else if (what == "weak") {
      made.kind = operation::weak_cas;
    } else {
      fail("no such operation: " + what);
    }
    made.location = location(name());
    expect(",");
    if (made.kind == operation::cas || made.kind == operation::weak_cas) {
      made.expected = number();
      expect(",");
    }
    made.operand = number();
    expect(")");
    made.order = order().value_or(std::memory_order_relaxed);
    made.failure = failure_of(made.order);
    if (take("/")) {
      const auto failure = order();
      if (!failure) fail("expected an order");
      made.failure = *failure;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  program& program_;
};

std::string to_text(const instruction& what, const program& of) {
  const auto at = [&] { return of.locations.at(what.location); };
  const auto reg = [](int which) { return "r" + std::to_string(which); };
  const std::string result = what.result < 0 ? "" : reg(what.result) + "=";
  const std::string operand = std::to_string(what.operand);
  const std::string order = what.order == std::memory_order_relaxed ? "" : " " + name_of(what.order);
  switch (what.kind) {
    case operation::load: return result + at() + order;
    case operation::store:
      if (what.from < 0) return at() + "=" + operand + order;
      return at() + "=" + reg(what.from) + (what.operand == 0 ? "" : "+" + operand) + order;
    case operation::fetch_add: return result + "add(" + at() + "," + operand + ")" + order;
    case operation::exchange: return result + "swap(" + at() + "," + operand + ")" + order;
    case operation::cas:
    case operation::weak_cas:
      return result + (what.kind == operation::cas ? "cas(" : "weak(") + at() + "," + std::to_string(what.expected) +
             "," + operand + ") " + name_of(what.order) + "/" + name_of(what.failure);
    case operation::fence: return "fence" + order;
    case operation::only_if: return "if " + reg(what.from) + (what.equal ? "==" : "!=") + operand;
  }
  return "?";
}

}  // namespace

program parse(std::string_view text) {
  program made;
  parser(text, made).threads();
  return made;
}

std::string to_text(const program& what) {
  std::string text;
  for (const auto& thread : what.threads) {
    if (!text.empty()) text += " | ";
    for (std::size_t i = 0; i < thread.size(); ++i) text += (i == 0 ? "" : "; ") + to_text(thread[i], what);
  }
  return text;
}

std::string to_text(const outcome& what, const program& of) {
  std::string text;
  const auto add = [&](const std::string& name, int value) {
    text += (text.empty() ? "" : " & ") + name + "=" + std::to_string(value);
  };
  for (std::size_t i = 0; i < of.registers; ++i) add("r" + std::to_string(i), what.registers[i]);
  for (std::size_t i = 0; i < of.locations.size(); ++i) add(of.locations[i], what.memory[i]);
  return text;
}

condition::condition(std::string_view text, const program& of) {
  program scratch = of;
  parser reader(text, scratch);
  reader.condition([&](const std::string& name, int value) {
    if (const auto which = parser::register_number(name)) {
      terms_.push_back({true, static_cast<std::size_t>(*which), value});
      return;
    }
    const auto at = std::find(of.locations.begin(), of.locations.end(), name);
    if (at == of.locations.end()) reader.fail("no such location: " + name);
    terms_.push_back({false, static_cast<std::size_t>(at - of.locations.begin()), value});
  });
}

bool condition::holds(const outcome& at) const noexcept {
  return std::all_of(terms_.begin(), terms_.end(), [&](const term& each) {
    return (each.is_register ? at.registers[each.index] : at.memory[each.index]) == each.value;
  });
}

bool condition::holds_somewhere(const outcome_set& in) const noexcept {
  return std::any_of(in.begin(), in.end(), [&](const outcome& each) { return holds(each); });
}

}  // namespace pilfer::model::litmus
