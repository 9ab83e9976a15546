#include "engine/architectures/architecture.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <system_error>

#include "engine/architectures/architecture_entries.h"
#include "engine/architectures/published_config.h"
#include "engine/attention/positions/position_entries.h"
#include "engine/checkpoints/checkpoint_files.h"
#include "engine/core/json.h"
#include "engine/core/text_file.h"

namespace headlight::architectures {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestConfigFile = std::uint64_t{4} << 20;

// "layer.12.wq" as "layer.N.wq" and "12"; a name of no layer stays as it is.
std::pair<std::string, std::string> without_layer(std::string_view parameter) {
  constexpr std::string_view kLayer = "layer.";
  if (!parameter.starts_with(kLayer)) return {std::string(parameter), {}};
  const std::size_t end = parameter.find('.', kLayer.size());
  if (end == std::string_view::npos) return {std::string(parameter), {}};
  return {"layer.N" + std::string(parameter.substr(end)), std::string(parameter.substr(kLayer.size(), end - kLayer.size()))};
}

void replace_first(std::string& text, std::string_view what, std::string_view by) {
  if (const std::size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), by);
}

// What the tensor `name` may be called in a file: with and without the prefix, and by TensorFlow's names for a norm's numbers.
std::vector<std::string> spellings(const std::string& name, const std::string& prefix) {
  std::vector<std::string> all = {prefix + name};
  if (!prefix.empty()) all.push_back(name);
  for (std::size_t i = 0, count = all.size(); i < count; ++i) {
    std::string old = all[i];
    replace_first(old, "LayerNorm.weight", "LayerNorm.gamma");
    replace_first(old, "LayerNorm.bias", "LayerNorm.beta");
    if (old != all[i]) all.push_back(std::move(old));
  }
  return all;
}

bool matches(std::string_view name, std::string_view pattern) {
  if (pattern.starts_with('*')) return name.ends_with(pattern.substr(1));
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return name == pattern;
}

// Buffers that some versions of the library stored beside the weights, and heads of other tasks.
constexpr std::string_view kIgnored[] = {"*rotary_emb.inv_freq",
                                         "*rotary_emb.cos_cached",
                                         "*rotary_emb.sin_cached",
                                         "*.attn.bias",
                                         "*.attn.masked_bias",
                                         "*.attention.bias",
                                         "*.attention.masked_bias",
                                         "*position_ids",
                                         "*token_type_ids",
                                         "score.*",
                                         "classifier*",
                                         "pooler.*",
                                         "qa_outputs.*",
                                         "multiple_choice_head.*",
                                         "v_head.*"};

}  // namespace

double Architecture::scale_of(std::int64_t layer) const {
  const double own = scale > 0 ? scale : 1 / std::sqrt(static_cast<double>(head_size));
  return scale_by_layer ? own / static_cast<double>(layer + 1) : own;
}

const StoredPlace* Architecture::place_of(std::string_view parameter) const {
  const std::string name = without_layer(parameter).first;
  const auto at = std::find_if(places.begin(), places.end(), [&](const StoredPlace& one) { return one.parameter == name; });
  return at == places.end() ? nullptr : &*at;
}

const checkpoints::StoredTensor* Architecture::find(const checkpoints::TensorFile& file, const StoredPlace& place,
                                                    std::string_view parameter) const {
  const std::string layer = without_layer(parameter).second;
  for (std::size_t begin = 0, end; begin <= place.tensor.size(); begin = end + 1) {
    end = std::min(place.tensor.find('|', begin), place.tensor.size());
    std::string name = place.tensor.substr(begin, end - begin);
    if (!layer.empty()) replace_first(name, ".N.", "." + layer + ".");
    for (const std::string& spelling : spellings(name, prefix))
      if (const checkpoints::StoredTensor* const tensor = file.find(spelling)) return tensor;
  }
  return nullptr;
}

bool Architecture::ignores(std::string_view tensor) const {
  const std::string_view name = !prefix.empty() && tensor.starts_with(prefix) ? tensor.substr(prefix.size()) : tensor;
  const auto is = [&](std::string_view pattern) { return matches(name, pattern); };
  if (std::any_of(std::begin(kIgnored), std::end(kIgnored), is) || std::any_of(ignored.begin(), ignored.end(), is)) return true;
  // A head that is present all the same is a copy of the table it is tied to.
  const StoredPlace* const head = tied ? place_of("output") : nullptr;
  return head && ("|" + head->tensor + "|").find("|" + std::string(name) + "|") != std::string::npos;
}

bool Architecture::computes_like(const Architecture& other) const {
  Architecture same = other;
  same.id = id;
  same.label = label;
  same.prefix = prefix;
  same.places = places;
  same.ignored = ignored;
  return *this == same;
}

const Registry<Entry>& registry() {
  static const Registry<Entry> all("architecture", {llama(), mistral(), qwen2(), qwen3(), gemma(), gemma2(), phi3(), gpt2(),
                                                    gpt_neox(), bert(), roberta(), distilbert(), modernbert()});
  return all;
}

namespace {

Failure unknown_architecture(const std::string& name, const std::string& where) {
  std::string known;
  for (const Entry& entry : registry().entries()) known += (known.empty() ? "" : ", ") + entry.id;
  if (name.empty())
    return failure(ErrorKind::unavailable, "names no architecture, as model_type or otherwise")
        .at(where)
        .mend("known are {}", known);
  return failure(ErrorKind::unavailable, "the architecture '{}' is not known", name).at(where).mend("known are {}", known);
}

// The class that the model was saved as; empty where the file does not say.
std::string class_of(const Json& config) { return config["architectures"][0].string(); }

// "GPT2LMHeadModel" begins as "gpt2" does.
bool is_class_of(const std::string& name, const std::string& id) {
  std::string plain, wanted;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c))) plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char c : id)
    if (c != '_') wanted += c;
  return plain.starts_with(wanted);
}

Result<const Entry*> entry_of(const Json& config, const checkpoints::TensorFile& file, const std::string& where) {
  if (file.format() == checkpoints::TensorFile::Format::gguf) {
    const std::string name = file.metadata().text("general.architecture").value_or("");
    for (const Entry& entry : registry().entries())
      if (std::find(entry.gguf.begin(), entry.gguf.end(), name) != entry.gguf.end()) return &entry;
    return unknown_architecture(name, where);
  }
  std::string name = config["model_type"].string();
  if (name.empty()) {  // files of the first years have no model_type
    name = class_of(config);
    const Entry* best = nullptr;
    for (const Entry& entry : registry().entries())
      if (is_class_of(name, entry.id) && (!best || entry.id.size() > best->id.size())) best = &entry;
    if (best) return best;
  } else if (const Entry* const entry = registry().find(name)) {
    return entry;
  }
  return unknown_architecture(name, where);
}

Result<Json> read_config(const fs::path& path, const checkpoints::TensorFile& file) {
  if (file.format() == checkpoints::TensorFile::Format::gguf) return config_of_gguf(file);
  const fs::path where = path / "config.json";
  HL_ASSIGN(const std::string text, read_text_file(where, kLargestConfigFile));
  HL_ASSIGN(Json json, Json::parse_python(text, where.string(), Message("copy the model's files again")));
  if (!json.is_object()) return invalid("this is no object").at(where.string()).mend("copy the model's files again");
  return json;
}

std::string title_of(const fs::path& path, const Json& config, const checkpoints::TensorFile& file) {
  if (const auto name = file.metadata().text("general.name"); name && !name->empty()) return *name;
  const std::string named = config["_name_or_path"].string();
  if (!named.empty() && named.front() != '/' && named.front() != '.') return named.substr(named.rfind('/') + 1);
  const fs::path own = fs::weakly_canonical(path);
  return (own.has_filename() ? own : own.parent_path()).stem().string();
}

// Whether the model was saved as a class that has no language head: "LlamaModel", "MistralForSequenceClassification".
bool is_headless_class(const std::string& name) {
  return !name.empty() && name.find("LMHead") == std::string::npos && name.find("CausalLM") == std::string::npos;
}

// Whether two stored tensors are the same numbers. Reading stops at the first that differs.
bool is_copy(const checkpoints::StoredTensor& one, const checkpoints::StoredTensor& other) {
  return one.type == other.type && one.shape == other.shape && one.bytes.size() == other.bytes.size() &&
         std::memcmp(one.bytes.data(), other.bytes.data(), one.bytes.size()) == 0;
}

// The files have the last word on the head: one that is absent is the embedding table, and one that is there and holds other
// numbers is not tied to it, whatever config.json says. A model without a head that says so has none.
void settle_head(Architecture& a, const checkpoints::TensorFile& file, const std::string& model_class) {
  const StoredPlace* const head = a.place_of("output");
  if (!head) return;
  const checkpoints::StoredTensor* const own = a.find(file, *head, "output");
  const StoredPlace* const table = a.place_of("embedding");
  const checkpoints::StoredTensor* const embedding = table ? a.find(file, *table, "embedding") : nullptr;
  if (own && embedding) a.tied = a.tied && is_copy(*own, *embedding);
  if (own) return;
  a.predicts = a.tied || !is_headless_class(model_class);
  a.tied = true;
}

}  // namespace

Result<Architecture> read_architecture(const Entry& entry, Config& config) {
  Architecture a = entry.read(config);
  HL_TRY(config.status());
  if (!(a.epsilon >= 0) || !std::isfinite(a.epsilon))
    return invalid("the epsilon of its norms is {}", Json(a.epsilon).dump()).at(config.where()).mend("give a number >= 0");
  a.id = entry.id;
  a.label = entry.label;
  a.position = a.rope ? positions::kRotarySplit : a.learned_positions ? "learned" : "none";
  return a;
}

bool is_checkpoint(const fs::path& path) {
  std::error_code none;
  if (fs::is_regular_file(path, none)) return path.extension() == ".gguf" || checkpoints::is_gguf(path);
  if (!fs::is_directory(path, none)) return false;
  if (fs::is_regular_file(path / "config.json", none)) return true;
  for (const auto& item : fs::directory_iterator(path, none))
    if (item.path().extension() == ".gguf") return true;
  return false;
}

Result<std::shared_ptr<const Checkpoint>> open_checkpoint(const fs::path& path) {
  auto made = std::make_shared<Checkpoint>();
  HL_ASSIGN(made->file, checkpoints::TensorFile::open(path));
  HL_ASSIGN(Json json, read_config(path, *made->file));
  const bool is_gguf = made->file->format() == checkpoints::TensorFile::Format::gguf;
  const std::string where = is_gguf ? path.string() : (path / "config.json").string();
  HL_ASSIGN(const Entry* const entry, entry_of(json, *made->file, where));
  made->title = title_of(path, json, *made->file);
  const std::string model_class = class_of(json);
  Config config(std::move(json), *made->file, where);
  HL_ASSIGN(Architecture a, read_architecture(*entry, config));
  settle_head(a, *made->file, model_class);
  made->architecture = std::move(a);
  return std::shared_ptr<const Checkpoint>(std::move(made));
}

}  // namespace headlight::architectures
