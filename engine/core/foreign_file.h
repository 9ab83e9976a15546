// Files of other formats where NumPy's arrays are wanted: what such a file is, and the line of Python that makes arrays of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/core/status.h"

namespace headlight {

struct ForeignFile {
  Message what;         // "is a safetensors file"
  std::string convert;  // a command for a shell that writes the arrays as .npz or .npy beside the file; empty: there is none
  Message mend;         // what helps where no command does
  bool plain = false;   // text of no known format, or nothing at all

  // The error of a reader that wants a file of the kind `wanted`: ".npy", ".npz".
  Failure refused(const std::string& where, std::string_view wanted) const;
};

// Recognises a whole file by its bytes: safetensors, PyTorch, pickle, GGUF, HDF5, MATLAB, CSV, JSON, pictures, packed files, a
// Git LFS pointer, a web page, text, nothing at all. `lone` is the name that a file of one table gives its array in the .npz that
// is wanted; if it is empty, an .npy is wanted. None: a file of the wanted format, or bytes that say nothing.
// foreign_file("1,2\n3,4\n", "m.csv", "scores")->convert is
//   python3 -c 'import numpy; numpy.savez("m.npz", scores=numpy.loadtxt("m.csv", delimiter=",", ndmin=2))'
std::optional<ForeignFile> foreign_file(std::string_view bytes, const std::string& path, std::string_view lone);

}  // namespace headlight
