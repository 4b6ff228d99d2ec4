// One client: reads requests, answers them, in order. All answers to requests that came together leave together.
//
// State       writer      reader        meaning
//   watched_  coroutine   sweep         what the client is waited for, and since when
//   late_     sweep       coroutine     the client was too slow: its socket was shut, which ends the wait
//   the rest  coroutine   coroutine
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <pilfer/coro/task.hpp>
#include <pilfer/io/descriptor.hpp>

#include "tools/serve/byte_buffer.hpp"
#include "tools/serve/chunked_body.hpp"
#include "tools/serve/request_parser.hpp"
#include "tools/serve/response.hpp"
#include "tools/serve/settings.hpp"
#include "tools/serve/static_files.hpp"

namespace pilfer::serve {

// What all connections of a server share.
struct surroundings {
  explicit surroundings(const settings& wanted) : given(wanted) {}

  const settings given;
  const static_files* files = nullptr;
  std::atomic<std::uint32_t> now_ms = 0;  // since the server's start, some time ago at most: who sweeps moves it
  std::atomic<bool> stopping = false;     // answer what has come, then close
};

enum class phase : std::uint32_t { busy, idle, head, body, sending, lingering };

class connection {
 public:
  explicit connection(surroundings& around);
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  // Begins with another client. Small buffers stay.
  void begin(io::socket with) noexcept;
  // Until the client or we have enough of it. The socket is still open then.
  task<> run();
  // Before the socket is closed: nobody may check() it any more.
  void end() noexcept;
  [[nodiscard]] const counts& so_far() const noexcept { return counts_; }

  // For who sweeps, while the socket is open: ends the wait for a client that is too slow, or idle while the server is to stop.
  void check(std::uint32_t now_ms) noexcept;
  // Ends whatever goes on.
  void cut() noexcept;

  std::size_t place = 0;  // the registry's: where it is listed

 private:
  enum class step : unsigned char {
    receive,  // more bytes are needed
    flush,    // so much was answered that it should be sent first
    file,     // a file's content comes next
    close,    // after what was answered
  };

  static constexpr std::size_t flush_at = 64 << 10;  // bytes answered: sent before more is read

  // Answers all requests that are complete.
  [[nodiscard]] step work();
  // Whether the body is there; if so, `used_` is the size of the whole request.
  enum class body_state : unsigned char { complete, incomplete, refused };
  [[nodiscard]] body_state read_body();
  [[nodiscard]] body_state read_chunks(std::size_t begin);
  void ask_for_body(std::size_t come);
  [[nodiscard]] step answer();
  [[nodiscard]] step answer_with_file(std::string_view target);
  void answer_with(std::string_view body, std::string_view type);
  void answer_with_message(head_fields fields);
  [[nodiscard]] step refuse(status with);
  [[nodiscard]] head_fields fields_for(status what) const noexcept;
  void count(status what) noexcept;
  void finish_request() noexcept;

  // Sends the file that answer_with_file has found. False: the client is gone, or the file has become shorter.
  task<bool> send_file();
  // Awaits the client's end, so that it gets the last response before a reset.
  task<> linger();
  // What the end of the client's bytes means.
  void at_end_of_input();

  [[nodiscard]] std::uint32_t now() const noexcept;
  void watch(phase what, std::uint32_t since) noexcept;
  void watch_receiving() noexcept;

  surroundings& around_;
  io::socket socket_;
  byte_buffer in_;
  byte_buffer out_;
  request_parser parser_;
  chunked_body chunks_;
  found_file file_;
  counts counts_;
  std::size_t body_size_ = 0;   // of the body so far
  std::size_t used_ = 0;        // bytes of the request, when it is complete
  std::uint32_t since_ms_ = 0;  // when the request, or its body, began
  bool has_head_ = false;
  bool asked_for_body_ = false;
  bool began_ = false;   // some of a request has come
  bool closes_ = false;  // the response says so
  std::atomic<std::uint64_t> watched_ = 0;
  std::atomic<bool> late_ = false;
};

}  // namespace pilfer::serve
