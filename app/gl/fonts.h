// The fonts that the window uses, as ImGui objects (FontSet loads them).
#pragma once

struct ImFont;

namespace headlight::gl {

struct Fonts {
  ImFont* words = nullptr;  // Inter, with fonts for other scripts merged into it
  ImFont* words_bold = nullptr;
  ImFont* mono = nullptr;  // JetBrains Mono
  // ImGui's font sizes are line heights. Each number is ImGui's size for an em of one pixel: 15 px Inter of the design is
  // 15 * words_em.
  float words_em = 1, words_bold_em = 1, mono_em = 1;
};

}  // namespace headlight::gl
