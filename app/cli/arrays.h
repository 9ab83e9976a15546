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
  std::vector<StoredArray> stored;  // as the file has them, texts included

  const Tensor* find(std::string_view name) const { return headlight::find(arrays, name); }
  // The array of this name, or an error that names it, the file and the arrays that are there.
  Result<Tensor> get(std::string_view name) const;
  // The same; the array must hold floating-point numbers.
  Result<Tensor> real(std::string_view name) const;
  Error wrong(std::string_view name, const std::string& is, const std::string& must_be) const;
};
// Reads the arrays named `known`. Errors: those of the file; an array of another name (its name, the nearest known one, all of
// them). Arrays of text are left out, with a line on stderr that begins with "headlight COMMAND".
Result<ArrayFile> read_arrays(const std::string& command, const std::string& path, const std::vector<std::string>& known);

// All arrays but those of text.
Result<ArrayFile> read_arrays(const std::string& path);

// Says on stderr that float64 arrays are rounded, if `precision` is float32. Error: a finite number of `used` is beyond float32.
Status check_precision(const std::string& command, const ArrayFile& file, const std::vector<std::string>& used, DType precision);
// Error: `result` has a number that is infinite or none although all of `inputs` are finite.
Status check_finite(const std::string& name, const Tensor& result, const std::vector<Tensor>& inputs);

// Refuses what needs more than the machine's memory: the shapes are those of arrays that will be made.
Status check_memory(const std::string& what, const std::vector<std::pair<DType, Shape>>& arrays);

}  // namespace headlight::cli
