// What the Index lab shows: the devices that are measured, the rows that were measured on them, the map, the errors, the
// notebook's table, one word's terms. Measured in the background while one looks, kept under keys; nothing depends on the
// sentence.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/views/base/context.h"
#include "app/views/index/pictures.h"
#include "app/views/index/state.h"
#include "app/views/index/sweep.h"
#include "engine/bench/lab.h"

namespace headlight::views::lab {

inline State& state_of(const Context& context) { return context.view.own.of<State>(); }
// The lab's job; null: nothing can be measured here.
inline Sweep* sweep_of(const Context& context) { return job_of<Sweep>(context, "index"); }

// --- the devices that are measured (devices.cpp)

// A device as the lab's switches show it, with its precisions.
struct Device {
  std::string id;     // "cpu", "cuda", "cuda:1"
  std::string label;  // "CPU", "NVIDIA H200"; "GPU" if the machine has none
  std::string full;   // everything that is known of the device
  bool available = false;
  Message why;  // why the device is missing, as a sentence
  std::vector<std::string> precisions;
};
// The CPU and the GPUs of a machine. The reference backend is left out: it is for checking, and its time is of no interest.
std::vector<Device> devices_among(const std::vector<backends::Device>& found);
// This machine's. Until a GPU has answered, the CPU alone.
std::vector<Device> devices_of(const Context& context);
// The ids of those that are measured, at least one.
std::vector<std::string> chosen_devices(const Context& context, const std::vector<Device>& devices);
// A click adds or removes it; the last one stays.
void flip(std::vector<std::string>& chosen, const std::string& one);
bool contains(const std::vector<std::string>& all, const std::string& one);
// f32, tf32, bf16
const std::vector<std::string>& precisions();

// One device in one precision.
struct Choice {
  std::string backend;            // "cpu", "cuda:1:bf16"
  std::string device, precision;  // "NVIDIA H200", "bf16"
};
// Each chosen device in every chosen precision that it has, or in float32 if it has none of them. The list has at least one
// choice.
std::vector<Choice> choices_of(const Context& context);
std::string name_of(const Choice& choice);  // "CPU, f32"
// The choice whose map, errors and table are shown.
Choice shown_choice(const Context& context);

// --- times (data.cpp)

// The view's sizes as a request for a measurement on `choice`; its backend is null if the choice cannot be opened.
// request_of(context, {"cpu", "CPU", "f32"}).d is the view's d.
bench::Request request_of(const Context& context, const Choice& choice);
// The sizes for the cost model.
bench::LabSizes counted_sizes(const State& state);
// A key of everything that distinguishes measurements at these sizes: sizes, padding, word lengths, positions, and whether every
// query's output is kept.
std::string key_of(const State& state);
// Why these sizes would be refused, as a sentence; empty: they can be measured.
std::string problem_of(const State& state);
// The methods without an index that are quick enough to be measured at these sizes.
// ways_of(state, "cpu") gives {"folded", "distinct", "distinct-folded"} where only these three stay below patience_of("cpu").
std::vector<std::string> ways_of(const State& state, const std::string& backend = "cpu");
// The largest number of operations in a measured call: some tenths of a second on two cores, and fifty times as many operations
// on a GPU.
double patience_of(const std::string& backend);
// The benchmark's name of a method.
// variant_of(state, "fused") gives "layer:fused", or "layer:fused-unpooled" if the view keeps every query's output.
std::string variant_of(const State& state, const std::string& way);
std::string label_of(const std::string& variant);  // "layer:folded" in words

// The rows measured for the present sizes on one choice: first the index alone, then everything.
struct Rows {
  std::vector<bench::Row> rows;  // at most 101 samples each, the percentiles 0 to 100, because every frame reads them
  std::size_t runs = 0;          // the largest number of runs of any row
  bool all = false;              // the layer without an index is among the rows
};
Rows rows_of(std::vector<bench::Row> measured);
struct Measured {
  Choice choice;
  std::shared_ptr<const Rows> rows;  // null: nothing is measured yet
};
struct Answer {
  std::vector<Measured> parts;  // one per choice
  bool old = false;             // the parts belong to the previous sizes; the new ones are being measured
  bool measuring = false;       // more rows will come
  std::string error;            // one sentence; empty: no error
  bool any() const;             // whether any choice has rows
};
Answer answer_of(const Context& context);
// Median times in seconds in the present mode (per call or cached); 0: not measured.
// times_of(state, rows).fastest is the smallest median among the layers without an index.
struct Times {
  double index = 0, fastest = 0, notebook = 0;  // fastest: of the layers without an index
  std::string fastest_label;
};
Times times_of(const State& state, const Rows& rows);
// How many times `b` goes into `a`; ratio_text() adds the sign.
// factor_text(21, 2) gives "10.5" and ratio_text(84, 1) gives "84×".
std::string factor_text(double a, double b);
std::string ratio_text(double a, double b);

// The bars of an answer (times_data.cpp); before anything is measured, and where nothing is, the operations that are counted.
figures::TimingBarsInput bars_of(const Context& context, const Answer& answer);

// --- the map (map_data.cpp)

struct Axis {
  const char *id, *letter, *label;
  std::int64_t least, most;
};
const std::vector<Axis>& axes();

// Everything that makes up the map, at the view's sizes.
struct Map {
  figures::WinMapInput input;
  std::vector<SweepPoint> points;  // of its cells, in order
  double off = 0;                  // the model's error as a factor: geometric mean over the measured points
  std::int64_t measured = 0;
};
Map map_of(const Context& context);
// Every second one of the cells that take well under a second, cheap ones first.
std::vector<SweepPoint> points_to_measure(const Map& map);
// Where the map is first shown with these sizes, some of its points are measured; but only after the bars are ready, so that
// nothing is measured for sizes that are only passed through.
void measure_first(const Context& context, const Map& map);
// The formulas of the counts at a point, one line each: the index, its rival, and the meaning of their letters.
std::string counted_words(const State& state, const SweepPoint& point);

// --- errors and the notebook's table (checks_data.cpp)

// What a picture is made of, or why there is none yet.
template <class Input>
struct Found {
  std::shared_ptr<const Input> input;
  std::string words;
};
Found<figures::ErrorBarsInput> errors_of(const Context& context);
// The notebook's measurements repeated here: the layer's parts at its sizes, as written and index first.
struct NotebookHere {
  Rows times;
  bench::StageDifferences between;  // of both methods
  std::string device;               // its label
};
Found<NotebookHere> notebook_of(const Context& context);

// --- one word (word_data.cpp)

inline constexpr std::int64_t kLeastPictured = 8, kMostPictured = 16;  // symbols of the displayed word

// The word's terms at the view's d; null: being computed. They are asked for before the times, which take longer.
std::shared_ptr<const bench::WordTerms> terms_of(const Context& context);
// `hot`: the cell that is lit, plus 1; 0: none.
figures::IndexTermsInput terms_input(const State& state, const std::shared_ptr<const bench::WordTerms>& terms, std::int64_t hot);
figures::LookupTableInput table_input(const std::shared_ptr<const bench::WordTerms>& terms, std::int64_t hot);
std::string cell_words(const bench::WordTerms& terms, std::int64_t query, std::int64_t key);

// --- pictures for files, `width` points wide; empty if there is nothing to show
// word_figure(context, 800, 300) draws one word's four terms for 800 x 300 points.

figures::Figure word_figure(const Context& context, float width, float height);
figures::Figure times_figure(const Context& context, float width, float height);
figures::Figure map_figure(const Context& context, float width, float height);
figures::Figure table_figure(const Context& context, float width, float height);
figures::Figure errors_figure(const Context& context, float width, float height);
figures::Figure notebook_figure(const Context& context, float width, float height);
figures::Figure table_of(const NotebookHere& made, float width, const figures::Theme& theme, const figures::TextMeasure& measure);

// How much is shown side by side. whole: the word above times and a page. low: the word is a page, and pages are beside the
// times. alone: one page at a time, in presentation mode and in rooms that are still lower or narrow.
enum class Arrangement { whole, low, alone };

// What lives from frame to frame.
struct Held {
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
  Arrangement arrangement = Arrangement::alone;  // of the last frame
};

}  // namespace headlight::views::lab
