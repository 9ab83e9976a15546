#include "engine/checkpoints/found_models.h"

#include <algorithm>
#include <functional>
#include <set>
#include <system_error>

#include "engine/checkpoints/checkpoint_files.h"
#include "engine/checkpoints/gguf_header.h"
#include "engine/checkpoints/mapped_file.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/sorting.h"
#include "engine/core/text_file.h"
#include "engine/core/user_folder.h"

namespace headlight::checkpoints {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostItems = 20'000;  // of a folder; a search ends there
constexpr std::uint64_t kLargestManifest = 1 << 20;

// The folder's entries in the order of their names; empty if it cannot be read.
std::vector<fs::path> items_of(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code problem;
  for (fs::directory_iterator at(folder, fs::directory_options::skip_permission_denied, problem), end;
       !problem && at != end && out.size() < kMostItems; at.increment(problem))
    out.push_back(at->path());
  sort_stably(out);
  return out;
}
bool is_folder(const fs::path& path) {
  std::error_code none;
  return fs::is_directory(path, none);
}
// Of a whole file: a link to nothing has none.
std::uint64_t size_of_file(const fs::path& path) {
  std::error_code problem;
  if (!fs::is_regular_file(path, problem)) return 0;
  const std::uint64_t size = fs::file_size(path, problem);
  return problem ? 0 : size;
}
Json json_in(const fs::path& file, std::uint64_t limit) {
  if (size_of_file(file) == 0) return {};
  const auto text = read_text_file(file, limit);
  if (!text) return {};
  const auto json = Json::parse_python(*text);
  return json ? *json : Json();
}
fs::path home(const char* below) {
  const std::string folder = environment("HOME");
  return folder.empty() ? fs::path() : fs::path(folder) / below;
}
// The first of the variables that is set, with its ending; else the folder in the home.
fs::path first_of(std::initializer_list<std::pair<const char*, const char*>> variables, const char* in_home) {
  for (const auto& [name, ending] : variables)
    if (const std::string value = environment(name); !value.empty()) return fs::path(value) / ending;
  return home(in_home);
}

// "license: apache-2.0" between the first two lines "---" of a card.
std::string license_of_card(const fs::path& card) {
  const auto text = read_text_file(card, 1 << 20);
  if (!text || !text->starts_with("---\n")) return {};
  const std::size_t end = text->find("\n---", 4);
  const std::size_t at = text->find("\nlicense:");
  if (end == std::string::npos || at == std::string::npos || at > end) return {};
  std::string license = text->substr(at + 9, text->find('\n', at + 1) - at - 9);
  std::erase_if(license, [](char c) { return c == ' ' || c == '"' || c == '\'' || c == '\r'; });
  return license;
}

// The first of the keys that has a whole number; else `otherwise`.
std::int64_t whole_in(const Json& config, std::initializer_list<const char*> keys, std::int64_t otherwise) {
  for (const char* key : keys)
    if (config[key].is_integer()) return config[key].integer();
  return otherwise;
}

// A GGUF by the metadata before its vocabulary; its splits are counted with it.
FoundModel described_gguf(const fs::path& file) {
  const auto sources = checkpoint_files(file);
  if (!sources || !sources->gguf) return {};
  FoundModel out;
  for (const fs::path& part : sources->files) out.bytes += size_of_file(part);
  const auto mapped = MappedFile::open(sources->files.front());
  if (!mapped) return {};
  const auto metadata = read_gguf_metadata((*mapped)->text(), file.string(), "tokenizer.");
  if (!metadata) return {};
  out.architecture = metadata->text("general.architecture").value_or("");
  out.license = metadata->text("general.license").value_or("");
  const auto count = [&](const char* key) { return metadata->integer(out.architecture + key).value_or(0); };
  out.layers = count(".block_count");
  out.heads = count(".attention.head_count");
  out.kv_heads = metadata->integer(out.architecture + ".attention.head_count_kv").value_or(out.heads);
  if (out.architecture == "clip") return {};  // the eyes of another model
  out.path = sources->files.front();
  return out;
}

FoundModel described_folder(const fs::path& folder) {
  const Json config = json_in(folder / "config.json", 4 << 20);
  std::uint64_t bytes = 0;
  fs::path gguf;
  bool whole = true;
  for (const fs::path& item : items_of(folder)) {
    if (item.extension() == ".gguf" && gguf.empty()) gguf = item;
    if (item.extension() != ".safetensors") continue;
    bytes += size_of_file(item);
    whole &= size_of_file(item) > 8;
  }
  if (bytes == 0 || !config.is_object()) return gguf.empty() ? FoundModel() : described_gguf(gguf);
  if (!whole || !checkpoint_files(folder)) return {};
  FoundModel out;
  out.architecture = config["model_type"].string();
  if (out.architecture.empty() && config.contains("headlight")) out.architecture = "headlight";  // trained here
  out.model_class = config["architectures"][0].string();
  out.license = license_of_card(folder / "README.md");
  // A model of ours says its sizes as a document does.
  const Json& sizes = config.contains("headlight") ? config["headlight"] : config;
  out.layers = whole_in(sizes, {"num_hidden_layers", "n_layer", "n_layers", "layers"}, 0);
  out.heads = whole_in(sizes, {"num_attention_heads", "n_head", "n_heads", "heads"}, 0);
  out.kv_heads = whole_in(sizes, {"num_key_value_heads"}, out.heads);
  out.bytes = bytes;
  out.path = folder;
  return out;
}

class Search {
 public:
  std::vector<FoundModel> take() {
    hub();
    llama_cpp();
    ollama();
    lm_studio();
    files_in(home(".local/share/nomic.ai/GPT4All"), "GPT4All");
    for (const fs::path& model : items_of(home(".local/share/Jan/data/llamacpp/models")))
      add(described_gguf(model / "model.gguf"), model.filename().string(), "Jan");
    named_folders();
    return std::move(found_);
  }

 private:
  void add(FoundModel model, std::string name, const char* place) {
    std::error_code problem;
    if (model.path.empty() || !seen_.insert(fs::canonical(model.path, problem).string()).second || problem) return;
    model.name = std::move(name);
    model.place = place;
    found_.push_back(std::move(model));
  }
  // A file's name without ".gguf", and without the numbers of its parts.
  static std::string name_of_file(const fs::path& file) {
    const SplitName split = split_name(file);
    return split.count > 0 ? split.stem : file.stem().string();
  }
  static bool is_first_gguf(const fs::path& file) {
    return file.extension() == ".gguf" && split_name(file).part <= 1 && !file.filename().string().starts_with("mmproj");
  }
  void files_in(const fs::path& folder, const char* place, const std::string& before = {}) {
    for (const fs::path& item : items_of(folder))
      if (is_first_gguf(item)) add(described_gguf(item), before + name_of_file(item), place);
  }

  // models--ORG--NAME/snapshots/COMMIT: the one that refs/main names, else the last.
  void hub_in(const fs::path& hub) {
    for (const fs::path& model : items_of(hub)) {
      std::string name = model.filename().string();
      if (!name.starts_with("models--")) continue;
      name.erase(0, 8);
      if (const std::size_t at = name.find("--"); at != std::string::npos) name.replace(at, 2, "/");
      const std::vector<fs::path> snapshots = items_of(model / "snapshots");
      if (snapshots.empty()) continue;
      fs::path snapshot = snapshots.back();
      if (const auto main = read_file(model / "refs" / "main", 4096)) {
        const fs::path named = model / "snapshots" / main->substr(0, main->find_last_not_of(" \r\n") + 1);
        if (is_folder(named) && named.parent_path().filename() == "snapshots") snapshot = named;
      }
      std::vector<fs::path> ggufs;
      for (const fs::path& item : items_of(snapshot))
        if (is_first_gguf(item)) ggufs.push_back(item);
      if (ggufs.empty()) add(described_folder(snapshot), name, "Hugging Face cache");
      for (const fs::path& file : ggufs) add(described_gguf(file), name + ":" + name_of_file(file), "Hugging Face cache");
    }
  }
  void hub() {
    if (const std::string older = environment("TRANSFORMERS_CACHE"); !older.empty()) hub_in(older);
    hub_in(
        first_of({{"HF_HUB_CACHE", ""}, {"HUGGINGFACE_HUB_CACHE", ""}, {"HF_HOME", "hub"}, {"XDG_CACHE_HOME", "huggingface/hub"}},
                 ".cache/huggingface/hub"));
  }
  void llama_cpp() {
    const fs::path cache = first_of({{"LLAMA_CACHE", ""}, {"XDG_CACHE_HOME", "llama.cpp"}}, ".cache/llama.cpp");
    files_in(cache, "llama.cpp");
    hub_in(cache);
  }

  void ollama() {
    for (const fs::path& root :
         {first_of({{"OLLAMA_MODELS", ""}}, ".ollama/models"), fs::path("/usr/share/ollama/.ollama/models")})
      for (const char* manifests : {"manifests", "manifests-v2"})
        for (const fs::path& host : items_of(root / manifests))
          for (const fs::path& owner : items_of(host))
            for (const fs::path& model : items_of(owner))
              for (const fs::path& tag : items_of(model)) ollama_model(root, owner.filename().string(), tag);
  }
  void ollama_model(const fs::path& root, const std::string& owner, const fs::path& manifest) {
    const Json json = json_in(manifest, kLargestManifest);
    for (const Json& layer : json["layers"].elements()) {
      if (layer["mediaType"].string() != "application/vnd.ollama.image.model") continue;
      std::string digest = layer["digest"].string();
      std::replace(digest.begin(), digest.end(), ':', '-');
      if (fs::path(digest).filename() != digest) continue;
      const std::string name = manifest.parent_path().filename().string() + ":" + manifest.filename().string();
      add(described_gguf(root / "blobs" / digest), (owner == "library" ? "" : owner + "/") + name, "Ollama");
    }
  }

  void lm_studio() {
    fs::path pointed;
    if (const auto text = read_file(home(".lmstudio-home-pointer"), 4096))
      pointed = text->substr(0, text->find_last_not_of(" \r\n") + 1);
    for (const fs::path& root : {pointed, home(".cache/lm-studio"), home(".lmstudio")})
      if (!root.empty())
        for (const fs::path& owner : items_of(root / "models"))
          for (const fs::path& model : items_of(owner)) files_in(model, "LM Studio", owner.filename().string() + "/");
  }

  // HEADLIGHT_MODELS: folders, with ":" between; each is a model, or has models in it, or in folders of it.
  void named_folders() {
    const std::string list = environment("HEADLIGHT_MODELS");
    for (std::size_t at = 0; at < list.size();) {
      const std::size_t end = std::min(list.find(':', at), list.size());
      if (end > at) named_folder(list.substr(at, end - at), 0);
      at = end + 1;
    }
  }
  void named_folder(const fs::path& folder, int depth) {
    constexpr int kDeepest = 3, kMostFolders = 5'000;
    if (++folders_ > kMostFolders) return;
    const std::vector<fs::path> items = items_of(folder);
    if (std::any_of(items.begin(), items.end(), [](const fs::path& item) { return item.filename() == "config.json"; })) {
      FoundModel model = described_folder(folder);
      if (!model.path.empty()) return add(std::move(model), folder.filename().string(), "HEADLIGHT_MODELS");
    }
    for (const fs::path& item : items) {
      if (is_first_gguf(item)) add(described_gguf(item), name_of_file(item), "HEADLIGHT_MODELS");
      if (depth < kDeepest && is_folder(item) && !fs::is_symlink(item)) named_folder(item, depth + 1);
    }
  }

  std::vector<FoundModel> found_;
  std::set<std::string> seen_;
  int folders_ = 0;
};

}  // namespace

FoundModel described_model(const fs::path& path) { return is_folder(path) ? described_folder(path) : described_gguf(path); }

std::vector<FoundModel> found_models() { return Search().take(); }

}  // namespace headlight::checkpoints
