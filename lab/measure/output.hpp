// Where a report goes: a file that is there whole or not at all, or standard output.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace pilfer::lab {

// Something cannot be written; the text says what and why.
class output_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Call first in main. If the caller closed standard input, output or error, the next file opened would get its number and
// whatever is printed; this keeps the numbers taken, and writing to them still fails.
void reserve_standard_descriptors();

// Writes all of it to standard output and flushes.
//   Throws  output_error: disk full, closed, a pipe without a reader.
void write_stdout(std::string_view text);

// A file named by the user; "-" is standard output.
class output_file {
 public:
  // Finds out whether it can be written, before a long measurement, and leaves nothing behind.
  //   Throws  output_error if not.
  explicit output_file(std::string path);

  [[nodiscard]] bool is_stdout() const noexcept { return path_ == "-"; }

  // A regular file is written beside its place and then renamed: whoever looks sees the old file or the new one.
  // Devices and pipes are written directly.
  //   Throws  output_error; the file is then as it was before.
  void write(std::string_view text) const;

 private:
  std::string path_;
  std::string real_path_;  // symbolic links followed: the rename must not replace a link
  bool replace_ = true;    // by renaming
};

}  // namespace pilfer::lab
