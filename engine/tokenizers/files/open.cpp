#include "engine/tokenizers/files/open.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <system_error>
#include <tuple>

#include "engine/core/files.h"
#include "engine/core/sorting.h"
#include "engine/core/user_folder.h"
#include "engine/tokenizers/files/format.h"
#include "engine/tokenizers/files/headlight_file.h"

namespace headlight::tokenizers {
namespace {

// Each tokenizer has a lock of its own: who asks for one that is open does not wait while another is being opened.
struct OpenedTokenizer {
  std::mutex mutex;
  std::shared_ptr<const Tokenizer> tokenizer;
};
struct Opened {
  std::mutex mutex;
  // By file, its time of change and its size: a vocabulary trained anew into the same folder is read anew.
  std::map<std::tuple<std::string, std::filesystem::file_time_type, std::uintmax_t>, std::shared_ptr<OpenedTokenizer>> loaded;
  std::shared_ptr<OpenedTokenizer> place_of(const decltype(loaded)::key_type& key) {
    const std::lock_guard lock(mutex);
    std::shared_ptr<OpenedTokenizer>& place = loaded[key];
    if (!place) place = std::make_shared<OpenedTokenizer>();
    return place;
  }
};
Opened& opened() {
  static Opened all;
  return all;
}

}  // namespace

Result<FoundFile> file_of(const std::string& name) {
  std::error_code none;
  const ModelEntry* const kind = model_registry().find(name);
  const bool is_kind = kind && kind->is_bundled;
  const bool bare = name.find('/') == std::string::npos && !name.empty() && name != "." && name != "..";
  if (bare) {
    const auto assets = assets_folder();
    if (!assets && is_kind) return assets.error();
    if (assets) {
      const std::filesystem::path folder = *assets / "vocabularies" / name;
      if (const FoundFile found = find_file(folder); found.format) return found;
      if (is_kind)
        return not_found("the bundled vocabulary is missing").at(folder.string()).mend("install Headlight's assets again");
    }
  }
  // A bundled model's, by its name: "stories", "english-french/target".
  if (const auto assets = assets_folder(); assets && !name.empty() && name.front() != '/' && name.front() != '.')
    if (const FoundFile found = find_file(*assets / "models" / name); found.format) return found;
  if (!name.empty())
    if (const FoundFile found = find_file(name); found.format) return found;
  // One's own model's, by its name: "smollm2".
  if (bare)
    if (const FoundFile found = find_file(own_models_folder() / name); found.format) return found;
  if (std::filesystem::is_directory(name, none))
    return not_found("this folder has no tokenizer")
        .at(name)
        .mend(
            "give one with a headlight-tokenizer.json, or a published tokenizer.json, vocab.json and merges.txt, vocab.txt, "
            "tokenizer.model, or a .gguf");
  std::string known;
  for (const std::string& bundled : bundled_names()) known += (known.empty() ? "" : ", ") + bundled;
  return not_found("there is no tokenizer '{}'", name)
      .mend("known are {}; or give a folder that holds a {}", known, kTokenizerFile);
}

Result<std::shared_ptr<const Tokenizer>> open(const std::string& name) {
  if (name.starts_with(kTrainedPrefix))
    return not_found("there is no tokenizer '{}'", name)
        .mend("it belongs to the session it was trained in: open that, or train it again");
  HL_ASSIGN(const FoundFile found, file_of(name));
  std::error_code none;
  const auto key = std::tuple{std::filesystem::absolute(found.file, none).string(),
                              std::filesystem::last_write_time(found.file, none), std::filesystem::file_size(found.file, none)};
  const auto one = opened().place_of(key);
  const std::lock_guard lock(one->mutex);
  if (one->tokenizer) return one->tokenizer;
  HL_TRY(check_may_be_tokenizer(found));
  HL_ASSIGN(one->tokenizer, found.format->load(found.file));
  return one->tokenizer;
}

std::string short_name(const std::string& name) {
  if (name.starts_with(kTrainedPrefix)) return name.substr(std::string_view(kTrainedPrefix).size());
  std::filesystem::path path = std::filesystem::path(name).lexically_normal();
  if (!path.is_absolute() && !name.starts_with('.')) return name;  // a bundled one's, or short already
  if (path.filename().empty()) path = path.parent_path();          // it ended in a slash
  for (const FormatEntry& format : format_registry().entries()) {
    const bool usual = std::ranges::find(format.names, path.filename().string()) != format.names.end();
    if (usual && path.extension() != ".tiktoken" && path.has_parent_path()) return path.parent_path().filename().string();
  }
  return path.filename().string();
}

std::vector<std::string> bundled_names() {
  std::vector<std::string> names;
  for (const ModelEntry& entry : model_registry().entries())
    if (entry.is_bundled) names.push_back(entry.id);
  const auto assets = assets_folder();
  if (!assets) return names;
  std::vector<std::string> others;
  std::error_code none;
  for (const auto& item : std::filesystem::directory_iterator(*assets / "vocabularies", none)) {
    const std::string name = item.path().filename().string();
    if (!model_registry().find(name) && item.is_directory(none) && find_file(item.path()).format) others.push_back(name);
  }
  sort_stably(others);
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

}  // namespace headlight::tokenizers
