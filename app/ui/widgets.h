// The window's own controls, which ImGui lacks in this form.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/figures/base/theme.h"
#include "app/gl/figure_view.h"
#include "app/gl/fonts.h"

namespace headlight::ui {

// The theme, fonts and scale that every control is drawn with.
struct Look {
  const figures::Theme& theme;
  const gl::Fonts& fonts;
  gl::FigureView& figures;
  float scale = 1;
  float px(float points) const;  // whole pixels
};

// How much height the window has at its scale. `low` (below 600 points): rows fold so that the view keeps its room (the pickers
// move behind a button, chips and tabs become thin). `least` (below 440 points): the status bar is hidden, too.
enum class Room { ample, low, least };
Room room_of(const Look& look);
bool is_low(const Look& look);   // low or least
bool is_tall(const Look& look);  // at least 860 points: rows have wider gaps

// A control's label whose ImGui id is the same in every language. labelled("Export", "export") gives "Export###export".
std::string labelled(const char* text, const char* id);

// A picker: a quiet label on the left, its value on the right, a small arrow. True if clicked. `width` in pixels; 0: the width
// that the words need, pill_width(). `open` highlights the picker while its popup is open.
// pill(look, "model", "Model", "gpt2", 0, false) draws "Model gpt2" and an arrow.
bool pill(const Look& look, const char* id, std::string_view label, std::string_view value, float width, bool open);
float pill_width(const Look& look, std::string_view label, std::string_view value);
constexpr float kPillHeight = 34;

// A plain button; `strong` draws it amber. True if clicked. `width` in pixels, 0: as wide as the label needs; `height` in points.
// button(look, "Run###run", 0, 34, true) draws an amber button "Run".
bool button(const Look& look, const char* label, float width = 0, float height = 34, bool strong = false, bool enabled = true);

// An on/off switch with its label to the right. True if clicked, which also flips *value. toggle(look, "Bias###bias", &bias) sets
// `bias`.
bool toggle(const Look& look, const char* label, bool* value);

// `count` modes side by side; returns the index of the clicked mode or -1. `why` holds a tooltip for each mode, or is null.
// segmented(look, "view", labels, 3, 0) draws three modes with the first selected.
int segmented(const Look& look, const char* id, const char* const* labels, int count, int selected,
              const char* const* why = nullptr);

// Modes side by side with one tooltip for all modes.
int segmented(const Look& look, const char* id, const char* const* labels, int count, int selected, std::string_view why);

// A duration in words: duration_words(84e-6) gives "84 us", duration_words(1.9e-3) "1.9 ms", duration_words(2.4) "2.40 s".
std::string duration_words(double seconds);

// The tooltip of the last item: wrapped text and, below the text, a formula in quieter monospaced type. An empty text shows none.
// tooltip(look, "divides the scores", "1/sqrt(d_k)") shows two lines.
void tooltip(const Look& look, std::string_view text, std::string_view formula = {});

// Notes whether the last input was a key or the mouse; call it once per frame, before the first control. After a key was pressed,
// the item under the mouse shows no tooltip until the mouse moves.
void follow_keys_and_mouse();

// For tests: records the drawn controls and the controls that have a tooltip. watch_controls(nullptr) stops the recording.
struct ControlLog {
  std::map<unsigned, std::string> controls;  // by ImGui's id: the shown label
  std::set<unsigned> explained;
  struct Place {
    std::string shown;
    ImVec2 low, high, clip_low, clip_high;  // pixels: the control, and the visible part of its window
    ImVec2 scrolls;                         // how far that window can be scrolled
    bool floats;                            // the control is in a popup
  };
  std::vector<Place> places;
};
void watch_controls(ControlLog* log);

// Small quiet text above a control. caption(look, "Heads") writes "Heads".
void caption(const Look& look, std::string_view text);
// Coloured text, wrapped at the window's width; `size` in points. words(look, "No tokens", theme.wrong) writes in the theme's
// red.
void words(const Look& look, std::string_view text, figures::Color color, float size = 13);

}  // namespace headlight::ui
