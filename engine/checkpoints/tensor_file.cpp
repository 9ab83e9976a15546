#include "engine/checkpoints/tensor_file.h"

#include <algorithm>
#include <new>
#include <utility>

#include "engine/checkpoints/checkpoint_files.h"
#include "engine/checkpoints/gguf_header.h"
#include "engine/checkpoints/mapped_file.h"
#include "engine/checkpoints/mends.h"
#include "engine/core/fingerprint.h"
#include "engine/core/safetensors.h"
#include "engine/core/sorting.h"

namespace headlight::checkpoints {
namespace {

namespace fs = std::filesystem;

// A header is read as JSON, which takes up to fifty times its size. The largest published shard's has a tenth of this.
constexpr std::uint64_t kLongestHeader = 8'000'000;

// The program that stores tensors under such names quantised them in a way of its own.
const char* quantised_by(std::string_view name) {
  if (name.ends_with(".qweight") || name.ends_with(".qzeros")) return "GPTQ or AWQ";
  if (name.ends_with(".absmax") || name.find(".quant_state.") != name.npos) return "bitsandbytes";
  return nullptr;
}

}  // namespace

class TensorFileReader {
 public:
  explicit TensorFileReader(TensorFile& out) : out_(out) {}

  Status read(const CheckpointFiles& source) {
    out_.format_ = source.gguf ? TensorFile::Format::gguf : TensorFile::Format::safetensors;
    for (const fs::path& file : source.files) {
      HL_ASSIGN(auto mapped, MappedFile::open(file));
      out_.files_.push_back(file);
      out_.mapped_.push_back(std::move(mapped));
      HL_TRY(source.gguf ? read_gguf(source.files.size()) : read_safetensors());
    }
    return sort(source);
  }

 private:
  std::string where() const { return out_.files_.back().string(); }

  Status read_safetensors() {
    const MappedFile& file = *out_.mapped_.back();
    HL_ASSIGN(SafetensorsHeader header, read_safetensors_header(file.text(), where(), kLongestHeader));
    out_.notes_.merge(header.metadata);
    for (DescribedTensor& one : header.tensors) {
      if (const char* program = quantised_by(one.name))
        return invalid("the tensor '{}' shows that the weights are quantised by {}, which is not read here", one.name, program)
            .at(where())
            .mend("take the model as it was before, or as GGUF");
      const StoredTypeEntry* const type = safetensors_type(one.type);
      if (!type)
        return invalid("the tensor '{}' holds {} numbers, which are not read here", one.name, one.type)
            .at(where())
            .mend("take a file with one of F32, F16, BF16");
      const auto bytes = file.bytes().subspan(static_cast<std::size_t>(one.begin), static_cast<std::size_t>(one.end - one.begin));
      out_.tensors_.push_back({std::move(one.name), type->type, std::move(one.shape), bytes, out_.files_.size() - 1});
    }
    return {};
  }

  Status read_gguf(std::size_t parts) {
    HL_ASSIGN(GgufHeader header, read_gguf_header(out_.mapped_.back()->text(), where()));
    const std::size_t part = out_.files_.size() - 1;
    const std::int64_t number = header.metadata.integer("split.no").value_or(static_cast<std::int64_t>(part));
    const std::int64_t count = header.metadata.integer("split.count").value_or(0);
    if ((count > 1 || parts > 1) && (count != static_cast<std::int64_t>(parts) || number != static_cast<std::int64_t>(part)))
      return invalid("is part {} of {} by its metadata, and part {} of {} by its name", number + 1, count, part + 1, parts)
          .at(where())
          .mend("give the parts their names again: NAME-00001-of-00002.gguf");
    for (StoredTensor& tensor : header.tensors) {
      tensor.file = part;
      out_.tensors_.push_back(std::move(tensor));
    }
    if (part == 0) out_.metadata_ = std::move(header.metadata);
    return {};
  }

  Status sort(const CheckpointFiles& source) {
    std::vector<StoredTensor>& all = out_.tensors_;
    sort_stably(all, [](const StoredTensor& a, const StoredTensor& b) { return a.name < b.name; });
    const auto twice =
        std::adjacent_find(all.begin(), all.end(), [](const StoredTensor& a, const StoredTensor& b) { return a.name == b.name; });
    if (twice != all.end())
      return invalid("the tensor '{}' is there twice", twice->name).at(out_.files_[(twice + 1)->file].string()).mend(kCopyFile);
    for (const auto& [name, file] : source.places) {
      const StoredTensor* const tensor = out_.find(name);
      if (!tensor || tensor->file != file)
        return not_found("the tensor '{}' is missing, which {} says is in this file", name, source.index.filename().string())
            .at(source.files[file].string())
            .mend("copy or download this file again");
    }
    const std::int64_t wanted = out_.metadata_.integer("split.tensors.count").value_or(static_cast<std::int64_t>(all.size()));
    if (wanted != static_cast<std::int64_t>(all.size()))
      return invalid("its parts have {} tensors, and {} are said to be there", all.size(), wanted)
          .at(source.files.front().string())
          .mend("copy or download all parts again");
    return {};
  }

  TensorFile& out_;
};

Result<std::shared_ptr<const TensorFile>> TensorFile::open(const fs::path& path) {
  try {
    HL_ASSIGN(const CheckpointFiles source, checkpoint_files(path));
    const auto file = std::make_shared<TensorFile>();
    HL_TRY(TensorFileReader(*file).read(source));
    return std::shared_ptr<const TensorFile>(file);
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "its header does not fit in memory").at(path.string()).mend("close other programs");
  }
}

std::uint64_t TensorFile::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& file : mapped_) sum += file->bytes().size();
  return sum;
}

const StoredTensor* TensorFile::find(std::string_view name) const {
  const auto at = std::lower_bound(tensors_.begin(), tensors_.end(), name,
                                   [](const StoredTensor& one, std::string_view wanted) { return one.name < wanted; });
  return at != tensors_.end() && at->name == name ? &*at : nullptr;
}

Status TensorFile::check_intact() const {
  for (const auto& file : mapped_)
    if (!file->intact())
      return failure(ErrorKind::io, "became shorter, or could no longer be read, while it was open")
          .at(file->path().string())
          .mend("copy or download the whole file again, then open the model again");
  return {};
}

std::string TensorFile::identity() const {
  constexpr std::size_t kSample = 256;
  Fingerprint key;
  for (const StoredTensor& one : tensors_) {
    key.add(std::string_view(one.name))
        .add(std::string_view(name_of(one.type)))
        .add(static_cast<std::uint64_t>(one.bytes.size()));
    for (const std::int64_t size : one.shape) key.add(static_cast<std::uint64_t>(size));
    const std::string_view bytes(reinterpret_cast<const char*>(one.bytes.data()), one.bytes.size());
    key.add(bytes.substr(0, kSample)).add(bytes.substr(bytes.size() - std::min(bytes.size(), kSample)));
  }
  return "checkpoint " + std::to_string(key.a) + " " + std::to_string(key.b);
}

}  // namespace headlight::checkpoints
