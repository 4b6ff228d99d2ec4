#include "waits/plan.hpp"

#include <algorithm>
#include <utility>

#include <pilfer/pool.hpp>

#include "support/environment.hpp"

namespace pilfer::test {

const std::vector<ingredient_name>& ingredient_names() {
  static const std::vector<ingredient_name> names = {
      {"other_pools", &ingredients::other_pools},
      {"own_pools", &ingredients::own_pools},
      {"coroutines", &ingredients::coroutines},
      {"blocking_coroutines", &ingredients::blocking_coroutines},
      {"regions", &ingredients::regions},
      {"foreign_waits", &ingredients::foreign_waits},
      {"limits", &ingredients::limits},
      {"earlier_waits", &ingredients::earlier_waits},
      {"callers", &ingredients::callers},
      {"priorities", &ingredients::priorities},
      {"schedulers", &ingredients::schedulers},
      {"few_threads", &ingredients::few_threads},
      {"few_processors", &ingredients::few_processors},
      {"any_work", &ingredients::any_work},
      {"resizing", &ingredients::resizing},
      {"few_threads_hops", &ingredients::few_threads_hops},
      {"callers_rest", &ingredients::callers_rest},
  };
  return names;
}

const char* name_of(node_kind kind) {
  switch (kind) {
    case node_kind::work: return "work";
    case node_kind::fork: return "fork";
    case node_kind::loop: return "loop";
    case node_kind::group: return "group";
    case node_kind::submit: return "submit";
    case node_kind::stages: return "stages";
    case node_kind::run: return "run";
    case node_kind::own_pool: return "own_pool";
    case node_kind::level: return "level";
    case node_kind::foreign: return "foreign";
    case node_kind::callers: return "callers";
    case node_kind::earlier: return "earlier";
    case node_kind::sync: return "sync";
    case node_kind::stuck: return "stuck";
    case node_kind::twice: return "twice";
    case node_kind::co_work: return "co_work";
    case node_kind::co_each: return "co_each";
    case node_kind::co_all: return "co_all";
    case node_kind::co_any: return "co_any";
    case node_kind::co_deadline: return "co_deadline";
    case node_kind::co_fork: return "co_fork";
    case node_kind::co_sleep: return "co_sleep";
    case node_kind::co_schedule: return "co_schedule";
    case node_kind::co_channel: return "co_channel";
    case node_kind::co_mutex: return "co_mutex";
    case node_kind::co_semaphore: return "co_semaphore";
    case node_kind::co_plain: return "co_plain";
  }
  return "?";
}

const char* name_of(wait_way way) {
  switch (way) {
    case wait_way::plain: return "plain";
    case wait_way::loop: return "loop";
    case wait_way::look: return "look";
    case wait_way::region: return "region";
    case wait_way::region_loop: return "region_loop";
    case wait_way::last: return "last";
  }
  return "?";
}

namespace {

// Makes the trees of one plan.
class planner {
 public:
  planner(random_source& random, const ingredients& use, std::size_t pools, bool hops)
      : random_(random), use_(use), pools_(pools), hops_(hops) {}

  [[nodiscard]] node plain(std::size_t budget, unsigned depth) {
    node one;
    one.number = static_cast<unsigned>(random_.below(1000));
    one.home = any_home();
    one.way = any_way();
    if (budget <= 1 || depth >= deepest) {
      one.kind = use_.earlier_waits && make_earlier(one) ? node_kind::earlier : node_kind::work;
      return one;
    }
    one.kind = plain_kind();
    if (one.kind == node_kind::run && use_.resizing && random_.one_in(4)) {
      one.resize = 1 + static_cast<unsigned>(random_.below(4));
    }
    if (one.kind == node_kind::sync) {
      fill(one, budget - 1, depth, true, 1);
    } else {
      // A group's tasks may be coroutines.
      const bool mixed = one.kind == node_kind::group && use_.coroutines;
      fill(one, budget - 1, depth, false, one.kind == node_kind::run || one.kind == node_kind::level ? 3 : 8, mixed);
    }
    return one;
  }

 private:
  struct step {
    node_kind kind;
    std::size_t below;  // how many nodes this one will have
    std::size_t child;  // on the way down
  };
  static constexpr unsigned deepest = 12;

  [[nodiscard]] node coroutine(std::size_t budget, unsigned depth) {
    node one;
    one.number = static_cast<unsigned>(random_.below(1000));
    one.home = any_home();
    one.way = any_way();
    if (budget <= 1 || depth >= deepest) {
      one.kind = node_kind::co_work;
      return one;
    }
    using enum node_kind;
    static constexpr node_kind kinds[] = {co_each,      co_all,      co_all,   co_any,     co_deadline,
                                          co_fork,      co_sleep,    co_sleep, co_channel, co_mutex,
                                          co_semaphore, co_schedule, co_plain, co_plain,   co_plain};
    do {
      one.kind = kinds[random_.below(std::size(kinds))];
    } while ((one.kind == co_plain && !use_.blocking_coroutines) ||
             (one.kind == co_schedule && !(use_.other_pools && hops_)));
    const bool single = one.kind == co_any || one.kind == co_deadline;
    fill(one, budget - 1, depth, one.kind != co_plain, single ? 1 : one.kind == co_plain ? 2 : 6);
    return one;
  }

  [[nodiscard]] node_kind plain_kind() {
    using enum node_kind;
    static constexpr node_kind kinds[] = {fork, loop, group,    group, group,   submit,  submit, submit, stages,
                                          run,  run,  own_pool, level, foreign, callers, sync,   sync,   sync};
    for (;;) {
      const node_kind kind = kinds[random_.below(std::size(kinds))];
      if (kind == run && !use_.other_pools) continue;
      if (kind == own_pool && (!use_.own_pools || random_.one_in(2))) continue;
      if ((kind == foreign || kind == callers) && !use_.foreign_waits) continue;
      if (kind == level && !use_.priorities) continue;
      if (kind == sync && !use_.coroutines) continue;
      return kind;
    }
  }

  [[nodiscard]] int any_home() {
    if (!use_.other_pools || random_.one_in(3)) return -1;
    return static_cast<int>(random_.below(pools_));
  }
  [[nodiscard]] wait_way any_way() {
    for (;;) {
      const auto way = static_cast<wait_way>(random_.below(6));
      if ((way == wait_way::loop || way == wait_way::look) && !use_.limits) continue;
      if (way == wait_way::region && !use_.regions) continue;
      if (way == wait_way::region_loop && (!use_.regions || !use_.limits)) continue;
      return way;
    }
  }

  void fill(node& one, std::size_t budget, unsigned depth, bool coroutines, std::size_t most, bool mixed = false) {
    const std::size_t count = 1 + random_.below(std::min(most, budget));
    way_.push_back({one.kind, count, 0});
    for (std::size_t i = 0; i < count; ++i) {
      way_.back().child = i;
      const std::size_t share = i + 1 == count ? budget : 1 + random_.below(2 * (budget / (count - i)));
      const std::size_t given = std::min(share, budget - (count - 1 - i));
      budget -= given;
      const bool as_coroutine = coroutines || (mixed && random_.one_in(3));
      one.below.push_back(as_coroutine ? coroutine(given, depth + 1) : plain(given, depth + 1));
    }
    way_.pop_back();
  }

  // Chooses something that a node above has made before it made the way down to here.
  bool make_earlier(node& one) {
    if (!random_.one_in(3)) return false;
    std::vector<std::pair<unsigned, std::size_t>> choices;
    for (std::size_t up = 1; up <= way_.size(); ++up) {
      const step& at = way_[way_.size() - up];
      if (at.kind == node_kind::submit) {
        for (std::size_t i = 0; i < at.child; ++i) choices.emplace_back(static_cast<unsigned>(up), i);
      } else if (at.kind == node_kind::stages && at.child >= at.below / 2) {
        choices.emplace_back(static_cast<unsigned>(up), 0);
      }
    }
    if (choices.empty()) return false;
    std::tie(one.up, one.index) = choices[random_.below(choices.size())];
    return true;
  }

  random_source& random_;
  const ingredients& use_;
  const std::size_t pools_;
  const bool hops_;  // coroutines may go on in another pool
  std::vector<step> way_;
};

std::size_t number_from(node& one, std::size_t id) {
  one.id = id++;
  for (node& child : one.below) id = number_from(child, id);
  return id;
}

}  // namespace

plan make_plan(std::uint64_t seed, const ingredients& may_use) {
  random_source random(seed);
  ingredients use = may_use;
  plan all;
  all.seed = seed;
  // What does not go together.
  const bool limited = use.few_threads && random.one_in(2);
  const bool any_work = use.any_work && random.one_in(8);
  if (limited) use.foreign_waits = false;
  if (limited || any_work) use.earlier_waits = false;
  // Fewer ingredients in one plan make more of them meet.
  for (const ingredient_name& one : ingredient_names()) {
    if (random.one_in(5)) use.*one.which = false;
  }
  if (use.few_processors)
    all.processors = 1 + static_cast<unsigned>(random.below(4));
  else
    all.processors = 0;
  if (limited) all.threads = 1 + static_cast<unsigned>(random.below(8));
  all.rounds = 1 + static_cast<unsigned>(random.below(3));

  const std::size_t pools = use.other_pools ? 1 + random.below(3) : 1;
  for (std::size_t i = 0; i < pools; ++i) {
    pool_options options;
    options.workers = random.below(5);
    if (use.schedulers && random.one_in(3)) {
      const std::vector<std::string> names = scheduler_names();
      options.scheduler = names[random.below(names.size())];
    }
    if (use.priorities && random.one_in(3)) options.levels = 2 + static_cast<unsigned>(random.below(2));
    if (options.levels > 1 && random.one_in(4)) options.ageing = std::chrono::milliseconds(1);
    if (any_work && random.one_in(2)) options.wait = waiting::any_work;
    if (use.callers_rest && random.one_in(5)) options.callers_work = false;
    all.pools.push_back(options);
  }

  planner make(random, use, pools, !limited || use.few_threads_hops);
  const std::size_t callers = use.callers && random.one_in(2) ? 2 + random.below(5) : 1;
  static constexpr std::size_t sizes[] = {6, 12, 25, 50, 100, 200};
  const std::size_t nodes = sizes[random.below(limited ? 4 : 6)];
  for (std::size_t i = 0; i < callers; ++i)
    all.roots.push_back(make.plain(std::max<std::size_t>(4, nodes / callers), 0));
  number_nodes(all);
  return all;
}

std::size_t number_nodes(plan& all) {
  std::size_t id = 0;
  for (node& root : all.roots) id = number_from(root, id);
  return id;
}

std::string describe(const node& one) {
  std::string text = std::to_string(one.id) + " " + name_of(one.kind);
  switch (one.kind) {
    case node_kind::group:
    case node_kind::submit:
    case node_kind::stages:
    case node_kind::own_pool:
    case node_kind::earlier: text += std::string(" ") + name_of(one.way); break;
    default: break;
  }
  switch (one.kind) {
    case node_kind::group:
    case node_kind::submit:
    case node_kind::stages:
    case node_kind::run:
    case node_kind::foreign:
    case node_kind::sync:
    case node_kind::co_schedule: text += one.home < 0 ? " here" : " pool " + std::to_string(one.home); break;
    case node_kind::earlier: text += " up " + std::to_string(one.up) + " index " + std::to_string(one.index); break;
    default: break;
  }
  if (one.resize != 0) text += " resized to " + std::to_string(one.resize);
  return text;
}

std::string describe(const plan& all) {
  std::string text = "plan " + std::to_string(all.seed) + ": " +
                     (all.processors == 0 ? "all" : std::to_string(all.processors)) + " processors, " +
                     (all.threads == 0 ? "any number of" : std::to_string(all.threads)) + " threads to be had, " +
                     std::to_string(all.rounds) + " rounds\n";
  for (std::size_t i = 0; i < all.pools.size(); ++i) {
    const pool_options& one = all.pools[i];
    text += "  pool " + std::to_string(i) + ": " + std::to_string(one.workers) + " workers";
    if (!one.scheduler.empty()) text += ", " + one.scheduler;
    if (one.levels > 1) text += ", " + std::to_string(one.levels) + " levels";
    if (one.ageing.count() > 0) text += ", ageing";
    if (one.wait == waiting::any_work) text += ", any_work";
    if (!one.callers_work) text += ", callers rest";
    text += "\n";
  }
  return text;
}

}  // namespace pilfer::test
