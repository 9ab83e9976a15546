// The fonts that the window draws with, as ImGui holds them (FontSet loads them).
#pragma once

struct ImFont;

namespace headlight::gl {

struct Fonts {
  ImFont* words = nullptr;  // Inter, with every other script merged behind it
  ImFont* words_bold = nullptr;
  ImFont* mono = nullptr;  // JetBrains Mono
  // ImGui's size for an em of one pixel (its sizes are line heights): what the design calls 15 px Inter is 15 * words_em.
  float words_em = 1, words_bold_em = 1, mono_em = 1;
};

}  // namespace headlight::gl
