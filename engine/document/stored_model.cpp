#include "engine/document/stored_model.h"
#include "engine/document/array_source.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <system_error>
#include <tuple>

#include "engine/architectures/architecture.h"
#include "engine/architectures/published_config.h"
#include "engine/attention/scores/score.h"
#include "engine/checkpoints/found_models.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/sorting.h"
#include "engine/core/text_file.h"
#include "engine/core/user_folder.h"
#include "engine/document/model_architecture.h"
#include "engine/document/model_names.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr int kVersion = 1;
constexpr std::uint64_t kLargestConfig = std::uint64_t{1} << 20;
constexpr std::int64_t kLongest = 1'000'000, kLargestVocabulary = 10'000'000;
constexpr Phrase<0> kMend = "give the config.json that `headlight train` wrote";

// Fields that a model sets, and that a document may change.
const std::vector<std::string>& preset_fields() {
  static const std::vector<std::string> ids = {"add_begin", "add_end", "masks", "mask_fill", "score", "scale", "temperature"};
  return ids;
}

std::vector<std::string> written_fields() {
  std::vector<std::string> ids = architecture_fields();
  ids.insert(ids.end(), preset_fields().begin(), preset_fields().end());
  return ids;
}

Result<ModelTask> task_named(std::string_view name, const std::string& where) {
  for (const ModelTask task : {ModelTask::decoder, ModelTask::encoder_decoder, ModelTask::encoder})
    if (name == name_of(task)) return task;
  return invalid("there is no task '{}'", name).at(where).mend("known are decoder, encoder-decoder, encoder");
}

// Llama's keys, beside our own, where Llama's reader finds by them what the model computes: transformers then opens it.
void add_standard_keys(Json& json, const StoredModel& model) {
  const Document& d = model.document;
  if (model.task != ModelTask::decoder || d.score != "scaled_dot" || d.scale != "sqrt" || d.temperature != 1) return;
  architectures::Architecture own = *architecture_of(model);
  const Json keys = Json::object({{"architectures", Json::array({"LlamaForCausalLM"})},
                                  {"model_type", "llama"},
                                  {"vocab_size", own.vocabulary},
                                  {"hidden_size", own.d_model},
                                  {"intermediate_size", own.d_ff},
                                  {"num_hidden_layers", own.layers},
                                  {"num_attention_heads", own.heads},
                                  {"num_key_value_heads", own.kv_heads},
                                  {"hidden_act", own.activation},
                                  {"rms_norm_eps", own.epsilon},
                                  {"rope_theta", 10000.0},
                                  {"max_position_embeddings", own.length},
                                  {"tie_word_embeddings", own.tied},
                                  {"attention_bias", own.attention_bias},
                                  {"mlp_bias", own.feed_forward_bias}});
  const checkpoints::TensorFile no_file;
  architectures::Config config(keys, no_file, kModelConfigFile);
  const auto llama = architectures::read_architecture(*architectures::registry().find("llama"), config);
  if (!llama) return;
  if (own.position == "rotary") {  // the file has its pairs in Llama's order (engine/models/stored_names.h)
    own.position = llama->position;
    own.rope = llama->rope;
  }
  if (own.computes_like(*llama)) json.update(keys);
}

// Our own keys of config.json, besides the document's fields.
class Config {
 public:
  Config(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  Result<std::string> text(const char* key) const {
    HL_ASSIGN(const Json* const value, get(key));
    if (!value->is_string()) return invalid("'{}' has the wrong type", key).at(where_).mend("give a text");
    return value->string();
  }
  // Empty where the key is missing.
  Result<std::string> text_if_there(const char* key) const { return json_.contains(key) ? text(key) : std::string(); }
  Result<std::int64_t> whole(const char* key, std::int64_t least, std::int64_t most) const {
    HL_ASSIGN(const Json* const value, get(key));
    if (value->kind() != Json::Kind::integer || value->integer() < least || value->integer() > most)
      return invalid("'{}' is {}", key, value->dump()).at(where_).mend("give a whole number from {} to {}", least, most);
    return value->integer();
  }
  Result<bool> truth(const char* key) const {
    HL_ASSIGN(const Json* const value, get(key));
    if (!value->is_boolean()) return invalid("'{}' has the wrong type", key).at(where_).mend("give true or false");
    return value->boolean();
  }

 private:
  Result<const Json*> get(const char* key) const {
    if (const Json* const value = json_.find(key)) return value;
    return invalid("'{}' is missing", key).at(where_).mend(kMend);
  }
  const Json& json_;
  std::string where_;
};

constexpr std::array kOwnKeys = {"version", "name",   "trained_on", "language",   "target_language",
                                 "task",    "length", "tied",       "vocabulary", "target_vocabulary"};

// The document's fields among the keys, each of which must be there.
Result<Document> document_of(const Json& json, const std::string& where) {
  for (const std::string& id : written_fields())
    if (!json.contains(id)) return invalid("'{}' is missing", id).at(where).mend(kMend);
  Json fields = Json::object();
  for (const auto& [key, value] : json.members()) {
    if (std::find(kOwnKeys.begin(), kOwnKeys.end(), key) != kOwnKeys.end()) continue;
    const std::vector<std::string> known = written_fields();
    if (std::find(known.begin(), known.end(), key) == known.end())
      return invalid("there is no field '{}'", key).at(where).mend(kMend);
    fields[key] = value;
  }
  return document_from_json(fields.dump(), where);
}

// The model that another program left on this machine under this name, as `headlight models` lists it; an empty path: none. A run
// asks at every edit, so that a name is searched for once. Error (usage): several are called so.
Result<fs::path> found_place_of(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, fs::path> known;
  const std::lock_guard lock(mutex);
  if (const auto at = known.find(name); at != known.end() && architectures::is_checkpoint(at->second)) return at->second;
  std::vector<fs::path> places;
  for (const checkpoints::FoundModel& model : checkpoints::found_models())
    if (model.name == name) places.push_back(model.path);
  if (places.size() > 1)
    return usage_error("several models are called so: {}, {}", places[0].string(), places[1].string())
        .at(name)
        .mend("give the folder or file");
  if (places.empty()) return fs::path();
  return known[name] = places.front();
}

// The folder, or the .gguf file, that `name` means.
Result<fs::path> place_of(const std::string& name) {
  std::error_code none;
  const bool bare = name.find('/') == std::string::npos && !name.empty() && name != "." && name != "..";
  if (bare)
    if (const auto assets = assets_folder())
      if (const fs::path folder = *assets / "models" / name; fs::is_regular_file(folder / kModelConfigFile, none)) return folder;
  if (bare)  // one's own, or one that `headlight models get` brought
    if (const fs::path own = own_models_folder() / name; architectures::is_checkpoint(own)) return own;
  if (!name.empty() && architectures::is_checkpoint(name)) return fs::path(name);
  std::error_code problem;
  if (const bool is_there = fs::exists(fs::path(name) / kModelConfigFile, problem);
      !is_there && problem == std::errc::permission_denied)
    return failure(ErrorKind::io, "may not be read by you").at(name).mend("change its permissions");
  if (fs::is_regular_file(fs::path(name) / "adapter_config.json", none))
    return invalid("this folder holds an adapter (PEFT), which changes another model")
        .at(name)
        .mend("merge it into its model with Python: model.merge_and_unload().save_pretrained(\"merged\")");
  if (!name.empty() && fs::is_directory(name, none))
    return not_found("this folder has no config.json").at(name).mend("give a model's folder, or a .gguf file");
  HL_ASSIGN(const fs::path found, found_place_of(name));
  if (!found.empty()) return found;
  std::string known;
  for (const ModelName& one : model_names().entries()) known += (known.empty() ? "" : ", ") + one.id;
  return not_found("there is no model '{}'", name)
      .mend("known are {}; or give a name that `headlight models` lists, a folder that holds a config.json, or a .gguf file",
            known);
}

Status check_tokenizer(const StoredModel& model, const std::string& name, std::int64_t size) {
  HL_ASSIGN(const auto tokenizer, tokenizers::open(name));
  // Published tables are often filled up to a rounder number of rows, but not to more than twice as many.
  const std::int64_t pieces = tokenizer->vocabulary_size();
  if (pieces == size || (is_published(model) && pieces < size && 2 * pieces >= size)) return {};
  return invalid("its tokenizer has {} pieces, and the model is made for {}", pieces, size)
      .at(model.folder.string())
      .mend("put the tokenizer that it was trained with into the folder");
}

// What opens the tokenizer of the model `name`. A folder in the current one may be called as a bundled vocabulary is ("words").
std::string place_of_tokenizer(const std::string& name, const fs::path& place) {
  const auto assets = assets_folder();
  const bool is_bundled = assets && place.parent_path() == *assets / "models";
  if (place != fs::path(name) && !is_bundled) return place.string();
  const std::vector<std::string> bundled = tokenizers::bundled_names();
  const bool doubtful = place == fs::path(name) && std::find(bundled.begin(), bundled.end(), name) != bundled.end();
  return doubtful ? "./" + name : name;
}

Result<StoredModel> published_model(const fs::path& place) {
  StoredModel model;
  HL_ASSIGN(model.checkpoint, architectures::open_checkpoint(place));
  const architectures::Architecture& a = model.checkpoint->architecture;
  model.folder = fs::is_directory(place) ? place : place.parent_path();
  model.title = model.checkpoint->title;
  model.task = a.causal ? ModelTask::decoder : ModelTask::encoder;
  model.length = a.length;
  model.tied = a.tied;
  model.predicts = a.predicts;
  model.vocabulary = a.vocabulary;
  model.document = headlight::document_of(a);
  return model;
}

// Whether the config.json at `file` is one that Headlight wrote.
bool is_ours(const std::string& text) {
  const auto json = Json::parse(text);
  return json.ok() && json->contains("headlight");
}

Result<std::shared_ptr<const StoredModel>> load(const std::string& name, const fs::path& place) {
  const fs::path file = place / kModelConfigFile;
  std::error_code none;
  std::string text;
  if (fs::is_regular_file(file, none)) {
    HL_ASSIGN(text, read_text_file(file, kLargestConfig));
  }
  StoredModel model;
  if (is_ours(text)) {
    HL_ASSIGN(model, model_config_from_json(text, file.string()));
    model.folder = place;
  } else {
    HL_ASSIGN(model, published_model(place));
  }
  model.name = name;
  model.document.model = name;
  model.document.tokenizer = place_of_tokenizer(name, place);
  if (model.target_vocabulary > 0)
    model.document.target_tokenizer = (fs::path(model.document.tokenizer) / kTargetTokenizerFolder).string();
  HL_TRY(check_tokenizer(model, model.document.tokenizer, model.vocabulary));
  if (model.target_vocabulary > 0) HL_TRY(check_tokenizer(model, model.document.target_tokenizer, model.target_vocabulary));
  if (is_published(model) && model.task == ModelTask::decoder)
    model.chat = tokenizers::chat_frame_of(tokenizers::chat_template_of(model.document.tokenizer));
  return std::make_shared<const StoredModel>(std::move(model));
}

// Each model has a lock of its own: who asks for one that is open does not wait while another is being opened.
struct OpenedModel {
  std::mutex mutex;
  std::shared_ptr<const StoredModel> model;
};
struct Opened {
  std::mutex mutex;
  // By name, file, its time of change and its size.
  std::map<std::tuple<std::string, std::string, fs::file_time_type, std::uintmax_t>, std::shared_ptr<OpenedModel>> loaded;
  std::shared_ptr<OpenedModel> place_of(const std::string& name, const fs::path& place) {
    std::error_code none;
    const fs::path file = fs::is_regular_file(place / kModelConfigFile, none) ? place / kModelConfigFile : place;
    const std::lock_guard lock(mutex);
    std::shared_ptr<OpenedModel>& one =
        loaded[{name, fs::absolute(file, none).string(), fs::last_write_time(file, none), fs::file_size(file, none)}];
    if (!one) one = std::make_shared<OpenedModel>();
    return one;
  }
};
Opened& opened() {
  static Opened all;
  return all;
}

Status check_tokenizers(const StoredModel& model, const Document& document) {
  for (const bool of_targets : {false, true}) {
    if (of_targets && document.targets.empty()) continue;
    HL_ASSIGN(const auto own, open_tokenizer(model.document, of_targets));
    HL_ASSIGN(const auto asked, open_tokenizer(document, of_targets));
    if (own == asked) continue;
    const bool other = of_targets && !document.target_tokenizer.empty();
    return usage_error("the model '{}' was trained with its own tokenizer, the document asks for '{}'", model.name,
                       other ? document.target_tokenizer : document.tokenizer)
        .at(Message::name(other ? "--target-tokenizer" : "--tokenizer"))
        .mend("leave it out, or choose the model sandbox");
  }
  return {};
}

Status check_chat(const StoredModel& model) {
  if (model.chat) return {};
  return usage_error("the model '{}' has no chat frame that is known here", model.name)
      .at("--chat")
      .mend("leave it out, or choose a model that was tuned to answer, such as smollm2");
}

}  // namespace

const char* name_of(ModelTask task) {
  switch (task) {
    case ModelTask::decoder: return "decoder";
    case ModelTask::encoder_decoder: return "encoder-decoder";
    case ModelTask::encoder: return "encoder";
  }
  return "";
}

const std::vector<std::string>& architecture_fields() {
  static const std::vector<std::string> ids = {"d_model",      "heads",      "layers", "d_ff",      "projected",
                                               "bias",         "residual",   "norm",   "norm_kind", "final_norm",
                                               "feed_forward", "activation", "gated",  "position",  "combiner"};
  return ids;
}

bool is_architecture_field(std::string_view id) {
  const std::vector<std::string>& all = architecture_fields();
  return std::find(all.begin(), all.end(), id) != all.end();
}

std::string architecture_value(const Document& document, const std::string& id) {
  if (id == "d_ff" && document.d_ff == 0) return std::to_string(4 * document.d_model);
  std::string all;
  for (const std::string& text : find_field(id)->get(document)) all += (all.empty() ? "" : ",") + text;
  return all;
}

std::string model_config_to_json(const StoredModel& model) {
  Json own = Json::object({{"version", kVersion},
                           {"name", model.title},
                           {"trained_on", model.trained_on},
                           {"task", name_of(model.task)},
                           {"length", model.length},
                           {"tied", model.tied},
                           {"vocabulary", model.vocabulary},
                           {"target_vocabulary", model.target_vocabulary}});
  Document whole = model.document;
  whole.model = "sandbox";  // whose document has the architecture's fields
  const Json fields = *Json::parse(to_json(whole));
  if (!model.language.empty()) own["language"] = model.language;
  if (!model.target_language.empty()) own["target_language"] = model.target_language;
  for (const std::string& id : written_fields()) own[id] = fields[id];
  Json json = Json::object();
  add_standard_keys(json, model);
  json["headlight"] = std::move(own);
  return json.dump(2) + "\n";
}

Result<StoredModel> model_config_from_json(std::string_view text, const std::string& where) {
  HL_ASSIGN(const Json json, Json::parse_unique(text, where, Message(kMend)));
  const Json& own = json["headlight"];
  if (!own.is_object())
    return invalid("this model was not written by Headlight: there is no \"headlight\"").at(where).mend(kMend);
  const Config config(own, where);
  HL_ASSIGN(const std::int64_t version, config.whole("version", 1, 1'000'000'000));
  if (version > kVersion)
    return invalid("this model has version {} and this program reads up to {}", version, kVersion)
        .at(where)
        .mend("open it with a newer Headlight");
  StoredModel model;
  HL_ASSIGN(model.title, config.text("name"));
  HL_ASSIGN(model.trained_on, config.text("trained_on"));
  HL_ASSIGN(model.language, config.text_if_there("language"));
  HL_ASSIGN(model.target_language, config.text_if_there("target_language"));
  HL_ASSIGN(const std::string task, config.text("task"));
  HL_ASSIGN(model.task, task_named(task, where));
  HL_ASSIGN(model.length, config.whole("length", 1, kLongest));
  HL_ASSIGN(model.tied, config.truth("tied"));
  HL_ASSIGN(model.vocabulary, config.whole("vocabulary", 1, kLargestVocabulary));
  HL_ASSIGN(model.target_vocabulary, config.whole("target_vocabulary", 0, kLargestVocabulary));
  HL_ASSIGN(model.document, document_of(own, where));
  if (model.document.d_model % model.document.heads != 0)
    return invalid("d_model {} cannot be divided among {} heads", model.document.d_model, model.document.heads)
        .at(where)
        .mend(kMend);
  if (has_wide_heads(model.document))
    return invalid("a stored model has no matrices of a 2-D stack").at(where).mend("choose the model sandbox");
  if (model.document.position == "relative")
    return invalid("a stored model has no tables of relative positions").at(where).mend("choose the model sandbox");
  if (model.target_vocabulary > 0 && model.task != ModelTask::encoder_decoder)
    return invalid("a vocabulary of targets is of an encoder-decoder alone").at(where).mend(kMend);
  return model;
}

Status check_predicts(const StoredModel& model) {
  if (model.predicts) return {};
  return usage_error("the model '{}' has no language head: it has no next word, but attention and vectors", model.name)
      .at("--model")
      .mend("choose a model with one, or look at its heads and vectors");
}

Result<std::shared_ptr<const StoredModel>> open_stored_model(const std::string& name) {
  if (name.starts_with(kArraysPrefix)) return not_found("arrays are no model");  // asked in every frame
  HL_ASSIGN(const fs::path place, place_of(name));
  const auto one = opened().place_of(name, place);
  const std::lock_guard lock(one->mutex);
  if (one->model) return one->model;
  HL_ASSIGN(one->model, load(name, place));
  return one->model;
}

bool opens_at_once(const std::string& name) {
  if (name == "sandbox") return true;
  const auto place = place_of(name);
  if (!place.ok()) return true;
  if (const auto assets = assets_folder(); assets.ok() && place->parent_path() == *assets / "models") return true;
  const auto one = opened().place_of(name, *place);
  const std::unique_lock lock(one->mutex, std::try_to_lock);
  return lock.owns_lock() && one->model;
}

std::vector<std::string> bundled_models() {
  std::vector<std::string> names;
  const auto assets = assets_folder();
  if (!assets) return names;
  std::error_code none;
  for (const auto& item : fs::directory_iterator(*assets / "models", none))
    if (fs::is_regular_file(item.path() / kModelConfigFile, none) && fs::is_regular_file(item.path() / kModelWeightsFile, none))
      names.push_back(item.path().filename().string());
  sort_stably(names);
  return names;
}

Result<std::shared_ptr<const StoredModel>> stored_model_of(const Document& document) {
  if (document.model == "sandbox" || is_of_arrays(document)) return std::shared_ptr<const StoredModel>();
  return open_stored_model(document.model);
}

bool fills_in(const StoredModel* model) { return model && model->task == ModelTask::encoder && model->predicts; }

bool fills_in(const Document& document) {
  const auto model = stored_model_of(document);
  return model.ok() && fills_in(model->get());
}

bool offers_chat(const Document& document) {
  const auto model = stored_model_of(document);
  return model.ok() && *model && (*model)->chat;
}

SentenceEnds ends_of(const Document& document, const StoredModel* model, bool of_targets) {
  SentenceEnds ends{document.add_begin, document.add_end};
  if (model && model->task == ModelTask::encoder_decoder) (of_targets ? ends.begin : ends.end) = true;
  return ends;
}

void use_model(Document& document, const StoredModel& model) {
  for (const std::string& id : written_fields()) {
    const Field* const field = find_field(id);
    // The model's own values were in range when it was read.
    [[maybe_unused]] const Status set = field->set(document, field->get(model.document));
  }
  document.model = model.name;
  document.tokenizer = model.document.tokenizer;
  document.target_tokenizer = model.document.target_tokenizer;
  document.matrices.clear();  // they were given for another model
  document.qkv = model.document.qkv;
  document.padding = model.document.padding;
  document.interventions = model.document.interventions;
  document.chat = document.chat && model.chat;
}

std::vector<std::string> untrained_fields(const Document& document) {
  const auto model = stored_model_of(document);
  return model.ok() && *model ? untrained_fields(document, **model) : std::vector<std::string>();
}

std::vector<std::string> untrained_fields(const Document& document, const StoredModel& model) {
  std::vector<std::string> fields;
  const auto values = [](const Document& of, const std::string& id) {
    std::vector<std::string> all = find_field(id)->get(of);
    if (id == "masks") {
      std::erase(all, "padding");
      sort_stably(all);
    }
    return all;
  };
  for (const std::string& id : preset_fields())
    if (id != "mask_fill" && values(document, id) != values(model.document, id)) fields.push_back(id);
  return fields;
}

Result<std::shared_ptr<const StoredModel>> with_interventions(std::shared_ptr<const StoredModel> model,
                                                              const std::vector<Intervention>& interventions) {
  if (interventions.empty()) return model;
  for (const Intervention& one : interventions)
    if (one.kind == Intervention::Kind::pattern)
      return usage_error("the pattern of another sentence is for one text of as many tokens")
          .at(to_text(one.at))
          .mend("use trace or export, or the window");
  auto changed = std::make_shared<StoredModel>(*model);
  changed->document.interventions = interventions;
  changed->document.model = model->name;
  HL_TRY(check_interventions(changed->document, model->task == ModelTask::encoder_decoder));
  return std::shared_ptr<const StoredModel>(std::move(changed));
}

Result<std::shared_ptr<const StoredModel>> with_chat(const std::shared_ptr<const StoredModel>& model) {
  HL_TRY(check_chat(*model));
  auto changed = std::make_shared<StoredModel>(*model);
  changed->document.chat = true;
  return std::shared_ptr<const StoredModel>(std::move(changed));
}

Status check_model(const StoredModel& model, const Document& document) {
  if (document.chat) HL_TRY(check_chat(model));
  for (const std::string& id : architecture_fields()) {
    const Field& field = *find_field(id);
    const std::string own = architecture_value(model.document, id), asked = architecture_value(document, id);
    if (own == asked) continue;
    const bool counted = field.parameter.kind == Parameter::Kind::integer;
    const Message label = Message::term(field.parameter.label);
    return usage_error("the model '{}' has {}, the document asks for {}", model.name,
                       counted ? Message("{} {}", own, label) : Message("{} {}", label, own), asked)
        .at("--{}", field.option)
        .mend("leave it out, or choose the model sandbox");
  }
  if (const scores::Entry* score = scores::registry().find(document.score);
      score && score->has_parameters() && document.score != model.document.score)
    return usage_error("the model '{}' was trained with the score function {} and has no parameters for {}", model.name,
                       model.document.score, document.score)
        .at("--score")
        .mend("leave it out, or choose the model sandbox");
  if (model.task != ModelTask::encoder_decoder && !reads_pairs(model) && !document.targets.empty())
    return usage_error("the model '{}' reads one sentence, and there is a second one", model.name)
        .at("--target")
        .mend("leave it out");
  if (model.task == ModelTask::encoder_decoder && document.targets.empty())
    return usage_error("the model '{}' reads two sentences, and there is one", model.name)
        .at("--target")
        .mend("give the second sentence, or an empty one");
  return check_tokenizers(model, document);
}

}  // namespace headlight
