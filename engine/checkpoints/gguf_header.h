// The header of a GGUF file, versions 2 and 3 (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md): its metadata and where
// its tensors lie.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/checkpoints/gguf_metadata.h"
#include "engine/checkpoints/stored_type.h"
#include "engine/checkpoints/tensor_file.h"
#include "engine/core/status.h"

namespace headlight::checkpoints {

struct GgufHeader {
  GgufMetadata metadata;
  std::vector<StoredTensor> tensors;  // in the order of their places
};

bool looks_like_gguf(std::string_view bytes);  // by its first four bytes

// `bytes` is the whole file. Every count, length and place is checked against it; nothing is allocated that the file does not
// have bytes for. Errors name `where` and the key or tensor. read_gguf_header(mapped.text(), "model.gguf") reads the metadata and
// the tensors' names, types, shapes and places.
Result<GgufHeader> read_gguf_header(std::string_view bytes, const std::string& where);
// The metadata before the first key that begins with `until`, and nothing else: read_gguf_metadata(bytes, where, "tokenizer.") of
// a usual file reads its first page alone. An empty `until`: all metadata.
Result<GgufMetadata> read_gguf_metadata(std::string_view bytes, const std::string& where, std::string_view until);

}  // namespace headlight::checkpoints
