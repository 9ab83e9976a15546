// Documents of bundled models, and what a frame of a room draws as text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/document/stored_model.h"
#include "tests/ui/room.h"

namespace headlight::test {

// stored_document("stories", "the cat sat"); `target` is a decoder's text.
inline Document stored_document(const std::string& model, const std::string& text, const std::string& target = {}) {
  Document document;
  const auto stored = open_stored_model(model);
  EXPECT_TRUE(stored.ok()) << model;
  if (stored.ok()) use_model(document, **stored);
  document.texts = {text};
  if (!target.empty()) document.targets = {target};
  return document;
}

inline std::vector<gl::DrawnText> drawn_in(Room& room) {
  std::vector<gl::DrawnText> drawn;
  room.window.figures().watch_text(&drawn);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  return drawn;
}

}  // namespace headlight::test
