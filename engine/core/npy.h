// NumPy's .npy (format versions 1.0 to 3.0) and .npz (zip of .npy) files: what numpy.load reads and numpy.save, savez and
// savez_compressed write. Format: numpy.lib.format, "NPY format", and PKWARE's APPNOTE (zip64 included).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight {

// Reads float16/32/64, bool, and signed and unsigned integers of 8 to 64 bits, in either byte order, C or Fortran order. They
// become f32 (from float16), f64, u8 (from bool and uint8) or i32 (range-checked). `where` is named in errors. Shapes and sizes
// are checked before anything is allocated.
Result<Tensor> read_npy(std::string_view bytes, const std::string& where);
std::string write_npy(const Tensor& tensor);  // C order, little-endian, version 1.0 (2.0 for long headers)

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;  // in file order, names without ".npy"
// Arrays of text, such as the document that Headlight stores, are left out.
Result<NamedTensors> read_npz(const std::filesystem::path& path);
// What an .npz holds, as NumPy names the types of elements: "float64", "int8", "str".
struct StoredArray {
  std::string name, type;
  bool is_text = false;  // NumPy's str or bytes
};
// The same; `stored` gets every array's name and type.
Result<NamedTensors> read_npz(const std::filesystem::path& path, std::vector<StoredArray>& stored);
// The text of an array that add_text() wrote, or of bytes or an array of bytes as older files have them. `bytes` is a member of
// an .npz, whole. Error: it holds something else.
Result<std::string> text_of_npy(std::string_view bytes, const std::string& where);
const Tensor* find(const NamedTensors& tensors, std::string_view name);
Status write_npz(const std::filesystem::path& path, const NamedTensors& tensors);

// Writes arrays one after the other without holding all of them in memory. They go to a temporary file, which close() renames.
class NpzWriter {
 public:
  static Result<NpzWriter> create(const std::filesystem::path& path);
  NpzWriter(NpzWriter&&) noexcept;
  NpzWriter& operator=(NpzWriter&&) noexcept;
  ~NpzWriter();  // removes the temporary file if close() was not called
  Status add(const std::string& name, const Tensor& tensor);
  // Adds a text (UTF-8) as a NumPy array of one str, without axes: numpy.load(...)[name].item() is the text. What is no UTF-8
  // becomes U+FFFD.
  Status add_text(const std::string& name, std::string_view text);
  Status close();

 private:
  NpzWriter();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight
