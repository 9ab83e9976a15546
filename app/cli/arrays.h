// The arrays of an .npz that a command was given; they are checked by name before anything is computed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/npy.h"
#include "engine/core/status.h"

namespace headlight::cli {

struct ArrayFile {
  std::string path;
  NamedTensors arrays;

  const Tensor* find(std::string_view name) const { return headlight::find(arrays, name); }
  // The array of this name, or an error that names it, the file and the arrays that are there.
  Result<Tensor> get(std::string_view name) const;
  // The same; the array must hold floating-point numbers.
  Result<Tensor> real(std::string_view name) const;
  Error wrong(std::string_view name, const std::string& is, const std::string& must_be) const;
};
Result<ArrayFile> read_arrays(const std::string& path);

// Refuses what needs more than the machine's memory: the shapes are those of arrays that will be made.
Status check_memory(const std::string& what, const std::vector<std::pair<DType, Shape>>& arrays);

}  // namespace headlight::cli
