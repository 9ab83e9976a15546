#include "engine/checkpoints/catalogue.h"

#include <algorithm>
#include <system_error>

#include "engine/core/files.h"
#include "engine/core/json.h"

namespace headlight::checkpoints {
namespace {

namespace fs = std::filesystem;

constexpr Phrase<0> kInstallAgain = "install Headlight's assets again";

// A name of a file or folder, not a way to another place.
bool is_plain_name(const std::string& name) { return !name.empty() && name.front() != '.' && fs::path(name).filename() == name; }

Result<CatalogueEntry> entry_from(const Json& json, const std::string& where) {
  CatalogueEntry out;
  const auto size = [](const Json& number) { return static_cast<std::uint64_t>(std::max<std::int64_t>(number.integer(), 0)); };
  out.name = json["name"].string();
  out.title = json["title"].string();
  out.architecture = json["architecture"].string();
  out.license = json["license"].string();
  out.good_for = json["good_for"].string();
  out.package = json["package"].string();
  out.version = json["version"].string();
  out.archive = json["archive"].string();
  out.download_bytes = size(json["download_bytes"]);
  for (const Json& file : json["files"].elements())
    out.files.push_back({file["from"].string(), file["name"].string(), size(file["bytes"]), file["sha256"].string()});
  const bool whole = is_plain_name(out.name) && !out.package.empty() && out.package.front() != '-' && !out.version.empty() &&
                     !out.files.empty() && std::ranges::all_of(out.files, [](const CatalogueFile& file) {
                       return is_plain_name(file.name) && !file.from.empty() && file.sha256.size() == 64 && file.bytes > 0;
                     });
  if (!whole) return invalid("the entry '{}' of the catalogue is not whole", out.name).at(where).mend(kInstallAgain);
  return out;
}

}  // namespace

std::uint64_t CatalogueEntry::bytes() const {
  std::uint64_t sum = 0;
  for (const CatalogueFile& file : files) sum += file.bytes;
  return sum;
}

Result<std::vector<CatalogueEntry>> read_catalogue() {
  HL_ASSIGN(const fs::path assets, assets_folder());
  const fs::path file = assets / "catalogue.json";
  HL_ASSIGN(const std::string text, read_file(file, 1 << 20));
  HL_ASSIGN(const Json json, Json::parse(text, file.string(), Message(kInstallAgain)));
  std::vector<CatalogueEntry> out;
  for (const Json& one : json["models"].elements()) {
    HL_ASSIGN(CatalogueEntry entry, entry_from(one, file.string()));
    out.push_back(std::move(entry));
  }
  return out;
}

Result<CatalogueEntry> catalogue_entry(const std::string& name) {
  HL_ASSIGN(const std::vector<CatalogueEntry> all, read_catalogue());
  std::string known;
  for (const CatalogueEntry& entry : all) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + entry.name;
  }
  return not_found("there is no model '{}' to be had", name).mend("there are {}", known);
}

bool is_fetched(const CatalogueEntry& entry, const fs::path& folder) {
  return std::ranges::all_of(entry.files, [&](const CatalogueFile& file) {
    std::error_code none;
    return fs::file_size(folder / file.name, none) == file.bytes && !none;
  });
}

}  // namespace headlight::checkpoints
