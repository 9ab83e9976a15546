#include "engine/core/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "engine/core/whole_file.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "headlight-files-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::permissions(folder, fs::perms::owner_all, ignored);
    fs::remove_all(folder, ignored);
  }
  std::ptrdiff_t count() const { return std::distance(fs::directory_iterator(folder), fs::directory_iterator()); }

  fs::path folder;
};

TEST_F(Files, WhatIsWrittenIsReadBackByteForByte) {
  std::string bytes;
  for (int i = 0; i < 100000; ++i) bytes += static_cast<char>(i * 7 % 256);
  ASSERT_TRUE(write_file(folder / "a", bytes).ok());
  EXPECT_EQ(read_file(folder / "a").value(), bytes);
  ASSERT_TRUE(write_file(folder / "a", "").ok());
  EXPECT_EQ(read_file(folder / "a").value(), "");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, ReadingNamesWhatIsWrong) {
  EXPECT_EQ(read_file(folder / "missing").error().kind, ErrorKind::not_found);
  EXPECT_NE(read_file(folder).error().what.english().find("folder"), std::string::npos);
  ASSERT_TRUE(write_file(folder / "a", "12345").ok());
  EXPECT_EQ(read_file(folder / "a", 5).value(), "12345");
  EXPECT_EQ(read_file(folder / "a", 4).error().kind, ErrorKind::too_large);
  EXPECT_EQ(read_file("/dev/zero", 1000).error().kind, ErrorKind::too_large);
  EXPECT_FALSE(read_file("/proc/self/status")->empty());  // its stated size is 0
}

TEST_F(Files, AFullDiskIsSaidAndTheOldFileStays) {
  const Status full = write_file("/dev/full", "x");
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().kind, ErrorKind::io);
  EXPECT_NE(full.error().sentence().find("the disk is full"), std::string::npos);
}

TEST_F(Files, MissingAndReadOnlyFoldersAreNamed) {
  const Status missing = write_file(folder / "no" / "a", "x");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().sentence().find((folder / "no").string() + " does not exist"), std::string::npos);
  EXPECT_NE(write_file(folder, "x").error().what.english().find("folder"), std::string::npos);
  ASSERT_TRUE(write_file(folder / "file", "x").ok());
  EXPECT_NE(write_file(folder / "file" / "a", "x").error().what.english().find("not a folder"), std::string::npos);
  // root may write anywhere, so the test becomes another user here.
  fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  const bool root = ::geteuid() == 0;
  if (root && ::seteuid(65534) != 0) GTEST_SKIP() << "root may write into read-only folders";
  const Status refused = write_file(folder / "a", "x");
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().what.english().find("may not be written"), std::string::npos) << refused.error().what;
}

TEST_F(Files, AnUnfinishedFileLeavesTheOldOneAndNothingElse) {
  ASSERT_TRUE(write_file(folder / "a", "old").ok());
  {
    WholeFile file = WholeFile::create(folder / "a").value();
    ASSERT_TRUE(file.write("new").ok());
    EXPECT_EQ(read_file(folder / "a").value(), "old");
    EXPECT_EQ(count(), 2);
  }
  EXPECT_EQ(read_file(folder / "a").value(), "old");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, LinksAndPermissionsAreKept) {
  ASSERT_TRUE(write_file(folder / "real", "old").ok());
  fs::permissions(folder / "real", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("real", folder / "link");
  ASSERT_TRUE(write_file(folder / "link", "new").ok());
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "real").value(), "new");
  EXPECT_EQ(fs::status(folder / "real").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Files, SpecialFilesAreWrittenDirectly) {
  EXPECT_TRUE(write_file("/dev/null", "x").ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  // A redirected standard output is continued at its position, not replaced.
  const int descriptor = ::open((folder / "out").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(::write(descriptor, "before ", 7), 7);
  ASSERT_TRUE(write_file("/dev/fd/" + std::to_string(descriptor), "after").ok());
  ::close(descriptor);
  EXPECT_EQ(read_file(folder / "out").value(), "before after");
  EXPECT_FALSE(write_file("/dev/fd/9999", "x").ok());
}

TEST_F(Files, AssetsComeFromTheVariableFirst) {
  ASSERT_EQ(::setenv("HEADLIGHT_ASSETS_DIR", folder.c_str(), 1), 0);
  EXPECT_EQ(assets_folder().value(), folder);
  ASSERT_EQ(::setenv("HEADLIGHT_ASSETS_DIR", (folder / "none").c_str(), 1), 0);
  EXPECT_NE(assets_folder().error().sentence().find("HEADLIGHT_ASSETS_DIR"), std::string::npos);
  ASSERT_EQ(::unsetenv("HEADLIGHT_ASSETS_DIR"), 0);
}

}  // namespace
}  // namespace headlight
