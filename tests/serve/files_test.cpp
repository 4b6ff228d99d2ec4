// Files below a folder: what is found, and that nothing outside ever is.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tools/serve/static_files.hpp"

namespace pilfer::serve {
namespace {

namespace fs = std::filesystem;

std::string content_of(const found_file& file) {
  std::string text(file.size, '\0');
  EXPECT_EQ(::pread(file.descriptor(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  return text;
}

TEST(targets, mean_paths) {
  const auto path = [](const char* target) { return path_of_target(target).path; };
  EXPECT_EQ(path("/"), "");
  EXPECT_EQ(path("/a/b.txt?x=/../y"), "a/b.txt");
  EXPECT_EQ(path("//a///b/"), "a/b/");
  EXPECT_EQ(path("/a%20b/%C3%A4"), "a b/\xc3\xa4");
  EXPECT_EQ(path("/%61"), "a");
  EXPECT_EQ(path("/.well-known/x"), ".well-known/x");
  for (const char* out : {"/..", "/../x", "/a/../../x", "/%2e%2e/x", "/%2E./x", "/./x", "/.git/config", "/a/.hidden",
                          "/...", "/.well-knownx"}) {
    EXPECT_EQ(path_of_target(out).how, status::forbidden) << out;
  }
  for (const char* wrong : {"/%", "/%4", "/%zz", "/a%00b", "/a%2fb", "/a%2Fb"}) {
    EXPECT_EQ(path_of_target(wrong).how, status::bad_request) << wrong;
  }
  EXPECT_EQ(path_of_target("/" + std::string(5000, 'a')).how, status::not_found);
}

TEST(types, come_from_endings) {
  EXPECT_EQ(content_type_of("a/b.html"), "text/html; charset=utf-8");
  EXPECT_EQ(content_type_of("a.PNG"), "image/png");
  EXPECT_EQ(content_type_of("a.tar.gz"), "application/gzip");
  EXPECT_EQ(content_type_of("a.d/b"), "application/octet-stream");
  EXPECT_EQ(content_type_of("a."), "application/octet-stream");
  EXPECT_EQ(content_type_of(""), "application/octet-stream");
}

// With the kernel's help, and step by step.
class files : public testing::TestWithParam<bool> {
 protected:
  files() {
    std::string pattern = (fs::temp_directory_path() / "pilfer-serve-XXXXXX").string();
    base_ = ::mkdtemp(pattern.data());
    fs::create_directories(base_ / "root/folder/empty");
    write("secret.txt", "secret");
    write("root/index.html", "<p>");
    write("root/a.txt", "content of a");
    write("root/folder/index.html", "index of folder");
    write("root/folder/b c.json", "{}");
    write("root/.hidden", "hidden");
  }
  ~files() override { fs::remove_all(base_); }

  void write(const char* name, const char* text) const { std::ofstream(base_ / name) << text; }
  // What that target comes to.
  [[nodiscard]] found_file find(const std::string& target) const {
    const static_files served((base_ / "root").string(), GetParam());
    return served.find(target);
  }

  fs::path base_;
};

TEST_P(files, are_found) {
  const found_file a = find("/a.txt?query");
  ASSERT_EQ(a.how, status::ok);
  EXPECT_EQ(content_of(a), "content of a");
  EXPECT_EQ(a.type, "text/plain; charset=utf-8");
  EXPECT_EQ(content_of(find("/")), "<p>");
  EXPECT_EQ(content_of(find("/folder/")), "index of folder");
  EXPECT_EQ(content_of(find("//folder//b%20c.json")), "{}");
  struct stat about{};
  ASSERT_EQ(::stat((base_ / "root/a.txt").c_str(), &about), 0);
  EXPECT_EQ(a.modified, about.st_mtim.tv_sec);
}

TEST_P(files, that_are_folders_have_another_name) {
  EXPECT_EQ(find("/folder").how, status::moved);
  EXPECT_EQ(find("/folder?x=y").location, "/folder/?x=y");
  EXPECT_EQ(find("//folder").location, "/folder/") << "two slashes would mean another host";
  EXPECT_EQ(find("/folder/empty/").how, status::not_found);
}

TEST_P(files, that_are_not_there_are_not_found) {
  for (const char* target : {"/b.txt", "/folder/none/x", "/a.txt/", "/a.txt/b", "/folder/empty/index.html"}) {
    EXPECT_EQ(find(target).how, status::not_found) << target;
  }
  EXPECT_EQ(find("/" + std::string(300, 'x')).how, status::not_found);
  EXPECT_EQ(find("*").how, status::bad_request);
}

TEST_P(files, outside_are_never_opened) {
  fs::create_symlink("../secret.txt", base_ / "root/out.txt");
  fs::create_symlink(base_ / "secret.txt", base_ / "root/absolute.txt");
  fs::create_symlink("..", base_ / "root/up");
  fs::create_symlink("/", base_ / "root/all");
  fs::create_symlink("/proc/self/root", base_ / "root/magic");
  for (const char* target : {"/../secret.txt", "/%2e%2e/secret.txt", "/folder/../../secret.txt", "/out.txt",
                             "/absolute.txt", "/up/secret.txt", "/all/etc/passwd", "/magic/etc/passwd", "/.hidden"}) {
    const found_file found = find(target);
    EXPECT_TRUE(found.how == status::forbidden || found.how == status::not_found) << target;
    EXPECT_LT(found.descriptor(), 0) << target;
  }
}

TEST_P(files, behind_links_inside) {
  fs::create_symlink("../a.txt", base_ / "root/folder/link.txt");
  const found_file found = find("/folder/link.txt");
  if (GetParam()) {
    EXPECT_EQ(found.how, status::forbidden) << "step by step no link is followed";
  } else {
    ASSERT_EQ(found.how, status::ok);
    EXPECT_EQ(content_of(found), "content of a");
  }
}

TEST_P(files, that_are_none_are_refused_without_waiting) {
  ASSERT_EQ(::mkfifo((base_ / "root/fifo").c_str(), 0666), 0);
  EXPECT_EQ(find("/fifo").how, status::forbidden);
  if (::geteuid() != 0) {
    fs::permissions(base_ / "root/a.txt", fs::perms::none);
    EXPECT_EQ(find("/a.txt").how, status::forbidden);
  }
}

TEST_P(files, close_what_they_opened) {
  const auto open_now = [] { return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()); };
  const auto before = open_now();
  for (int i = 0; i < 50; ++i) {
    found_file one = find("/a.txt");
    found_file other = find("/folder/");
    one = std::move(other);
    static_cast<void>(find("/folder"));
    static_cast<void>(find("/folder/none/x"));
    EXPECT_EQ(content_of(one), "index of folder");
  }
  EXPECT_EQ(open_now(), before);
}

TEST_P(files, need_a_folder) {
  EXPECT_THROW(static_files((base_ / "none").string(), GetParam()), std::system_error);
  EXPECT_THROW(static_files((base_ / "root/a.txt").string(), GetParam()), std::system_error);
}

INSTANTIATE_TEST_SUITE_P(both_ways, files, testing::Bool(),
                         [](const auto& way) { return way.param ? "step_by_step" : "beneath"; });

}  // namespace
}  // namespace pilfer::serve
