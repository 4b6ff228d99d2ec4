// A stand-in for "/", and for the environment.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace pilfer::test {

// A folder that stands for "/", gone at the end.
class fake_root {
 public:
  fake_root() {
    std::string name = (std::filesystem::temp_directory_path() / "pilfer_topology_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~fake_root() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  fake_root(const fake_root&) = delete;
  fake_root& operator=(const fake_root&) = delete;

  void write(const std::string& file, std::string_view text) const {
    std::filesystem::create_directories(std::filesystem::path(path_ + file).parent_path());
    std::ofstream(path_ + file, std::ios::binary) << text;
  }
  void make_folder(const std::string& folder) const { std::filesystem::create_directories(path_ + folder); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Sets a variable of the environment, and puts back what was there.
class variable {
 public:
  variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  ~variable() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace pilfer::test
