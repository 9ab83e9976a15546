// A small window for tests: a shell on a null renderer, computed and at rest, with a mouse.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/ui/null_window.h"

namespace headlight::test {

// Small enough for a run of a millisecond: two layers of four heads, 16 dimensions.
inline Document small_document(const char* tokenizer = "characters") {
  Document document;
  document.texts = {"a fluffy blue creature"};
  document.tokenizer = tokenizer;
  document.d_model = 16;
  document.heads = 4;
  document.layers = 2;
  return document;
}

struct Room {
  explicit Room(Document document = small_document(), ViewState view = {}, float width = 1600, float height = 1000)
      : window(width, height) {
    enter(setup_of(std::move(document), std::move(view)), true);
  }
  // `typing`: the sentence has the keyboard focus from the first frame on, as when the program starts.
  Room(window::Setup setup, float width, float height, bool typing = true) : window(width, height) {
    enter(std::move(setup), typing);
  }
  static window::Setup setup_of(Document document, ViewState view) {
    window::Setup setup;
    setup.session.document = std::move(document);
    setup.session.view = std::move(view);
    setup.compute = run_on_backend();
    return setup;
  }

  // Draws frames until everything requested is computed and shown; drawing may request more.
  void settle() {
    for (int i = 0; i < 5; ++i) {
      shell->worker().wait();
      shell->lane().wait();
      shell->models().wait();
      window.frame(*shell);
    }
  }
  void move(float x, float y) {
    ImGui::GetIO().AddMousePosEvent(x, y);
    window.frames(*shell, 3);
  }
  void press(bool down, int button = 0) {
    ImGui::GetIO().AddMouseButtonEvent(button, down);
    window.frames(*shell, 2);
  }
  void click(float x, float y, int button = 0) {
    move(x, y);
    press(true, button);
    press(false, button);
  }
  bool has(const std::string& part) const { return shell->parts.places.contains(part); }
  // A named part of the window, in pixels; the test fails if it was not drawn.
  views::Parts::Place part(const std::string& name) const {
    const auto at = shell->parts.places.find(name);
    EXPECT_NE(at, shell->parts.places.end()) << name << " was not drawn";
    return at == shell->parts.places.end() ? views::Parts::Place{} : at->second;
  }
  void click_part(const std::string& name, float share_x = 0.5f, float share_y = 0.5f) {
    const auto at = part(name);
    click(at.x0 + share_x * (at.x1 - at.x0), at.y0 + share_y * (at.y1 - at.y0));
  }
  // Moves the mouse over a grid in a rectangle; returns the first place where `found` is true; x < 0: nowhere.
  template <class Found>
  figures::Point search(const views::Parts::Place& place, float step_x, float step_y, Found found) {
    for (float y = place.y0 + 2; y < place.y1; y += step_y)
      for (float x = place.x0 + 2; x < place.x1; x += step_x) {
        ImGui::GetIO().AddMousePosEvent(x, y);
        window.frames(*shell, 2);
        if (found()) return {x, y};
      }
    return {-1, -1};
  }
  template <class Found>
  figures::Point search(const std::string& name, Found found, float step = 12) {
    return search(part(name), step, step, found);
  }

  NullWindow window;
  std::unique_ptr<window::Shell> shell;

 private:
  void enter(window::Setup setup, bool typing) {
    shell = std::make_unique<window::Shell>(std::move(setup));
    shell->ui.focus_sentence = shell->ui.focus_sentence && typing;
    settle();
  }
};

}  // namespace headlight::test
