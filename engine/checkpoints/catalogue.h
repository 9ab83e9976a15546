// The models that can be had: assets/catalogue.json. Each is a package of the Python registry, which pip fetches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/status.h"

namespace headlight::checkpoints {

struct CatalogueFile {
  std::string from;  // its path in the package, or in the package's archive
  std::string name;  // as it is called in the model's folder
  std::uint64_t bytes = 0;
  std::string sha256;  // 64 hexadecimal digits
};

struct CatalogueEntry {
  std::string name;   // "smollm2"
  std::string title;  // "SmolLM2-135M-Instruct, by Hugging Face"
  std::string architecture, license, good_for;
  std::string package, version;
  std::uint64_t download_bytes = 0;
  std::string archive;  // the ZIP file in the package that holds the files; empty: they lie in the package itself
  std::vector<CatalogueFile> files;

  std::uint64_t bytes() const;  // of all files
};

// Errors: there are no assets; the file is missing or is no catalogue.
Result<std::vector<CatalogueEntry>> read_catalogue();
// The entry `name`. Error (not_found), with the names that there are. catalogue_entry("smollm2")
Result<CatalogueEntry> catalogue_entry(const std::string& name);

// Whether the model was fetched: its folder has all of the entry's files, of their sizes.
bool is_fetched(const CatalogueEntry& entry, const std::filesystem::path& folder);
// The file that a fetched model's folder has besides, so that it is not taken for one that was trained here.
inline constexpr const char* kFetchedFile = "fetched.json";

}  // namespace headlight::checkpoints
