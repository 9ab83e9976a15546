// The parts of the Index lab: one word's four terms, times, the map of where the index is faster, and the pages beside them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/panels/shared/panel.h"
#include "app/session/lab_machine.h"
#include "app/ui/widgets.h"
#include "engine/bench/lab.h"
#include "engine/core/function_ref.h"

namespace headlight::panels {

// --- what is measured on (index_devices.cpp)

// A device as the lab's switches show it, with its precisions.
struct LabDevice {
  std::string id;     // "cpu", "cuda", "cuda:1"
  std::string label;  // "CPU", "NVIDIA H200"; "GPU" if there is none
  std::string full;   // all that is known of it
  bool available = false;
  std::string why;  // if it is missing: one sentence
  std::vector<std::string> precisions;
};
// CPU and GPUs of a machine. The reference is left out: it is for checking, and its time is of no interest.
std::vector<LabDevice> lab_devices(const std::vector<backends::Device>& found);

// One device in one precision.
struct LabChoice {
  std::string backend;            // "cpu", "cuda:1:bf16"
  std::string device, precision;  // "NVIDIA H200", "bf16"
};
// Each chosen device in those of the chosen precisions that it has, or in float32 if it has none of them; at least one.
std::vector<LabChoice> lab_choices(const Context& context);
std::string lab_name(const LabChoice& choice);  // "CPU, f32"
// lab_shown: the choice whose map, errors and table are shown. The other function draws buttons to select it, if there are
// several.
LabChoice lab_shown(const Context& context);
void draw_lab_shown(Context& context, const ui::Look& look, float width);

// The switches, beginning at the cursor; `flow` begins a new line if the next control does not fit.
class LabFlow;
void draw_lab_devices(Context& context, const ui::Look& look, LabFlow& flow);

// --- times (index_rows.cpp, index_times.cpp)

// The view's sizes as a request for a measurement on `choice`; without a backend if it cannot be opened.
bench::Request lab_request(const Context& context, const LabChoice& choice);
// The sizes for the cost model.
bench::LabSizes lab_counted(const ViewState& view);
// A key of everything that distinguishes measurements at these sizes: sizes, padding, lengths and what is kept.
std::string lab_key(const ViewState& view);
// Why these sizes would be refused, as a sentence; empty: they can be measured.
std::string lab_problem(const ViewState& view);
// "W = 500, l = 32, n = 64, d = 512"
std::string lab_sizes_words(const ViewState& view);
// The methods without an index that are measured at these sizes, such as "distinct-folded": those that do not take too long.
std::vector<std::string> lab_ways(const ViewState& view, const std::string& backend = "cpu");
// The most operations of a call that is measured: some tenths of a second on two cores, and about fifty times as many on a GPU.
double lab_patience(const std::string& backend);
// The benchmark's name of a method: "layer:fused", or "layer:fused-unpooled" if every query's output is kept.
std::string lab_variant(const ViewState& view, const std::string& way);

// The rows measured for the present sizes on one choice: first the index alone, then everything.
struct LabRows {
  std::vector<bench::Row> rows;  // of many samples only percentiles 0 to 100, because every frame reads them
  std::size_t runs = 0;          // of the row with the most runs
  bool all = false;              // the layer without an index is included
};
LabRows lab_rows_of(std::vector<bench::Row> measured);
struct LabPart {
  LabChoice choice;
  std::shared_ptr<const LabRows> rows;  // null: nothing measured yet
};
struct LabAnswer {
  std::vector<LabPart> parts;  // one per choice
  bool old = false;            // of the previous sizes: the new ones are being measured
  bool measuring = false;      // more rows will come
  std::string error;           // a sentence
  bool any() const;            // Whether any choice has rows.
};
LabAnswer lab_rows(const Context& context);
// Medians in the present mode; 0: not measured.
struct LabTimes {
  double index = 0, fastest = 0, notebook = 0;  // fastest: of the layers without an index
  std::string fastest_label;
};
LabTimes lab_times(const ViewState& view, const LabRows& rows);
std::string lab_label(const std::string& variant);  // "layer:folded" in words

// --- the pictures, as shown and exported; empty if there is nothing to show

figures::Figure lab_word_figure(const Context& context, float width, float height);
// How much of the bars' figure fits: `close` has rows closer together, `bars` has nothing below them.
enum class TimesRoom { whole, close, bars };
figures::Figure lab_times_figure(const Context& context, float width, TimesRoom room = TimesRoom::whole);
figures::Figure lab_map_figure(const Context& context, float width, float height);
figures::Figure lab_table_figure(const Context& context, float width, float height);
figures::Figure lab_errors_figure(const Context& context, float width, float height);
figures::Figure lab_notebook_figure(const Context& context, float width);

// --- drawn at ImGui's cursor, `width` points wide and, if possible, `height` high

// Requests what the word and the table show, even if another page is open: before the times, which take longer.
void ask_lab_word(const Context& context);
void draw_lab_word(Context& context, const ui::Look& look, float width, float height);
void draw_lab_times(Context& context, const ui::Look& look, float width, float height);
void draw_lab_map(Context& context, const ui::Look& look, float width, float height);
void draw_lab_table(Context& context, const ui::Look& look, float width, float height);
void draw_lab_errors(Context& context, const ui::Look& look, float width, float height);
void draw_lab_notebook(Context& context, const ui::Look& look, float width, float height);

// A picture on the screen, without a background, named as a part of the window, with a menu that exports it at a paper's size.
gl::Hit draw_lab_figure(Context& context, const char* id, figures::Figure figure, FunctionRef<figures::Figure()> paper);
// How many times `a` is `b`: "10.6", "84"; "10.6×".
std::string lab_factor(double a, double b);
std::string lab_ratio(double a, double b);
// A paragraph `width` points wide at ImGui's cursor.
void lab_words(Context& context, const ui::Look& look, const std::string& text, figures::Color color, float size, float width);

// What the tab keeps from frame to frame.
struct IndexLabTransient {
  struct Draft {
    std::string text;
    bool typing = false;
  };
  std::map<std::string, Draft> sizes;             // by size: what its field holds while it is typed into
  std::map<std::string, std::string> shown_rows;  // by backend: under which key of Derived lie the rows that are shown
  std::string first_points;                       // of which map the first points have been measured
  // The cell of the pictured word that the mouse was on last, + 1, in the terms and in the table: each lights the other's; 0:
  // none.
  std::int64_t hot_cell = 0, hot_in_table = 0;
};

// Controls side by side in lines `width` points wide.
class LabFlow {
 public:
  LabFlow(const ui::Look& look, float width) : look_(look), width_(width) {}
  // Call before each control, with its width and the gap before it in points.
  void next(float wide, float gap = 12);

 private:
  const ui::Look& look_;
  float width_, used_ = 0;
};
float lab_segments_width(const Context& context, const std::vector<const char*>& labels);
float lab_button_width(const Context& context, const std::string& label);

}  // namespace headlight::panels
