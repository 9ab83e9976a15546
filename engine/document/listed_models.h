// The list of models: bundled, one's own, found on this machine, to be had. The beginnings of files are read, and no model is
// opened.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/checkpoints/found_models.h"
#include "engine/core/status.h"
#include "engine/document/stored_model.h"

namespace headlight {

struct ListedModel {
  enum class Group { bundled, own, found, get };
  Group group = Group::found;
  std::string id;  // as a document names it: "stories", a folder or file; empty of one to be had
  // Name, sizes, licence and place; of one to be had its path and layers are empty.
  checkpoints::FoundModel model;
  std::string family;    // "Llama"; an architecture that is not known by its own name
  bool is_known = true;  // it can be opened: its architecture is known
  bool fetched = false;  // one's own that was fetched, and can be removed
  // What it does, as StoredModel has it.
  ModelTask task = ModelTask::decoder;
  bool predicts = true;
  std::string trained_on, language, target_language;
  std::string title, good_for;  // of one that was fetched or is to be had: the catalogue's words
};

const char* name_of(ListedModel::Group group);  // "bundled", "own", "found", "get"

// All of them, by group. Errors: read_catalogue()'s.
Result<std::vector<ListedModel>> list_models();
// The architectures that can be opened, by their labels: "Llama, Mistral, …".
std::string known_families();

}  // namespace headlight
