// The line above a view of one attention: which kind, sentence, layer, head and query is looked at, each to be stepped through.
#pragma once

#include <cstdint>
#include <string>

#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// "‹ layer 2 ›" as one control: returns the value stepped to, or -1. `at` of `count`, both counted from 0.
std::int64_t stepper(const ui::Look& look, const char* id, const std::string& text, std::int64_t at, std::int64_t count,
                     const char* tip);

// The kinds of attention beside each other, where the trace has several; what is chosen goes into the view. False: there is one.
bool draw_attention_kinds(Context& context, const ui::Look& look, const AttentionChoice& choice);

// Draws it and writes what was chosen into the view. Where the line is full, a further one.
void draw_attention_bar(Context& context, const ui::Look& look, const AttentionChoice& choice);

// "layer 2, head 3", with the kind where there are several.
std::string attention_title(const AttentionChoice& choice);
// "random weights, seed 0" where that is what they are, else empty.
std::string random_note(const Trace& trace, const std::string& step);
// Three digits that matter: "0.132", "14.2".
std::string short_number(double value);

// On the same line while `width` points fit there, else on the next.
void next_on_line(const ui::Look& look, float width, float gap = 16);

// A slider in the window's style; logarithmic where `log`; `width` in pixels. True while it is moved.
bool number_slider(const ui::Look& look, const char* id, double* value, double low, double high, bool log, float width);
// What it stands at, on the same line, in `width` points.
void slider_number(const ui::Look& look, const std::string& text, float width);

}  // namespace headlight::panels
