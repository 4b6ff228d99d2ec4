// What is known of files, on both backends: as stat(2) says it, of every kind of file.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <pilfer/coro.hpp>
#include <pilfer/io.hpp>
#include <pilfer/pool.hpp>

#include "io/io_checks.hpp"

namespace pilfer::test {
namespace {

class status : public on_backend {
 protected:
  pool home_{2};
  temporary_folder folder_;
};

[[nodiscard]] io::file_type type_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG: return io::file_type::regular;
    case S_IFDIR: return io::file_type::directory;
    case S_IFLNK: return io::file_type::symlink;
    case S_IFIFO: return io::file_type::fifo;
    case S_IFSOCK: return io::file_type::socket;
    case S_IFCHR: return io::file_type::character_device;
    case S_IFBLK: return io::file_type::block_device;
    default: return io::file_type::unknown;
  }
}

void expect_same(const io::file_status& got, const struct stat& expected, const std::string& what) {
  EXPECT_EQ(got.type, type_of(expected.st_mode)) << what;
  EXPECT_EQ(got.mode, expected.st_mode) << what;
  EXPECT_EQ(got.user, expected.st_uid) << what;
  EXPECT_EQ(got.group, expected.st_gid) << what;
  EXPECT_EQ(got.size, static_cast<std::uint64_t>(expected.st_size)) << what;
  EXPECT_EQ(got.blocks, static_cast<std::uint64_t>(expected.st_blocks)) << what;
  EXPECT_EQ(got.device, expected.st_dev) << what;
  EXPECT_EQ(got.inode, expected.st_ino) << what;
  EXPECT_EQ(got.links, expected.st_nlink) << what;
  EXPECT_EQ(got.mtime_ns, std::int64_t{expected.st_mtim.tv_sec} * 1'000'000'000 + expected.st_mtim.tv_nsec) << what;
}

TEST_P(status, of_every_kind_of_file) {
  write_file(folder_ / "empty", {});
  write_file(folder_ / "file", content(1, 12'345));
  ASSERT_EQ(::link((folder_ / "file").c_str(), (folder_ / "hard").c_str()), 0);
  ASSERT_EQ(::symlink("file", (folder_ / "soft").c_str()), 0);
  ASSERT_EQ(::symlink("nowhere", (folder_ / "dangling").c_str()), 0);
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0640), 0);
  ASSERT_EQ(::mkdir((folder_ / "folder").c_str(), 01777), 0);
  {
    const descriptor sparse(::open((folder_ / "sparse").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(::ftruncate(sparse.get(), 5'000'000'000), 0);
    const timespec times[2] = {{-5, 500'000'000}, {-5, 500'000'000}};  // before 1970
    ASSERT_EQ(::futimens(sparse.get(), times), 0);
  }
  const io::result<io::socket> socket = io::listen(io::address("unix:" + (folder_ / "socket")));
  ASSERT_TRUE(socket);
  const std::vector<std::string> paths = {folder_.path(),
                                          folder_ / "empty",
                                          folder_ / "file",
                                          folder_ / "hard",
                                          folder_ / "soft",
                                          folder_ / "fifo",
                                          folder_ / "folder",
                                          folder_ / "sparse",
                                          folder_ / "socket",
                                          "/dev/null",
                                          "/proc/self/status",
                                          "/",
                                          "."};
  const auto body = [&]() -> task<> {
    for (const std::string& path : paths) {
      struct stat expected{};
      EXPECT_EQ(::stat(path.c_str(), &expected), 0) << path;
      const io::result<io::file_status> followed = co_await io::stat(path);
      CO_REQUIRE(followed);
      expect_same(*followed, expected, path);
      EXPECT_EQ(::lstat(path.c_str(), &expected), 0) << path;
      const io::result<io::file_status> itself = co_await io::stat(path, io::links::do_not_follow);
      CO_REQUIRE(itself);
      expect_same(*itself, expected, path);
    }
    const io::result<io::file_status> dangling = co_await io::stat(folder_ / "dangling");
    EXPECT_EQ(errno_of(dangling), ENOENT);
    const io::result<io::file_status> link = co_await io::stat(folder_ / "dangling", io::links::do_not_follow);
    CO_REQUIRE(link);
    EXPECT_EQ(link->type, io::file_type::symlink);
    const io::result<io::file_status> below = co_await io::stat(folder_ / "file/below");
    EXPECT_EQ(errno_of(below), ENOTDIR);
    const io::result<io::file_status> nothing = co_await io::stat(std::string());
    EXPECT_EQ(errno_of(nothing), ENOENT);
    const io::result<io::file_status> no_descriptor = co_await io::stat(-1);
    EXPECT_EQ(errno_of(no_descriptor), EBADF);
  };
  run_in(home_, body);
}

TEST_P(status, relative_to_a_folder_and_of_what_is_open) {
  write_file(folder_ / "file", content(1, 100));
  const auto body = [&]() -> task<> {
    const io::result<io::file> place = co_await io::open(folder_.path(), O_RDONLY | O_DIRECTORY);
    CO_REQUIRE(place);
    const io::result<io::file> opened = co_await io::open_at(place->native(), "file", O_RDWR);
    CO_REQUIRE(opened);
    struct stat expected{};
    EXPECT_EQ(::fstat(opened->native(), &expected), 0);
    const io::result<io::file_status> by_name = co_await io::stat_at(place->native(), "file");
    const io::result<io::file_status> by_descriptor = co_await io::stat(opened->native());
    const io::result<io::file_status> by_file = co_await io::stat(*opened);
    CO_REQUIRE(by_name && by_descriptor && by_file);
    expect_same(*by_name, expected, "stat_at");
    expect_same(*by_descriptor, expected, "stat of a descriptor");
    expect_same(*by_file, expected, "stat of a file");
    const io::result<io::file_status> missing = co_await io::stat_at(place->native(), "other");
    EXPECT_EQ(errno_of(missing), ENOENT);
    const io::result<io::file> no_folder = co_await io::open_at(opened->native(), "file", O_RDONLY);
    EXPECT_EQ(errno_of(no_folder), ENOTDIR);
    // Written and cut: seen at once.
    EXPECT_EQ(::ftruncate(opened->native(), 7), 0);
    const io::result<io::file_status> shorter = co_await io::stat(*opened);
    CO_REQUIRE(shorter);
    EXPECT_EQ(shorter->size, 7U);
    const io::result<void> synced = co_await io::sync(opened->native());
    EXPECT_EQ(errno_of(synced), 0);
  };
  run_in(home_, body);
}

PILFER_ON_BOTH_BACKENDS(status);

}  // namespace
}  // namespace pilfer::test
