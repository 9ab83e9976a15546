#include "engine/checkpoints/checkpoint_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <system_error>

#include "engine/checkpoints/gguf_header.h"
#include "engine/checkpoints/mends.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/sorting.h"
#include "engine/core/text_file.h"

namespace headlight::checkpoints {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestIndex = std::uint64_t{32} << 20, kLargestConfig = std::uint64_t{4} << 20;
constexpr std::size_t kBeginningBytes = 8;
constexpr const char* kIndex = "model.safetensors.index.json";

// The first bytes of a file; empty if it cannot be read.
std::string beginning(const fs::path& file, std::size_t size = kBeginningBytes) {
  std::string bytes(size, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

Failure refuse_pickled(const fs::path& file) {
  const std::string name = file.filename().string();
  return invalid("is pickled, and to open a pickled file is to run the program that it holds")
      .at(file.string())
      .mend(
          "convert it with Python: import torch; from safetensors.torch import save_file; save_file({{k: v.clone() for k, v in "
          "torch.load('{}', weights_only=True).items()}}, 'model.safetensors')",
          name);
}

// Weights that config.json says another program quantised.
Status check_config(const fs::path& folder) {
  const fs::path file = folder / "config.json";
  std::error_code none;
  if (!fs::is_regular_file(file, none)) return {};
  HL_ASSIGN(const std::string bytes, read_text_file(file, kLargestConfig));
  HL_ASSIGN(const Json config, Json::parse_python(bytes, file.string(), Message(kCopyFolder)));
  const Json& quantised = config["quantization_config"];
  if (!quantised.is_object()) return {};
  const std::string& method = quantised["quant_method"].string();
  return invalid("its quantization_config says that the weights are quantised by {}, which is not read here",
                 method.empty() ? std::string("a method without a name") : method)
      .at(file.string())
      .mend("take the model as it was before, or as GGUF");
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
    std::error_code none;
    if (at->is_regular_file(none)) files.push_back(at->path());
  }
  sort_stably(files);
  return files;
}

// Of split files the first alone: the others belong to it.
std::vector<fs::path> with_extension(const std::vector<fs::path>& files, std::string_view extension) {
  std::vector<fs::path> out;
  for (const fs::path& file : files)
    if (file.extension() == extension && split_name(file).part <= 1 && !file.filename().string().starts_with("mmproj"))
      out.push_back(file);
  return out;
}

Result<CheckpointFiles> by_index(const fs::path& index) {
  const std::string where = index.string();
  HL_TRY(check_config(index.parent_path()));
  HL_ASSIGN(const std::string bytes, read_text_file(index, kLargestIndex));
  HL_ASSIGN(const Json json, Json::parse_unique(bytes, where, Message(kCopyFolder)));
  const Json& map = json["weight_map"];
  if (!map.is_object() || map.empty()) return invalid("has no \"weight_map\" of tensors and files").at(where).mend(kCopyFolder);
  CheckpointFiles out;
  out.index = index;
  std::map<std::string, std::size_t> numbers;
  for (const auto& [tensor, file] : map.members()) {
    const std::string& name = file.string();
    if (name.empty() || fs::path(name).filename() != name || name == "." || name == "..")
      return invalid("the file of the tensor '{}' is no name of a file beside the index: '{}'", tensor, name)
          .at(where)
          .mend(kCopyFolder);
    numbers.emplace(name, 0);
  }
  for (auto& [name, number] : numbers) {
    number = out.files.size();
    out.files.push_back(index.parent_path() / name);
    std::error_code none;
    if (!fs::exists(out.files.back(), none))
      return not_found("the file {} is missing, which the index names as one of {}", name, numbers.size())
          .at(where)
          .mend(kCopyFolder);
  }
  for (const auto& [tensor, file] : map.members()) out.places.emplace_back(tensor, numbers[file.string()]);
  return out;
}

Result<CheckpointFiles> by_split(const fs::path& file, const SplitName& name) {
  CheckpointFiles out;
  out.gguf = true;
  for (std::uint32_t part = 1; part <= name.count; ++part) {
    std::array<char, 32> numbers{};
    std::snprintf(numbers.data(), numbers.size(), "-%05u-of-%05u.gguf", part, name.count);
    out.files.push_back(file.parent_path() / (name.stem + numbers.data()));
    std::error_code none;
    if (!fs::exists(out.files.back(), none))
      return not_found("the file is missing: part {} of {}", part, name.count).at(out.files.back().string()).mend(kCopyFolder);
  }
  return out;
}

Result<CheckpointFiles> by_file(const fs::path& file) {
  if (!std::ifstream(file)) HL_TRY(read_file(file, 0));  // says why it cannot be read
  const std::string first = beginning(file);
  if (looks_like_gguf(first)) {
    if (const SplitName name = split_name(file); name.count > 1) return by_split(file, name);
    CheckpointFiles out;
    out.gguf = true;
    out.files = {file};
    return out;
  }
  if (file.filename().string().ends_with(".safetensors.index.json")) return by_index(file);
  if (is_pickled(file)) return refuse_pickled(file);
  HL_TRY(refuse_pointer(beginning(file, 512), file.string()));
  if (file.extension() != ".safetensors")
    return invalid("is neither safetensors nor GGUF")
        .at(file.string())
        .mend("give a .safetensors or .gguf file, or the model's folder");
  // A shard: the index beside it knows the others.
  std::error_code none;
  if (split_name(file).count > 1 && fs::exists(file.parent_path() / kIndex, none)) return by_index(file.parent_path() / kIndex);
  HL_TRY(check_config(file.parent_path()));
  CheckpointFiles out;
  out.files = {file};
  return out;
}

Result<CheckpointFiles> by_folder(const fs::path& folder) {
  std::error_code problem;
  const fs::directory_iterator readable(folder, problem);
  if (problem)
    return failure(ErrorKind::io, "cannot be read: {}", Message::term(problem.message()))
        .at(folder.string())
        .mend("change its permissions");
  HL_TRY(check_config(folder));
  std::error_code none;
  if (fs::exists(folder / "model.safetensors", none)) return by_file(folder / "model.safetensors");
  if (fs::exists(folder / kIndex, none)) return by_index(folder / kIndex);
  const std::vector<fs::path> files = files_in(folder);
  for (const char* extension : {".gguf", ".safetensors"}) {
    const std::vector<fs::path> found = with_extension(files, extension);
    if (found.size() == 1) return by_file(found.front());
    if (found.size() > 1)
      return invalid("has {} {} files, among them {} and {}", found.size(), extension, found[0].filename().string(),
                     found[1].filename().string())
          .at(folder.string())
          .mend("give the path of one of them");
  }
  const auto pickled = std::find_if(files.begin(), files.end(), is_pickled);
  if (pickled != files.end()) return refuse_pickled(*pickled);
  return not_found("has no weights: no .safetensors and no .gguf file").at(folder.string()).mend("give the folder of a model");
}

// A number of five digits or more.
std::optional<std::uint32_t> number_in(std::string_view digits) {
  std::uint32_t number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.size() < 5 || problem != std::errc() || end != digits.data() + digits.size()) return {};
  return number;
}

}  // namespace

SplitName split_name(const fs::path& file) {
  const std::string stem = file.stem().string();
  const std::size_t of = stem.rfind("-of-");
  if (of == std::string::npos) return {};
  const std::size_t dash = stem.rfind('-', of - 1);
  if (of == 0 || dash == std::string::npos) return {};
  const auto part = number_in(std::string_view(stem).substr(dash + 1, of - dash - 1));
  const auto count = number_in(std::string_view(stem).substr(of + 4));
  if (!part || !count || *part < 1 || *part > *count) return {};
  return {stem.substr(0, dash), *part, *count};
}

bool is_gguf(const fs::path& file) { return looks_like_gguf(beginning(file)); }

bool is_pickled(const fs::path& file) {
  const std::string extension = file.extension().string();
  for (const char* known : {".bin", ".pt", ".pth", ".ckpt", ".pkl"})
    if (extension == known) return true;
  const std::string first = beginning(file);
  if (first.starts_with("PK\x03\x04")) return true;
  // A pickle's protocol. The length of a safetensors header may begin so too, but not go on so: its upper half is 0.
  return first.size() == kBeginningBytes && first[0] == '\x80' && first[1] >= 2 && first[1] <= 5 &&
         first.substr(4) != std::string(4, '\0');
}

Result<CheckpointFiles> checkpoint_files(const fs::path& path) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (fs::is_directory(status)) return by_folder(path);
  if (!fs::exists(status)) {
    HL_TRY(read_file(path, 0));  // says why
    return not_found("there is no such file").at(path.string()).mend("check the name");
  }
  return by_file(path);
}

}  // namespace headlight::checkpoints
