// The Train view before the first step: what is to be learnt, drawn by the task itself.
#include <algorithm>
#include <cstdio>
#include <tuple>

#include "app/text/language.h"
#include "app/views/train/data.h"
#include "engine/core/one_nan.h"

namespace headlight::views::training {
namespace {

using Node = Sheet::Node;

constexpr std::int64_t kRows = 5;
constexpr std::size_t kPresentedRows = 4;

// What the model has to find out, by the task's id.
std::string lesson_of(const std::string& task) {
  if (task == "copy") return tr("Letters, then =, then the same letters again. The model has to say what stands behind the =.");
  if (task == "reverse") return tr("Letters, then =, then the same letters from the last to the first.");
  if (task == "sort") return tr("Letters, then =, then the same letters in the order of the alphabet.");
  if (task == "majority") return tr("Letters, then =, then the one letter that stands there most often.");
  if (task == "hello")
    return tr("The word hello, written again and again. Behind an l comes another l, or an o: only a place in the word tells.");
  if (task == "text") return tr("A text, character by character: which one comes next?");
  return tr(
      "Random syllables, then the same ones once more. The second time every syllable can be foreseen: look back at what came "
      "behind it the first time.");
}

}  // namespace

figures::ExampleRowsInput example_rows_of(const LiveRun& run) {
  figures::ExampleRowsInput input;
  const train::Batch batch = run.data->held_out(0);
  const auto& tokenizer = *run.data->tokenizer();
  const std::int64_t length = batch.ids.dim(1), rows = std::min(kRows, batch.ids.dim(0));
  for (std::int64_t r = 0; r < rows; ++r) {
    auto& row = input.rows.emplace_back();
    for (std::int64_t i = 0; i < batch.lengths[static_cast<std::size_t>(r)]; ++i) {
      const std::int32_t id = batch.ids.data<std::int32_t>()[r * length + i];
      const bool asked = i > 0 && batch.labels.data<std::int32_t>()[r * length + i - 1] >= 0;
      row.push_back({tokenizer.display_text(id), static_cast<int>(id % 12), asked});
    }
  }
  return input;
}

Node examples_column(Sheet& sheet, const Shared& frame) {
  const Scene& scene = sheet.scene;
  const figures::Theme& theme = scene.pen.theme;
  const LiveRun& run = *frame->shown.run;
  const bool presented = scene.medium == sheet::Medium::presented;
  std::vector<Node> all;
  const auto add = [&](const char* id, const std::string& words, float size, figures::Color color, bool everywhere = false,
                       int rank = 0) {
    all.push_back(sheet.words(id, words, size, color));
    all.back().presented = everywhere;
    if (presented) all.back().rank = rank;  // on the screen the column scrolls
  };
  add("learns from", tr("What it learns from"), 20, theme.text, true, 1);
  add("lesson", lesson_of(frame->live->settings.task), 16, theme.text, true);
  const auto rows = scene.data<figures::ExampleRowsInput>(std::tuple(run.data, presented), [&] {
    figures::ExampleRowsInput input = example_rows_of(run);
    if (presented && input.rows.size() > kPresentedRows) input.rows.resize(kPresentedRows);
    return input;
  });
  all.push_back(sheet.picture(
      {.id = "examples",
       .picture = [rows](Size s, const Pen& pen) { return figures::example_rows(*rows, s.w, pen.theme, pen.measure); },
       .of = rows,
       .paper = {968, 0},
       .framed = true,
       .caption = tr("What it learns from")},
      {300, 640, sheet::kAny}));
  add("bright",
      tr("Bright is what it is asked for, pale what it is given. Every row is drawn anew; these are held out and never "
         "trained on."),
      14, theme.secondary, true, 3);
  // The rest is said by who presents.
  add("will see", tr("What you will see"), 20, theme.text);
  char loss[32];
  std::snprintf(loss, sizeof loss, "%.2f", one_nan(frame->shown.checkpoint->held_out));
  add("press train",
      fill(tr("Press train. The loss begins at {} nat a symbol, and falls as soon as the model has found something out; the "
              "heads at the right change with it, step by step. You can stop, go back, change the learning rate and keep "
              "what it has become as a model."),
           {loss}),
      16, theme.text);
  if (!run.plateaus.empty())
    add("plateaus", tr("Where it may stand still for a while, and what the model then knows:"), 16, theme.text);
  for (std::size_t i = 0; i < run.plateaus.size(); ++i)
    add(("plateau " + std::to_string(i)).c_str(), "·  " + plateau_words(run.plateaus[i]), 14, theme.secondary);
  if (frame->live->settings.task == "induction")
    add("two layers", tr("Two layers find the pattern within a minute. One layer never does: try “and one layer”."), 16,
        theme.text);
  return Sheet::column("left", {6, 10, 10}, std::move(all));
}

}  // namespace headlight::views::training
