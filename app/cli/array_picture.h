// `headlight export --in FILE`: arrays of any origin as pictures and as data; and --what parameters.NAME: a model's matrices.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/files/figure_style.h"
#include "app/session/session.h"
#include "engine/arrays/reading.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/insight/heads_together.h"

namespace headlight::cli {

struct ArrayPicture {
  std::filesystem::path out;
  std::string view, range, colormap, theme;  // range empty: fixed; colormap empty: chosen by the numbers' signs
  std::vector<std::string> labels;           // files with a line for each row and column; two files: for rows, and for columns
  std::optional<std::int64_t> layer, sentence;
  std::vector<std::int64_t> heads;
  bool all_heads = false;
  HeadsAs heads_as = HeadsAs::one;
  bool rollout = false;  // of the layers 0 to `layer`, else of all
  bool strict = false;   // NaN or infinity is an error
  bool words = false;    // the pieces of a word are taken together, as the labels mark them
  FigureStyle style;
  int dpi = 192;
};

// Writes the array `name` of an .npz, or the array of an .npy, as a picture or as data. An empty name means the only array, else
// "weights". It is [row, column], [head, row, column], [layer or sentence, head, row, column] or [layer, sentence, head, row,
// column]; more axes of size 1 may stand before them. Says on stderr what is not finite; minus infinity means a masked cell.
// Errors: the file's; a missing array, or one of another form; those of drawing and writing; with `strict` what is not finite.
// write_array(picture, "run.npz", "weights")
Status write_array(const ArrayPicture& picture, const std::filesystem::path& in, const std::string& name);
// Writes a parameter of the session's model as a picture or as data. Errors: no such parameter; run()'s and the file's.
// write_parameter(picture, session, "parameters.layer.0.wq")
Status write_parameter(const ArrayPicture& picture, const Session& session, const std::string& name);

// For pages, which show several arrays at once.
struct PageArrays {
  std::vector<std::pair<std::string, Tensor>> arrays;
  arrays::TokenLists tokens;  // those of the file, if it has some
  std::string model;
};
// The array of this name; without one "encoder", "decoder" and "cross" (or the same with "_attentions") where the file has any of
// them, else the only array, else "weights". Raw uint16 are read as the bits of bfloat16. Errors: the file's; no such array.
// read_page_arrays("a.npz", "")
Result<PageArrays> read_page_arrays(const std::filesystem::path& in, const std::string& wanted);
// A label a line. Errors: the file's; it is empty. read_labels("tokens.txt")
Result<std::vector<std::string>> read_labels(const std::string& path);

}  // namespace headlight::cli
