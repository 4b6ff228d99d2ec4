// pilfer serve
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pilfer/io/backend.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>

#include "command.hpp"
#include "lab/measure/output.hpp"
#include "tools/serve/descriptors.hpp"
#include "tools/serve/server.hpp"

namespace pilfer::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::uint16_t default_port = 8080;
constexpr std::uint64_t serve_most_workers = 4096;
constexpr double longest_time = 86'400;  // seconds

constexpr std::string_view serve_description =
    "Serve files or echo requests over HTTP/1.1.\n"
    "\n"
    "Examples:\n"
    "  pilfer serve                                 an echo server on 127.0.0.1:8080; Ctrl-C ends it\n"
    "  pilfer serve --root DIR --port 0             files below DIR, on a port that is free: the first line says "
    "which\n"
    "  pilfer serve --root DIR --echo               bodies of POST and PUT come back besides\n"
    "  pilfer serve --address ::1 --workers 4 --scheduler ws-chase-lev\n"
    "\n"
    "The first line of output is 'listening on ADDRESS'. SIGINT and SIGTERM end it in order: what has been asked is "
    "answered, for as\n"
    "long as --grace says; a second one cuts all connections. docs/serve.md has the rest.\n"
    "\n"
    "Schedulers: {}\n";

struct serve_options {
  std::string ip = "127.0.0.1";
  std::optional<std::uint16_t> port;
  bool echo = false;
  std::string scheduler = "bwos-fifo";
  std::size_t workers = 0;
  io::backend_choice io = io::backend_choice::automatic;
  serve::settings settings;
};

// SIGINT and SIGTERM, for whoever waits for them: blocked in this thread and in all that it starts.
class end_signals {
 public:
  end_signals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGINT);
    sigaddset(&set_, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~end_signals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  end_signals(const end_signals&) = delete;
  end_signals& operator=(const end_signals&) = delete;

  [[nodiscard]] bool come_within(milliseconds limit) const {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
    const timespec time{.tv_sec = seconds.count(), .tv_nsec = std::chrono::nanoseconds(limit - seconds).count()};
    return ::sigtimedwait(&set_, nullptr, &time) > 0;
  }

 private:
  sigset_t set_{};
  sigset_t before_{};
};

io::address address_of(const serve_options& given) {
  const bool is_local = given.ip.starts_with("unix:");
  if (is_local && given.port) refuse("--port: a Unix socket has none");
  const std::string port = std::to_string(given.port.value_or(default_port));
  const bool is_six = given.ip.find(':') != std::string::npos;
  const std::string text = is_local ? given.ip
                           : is_six ? fmt::format("[{}]:{}", given.ip, port)
                                    : fmt::format("{}:{}", given.ip, port);
  const io::result<io::address> parsed = io::address::parse(text);
  if (!parsed) refuse(fmt::format("--address: '{}' is no address: 127.0.0.1, ::1 or unix:PATH", given.ip));
  return *parsed;
}

std::string bytes_text(std::uint64_t count) {
  constexpr std::array<const char*, 5> units = {"bytes", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(count);
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < units.size(); ++unit) value /= 1000;
  return unit == 0 ? fmt::format("{} bytes", count) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::string serve_summary(const serve::counts& what, const worker_statistics& done, double seconds) {
  std::string text = fmt::format("{} requests on {} connections in {:.1f} s, {} in, {} out", what.requests,
                                 what.connections, seconds, bytes_text(what.bytes_in), bytes_text(what.bytes_out));
  for (std::size_t i = 2; i < what.by_class.size(); ++i) {
    if (what.by_class[i] != 0) text += fmt::format("; {}xx: {}", i, what.by_class[i]);
  }
  for (const auto& [count, words] :
       {std::pair(what.malformed, "malformed"), std::pair(what.timed_out, "timed out"),
        std::pair(what.broken_off, "broken off"), std::pair(what.turned_away, "turned away")}) {
    if (count != 0) text += fmt::format("; {}: {}", words, count);
  }
  return text + fmt::format("\ntasks stolen: {}; continuations of I/O stolen: {} of {}\n", done.steals_taken,
                            done.io_stolen, done.io_completed);
}

int run_serve(const serve_options& given) {
  const io::address at = address_of(given);
  serve::settings settings = given.settings;
  settings.echoes = given.echo || settings.root.empty();
  const end_signals signals;  // before there are other threads
  pool workers({.workers = given.workers, .scheduler = given.scheduler});
  io::configure(workers, {.choice = given.io});
  const std::size_t most =
      serve::connections_within(serve::raise_descriptor_limit(), workers.size(), !settings.root.empty());
  const bool few_descriptors = most < settings.connections;
  if (few_descriptors) settings.connections = most;
  serve::server server(workers, settings);
  server.start(at);
  const auto begin = std::chrono::steady_clock::now();
  lab::write_stdout(fmt::format("listening on {}\n", server.where().text()));
  lab::write_stdout(fmt::format("{}; {} workers, {}, {}{}\n",
                                settings.root.empty() ? "echo"
                                : settings.echoes     ? "files and echo"
                                                      : "files",
                                workers.size(), given.scheduler, io::describe_backend(workers),
                                few_descriptors ? fmt::format("; {} connections at most: ulimit -n", most) : ""));
  constexpr milliseconds often{20};
  constexpr milliseconds rarely{1'000'000};
  while (!signals.come_within(rarely)) {
  }
  server.stop();
  std::future<serve::counts> ended = std::async(std::launch::async, [&] { return server.wait(); });
  while (ended.wait_for(milliseconds(0)) != std::future_status::ready) {
    if (signals.come_within(often)) server.stop_now();
  }
  const serve::counts what = ended.get();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  lab::write_stdout(serve_summary(what, workers.statistics().total(), seconds));
  return success;
}

// A time in seconds, also with a fraction.
void add_time(CLI::App& command, const std::string& name, milliseconds& to, const std::string& what) {
  const auto parse = [name, &to](const std::string& text) {
    char* end = nullptr;
    const double seconds = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(seconds >= 0.001) || seconds > longest_time)
      refuse(fmt::format("{}: '{}' is not a number of seconds from 0.001 to {}", name, text, longest_time));
    to = milliseconds(std::llround(seconds * 1000));
  };
  command
      .add_option_function<std::string>(name, parse,
                                        fmt::format("{} ({:g})", what, static_cast<double>(to.count()) / 1000))
      ->type_name("SECONDS");
}

}  // namespace

void add_serve(CLI::App& to, action& chosen) {
  auto given = std::make_shared<serve_options>();
  serve::limits& sizes = given->settings.sizes;
  serve::time_limits& times = given->settings.times;
  CLI::App* command = to.add_subcommand(
      "serve", fmt::format(fmt::runtime(serve_description), listed_in_lines(scheduler_names(), 12, 100)));
  command->add_option("--address", given->ip, "Where to listen: an IP address, or unix:PATH (127.0.0.1)")
      ->type_name("IP");
  add_number(
      *command, "--port", 0, 65'535, [given](std::uint64_t n) { given->port = static_cast<std::uint16_t>(n); },
      fmt::format("The port; 0: one that is free ({})", default_port));
  command->add_option("--root", given->settings.root, "Serve the files below this folder")
      ->type_name("DIR")
      ->check([](const std::string& text) { return text.empty() ? "--root: a folder needs a name" : ""; });
  command->add_flag("--echo", given->echo, "Send bodies of POST and PUT back (the default without --root)");
  add_number(
      *command, "--workers", 1, serve_most_workers, [given](std::uint64_t n) { given->workers = n; },
      "Worker threads (as many as this process may use)");
  command->add_option("--scheduler", given->scheduler, "By name (bwos-fifo)")
      ->type_name("NAME")
      ->check([](const std::string& name) {
        const std::vector<std::string> known = scheduler_names();
        return std::ranges::find(known, name) != known.end()
                   ? std::string()
                   : fmt::format("--scheduler: there is no '{}'; the schedulers are: {}", name, listed(known));
      });
  command
      ->add_option_function<std::string>(
          "--io",
          [given](const std::string& text) {
            if (text == "uring") given->io = io::backend_choice::uring;
            if (text == "threads") given->io = io::backend_choice::threads;
          },
          "auto, uring or threads (auto)")
      ->type_name("NAME")
      ->check([](const std::string& text) {
        return text == "auto" || text == "uring" || text == "threads"
                   ? std::string()
                   : fmt::format("--io: '{}' is not auto, uring or threads", text);
      });
  add_number(
      *command, "--max-connections", 1, 1'000'000, [given](std::uint64_t n) { given->settings.connections = n; },
      fmt::format("Connections at a time; then 503 ({})", given->settings.connections));
  add_number(
      *command, "--max-line", 16, 1 << 20, [&sizes](std::uint64_t n) { sizes.line = n; },
      fmt::format("Bytes of a request's first line; then 414 ({})", sizes.line));
  add_number(
      *command, "--max-head", 64, 1 << 24, [&sizes](std::uint64_t n) { sizes.head = n; },
      fmt::format("Bytes of a request's head; then 431 ({})", sizes.head));
  add_number(
      *command, "--max-body", 0, std::uint64_t{1} << 31, [&sizes](std::uint64_t n) { sizes.body = n; },
      fmt::format("Bytes of a request's body; then 413 ({})", sizes.body));
  add_time(*command, "--head-timeout", times.head, "For the head of a request; then 408");
  add_time(*command, "--body-timeout", times.body, "For the body of a request; then 408");
  add_time(*command, "--idle-timeout", times.idle, "Between two requests");
  add_time(*command, "--send-timeout", times.send, "For a client to take what is sent at a time");
  add_time(*command, "--grace", times.grace, "For clients to finish when the server is to end");
  command->callback([given, &chosen] {
    if (given->settings.sizes.line >= given->settings.sizes.head) refuse("--max-line must be below --max-head");
    static_cast<void>(address_of(*given));
    chosen = [given] { return run_serve(*given); };
  });
}

}  // namespace pilfer::cli
