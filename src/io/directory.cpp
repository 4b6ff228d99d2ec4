#include <pilfer/io/directory.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <coroutine>
#include <exception>
#include <mutex>
#include <set>
#include <stop_token>
#include <utility>

#include <pilfer/detail/resume.hpp>
#include <pilfer/detail/task.hpp>
#include <pilfer/ext/sync.hpp>
#include <pilfer/future.hpp>

#include "file_types.hpp"
#include "folder.hpp"

namespace pilfer::io {

task<result<std::vector<directory_entry>>> read_directory(std::string path) {
  if ((co_await this_stop_token()).stop_requested()) {
    co_return std::make_error_code(std::errc::operation_canceled);
  }
  const detail::descriptor folder(detail::open_folder(path, true));
  if (!folder.is_open()) co_return std::error_code(-folder.native(), std::system_category());
  detail::folder_reader reader;
  const int failed = reader.read(folder.native());
  if (failed != 0) co_return std::error_code(failed, std::system_category());
  std::vector<directory_entry> found;
  reader.for_each([&](const detail::folder_reader::entry& each) {
    found.push_back({std::string(each.name), each.type, each.inode});
  });
  co_return found;
}

namespace {

// State        writer            reader   meaning
//   left_      all               all      folders that are not through
//   error_     under the mutex   walker   the first exception
//   visited_   under the mutex   same     folders that were entered; only where there can be loops
// Edges
//   ended      a task: RMW of left_ -> the last one's RMW   what all have written is visible to the coroutine
struct walk_orders {
  static constexpr ext::edge ended{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

class walking {
  using Orders = walk_orders;

 public:
  walking(const walk_options& options, walk_visitor& visitor, std::stop_token stop)
      : options_(options), visitor_(visitor), stop_(std::move(stop)) {}

  // Awaited: until all folders are through.
  class whole {
   public:
    whole(walking& all, std::string root) noexcept : all_(all), root_(std::move(root)) {}
    [[nodiscard]] static bool await_ready() noexcept { return false; }
    void await_suspend(std::coroutine_handle<> who) {
      all_.next_.what = who;
      all_.next_.where = pilfer::detail::place_of_caller();
      all_.spawn(std::move(root_), 0);
    }
    static void await_resume() noexcept {}

   private:
    walking& all_;
    std::string root_;
  };

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  // A folder's task. It is not called if the pool is to stop: then its destructor leaves.
  class step {
   public:
    step(walking& all, std::string path, std::size_t depth) noexcept
        : all_(&all), path_(std::move(path)), depth_(depth) {}
    step(step&& from) noexcept
        : all_(std::exchange(from.all_, nullptr)), path_(std::move(from.path_)), depth_(from.depth_) {}
    step& operator=(step&&) = delete;
    ~step() {
      if (all_ != nullptr) all_->leave_out();
    }
    void operator()() { std::exchange(all_, nullptr)->visit(std::move(path_), depth_); }

   private:
    walking* all_;  // null: moved away, or called
    std::string path_;
    std::size_t depth_;
  };

  void spawn(std::string path, std::size_t depth) {
    left_.fetch_add(1, Orders::relaxed);  // whoever spawns has a count of its own
    const pilfer::detail::resume_place& place = next_.where;
    const pilfer::detail::task_target to{*place.home, nullptr, place.level};
    step next(*this, std::move(path), depth);
    try {
      pilfer::detail::spawn_task(to, std::move(next));
    } catch (...) {
      keep_error(std::current_exception());
    }
  }
  // A coroutine that was not asked to stop itself, but runs in a pool that was, hears that folders are missing.
  void leave_out() noexcept {
    if (!stop_.stop_requested()) keep_error(std::make_exception_ptr(task_cancelled()));
    leave();
  }
  void leave() noexcept {
    const auto order = ext::both(Orders::ended.acq, Orders::ended.rel);
    if (left_.fetch_add(~std::size_t{0}, order) == 1) pilfer::detail::resume_later(next_, next_.what);
  }
  void keep_error(std::exception_ptr error) noexcept {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    failed_.store(true, Orders::relaxed);  // hint: who misses it visits one more
  }

  // The folder, and as long as there is one, a folder in it.
  void visit(std::string path, std::size_t depth) noexcept {
    try {
      std::vector<std::string> below;
      while (!stop_.stop_requested() && !failed_.load(Orders::relaxed)) {  // hint
        below.clear();
        show(path, depth, below);
        if (below.empty()) break;
        ++depth;
        path = std::move(below.back());
        below.pop_back();
        for (std::string& each : below) spawn(std::move(each), depth);
      }
    } catch (...) {
      keep_error(std::current_exception());
    }
    leave();
  }

  void show(const std::string& path, std::size_t depth, std::vector<std::string>& below) {
    detail::descriptor folder(detail::open_folder(path, options_.follow_symlinks || depth == 0));
    if (!folder.is_open()) {
      problem(path, walk_problem::open, -folder.native());
      return;
    }
    walk_folder where{path, folder.native(), depth};
    if (!may_enter(where)) return;
    detail::folder_reader reader;
    if (const int failed = reader.read(folder.native()); failed != 0) problem(path, walk_problem::read, failed);
    std::vector<walk_entry> entries;
    entries.reserve(reader.bytes() / 32);  // as long as an entry with a short name
    reader.for_each([&](const detail::folder_reader::entry& each) {
      if (!options_.hidden && each.name.starts_with('.')) return;
      walk_entry& made = entries.emplace_back();
      made.name = each.name;
      made.type = each.type;
      made.inode = each.inode;
      resolve(where, made);
      made.enter = made.type == file_type::directory && depth < options_.max_depth;
    });
    visitor_.folder(where, entries);
    for (const walk_entry& each : entries) {
      if (each.enter && each.type == file_type::directory) below.push_back(joined(path, each.name));
    }
  }

  // What the file system has not told, and where links lead.
  void resolve(const walk_folder& where, walk_entry& each) {
    if (each.type == file_type::unknown) ask(where, each, AT_SYMLINK_NOFOLLOW);
    if (each.type == file_type::symlink && options_.follow_symlinks) {
      each.through_symlink = true;
      ask(where, each, 0);
    }
  }
  void ask(const walk_folder& where, walk_entry& each, int flags) {
    struct ::stat found{};
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the kernel's own, with a null behind it
    if (::fstatat(where.descriptor, each.name.data(), &found, flags) == 0) {
      each.type = detail::type_of_mode(found.st_mode);
      each.inode = found.st_ino;
    } else if (errno != ENOENT) {  // gone meanwhile, or a link to nothing: it is shown as what it was
      problem(joined(where.path, each.name), errno == ELOOP ? walk_problem::loop : walk_problem::stat, errno);
    }
  }

  bool may_enter(walk_folder& where) {
    if (!options_.follow_symlinks && !options_.one_file_system) return true;
    struct ::stat found{};
    if (::fstat(where.descriptor, &found) != 0) {
      problem(where.path, walk_problem::stat, errno);
      return false;
    }
    where.device = found.st_dev;
    where.inode = found.st_ino;
    if (where.depth == 0) root_device_ = where.device;
    if (options_.one_file_system && where.device != root_device_) {
      problem(where.path, walk_problem::device, 0);
      return false;
    }
    if (!options_.follow_symlinks) return true;
    bool is_new = false;
    {
      const std::lock_guard lock(mutex_);
      is_new = visited_.emplace(where.device, where.inode).second;
    }
    if (!is_new) problem(where.path, walk_problem::loop, 0);
    return is_new;
  }

  void problem(const std::string& path, walk_problem what, int error) {
    visitor_.problem(path, what, {error, std::system_category()});
  }
  static std::string joined(const std::string& path, std::string_view name) {
    std::string all;
    all.reserve(path.size() + 1 + name.size());
    all = path;
    if (!all.ends_with('/')) all += '/';
    all += name;
    return all;
  }

  const walk_options options_;
  walk_visitor& visitor_;
  const std::stop_token stop_;
  pilfer::detail::resume_job next_;
  std::uint64_t root_device_ = 0;  // written by the root's task, before there are others
  ext::default_sync::atomic<std::size_t> left_{0};
  ext::default_sync::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> visited_;
};

// Without slashes at its end.
std::string trimmed(std::string root) {
  while (root.size() > 1 && root.ends_with('/')) root.pop_back();
  return root;
}

}  // namespace

task<void> walk(std::string root, walk_options options, walk_visitor& visitor) {
  walking all(options, visitor, co_await this_stop_token());
  walking::whole every(all, trimmed(std::move(root)));
  co_await every;
  all.rethrow();
}

}  // namespace pilfer::io
