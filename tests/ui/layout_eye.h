// An eye for layouts: looks at one frame as a person would and says what is cut off, what lies over something else, and what had
// to be shortened.
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

  // Draws a frame and says what is wrong with it, a line each; nothing twice. What lies in a part of this name is not looked at.
  std::vector<std::string> look(window::Shell& shell, const std::string& but = {}) {
    std::vector<gl::DrawnText> texts;
    window::ControlLog controls;
    window_.figures().watch_text(&texts);
    window::watch_controls(&controls);
    window_.frame(shell);
    window::watch_controls(nullptr);
    window_.figures().watch_text(nullptr);
    if (const auto part = shell.parts.places.find(but); part != shell.parts.places.end()) {
      const auto inside = [&](const auto& one) {
        return !one.floats && one.low.x >= part->second.x0 && one.low.x < part->second.x1 && one.low.y >= part->second.y0;
      };
      std::erase_if(texts, inside);
      std::erase_if(controls.places, inside);
    }
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
  struct Quad {
    std::array<ImVec2, 4> corners;
    ImVec2 low{1e9f, 1e9f}, high{-1e9f, -1e9f};
  };

  // Where the ink of a line is: less high than the line.
  static Quad ink(const gl::DrawnText& text) {
    const float line = std::min(text.high.y - text.low.y, 1e9f);
    const float above = std::min(0.22f * line, 6.0f), below = std::min(0.2f * line, 5.0f);
    const float angle = -text.degrees * 3.14159265f / 180, c = std::cos(angle), s = std::sin(angle);
    Quad quad;
    quad.corners = {ImVec2(text.low.x, text.low.y + above), ImVec2(text.high.x, text.low.y + above),
                    ImVec2(text.high.x, text.high.y - below), ImVec2(text.low.x, text.high.y - below)};
    if (text.degrees == 0 && text.scrolls.y > 0)  // as far as it is in sight
      for (ImVec2& corner : quad.corners)
        corner.y = std::clamp(corner.y, text.clip_low.y, std::max(text.clip_low.y, text.clip_high.y));
    for (ImVec2& corner : quad.corners) {
      if (text.degrees != 0) {
        const float x = corner.x - text.pivot.x, y = corner.y - text.pivot.y;
        corner = {text.pivot.x + x * c - y * s, text.pivot.y + x * s + y * c};
      }
      quad.low = {std::min(quad.low.x, corner.x), std::min(quad.low.y, corner.y)};
      quad.high = {std::max(quad.high.x, corner.x), std::max(quad.high.y, corner.y)};
    }
    return quad;
  }
  // Separated along a side of one of them: they do not touch. `slack` pixels of touching are none.
  static bool apart(const Quad& a, const Quad& b, float slack) {
    for (const Quad* quad : {&a, &b})
      for (std::size_t i = 0; i < 4; ++i) {
        const ImVec2 from = quad->corners[i], to = quad->corners[(i + 1) % 4];
        const float x = to.y - from.y, y = from.x - to.x, length = std::hypot(x, y);
        if (length < 0.01f) continue;
        const auto span = [&](const Quad& q) {
          float least = 1e9f, most = -1e9f;
          for (const ImVec2& corner : q.corners) {
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
  static bool in_sight(const gl::DrawnText& text, const Quad& quad) {
    return quad.high.x > text.clip_low.x && quad.low.x < text.clip_high.x && quad.high.y > text.clip_low.y &&
           quad.low.y < text.clip_high.y;
  }

  void look_at(const gl::DrawnText& text) {
    if (text.text.empty()) return;
    const Quad quad = ink(text);
    if (out(quad.low, quad.high, text.clip_low, text.clip_high, text.scrolls))
      fault("cut off: \"" + text.text + "\"" + at(quad.low, quad.high) + ", seen" + at(text.clip_low, text.clip_high));
    // Pieces of words and numbers are data.
    if (text.shortened && text.font != figures::Font::mono && !is_the_persons(text.text))
      fault("shortened: \"" + text.text + "\"" + at(quad.low, quad.high));
  }
  void look_at(const window::ControlLog::Place& control) {
    if (out(control.low, control.high, control.clip_low, control.clip_high, control.scrolls))
      fault("cut off: the control \"" + control.shown + "\"" + at(control.low, control.high) + ", seen" +
            at(control.clip_low, control.clip_high));
  }

  void overlaps(const std::vector<gl::DrawnText>& texts) {
    struct Seen {
      const gl::DrawnText* text;
      Quad quad;
    };
    std::vector<Seen> seen;
    for (const gl::DrawnText& text : texts) {
      if (text.floats || text.text.empty()) continue;
      const Quad quad = ink(text);
      if (in_sight(text, quad)) seen.push_back({&text, quad});
    }
    std::sort(seen.begin(), seen.end(), [](const Seen& a, const Seen& b) { return a.quad.low.x < b.quad.low.x; });
    for (std::size_t i = 0; i < seen.size(); ++i)
      for (std::size_t k = i + 1; k < seen.size() && seen[k].quad.low.x < seen[i].quad.high.x; ++k) {
        const Seen &a = seen[i], &b = seen[k];
        if (a.quad.high.y <= b.quad.low.y || b.quad.high.y <= a.quad.low.y) continue;
        // Turned labels stand close: their letters lean past each other.
        const bool turned = a.text->degrees != 0 && b.text->degrees != 0;
        if (apart(a.quad, b.quad, turned ? 4 : 2)) continue;
        fault("\"" + a.text->text + "\"" + at(a.quad.low, a.quad.high) + " and \"" + b.text->text + "\"" +
              at(b.quad.low, b.quad.high) + " lie over each other");
      }
  }
  void overlaps(const std::vector<window::ControlLog::Place>& controls) {
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
  // A text that runs into a control that is not its own.
  void collisions(const std::vector<gl::DrawnText>& texts, const std::vector<window::ControlLog::Place>& controls) {
    for (const gl::DrawnText& text : texts) {
      if (text.floats || text.text.empty() || text.degrees != 0) continue;
      const Quad quad = ink(text);
      if (!in_sight(text, quad)) continue;
      const ImVec2 low(std::max(quad.low.x, text.clip_low.x), std::max(quad.low.y, text.clip_low.y)),
          high(std::min(quad.high.x, text.clip_high.x), std::min(quad.high.y, text.clip_high.y));
      for (const auto& control : controls) {
        if (control.floats) continue;
        const ImVec2 c_low(std::max(control.low.x, control.clip_low.x), std::max(control.low.y, control.clip_low.y)),
            c_high(std::min(control.high.x, control.clip_high.x), std::min(control.high.y, control.clip_high.y));
        const float across = std::min(high.x, c_high.x) - std::max(low.x, c_low.x),
                    down = std::min(high.y, c_high.y) - std::max(low.y, c_low.y);
        if (across <= 3 || down <= 3) continue;
        const bool inside = low.x >= c_low.x - 3 && high.x <= c_high.x + 3 && low.y >= c_low.y - 3 && high.y <= c_high.y + 3;
        if (!inside)
          fault("\"" + text.text + "\"" + at(quad.low, quad.high) + " runs into the control \"" + control.shown + "\"" +
                at(control.low, control.high));
      }
    }
  }

  // What the person typed may be longer than any window: sentences, their tokens.
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
