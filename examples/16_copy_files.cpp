// Copies files, many at a time: each copy is a coroutine, which gives its worker away while it waits for the disk.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <stdlib.h>

#include <pilfer/coro.hpp>
#include <pilfer/io.hpp>
#include <pilfer/pool.hpp>

namespace fs = std::filesystem;
namespace io = pilfer::io;

namespace {

pilfer::async_semaphore places(64);  // so many copies have files open and a buffer at a time

// How many bytes, or what went wrong.
pilfer::task<io::result<std::size_t>> copy(fs::path from, fs::path to) {
  const auto place = co_await places.hold();
  const auto in = co_await io::open(from, O_RDONLY);
  if (!in) co_return in.error();
  const auto out = co_await io::open(to, O_WRONLY | O_CREAT | O_EXCL);  // never over another file
  if (!out) co_return out.error();
  std::vector<std::byte> room(128 * 1024);
  for (std::size_t done = 0;;) {
    const auto got = co_await io::read(*in, room, done);
    if (!got) co_return got.error();
    if (*got == 0) co_return done;
    const auto put = co_await io::write_all(out->native(), std::span(room).first(*got), done);
    if (!put) co_return put.error();
    done += *got;
  }
}

}  // namespace

int main() {
  std::string folder = fs::temp_directory_path() / "pilfer_XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  std::vector<pilfer::task<io::result<std::size_t>>> copies;
  copies.push_back(copy(folder + "/missing", folder + "/never"));
  for (std::size_t i = 0; i < 300; ++i) {
    const std::string name = folder + "/" + std::to_string(i);
    std::ofstream(name) << std::string(i * 1000, 'x');
    copies.push_back(copy(name, name + ".copy"));
  }

  pilfer::pool pool;
  const auto results = pilfer::sync_wait(pool, pilfer::when_all(std::move(copies)));

  std::size_t right = 0;
  for (std::size_t i = 1; i < results.size(); ++i) right += results[i] && *results[i] == (i - 1) * 1000 ? 1 : 0;
  std::printf("%zu files copied, by %s; the first: %s\n", right, io::describe_backend(pool).c_str(),
              results[0].error().message().c_str());
  fs::remove_all(folder);
  return right == 300 && results[0].is(std::errc::no_such_file_or_directory) ? 0 : 1;
}
