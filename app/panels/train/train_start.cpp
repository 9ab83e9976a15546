// The Train view before the first step: what is to be learnt, drawn by the task itself, and the model that has learnt nothing
// yet.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "app/figures/base/compose.h"
#include "app/figures/base/stack.h"
#include "app/figures/charts/example_rows.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/train/train_tab.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "engine/core/one_nan.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

constexpr std::int64_t kRows = 5;

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

figures::ExampleRowsInput rows_of(const LiveRun& run) {
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

}  // namespace

void keep_prepared(const TrainTab& tab) {
  const LiveState& state = *tab.state;
  const bool none = state.runs.empty() && !state.preparing && !state.error;
  LiveSettings wanted = train_settings(tab.context.view.train);
  const double rate = std::exchange(wanted.rate, state.settings.rate);  // a training may change it at any time
  const bool others = !(wanted == state.settings), stuck = state.error && state.runs.empty() && !state.preparing;
  if (!none && !((state.untrained() || stuck) && others)) return;
  wanted.rate = rate;
  tab.own.sentence = tab.context.document.texts.empty() ? "" : tab.context.document.texts.front();
  tab.own.rate = rate;
  tab.context.view.train.step = -1;
  tab.live.look_at(tab.own.sentence);
  tab.live.start(wanted, false);
}

void draw_train_examples(const TrainTab& tab, const TrainShown& shown, float width) {
  const ui::Look& look = tab.look;
  ui::words(look, tr("What it learns from"), look.theme.text, 20);
  ui::words(look, lesson_of(tab.state->settings.task), look.theme.text, 16);
  ImGui::Dummy({0, look.px(4)});
  if (tab.own.rows_of != shown.run->data) {
    tab.own.rows_of = shown.run->data;
    tab.own.rows = rows_of(*shown.run);
  }
  figures::ExampleRowsInput rows = tab.own.rows;
  if (tab.context.view.presentation && rows.rows.size() > 4) rows.rows.resize(4);
  const gl::Hit hit = tab.context.figures.draw(figures::example_rows(rows, width, look.theme, tab.context.measure), "examples");
  name_part(tab.context, "train:examples");
  figure_menu(tab.context, "examples menu", hit, [&] { return train_figure(tab.context, 1000); });
  ui::words(look,
            tr("Bright is what it is asked for, pale what it is given. Every row is drawn anew; these are held out and never "
               "trained on."),
            look.theme.secondary, 14);
  if (tab.context.view.presentation) return;  // the rest is said by who presents
  ImGui::Dummy({0, look.px(10)});
  ui::words(look, tr("What you will see"), look.theme.text, 20);
  char loss[32];
  std::snprintf(loss, sizeof loss, "%.2f", one_nan(shown.checkpoint->held_out));
  ui::words(
      look,
      fill(tr("Press train. The loss begins at {} nat a symbol, and falls as soon as the model has found something out; the "
              "heads at the right change with it, step by step. You can stop, go back, change the learning rate and keep "
              "what it has become as a model."),
           {loss}),
      look.theme.text, 16);
  if (!shown.run->plateaus.empty())
    ui::words(look, tr("Where it may stand still for a while, and what the model then knows:"), look.theme.text, 16);
  for (const train::Plateau& plateau : shown.run->plateaus)
    ui::words(look, "·  " + train_plateau_words(plateau), look.theme.secondary, 14);
  if (tab.state->settings.task == "induction")
    ui::words(look, tr("Two layers find the pattern within a minute. One layer never does: try “and one layer”."),
              look.theme.text, 16);
}

figures::Figure train_start_figure(const Context& context, const TrainShown& shown, float width) {
  figures::GridInput heads = train_heads_input(context, shown);
  heads.title = tr("Every head before it learns");
  const figures::Figure rows = figures::example_rows(rows_of(*shown.run), width, context.theme, context.measure);
  return figures::stacked({figures::framed(rows, tr("What it learns from"), 0, context.theme),
                           figures::head_grid(heads, width, 360, context.theme, context.measure)},
                          20, 16);
}

}  // namespace headlight::panels
