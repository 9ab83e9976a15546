// The parts of the Index lab: one word's four terms, times, and the map of where the index wins.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/panels/panel.h"
#include "app/window/widgets.h"
#include "engine/bench/lab.h"

namespace headlight::panels {

// The sizes that the view asks for, as a measurement takes them; on the document's backend where that has index-based attention,
// else on the CPU.
bench::Request lab_request(const Context& context);
// What these sizes would be refused for, as a sentence; empty: they can be measured.
std::string lab_problem(const ViewState& view);
// "500 words of 32, 64 symbols, d 512"
std::string lab_sizes_words(const ViewState& view);

// The rows measured for the present sizes: the index alone first, everything as soon as it is there.
struct LabRows {
  std::vector<bench::Row> rows;
  bool all = false;  // the layer without an index, too
};
struct LabAnswer {
  std::shared_ptr<const LabRows> rows;  // null: nothing yet
  bool old = false;                     // of the sizes before: the new ones are still being measured
  bool measuring = false;               // more is to come
  bool complete = false;                // nothing is
  std::string error;                    // a sentence
};
LabAnswer lab_rows(Context& context);
// Medians of the present mode; 0 where it is not measured.
struct LabTimes {
  double index = 0, fastest = 0, notebook = 0;  // fastest: of the layers without an index
  std::string fastest_label;
};
LabTimes lab_times(const ViewState& view, const LabRows& rows);
std::string lab_label(const std::string& variant);  // "layer:folded" in words

// A paragraph `width` points wide at ImGui's cursor.
void lab_words(Context& context, const window::Look& look, const std::string& text, figures::Color color, float size,
               float width);

// Each draws at ImGui's cursor, `width` points wide.
void draw_lab_word(Context& context, const window::Look& look, float width);
void draw_lab_times(Context& context, const window::Look& look, float width);
void draw_lab_map(Context& context, const window::Look& look, float width);
void draw_lab_tables(Context& context, const window::Look& look, float width);  // look-up table, errors, the notebook's table

// For Ctrl+E: the times, and the word's terms above them.
figures::Figure lab_times_figure(const Context& context, float width);
figures::Figure lab_word_figure(const Context& context, float width, float height);

}  // namespace headlight::panels
