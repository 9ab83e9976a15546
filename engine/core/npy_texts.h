// Arrays of texts in .npz files, such as the tokens that stand beside attention weights.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

// The elements of an array of NumPy's str or bytes, of any shape, in C order. `bytes` is a whole member of an .npz file. Errors
// (invalid): another type; elements that are not all there.
// texts_of_npy(bytes, "run.npz") of numpy.array(["the", " cat"]) gives {"the", " cat"}.
Result<std::vector<std::string>> texts_of_npy(std::string_view bytes, const std::string& where);

// Every array of texts in an .npz file: its name and its elements. Errors: the file's, texts_of_npy()'s.
using NamedTexts = std::vector<std::pair<std::string, std::vector<std::string>>>;
Result<NamedTexts> read_npz_texts(const std::filesystem::path& path);

}  // namespace headlight
