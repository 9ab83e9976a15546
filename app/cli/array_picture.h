// `headlight export --in FILE`: arrays of any origin as pictures; and --what parameters.NAME: a model's matrices.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/files/figure_style.h"
#include "app/session/session.h"
#include "engine/core/status.h"

namespace headlight::cli {

struct ArrayPicture {
  std::filesystem::path out;
  std::string view, range, colormap, theme;  // range empty: fixed; colormap empty: chosen by the numbers' signs
  std::vector<std::string> labels;           // files with a line for each row and column; two files: for rows, and for columns
  std::optional<std::int64_t> first;         // index along the first of four axes
  std::vector<std::int64_t> heads;
  bool all_heads = false;
  FigureStyle style;
  int dpi = 192;
};

// Draws the array `name` of an .npz, or the array of an .npy. An empty name means the only array, else "weights". Errors: the
// file's; a missing array, or one that is no matrix; those of drawing; (usage) an output that is no picture.
// write_array_picture(picture, "run.npz", "weights")
Status write_array_picture(const ArrayPicture& picture, const std::filesystem::path& in, const std::string& name);
// Writes a parameter of the session's model as a picture or as data. Errors: no such parameter; run()'s and the file's.
// write_parameter(picture, session, "parameters.layer.0.wq")
Status write_parameter(const ArrayPicture& picture, const Session& session, const std::string& name);

}  // namespace headlight::cli
