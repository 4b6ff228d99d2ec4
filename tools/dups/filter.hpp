// Which files and folders a search takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "finder.hpp"
#include "tree.hpp"

namespace pilfer::dups {

class filter {
 public:
  explicit filter(const search_options& options);

  [[nodiscard]] bool hides(std::string_view name) const noexcept { return !hidden_ && name.starts_with('.'); }
  // By their names alone, before anything is known of them.
  [[nodiscard]] bool takes_file(const folder& where, const char* name) const;
  [[nodiscard]] bool takes_folder(const folder& where, const char* name) const;

 private:
  struct patterns {
    explicit patterns(const std::vector<std::string>& globs);
    [[nodiscard]] bool empty() const noexcept { return names.empty() && paths.empty(); }
    [[nodiscard]] bool match(const folder& where, const char* name) const;
    std::vector<std::string> names;
    std::vector<std::string> paths;  // those with a slash
  };

  patterns include_;
  patterns exclude_;
  bool hidden_;
};

}  // namespace pilfer::dups
