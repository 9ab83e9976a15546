// Checks layouts: looks at one frame as a person would and reports what is cut off, what overlaps, and what had to be shortened.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/ui/null_window.h"

namespace headlight::test {

class LayoutEye {
 public:
  explicit LayoutEye(NullWindow& window) : window_(window) {}

  // Draws a frame and reports its faults, one per line, each once.
  std::vector<std::string> look(window::Shell& shell) {
    std::vector<gl::DrawnText> texts;
    ui::ControlLog controls;
    window_.figures().watch_text(&texts);
    ui::watch_controls(&controls);
    window_.frame(shell);
    ui::watch_controls(nullptr);
    window_.figures().watch_text(nullptr);
    faults_.clear();
    persons_ = words_of_the_person(shell);
    for (const gl::DrawnText& one : texts) look_at(one);
    for (const auto& one : controls.places) look_at(one);
    overlaps(texts);
    overlaps(controls.places);
    collisions(texts, controls.places);
    return {faults_.begin(), faults_.end()};
  }

 private:
  // A convex area of the screen; empty if it has no corners.
  struct Piece {
    std::vector<ImVec2> corners;
    ImVec2 low{1e9f, 1e9f}, high{-1e9f, -1e9f};
    explicit Piece(std::vector<ImVec2> around) : corners(std::move(around)) {
      for (const ImVec2& corner : corners) {
        low = {std::min(low.x, corner.x), std::min(low.y, corner.y)};
        high = {std::max(high.x, corner.x), std::max(high.y, corner.y)};
      }
    }
  };

  // The area of a line's ink, which is less high than the line.
  static Piece ink(const gl::DrawnText& text) {
    const float line = text.high.y - text.low.y;
    const float above = std::min(0.22f * line, 6.0f), below = std::min(0.2f * line, 5.0f);
    const float angle = -text.degrees * 3.14159265f / 180, c = std::cos(angle), s = std::sin(angle);
    std::vector<ImVec2> corners = {ImVec2(text.low.x, text.low.y + above), ImVec2(text.high.x, text.low.y + above),
                                   ImVec2(text.high.x, text.high.y - below), ImVec2(text.low.x, text.high.y - below)};
    if (text.degrees != 0)
      for (ImVec2& corner : corners) {
        const float x = corner.x - text.pivot.x, y = corner.y - text.pivot.y;
        corner = {text.pivot.x + x * c - y * s, text.pivot.y + x * s + y * c};
      }
    return Piece(std::move(corners));
  }
  // The visible part of it: what is inside the clip rectangle, rotated or not.
  static Piece in_sight(const gl::DrawnText& text) {
    std::vector<ImVec2> corners = ink(text).corners;
    const auto keep = [&corners](const auto& inside) {  // inside: distance of a point from a line, positive inside
      std::vector<ImVec2> kept;
      for (std::size_t i = 0; i < corners.size(); ++i) {
        const ImVec2 from = corners[i], to = corners[(i + 1) % corners.size()];
        const float a = inside(from), b = inside(to);
        if (a >= 0) kept.push_back(from);
        if ((a < 0) != (b < 0)) kept.emplace_back(from.x + (to.x - from.x) * a / (a - b), from.y + (to.y - from.y) * a / (a - b));
      }
      corners = std::move(kept);
    };
    keep([&](ImVec2 p) { return p.x - text.clip_low.x; });
    keep([&](ImVec2 p) { return text.clip_high.x - p.x; });
    keep([&](ImVec2 p) { return p.y - text.clip_low.y; });
    keep([&](ImVec2 p) { return text.clip_high.y - p.y; });
    return Piece(std::move(corners));
  }
  // Whether a side of one of them separates the two, so that they do not touch. `slack` pixels of overlap are allowed.
  static bool apart(const Piece& a, const Piece& b, float slack) {
    for (const Piece* piece : {&a, &b})
      for (std::size_t i = 0; i < piece->corners.size(); ++i) {
        const ImVec2 from = piece->corners[i], to = piece->corners[(i + 1) % piece->corners.size()];
        const float x = to.y - from.y, y = from.x - to.x, length = std::hypot(x, y);
        if (length < 0.01f) continue;
        const auto span = [&](const Piece& p) {
          float least = 1e9f, most = -1e9f;
          for (const ImVec2& corner : p.corners) {
            const float at = (corner.x * x + corner.y * y) / length;
            least = std::min(least, at);
            most = std::max(most, at);
          }
          return std::pair(least, most);
        };
        const auto [a0, a1] = span(a);
        const auto [b0, b1] = span(b);
        if (a1 <= b0 + slack || b1 <= a0 + slack) return true;
      }
    return false;
  }

  void fault(std::string words) { faults_.insert(std::move(words)); }
  static std::string at(ImVec2 low, ImVec2 high) {
    const auto n = [](float x) { return std::to_string(static_cast<int>(std::lround(x))); };
    return " at " + n(low.x) + "," + n(low.y) + " to " + n(high.x) + "," + n(high.y);
  }

  static bool out(ImVec2 low, ImVec2 high, ImVec2 clip_low, ImVec2 clip_high, ImVec2 scrolls) {
    constexpr float kSlack = 2;
    const bool across = low.x < clip_low.x - kSlack || high.x > clip_high.x + kSlack;
    const bool down = low.y < clip_low.y - kSlack || high.y > clip_high.y + kSlack;
    return (across && scrolls.x <= 0) || (down && scrolls.y <= 0);
  }
  void look_at(const gl::DrawnText& text) {
    if (text.text.empty()) return;
    const Piece whole = ink(text);
    if (out(whole.low, whole.high, text.clip_low, text.clip_high, text.scrolls))
      fault("cut off: \"" + text.text + "\"" + at(whole.low, whole.high) + ", seen" + at(text.clip_low, text.clip_high));
    // Shortened words and numbers in the data are allowed.
    if (text.shortened && text.font != figures::Font::mono && !is_the_persons(text.text))
      fault("shortened: \"" + text.text + "\"" + at(whole.low, whole.high));
  }
  void look_at(const ui::ControlLog::Place& control) {
    if (out(control.low, control.high, control.clip_low, control.clip_high, control.scrolls))
      fault("cut off: the control \"" + control.shown + "\"" + at(control.low, control.high) + ", seen" +
            at(control.clip_low, control.clip_high));
  }

  void overlaps(const std::vector<gl::DrawnText>& texts) {
    struct Seen {
      const gl::DrawnText* text;
      Piece piece;
    };
    std::vector<Seen> seen;
    for (const gl::DrawnText& text : texts) {
      if (text.floats || text.text.empty()) continue;
      if (Piece piece = in_sight(text); !piece.corners.empty()) seen.push_back({&text, std::move(piece)});
    }
    std::sort(seen.begin(), seen.end(), [](const Seen& a, const Seen& b) { return a.piece.low.x < b.piece.low.x; });
    for (std::size_t i = 0; i < seen.size(); ++i)
      for (std::size_t k = i + 1; k < seen.size() && seen[k].piece.low.x < seen[i].piece.high.x; ++k) {
        const Seen &a = seen[i], &b = seen[k];
        if (a.piece.high.y <= b.piece.low.y || b.piece.high.y <= a.piece.low.y) continue;
        // Rotated labels are close together: their boxes may overlap.
        const bool turned = a.text->degrees != 0 && b.text->degrees != 0;
        if (apart(a.piece, b.piece, turned ? 4 : 2)) continue;
        fault("\"" + a.text->text + "\"" + at(a.piece.low, a.piece.high) + " and \"" + b.text->text + "\"" +
              at(b.piece.low, b.piece.high) + " lie over each other");
      }
  }
  void overlaps(const std::vector<ui::ControlLog::Place>& controls) {
    for (std::size_t i = 0; i < controls.size(); ++i)
      for (std::size_t k = i + 1; k < controls.size(); ++k) {
        const auto &a = controls[i], &b = controls[k];
        if (a.floats != b.floats) continue;
        const float across = std::min({a.high.x, b.high.x, a.clip_high.x, b.clip_high.x}) -
                             std::max({a.low.x, b.low.x, a.clip_low.x, b.clip_low.x}),
                    down = std::min({a.high.y, b.high.y, a.clip_high.y, b.clip_high.y}) -
                           std::max({a.low.y, b.low.y, a.clip_low.y, b.clip_low.y});
        if (across > 2 && down > 2)
          fault("the controls \"" + a.shown + "\"" + at(a.low, a.high) + " and \"" + b.shown + "\"" + at(b.low, b.high) +
                " lie over each other");
      }
  }
  // Finds texts that overlap a control they do not belong to.
  void collisions(const std::vector<gl::DrawnText>& texts, const std::vector<ui::ControlLog::Place>& controls) {
    for (const gl::DrawnText& text : texts) {
      if (text.floats || text.text.empty() || text.degrees != 0) continue;
      const Piece piece = in_sight(text);
      if (piece.corners.empty()) continue;
      const ImVec2 low = piece.low, high = piece.high;
      for (const auto& control : controls) {
        if (control.floats) continue;
        const ImVec2 c_low(std::max(control.low.x, control.clip_low.x), std::max(control.low.y, control.clip_low.y)),
            c_high(std::min(control.high.x, control.clip_high.x), std::min(control.high.y, control.clip_high.y));
        const float across = std::min(high.x, c_high.x) - std::max(low.x, c_low.x),
                    down = std::min(high.y, c_high.y) - std::max(low.y, c_low.y);
        if (across <= 3 || down <= 3) continue;
        const bool inside = low.x >= c_low.x - 3 && high.x <= c_high.x + 3 && low.y >= c_low.y - 3 && high.y <= c_high.y + 3;
        if (!inside)
          fault("\"" + text.text + "\"" + at(low, high) + " runs into the control \"" + control.shown + "\"" +
                at(control.low, control.high));
      }
    }
  }

  // Texts of the user may be longer than any window: sentences, their tokens.
  static std::set<std::string> words_of_the_person(const window::Shell& shell) {
    std::set<std::string> words(shell.document().texts.begin(), shell.document().texts.end());
    words.insert(shell.document().targets.begin(), shell.document().targets.end());
    if (const auto& trace = shell.published().trace)
      for (const auto& list : {trace->texts(), trace->targets()})
        for (const Sentence& sentence : list) {
          words.insert(sentence.text);
          words.insert(sentence.labels.begin(), sentence.labels.end());
        }
    return words;
  }
  bool is_the_persons(std::string text) const {
    constexpr std::string_view kEllipsis = "\xE2\x80\xA6";
    if (text.ends_with(kEllipsis)) text.resize(text.size() - kEllipsis.size());
    if (text.empty()) return false;
    return std::any_of(persons_.begin(), persons_.end(),
                       [&](const std::string& word) { return word.find(text) != std::string::npos; });
  }

  NullWindow& window_;
  std::set<std::string> faults_, persons_;
};

}  // namespace headlight::test
