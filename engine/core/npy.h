// NumPy's .npy (format versions 1.0 to 3.0) and .npz (zip of .npy) files, which numpy.load reads and numpy.save, savez and
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

// Reads float16/32/64, bfloat16 as ml_dtypes or ONNX store it, bool, and signed and unsigned integers of 8 to 64 bits, in either
// byte order, C or Fortran order. They become f32 (from float16 and bfloat16, exactly), f64, u8 (from bool and uint8) or i32
// (range-checked). `where` is named in errors; of a file of another format they say which one it is and how NumPy reads it.
// Shapes and sizes are checked before anything is allocated. read_npy(bytes, "q.npy") gives the tensor; its errors name q.npy.
Result<Tensor> read_npy(std::string_view bytes, const std::string& where);
std::string write_npy(const Tensor& tensor);  // C order, little-endian, version 1.0 (2.0 for long headers)

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;  // in file order, names without ".npy"
// Reads all arrays of numbers. Arrays of text, such as the document that Headlight stores, are left out.
Result<NamedTensors> read_npz(const std::filesystem::path& path);
// An array of an .npz file: its name, and its type of elements as NumPy calls it: "float64", "int8", "str".
struct StoredArray {
  std::string name, type;
  bool is_text = false;  // NumPy's str or bytes
};
// The same; every array, also of text, is appended to `stored`. read_npz("run.npz", stored) may add {"document", "str", true}.
// `lone`: what the error about a file of one table calls its array, as in foreign_file().
Result<NamedTensors> read_npz(const std::filesystem::path& path, std::vector<StoredArray>& stored,
                              std::string_view lone = "weights");
// The text of an array that add_text() wrote. Older files have the text as NumPy bytes or as a u8 array of one axis. `bytes` is a
// whole member of an .npz file. Error (invalid): the member holds no text.
// text_of_npy(bytes, "run.npz") gives the text; its error names run.npz.
Result<std::string> text_of_npy(std::string_view bytes, const std::string& where);
// The tensor of that name; null if there is none. find(tensors, "q") gives the tensor of q.npy.
const Tensor* find(const NamedTensors& tensors, std::string_view name);
// write_npz("run.npz", {{"q", q}, {"k", k}}) writes q.npy and k.npy into run.npz. Errors: NpzWriter's.
Status write_npz(const std::filesystem::path& path, const NamedTensors& tensors);

// Writes arrays one after the other without holding all of them in memory. They go to a temporary file, which close() renames.
class NpzWriter {
 public:
  static Result<NpzWriter> create(const std::filesystem::path& path);
  NpzWriter(NpzWriter&&) noexcept;
  NpzWriter& operator=(NpzWriter&&) noexcept;
  ~NpzWriter();  // removes the temporary file if close() was not called
  // Errors: a name given before (internal), and those of writing. add("q", q) is numpy.load(...)["q"].
  Status add(const std::string& name, const Tensor& tensor);
  // Adds a text (UTF-8) as a NumPy array of one str, without axes. Bytes that are no UTF-8 become U+FFFD.
  // After add_text("document", json), numpy.load(...)["document"].item() is the text.
  Status add_text(const std::string& name, std::string_view text);
  Status close();

 private:
  NpzWriter();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight
