// Controls of the window that ImGui lacks in this form.
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

// What every control needs to draw itself.
struct Look {
  const figures::Theme& theme;
  const gl::Fonts& fonts;
  gl::FigureView& figures;
  float scale = 1;
  float px(float points) const;  // whole pixels
};

// How much height the window has at its scale. `low`: rows fold so that the view keeps its room (the pickers move behind a
// button, chips and tabs become thin). `least`: the status bar is hidden, too.
enum class Room { ample, low, least };
Room room_of(const Look& look);
bool is_low(const Look& look);   // low or least
bool is_tall(const Look& look);  // enough for wider gaps between the rows

// A control's label whose ImGui id is the same in every language: "Export###export".
std::string labelled(const char* text, const char* id);

// A picker: a quiet label on the left, its value on the right, a small arrow. True if clicked. `width` in pixels; 0: its natural
// width.
bool pill(const Look& look, const char* id, std::string_view label, std::string_view value, float width, bool open);
float pill_width(const Look& look, std::string_view label, std::string_view value);
constexpr float kPillHeight = 34;

// A plain button of the top bar; `strong` draws it amber.
bool button(const Look& look, const char* label, float width = 0, float height = 34, bool strong = false, bool enabled = true);

// An on/off switch with its label to the right.
bool toggle(const Look& look, const char* label, bool* value);

// Modes side by side; returns the index that was clicked or -1. `why`: a tooltip for each.
int segmented(const Look& look, const char* id, const char* const* labels, int count, int selected,
              const char* const* why = nullptr);

// The same with one tooltip for all of them.
int segmented(const Look& look, const char* id, const char* const* labels, int count, int selected, std::string_view why);

// "84 us", "1.9 ms", "2.40 s".
std::string duration_words(double seconds);

// A tooltip of one or two wrapped lines for the last item.
void tooltip(const Look& look, std::string_view text, std::string_view formula = {});

// Call once per frame, before anything is drawn: after a key was pressed, the item under the mouse shows no tooltip until the
// mouse moves.
void follow_keys_and_mouse();

// For tests: records which of our controls are drawn, and which have a tooltip. Null: stop.
struct ControlLog {
  std::map<unsigned, std::string> controls;  // by ImGui's id: what it shows
  std::set<unsigned> explained;
  struct Place {
    std::string shown;
    ImVec2 low, high, clip_low, clip_high;  // pixels: the control, and the visible part of its window
    ImVec2 scrolls;                         // how far that window can be scrolled
    bool floats;                            // in a popup
  };
  std::vector<Place> places;
};
void watch_controls(ControlLog* log);

// Small quiet text above a control.
void caption(const Look& look, std::string_view text);
// Coloured text, wrapped at the window's width.
void words(const Look& look, std::string_view text, figures::Color color, float size = 13);

}  // namespace headlight::ui
