#include "engine/document/listed_models.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "engine/architectures/architecture.h"
#include "engine/checkpoints/catalogue.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/sorting.h"
#include "engine/core/user_folder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using Group = ListedModel::Group;

constexpr std::uint64_t kLargestCard = 1 << 20;

// What a model of ours says of itself; false: it is another's.
bool describe_ours(ListedModel& out, const fs::path& folder) {
  const auto text = read_file(folder / kModelConfigFile, kLargestCard);
  if (!text) return false;
  const auto config = model_config_from_json(*text, folder.string());
  if (!config) return false;
  out.task = config->task;
  out.trained_on = config->trained_on;
  out.language = config->language;
  out.target_language = config->target_language;
  return true;
}

// What an architecture's name says: BERT's kin read both sides. Of those the encoder alone is read here, without the head that
// would name a hidden word, whatever class config.json names.
void describe_published(ListedModel& out) {
  const std::string& name = out.model.architecture;
  const architectures::Entry* found = architectures::registry().find(name);
  for (const architectures::Entry& entry : architectures::registry().entries())
    if (!found && std::find(entry.gguf.begin(), entry.gguf.end(), name) != entry.gguf.end()) found = &entry;
  // Files of the first years have no model_type: opening says what they are.
  out.is_known = found != nullptr || name.empty() || name == "headlight";
  out.family = found ? found->label : name;
  if (name.find("bert") == std::string::npos) return;
  out.task = ModelTask::encoder;
  out.predicts = false;
}

void describe(ListedModel& out, const fs::path& folder) {
  describe_published(out);
  if (describe_ours(out, folder)) out.is_known = true;
}

// What `headlight models get` wrote beside the model.
void describe_fetched(ListedModel& out, const fs::path& folder) {
  const auto text = read_file(folder / checkpoints::kFetchedFile, kLargestCard);
  if (!text) return;
  out.fetched = true;
  const auto json = Json::parse_python(*text);
  if (!json) return;
  out.title = (*json)["title"].string();
  if (const std::string license = (*json)["license"].string(); !license.empty()) out.model.license = license;
}

void add_bundled(std::vector<ListedModel>& all) {
  const auto assets = assets_folder();
  if (!assets) return;
  for (const std::string& name : bundled_models()) {
    ListedModel out;
    out.group = Group::bundled;
    out.id = name;
    out.model = checkpoints::described_model(*assets / "models" / name);
    out.model.name = name;
    out.model.license = "MIT";
    describe(out, *assets / "models" / name);
    all.push_back(std::move(out));
  }
}

// In the order of their names. A fetch that goes on has a folder whose name begins with a dot.
void add_own(std::vector<ListedModel>& all) {
  std::error_code problem;
  std::vector<fs::path> folders;
  for (const auto& item : fs::directory_iterator(own_models_folder(), problem))
    if (!item.path().filename().string().starts_with('.')) folders.push_back(item.path());
  sort_stably(folders);
  for (const fs::path& folder : folders) {
    ListedModel out;
    out.group = Group::own;
    out.id = folder.string();
    out.model = checkpoints::described_model(folder);
    if (out.model.path.empty()) continue;
    out.model.path = folder;
    out.model.name = folder.filename().string();
    describe(out, folder);
    describe_fetched(out, folder);
    all.push_back(std::move(out));
  }
}

}  // namespace

const char* name_of(ListedModel::Group group) {
  switch (group) {
    case Group::bundled: return "bundled";
    case Group::own: return "own";
    case Group::found: return "found";
    case Group::get: return "get";
  }
  return "";
}

Result<std::vector<ListedModel>> list_models() {
  std::vector<ListedModel> all;
  add_bundled(all);
  add_own(all);
  for (checkpoints::FoundModel& model : checkpoints::found_models()) {
    ListedModel out;
    out.id = model.path.string();
    out.model = std::move(model);
    describe(out, out.model.path);
    all.push_back(std::move(out));
  }
  HL_ASSIGN(const std::vector<checkpoints::CatalogueEntry> catalogue, checkpoints::read_catalogue());
  for (const checkpoints::CatalogueEntry& entry : catalogue) {
    if (checkpoints::is_fetched(entry, own_models_folder() / entry.name)) continue;
    ListedModel out;
    out.group = Group::get;
    out.model.name = entry.name;
    out.model.architecture = entry.architecture;
    out.model.license = entry.license;
    out.model.bytes = entry.bytes();
    out.title = entry.title;
    out.good_for = entry.good_for;
    describe_published(out);
    all.push_back(std::move(out));
  }
  return all;
}

std::string known_families() {
  std::string all;
  for (const architectures::Entry& entry : architectures::registry().entries()) all += (all.empty() ? "" : ", ") + entry.label;
  return all;
}

}  // namespace headlight
