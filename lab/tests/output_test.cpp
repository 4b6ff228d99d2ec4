#include "lab/measure/output.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace pilfer::lab {
namespace {

namespace fs = std::filesystem;

class output : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "pilfer-output-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string in_folder(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::string content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

TEST_F(output, a_file_appears_only_when_it_is_written) {
  const output_file file(in_folder("new.json"));
  EXPECT_EQ(files(), 0U);
  file.write("{}\n");
  EXPECT_EQ(content(in_folder("new.json")), "{}\n");
  EXPECT_EQ(files(), 1U);
}

TEST_F(output, an_old_file_stays_until_then_and_keeps_its_mode) {
  const std::string path = in_folder("old.json");
  std::ofstream(path) << "old";
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  const output_file file(path);
  EXPECT_EQ(content(path), "old");
  file.write("new");
  EXPECT_EQ(content(path), "new");
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  EXPECT_EQ(files(), 1U);
}

TEST_F(output, a_link_stays_a_link) {
  std::ofstream(in_folder("target.json")) << "old";
  fs::create_symlink("target.json", in_folder("link.json"));
  output_file(in_folder("link.json")).write("new");
  EXPECT_TRUE(fs::is_symlink(in_folder("link.json")));
  EXPECT_EQ(content(in_folder("target.json")), "new");
}

TEST_F(output, a_folder_or_a_missing_one_is_refused_at_once) {
  EXPECT_THROW(output_file{folder_.string()}, output_error);
  EXPECT_THROW(output_file{in_folder("no/such/folder.json")}, output_error);
  EXPECT_THROW(output_file{""}, output_error);
  std::ofstream(in_folder("file")) << "x";
  EXPECT_THROW(output_file{in_folder("file") + "/below.json"}, output_error);
}

TEST_F(output, devices_are_written_directly) {
  EXPECT_NO_THROW(output_file("/dev/null").write("x"));
  EXPECT_THROW(output_file("/dev/full").write("x"), output_error);
}

TEST_F(output, the_text_says_what_and_why) {
  try {
    output_file{in_folder("no/such/folder.json")};
    FAIL();
  } catch (const output_error& error) {
    EXPECT_NE(std::string(error.what()).find("no/such/folder.json: No such file or directory"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace pilfer::lab
