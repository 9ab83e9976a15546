// Controls and words that views of one attention share.
#pragma once

#include <cstdint>
#include <string>

#include "app/ui/widgets.h"
#include "app/views/base/attention_choice.h"
#include "app/views/base/context.h"

namespace headlight::views {

// One control such as "‹ layer 2 ›": it steps an index `at` from 0 to `count` - 1. Returns the chosen index in the frame of a
// click, else -1.
// stepper(look, "layer", "layer 2", 2, 4, tip) returns 1 after a click on ‹ and 3 after a click on ›.
std::int64_t stepper(const ui::Look& look, const char* id, const std::string& text, std::int64_t at, std::int64_t count,
                     const char* tip);

// Draws the kinds of attention side by side and stores a clicked kind in the view.
// draw_attention_kinds(context, look, choice) draws nothing and returns false if `choice` has fewer than two kinds.
bool draw_attention_kinds(const Context& context, const ui::Look& look, const AttentionChoice& choice);

// "layer 2, head 3"; the kind stands before it if there are several: "encoder, layer 2, head 3".
std::string attention_title(const AttentionChoice& choice);
// The reservations about a step of a trace; empty if there are none.
// random_note(trace, "layer.0.weights") is "random weights, seed 0; 2 interventions" for drawn weights and a model changed twice.
std::string random_note(const Trace& trace, const std::string& step);
// Three significant digits: "0.132", "14.2".
std::string short_number(double value);

// Keeps the next control on the line if `width` points are free behind a gap of `gap` points; else begins a new line.
// next_on_line(look, 120) before a control that is 120 points wide.
void next_on_line(const ui::Look& look, float width, float gap = 16);

// A slider in the window's style from `low` to `high`; its scale is logarithmic if `log`. `width` is in pixels. Returns true
// while the mouse moves it.
// number_slider(look, "##rate", &rate, 1e-4, 1, true, look.px(160)) sets `rate` between 0.0001 and 1.
bool number_slider(const ui::Look& look, const char* id, double* value, double low, double high, bool log, float width);
// Writes a slider's value on the same line, in a field `width` points wide.
// slider_number(look, "0.02", 60) after number_slider().
void slider_number(const ui::Look& look, const std::string& text, float width);

}  // namespace headlight::views
