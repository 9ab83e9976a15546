// The arrays of an .npz that a command was given, checked by name before anything is computed.
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
  std::vector<StoredArray> stored;  // as the file stores them, texts included

  const Tensor* find(std::string_view name) const { return headlight::find(arrays, name); }
  // The array of this name, or an error that names it, the file and the file's arrays.
  Result<Tensor> get(std::string_view name) const;
  // The same as floating-point numbers: integers become float32, or float64 if that is not exact.
  Result<Tensor> real(std::string_view name) const;
  // Whether the file stores integers under this name, which are float64 here where one does not fit into 32 bits.
  bool stores_integers(std::string_view name) const;
  // wrong("q", Message("has 3 axes"), Message("give [queries, d]")) is the error about the file's array "q".
  Error wrong(std::string_view name, const Message& is, const Message& must_be) const;
};
// Reads the arrays named `known`; `lone` is as in read_npz(). Errors: the file's; an array of another name, with the nearest
// known name and all of them. Arrays of text are left out, with a line on stderr that begins with "headlight COMMAND".
// read_arrays("attend", "in.npz", {"q", "k", "v", "scores"}, "scores")
Result<ArrayFile> read_arrays(const std::string& command, const std::string& path, const std::vector<std::string>& known,
                              std::string_view lone);

// Reads all arrays but those of text.
Result<ArrayFile> read_arrays(const std::string& path, std::string_view lone = "weights");

// Says on stderr which arrays are rounded (float64, and integers beyond 2^24), if `precision` is float32. Error: a finite number
// of `used` is beyond float32. check_precision("attend", file, {"q", "k", "v"}, DType::f32)
Status check_precision(const std::string& command, const ArrayFile& file, const std::vector<std::string>& used, DType precision);
// Error: `result`, computed from finite numbers alone, has an infinite number or NaN.
// check_finite("output", output)
Status check_finite(const std::string& name, const Tensor& result);

// Refuses arrays of these types and shapes if together they need more than the machine's memory.
// check_memory("the scores", {{DType::f32, {12, 4096, 4096}}})
Status check_memory(const std::string& what, const std::vector<std::pair<DType, Shape>>& arrays);

}  // namespace headlight::cli
