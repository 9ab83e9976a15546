// The line above a view of one attention: the kind, sentence, layer, head and query that are shown, each with buttons to step
// through them.
#pragma once

#include <cstdint>
#include <string>

#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// "‹ layer 2 ›" as one control: returns the chosen value, or -1. `at` of `count`, both counted from 0.
std::int64_t stepper(const ui::Look& look, const char* id, const std::string& text, std::int64_t at, std::int64_t count,
                     const char* tip);

// The kinds of attention side by side, if the trace has several; the choice is stored in the view. False: there is one.
bool draw_attention_kinds(Context& context, const ui::Look& look, const AttentionChoice& choice);

// The width of what the bar begins with, in points: whether it fits beside other controls.
float attention_bar_start(const ui::Look& look, const AttentionChoice& choice);

// Draws it and stores the choices in the view. Uses a further line if one is full.
void draw_attention_bar(Context& context, const ui::Look& look, const AttentionChoice& choice);

// "layer 2, head 3", with the kind if there are several.
std::string attention_title(const AttentionChoice& choice);
// "random weights, seed 0" if the weights are random, and "2 interventions" if the model is changed; else empty.
std::string random_note(const Trace& trace, const std::string& step);
// Three significant digits: "0.132", "14.2".
std::string short_number(double value);

// Stays on the line while `width` points fit there, else begins the next.
void next_on_line(const ui::Look& look, float width, float gap = 16);

// A slider in the window's style; logarithmic if `log`; `width` in pixels. True while it is moved.
bool number_slider(const ui::Look& look, const char* id, double* value, double low, double high, bool log, float width);
// Its value, on the same line, in `width` points.
void slider_number(const ui::Look& look, const std::string& text, float width);

}  // namespace headlight::panels
