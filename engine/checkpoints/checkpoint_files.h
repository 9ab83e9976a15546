// Which files of a folder are a checkpoint, and why some are refused before anything of them is read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/status.h"

namespace headlight::checkpoints {

struct CheckpointFiles {
  bool gguf = false;                                        // else safetensors
  std::vector<std::filesystem::path> files;                 // in their order
  std::filesystem::path index;                              // of shards: model.safetensors.index.json; else empty
  std::vector<std::pair<std::string, std::size_t>> places;  // of shards: each tensor and its file, as the index has them
};

// `path` as TensorFile::open() takes it. Errors: there is no such file; a folder without weights, or with several; pickled
// weights; weights quantised by another program; an index that is no JSON, names a file outside of its folder or one that is
// missing. checkpoint_files("smollm2") of a folder with one .gguf gives that file.
Result<CheckpointFiles> checkpoint_files(const std::filesystem::path& path);

// A part of a split GGUF by its name: NAME-00002-of-00003.gguf is part 2 of 3. {0, 0}: it is not split.
struct SplitName {
  std::string stem;
  std::uint32_t part = 0, count = 0;
};
SplitName split_name(const std::filesystem::path& file);

bool is_gguf(const std::filesystem::path& file);  // by its first bytes: Ollama's files have no ending
// Whether the file's name or first bytes say that it is pickled (.bin, .pt, .pth, .ckpt, .pkl).
bool is_pickled(const std::filesystem::path& file);

}  // namespace headlight::checkpoints
