#include "app/session/trained.h"

#include <atomic>
#include <filesystem>
#include <mutex>
#include <random>
#include <system_error>

#include "engine/core/files.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrained = "trained:";

// A folder of its own, removed at the end: tokenizers are read from and written into folders.
class Folder {
 public:
  Folder() {
    static std::atomic<std::uint64_t> count = 0;
    std::error_code error;
    path_ = fs::temp_directory_path(error) /
            ("headlight-tokenizer-" + std::to_string(std::random_device()()) + "-" + std::to_string(++count));
    fs::create_directories(path_, error);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// The last one written out: a session is saved after every change, and its tokenizer rarely is another one.
struct Last {
  std::mutex mutex;
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer;
  std::string json;
};
Last& last() {
  static Last one;
  return one;
}

}  // namespace

std::string carried_tokenizer(const std::string& name) {
  if (!name.starts_with(kTrained)) return {};
  const auto tokenizer = tokenizers::open(name);
  if (!tokenizer.ok()) return {};
  Last& kept = last();
  const std::lock_guard lock(kept.mutex);
  if (kept.tokenizer == *tokenizer) return kept.json;
  const Folder folder;
  if (!(*tokenizer)->save(folder.path()).ok()) return {};
  const auto json = read_file(folder.path() / "tokenizer.json", kMostCarried);
  kept.tokenizer = *tokenizer;
  kept.json = json.ok() ? *json : std::string();
  return kept.json;
}

Status take_tokenizer(const std::string& name, const std::string& json, const std::string& where) {
  if (!name.starts_with(kTrained))
    return invalid("the session carries a tokenizer that it does not name", where, "name it as trained:NAME");
  const Folder folder;
  HL_TRY(write_file(folder.path() / "tokenizer.json", json));
  auto opened = tokenizers::open(folder.path().string());
  if (!opened.ok()) {
    Error error = opened.error();
    error.where = where + " tokenizer";  // the file it was read from is gone
    return error;
  }
  tokenizers::publish(name.substr(std::string(kTrained).size()), *opened);
  return {};
}

}  // namespace headlight
