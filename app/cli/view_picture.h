// `headlight export --what NAME` for a view's picture: "ledger", "decoder.ledger", "next-words".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/asked_words.h"
#include "app/files/figure_style.h"
#include "app/session/session.h"
#include "engine/core/status.h"

namespace headlight::cli {

struct ViewPicture {
  std::string what;
  std::filesystem::path out;
  Session session;
  std::optional<std::int64_t> layer, head, sentence, token;
  FigureStyle style;
  int dpi = 192;
  // For the Context view's pictures.
  std::string word = {};
  std::vector<std::string> probes = {};
  bool texts_given = false;
  AskedWords asked = {};  // for those of Why this word
  bool strict = false;    // NaN or infinity in a step is an error
};
// Whether the window has a picture of this name, given without its site. False in builds without a window.
bool names_view_picture(const std::string& what);
// Whether it draws weights between the words of a sentence.
bool takes_words_together(const std::string& what);
// The names for the help: "sum, ledger, ...".
std::string view_picture_names();
// Errors: (usage) a sentence, layer, head or token that does not exist; the backend's, run()'s, and the picture's own.
Status write_view_picture(ViewPicture picture);

}  // namespace headlight::cli
