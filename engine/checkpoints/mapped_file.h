// MappedFile: a file's bytes as they lie on the disk, without a copy of them.
//
// A mapped file that becomes shorter, or a disk that fails, ends a program by SIGBUS at the next access to a lost page. Here the
// signal's handler puts a page of zeros in the place of the lost one and notes it: the computation goes on with zeros, and
// intact() says afterwards that its result is to be thrown away. Accesses outside of mapped files go to the handler that was
// there before. Reading by pread() instead would copy every weight once more for each product.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "engine/core/status.h"

namespace headlight::checkpoints {

class MappedFile {
 public:
  // Errors: read_file()'s; a file that is empty or no regular file; more than 2,048 mapped at a time.
  static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }
  const std::filesystem::path& path() const { return path_; }
  // False if the file has become shorter or a page could not be read since it was opened.
  bool intact() const;

 private:
  MappedFile() = default;

  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
  int descriptor_ = -1;
  int guard_ = -1;  // its place in the list that the signal's handler reads
};

}  // namespace headlight::checkpoints
