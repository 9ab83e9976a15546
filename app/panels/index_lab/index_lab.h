// The parts of the Index lab: one word's four terms, times, the map of where the index is faster, and the pages beside them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/session/index_sweep.h"
#include "app/ui/widgets.h"
#include "app/views/base/context.h"
#include "engine/bench/lab.h"
#include "engine/core/function_ref.h"

namespace headlight::views {

// The lab's job; null: nothing can be measured here.
inline IndexSweep* sweep_of(const Context& context) { return job_of<IndexSweep>(context, "index"); }

// --- the devices that are measured (index_devices.cpp)

// A device as the lab's switches show it, with its precisions.
struct LabDevice {
  std::string id;     // "cpu", "cuda", "cuda:1"
  std::string label;  // "CPU", "NVIDIA H200"; "GPU" if the machine has none
  std::string full;   // everything that is known of the device
  bool available = false;
  Message why;  // why the device is missing, as a sentence
  std::vector<std::string> precisions;
};
// The CPU and the GPUs of a machine. The reference backend is left out: it is for checking, and its time is of no interest.
std::vector<LabDevice> lab_devices(const std::vector<backends::Device>& found);

// One device in one precision.
struct LabChoice {
  std::string backend;            // "cpu", "cuda:1:bf16"
  std::string device, precision;  // "NVIDIA H200", "bf16"
};
// Each chosen device in every chosen precision that it has, or in float32 if it has none of them. The list has at least one
// choice.
std::vector<LabChoice> lab_choices(const Context& context);
std::string lab_name(const LabChoice& choice);  // "CPU, f32"
// The choice whose map, errors and table are shown, and the buttons that select it, if there are several choices.
// draw_lab_shown(context, look, 600) draws the buttons in lines 600 points wide.
LabChoice lab_shown(const Context& context);
void draw_lab_shown(Context& context, const ui::Look& look, float width);

// Draws the switches of devices and precisions at ImGui's cursor; `flow` begins a new line for a control that does not fit.
// draw_lab_devices(context, look, flow) with LabFlow flow(look, 600).
class LabFlow;
void draw_lab_devices(Context& context, const ui::Look& look, LabFlow& flow);

// --- times (index_rows.cpp, index_times.cpp)

// The view's sizes as a request for a measurement on `choice`; its backend is null if the choice cannot be opened.
// lab_request(context, {"cpu", "CPU", "f32"}).d is the view's d.
bench::Request lab_request(const Context& context, const LabChoice& choice);
// The sizes for the cost model.
bench::LabSizes lab_counted(const ViewState& view);
// A key of everything that distinguishes measurements at these sizes: sizes, padding, word lengths, positions, and whether every
// query's output is kept.
std::string lab_key(const ViewState& view);
// Why these sizes would be refused, as a sentence; empty: they can be measured.
std::string lab_problem(const ViewState& view);
// "W = 500, l = 32, n = 64, d = 512"
std::string lab_sizes_words(const ViewState& view);
// The methods without an index that are quick enough to be measured at these sizes.
// lab_ways(view, "cpu") gives {"folded", "distinct", "distinct-folded"} where only these three stay below lab_patience("cpu").
std::vector<std::string> lab_ways(const ViewState& view, const std::string& backend = "cpu");
// The largest number of operations in a measured call: some tenths of a second on two cores, and fifty times as many operations
// on a GPU.
double lab_patience(const std::string& backend);
// The benchmark's name of a method.
// lab_variant(view, "fused") gives "layer:fused", or "layer:fused-unpooled" if the view keeps every query's output.
std::string lab_variant(const ViewState& view, const std::string& way);

// The rows measured for the present sizes on one choice: first the index alone, then everything.
struct LabRows {
  std::vector<bench::Row> rows;  // at most 101 samples each, the percentiles 0 to 100, because every frame reads them
  std::size_t runs = 0;          // the largest number of runs of any row
  bool all = false;              // the layer without an index is among the rows
};
LabRows lab_rows_of(std::vector<bench::Row> measured);
struct LabPart {
  LabChoice choice;
  std::shared_ptr<const LabRows> rows;  // null: nothing is measured yet
};
struct LabAnswer {
  std::vector<LabPart> parts;  // one per choice
  bool old = false;            // the parts belong to the previous sizes; the new ones are being measured
  bool measuring = false;      // more rows will come
  std::string error;           // one sentence; empty: no error
  bool any() const;            // whether any choice has rows
};
LabAnswer lab_rows(const Context& context);
// Median times in seconds in the present mode (per call or cached); 0: not measured.
// lab_times(view, rows).fastest is the smallest median among the layers without an index.
struct LabTimes {
  double index = 0, fastest = 0, notebook = 0;  // fastest: of the layers without an index
  std::string fastest_label;
};
LabTimes lab_times(const ViewState& view, const LabRows& rows);
std::string lab_label(const std::string& variant);  // "layer:folded" in words

// --- the pictures, as shown and exported, `width` points wide; empty if there is nothing to show
// lab_word_figure(context, 800, 300) draws one word's four terms for 800 x 300 points.

figures::Figure lab_word_figure(const Context& context, float width, float height);
// How much of the bars' figure is drawn: `close` puts the rows closer together, `bars` leaves out everything below the bars.
// lab_times_figure(context, 500, TimesRoom::bars) draws the bars alone.
enum class TimesRoom { whole, close, bars };
figures::Figure lab_times_figure(const Context& context, float width, TimesRoom room = TimesRoom::whole);
figures::Figure lab_map_figure(const Context& context, float width, float height);
figures::Figure lab_table_figure(const Context& context, float width, float height);
figures::Figure lab_errors_figure(const Context& context, float width, float height);
figures::Figure lab_notebook_figure(const Context& context, float width);

// --- drawn at ImGui's cursor, `width` points wide and, if possible, `height` high
// draw_lab_map(context, look, 500, 400) draws the map and its controls.

// Requests the values of the word and the table, even if another page is open. They come before the times, which take longer.
void ask_lab_word(const Context& context);
void draw_lab_word(Context& context, const ui::Look& look, float width, float height);
void draw_lab_times(Context& context, const ui::Look& look, float width, float height);
void draw_lab_map(Context& context, const ui::Look& look, float width, float height);
void draw_lab_table(Context& context, const ui::Look& look, float width, float height);
void draw_lab_errors(Context& context, const ui::Look& look, float width, float height);
void draw_lab_notebook(Context& context, const ui::Look& look, float width, float height);

// Draws a picture without a background and names it as the window's part "index:" + `id`. A menu on it exports the picture that
// `paper` returns.
// draw_lab_figure(context, "word", std::move(shown), [&] { return lab_word_figure(context, 800, 300); })
gl::Hit draw_lab_figure(Context& context, const char* id, figures::Figure figure, FunctionRef<figures::Figure()> paper);
// How many times `b` goes into `a`; lab_ratio() adds the sign.
// lab_factor(21, 2) gives "10.5" and lab_ratio(84, 1) gives "84×".
std::string lab_factor(double a, double b);
std::string lab_ratio(double a, double b);
// Writes a paragraph `width` points wide at ImGui's cursor, with letters of `size` points.
// lab_words(context, look, answer.error, look.theme.secondary, 14, 400);
void lab_words(Context& context, const ui::Look& look, const std::string& text, figures::Color color, float size, float width);

// The tab's state from frame to frame.
struct IndexLabTransient {
  struct Draft {
    std::string text;
    bool typing = false;
  };
  std::map<std::string, Draft> sizes;            // by size: the text in its field while it is being typed
  std::map<std::string, DerivedKey> shown_rows;  // by backend: the key in Derived of its shown rows
  std::string first_points;                      // the key of the map whose first points have been measured
  // The cell of the pictured word that the mouse was on last, plus 1, in the terms and in the table; 0: none. Each lights the
  // other's cell.
  std::int64_t hot_cell = 0, hot_in_table = 0;
};

// Controls side by side in lines `width` points wide.
class LabFlow {
 public:
  LabFlow(const ui::Look& look, float width) : look_(look), width_(width) {}
  // Call it before each control, with the control's width and the gap before it in points.
  // next(120) stays on the line if 12 + 120 points are free.
  void next(float wide, float gap = 12);

 private:
  const ui::Look& look_;
  float width_, used_ = 0;
};
// The widths in points of a row of segments and of a button with these labels.
// lab_button_width(context, "Export") is the width of the label and of its padding.
float lab_segments_width(const Context& context, const std::vector<const char*>& labels);
float lab_button_width(const Context& context, const std::string& label);

}  // namespace headlight::views
