// A folder for the files that a test writes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace headlight::test {

// A folder that belongs to this process and is removed when it ends. Each test runs in a process of its own beside others, so a
// folder with a fixed name would be written by one test while another reads it.
inline const std::filesystem::path& process_folder() {
  struct Folder {
    Folder() : owner(::getpid()), path(std::filesystem::path(testing::TempDir()) / ("headlight-test-" + std::to_string(owner))) {
      std::filesystem::remove_all(path);
      std::filesystem::create_directories(path);
    }
    // A death test's child leaves the folder to its parent.
    ~Folder() {
      std::error_code ignored;
      if (::getpid() == owner) std::filesystem::remove_all(path, ignored);
    }
    pid_t owner;
    std::filesystem::path path;
  };
  static const Folder folder;
  return folder.path;
}

}  // namespace headlight::test
