// A published checkpoint's tensors as they lie on the disk: safetensors (one file, or shards with their index) or GGUF (one file,
// or splits). Files are mapped, nothing is copied, and every statement of a header is checked before it is used. What the tensors
// mean is the business of the models.
//
//   HL_ASSIGN(const auto file, TensorFile::open("SmolLM2-135M-Instruct.Q4_1.gguf"));
//   if (const StoredTensor* q = file->find("blk.0.attn_q.weight")) HL_TRY(widen(*q, row * q->shape[1], q->shape[1], out));
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/checkpoints/gguf_metadata.h"
#include "engine/checkpoints/stored_type.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight::checkpoints {

class MappedFile;

struct StoredTensor {
  std::string name;
  StoredType type = StoredType::f32;
  Shape shape;                       // C order, the fastest axis last: [out, in], in GGUF too
  std::span<const std::byte> bytes;  // mapped, whole blocks, at no particular alignment
  std::size_t file = 0;              // which of TensorFile::files()
};

class TensorFile {
 public:
  enum class Format { safetensors, gguf };

  // `path`: a .safetensors or .gguf file (the first or any part of a split one), or a folder with model.safetensors,
  // model.safetensors.index.json and its shards, or one GGUF (its splits count as one). Errors name the file, and the tensor, key
  // or shard: a header that lies (places outside the file, overlaps, sizes that overflow, more tensors than the file has room
  // for), a file that is cut off, a shard that is missing; pickled weights (.bin, .pt), with the two lines of Python that convert
  // them; weights that another program quantised (quantization_config in config.json, GPTQ, AWQ), by their names.
  static Result<std::shared_ptr<const TensorFile>> open(const std::filesystem::path& path);

  Format format() const { return format_; }
  const std::vector<std::filesystem::path>& files() const { return files_; }
  std::uint64_t bytes() const;  // of all files

  const std::vector<StoredTensor>& tensors() const { return tensors_; }       // in the order of their names
  const StoredTensor* find(std::string_view name) const;                      // null: there is none
  const GgufMetadata& metadata() const { return metadata_; }                  // of a GGUF; empty for safetensors
  const std::map<std::string, std::string>& notes() const { return notes_; }  // "__metadata__" of safetensors

  // An error if a file became shorter, or could not be read, since it was opened. Numbers that were read meanwhile may be zeros:
  // a page that is gone reads as zeros, so that nothing crashes. Ask after a computation, before its result is shown.
  Status check_intact() const;
  // What the numbers depend on, in few words: names, types, shapes and places of all tensors, and the first and last bytes of
  // each. Two copies of one checkpoint have one identity. It reads two pages a tensor, once.
  std::string identity() const;

 private:
  friend class TensorFileReader;
  Format format_ = Format::safetensors;
  std::vector<std::filesystem::path> files_;
  std::vector<std::shared_ptr<const MappedFile>> mapped_;
  std::vector<StoredTensor> tensors_;
  GgufMetadata metadata_;
  std::map<std::string, std::string> notes_;
};

// The numbers first, first + 1, ..., first + count - 1 of the tensor in C order, as float32: exactly what PyPI's `gguf` gives for
// blocks, and every value of F16 and BF16 is a float32. Any place may be given; whole blocks are quickest. Errors: a type that is
// not read here, named with those that are; a range outside the tensor (internal).
Status widen(const StoredTensor& tensor, std::int64_t first, std::int64_t count, float* out);
// The whole tensor as f32, in its own shape. Errors: widen()'s; too_large.
Result<Tensor> widened(const StoredTensor& tensor);
// `blocks` blocks of a type that can_widen(), without checks: for kernels that read the weights as they are stored.
void widen_blocks(StoredType type, const std::byte* from, std::int64_t blocks, float* out);

}  // namespace headlight::checkpoints
