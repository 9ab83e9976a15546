// The window's fonts, found through fontconfig: Inter and JetBrains Mono, and fonts for any other typed character, loaded when
// needed. If the system has no font at all, ImGui's built-in font is used and message() says so.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/gl/fonts.h"
#include "engine/core/status.h"

namespace headlight::gl {

class FontSet {
 public:
  // Adds the base fonts to the current ImGui context. `use_system` false: the built-in font only (tests).
  void load(bool use_system = true);
  // Loads fonts for `characters`, which no loaded font has; call it outside a frame. True if a font was added.
  bool cover(const std::set<char32_t>& characters);

  const Fonts& fonts() const { return fonts_; }
  const Message& message() const { return message_; }  // empty: no problem
  const std::vector<std::string>& files() const { return files_; }

 private:
  struct Face {
    std::string file;
    int index = 0;
    float em = 1;  // (ascender - descender) / units per em: ImGui's font size for an em of 1
  };
  ImFont* add(const Face& face);
  void merge(const Face& face, ImFont* into, float base_em);

  Fonts fonts_;
  Message message_;
  std::vector<std::string> files_;
  std::set<char32_t> hopeless_;  // characters that no font on this system has
  bool use_system_ = true;
};

}  // namespace headlight::gl
