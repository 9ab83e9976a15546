// WholeFile: a file that appears complete or not at all. write_file() and the .npz writer use it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/core/status.h"

namespace headlight {

class WholeFile {
 public:
  // Opens a temporary file in the folder of `path`. A path that names a device, a pipe or an open descriptor ("/dev/stdout",
  // "/dev/fd/3") is opened itself, because nothing can be renamed over it.
  static Result<WholeFile> create(const std::filesystem::path& path);
  WholeFile(WholeFile&& other) noexcept;
  WholeFile& operator=(WholeFile&& other) noexcept;
  ~WholeFile();  // if finish() was not called, removes the temporary file; an older file stays as it was

  Status write(std::string_view bytes);
  std::uint64_t written() const { return written_; }  // bytes
  // Flushes to the disk and renames. After an error no temporary file is left behind.
  Status finish();

 private:
  WholeFile() = default;
  void discard();

  int descriptor_ = -1;
  std::filesystem::path shown_;  // the path as the caller wrote it, for errors
  std::filesystem::path target_;
  std::filesystem::path temporary_;  // empty: the file is written directly
  int listed_ = -1;                  // its place in the list that remove_unfinished_files() reads
  std::uint64_t written_ = 0;
};

// Removes the temporary files of all files that are being written. A signal handler that ends the program may call it, because it
// only reads a list of fixed size and calls unlink(), which POSIX allows there.
void remove_unfinished_files() noexcept;

}  // namespace headlight
