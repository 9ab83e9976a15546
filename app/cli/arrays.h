// Arrays of an .npz that a command was given, checked by name before anything is computed.
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
  // The array, or an error that names it, the file and the arrays that there are.
  Result<Tensor> get(std::string_view name) const;
  // The same, holding floating-point numbers.
  Result<Tensor> real(std::string_view name) const;
  Error wrong(std::string_view name, const std::string& is, const std::string& must_be) const;
};
Result<ArrayFile> read_arrays(const std::string& path);

// Refuses what would take more than the machine's memory: the shapes are those of arrays yet to be made.
Status check_memory(const std::string& what, const std::vector<std::pair<DType, Shape>>& arrays);

}  // namespace headlight::cli
