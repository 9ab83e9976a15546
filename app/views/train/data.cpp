#include "app/views/train/data.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "engine/core/one_nan.h"

namespace headlight::views::training {
namespace {

constexpr std::size_t kFilm = 6;

std::string two_decimals(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", one_nan(value));
  return text;
}

// The causal mask of the sequence.
Tensor causal(std::int64_t n) {
  Tensor mask(DType::u8, {n, n}, {"query", "key"});
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j <= i; ++j) mask.data<std::uint8_t>()[i * n + j] = 1;
  return mask;
}

double score_of(const std::vector<std::vector<double>>& scores, std::int64_t layer, std::int64_t head) {
  return scores[static_cast<std::size_t>(layer)][static_cast<std::size_t>(head)];
}

figures::GridInput grid_of(const Context& context) {
  figures::GridInput input;
  input.colormap = context.view.colormap;
  input.range_words = fill(tr("weight, fixed 0..1, {}"), {context.view.colormap});
  input.cell_words = tr("in each picture: row = query, column = key");
  return input;
}

// From which place on the model is asked what comes next.
std::size_t asked_from(const LiveRun& run) {
  const train::Task task = run.config.task;
  if (task == train::Task::repeat) {
    // The segment's length: the least distance at which everything comes again.
    for (std::size_t period = 1; period + 1 < run.ids.size(); ++period)
      if (std::equal(run.ids.begin() + static_cast<std::ptrdiff_t>(period), run.ids.end(), run.ids.begin())) return period;
  } else if (train::has_letters(task) && task != train::Task::spell) {
    const auto at = std::find(run.ids.begin(), run.ids.end(), run.data->tokenizer()->vocabulary().find_text("="));
    if (at != run.ids.end()) return static_cast<std::size_t>(at - run.ids.begin());
  }
  return 0;
}

}  // namespace

std::string plateau_words(const train::Plateau& plateau) {
  const std::string loss = two_decimals(plateau.loss);
  switch (plateau.knows) {
    case train::Plateau::Knows::nothing:
      return fill(tr("all {} symbols alike, ln {} = {}"),
                  {std::to_string(plateau.symbols), std::to_string(plateau.symbols), loss});
    case train::Plateau::Knows::row_symbols: return fill(tr("which symbols the row has, not their order: {}"), {loss});
    case train::Plateau::Knows::frequencies: return fill(tr("how often each symbol comes: {}"), {loss});
    case train::Plateau::Knows::last_token: break;
  }
  return fill(tr("what follows the last symbol: {}"), {loss});
}

Shown shown_of(const State& view, const LiveState& state) {
  Shown shown;
  if (state.runs.empty()) return shown;
  shown.run_index = std::min(static_cast<std::size_t>(std::max<std::int64_t>(view.run, 0)), state.runs.size() - 1);
  shown.run = &state.runs[shown.run_index];
  const auto& kept = shown.run->checkpoints;
  if (kept.empty()) return shown;
  shown.index = kept.size() - 1;
  if (view.step >= 0)  // the nearest one that is still kept
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (std::abs(kept[i]->step - view.step) < std::abs(kept[shown.index]->step - view.step)) shown.index = i;
  shown.checkpoint = kept[shown.index];
  shown.layer = std::clamp<std::int64_t>(view.layer, 0, shown.run->config.model.layers - 1);
  shown.head = std::clamp<std::int64_t>(view.head, 0, shown.run->config.model.heads - 1);
  return shown;
}

figures::LossChartInput loss_input(const State& view, const LiveState& state) {
  figures::LossChartInput input;
  input.x_axis = tr("step");
  input.y_axis = tr("loss, nat per symbol");
  input.held_out_words = tr("held-out");
  input.training_words = tr("training");
  if (state.runs.empty()) return input;
  for (const LivePoint& point : state.runs.front().points) input.steps.push_back(static_cast<double>(point.step));
  for (const LiveRun& run : state.runs) {
    figures::LossChartInput::Run& one = input.runs.emplace_back();
    if (!run.label.empty()) one.label = tr(run.label.c_str());
    for (const LivePoint& point : run.points) {
      one.held_out.push_back(point.held_out);
      one.training.push_back(point.training);
    }
  }
  for (const train::Plateau& plateau : state.runs.front().plateaus)
    input.levels.push_back({plateau_words(plateau), plateau.loss});
  if (const Shown shown = shown_of(view, state); shown.checkpoint) {
    const auto wanted = static_cast<double>(shown.checkpoint->step);
    const auto nearest = std::min_element(input.steps.begin(), input.steps.end(),
                                          [&](double a, double b) { return std::abs(a - wanted) < std::abs(b - wanted); });
    if (nearest != input.steps.end()) input.shown = nearest - input.steps.begin();
  }
  return input;
}

figures::GridInput film_input(const Context& context, const Shown& shown, std::vector<std::size_t>& indices) {
  figures::GridInput input = grid_of(context);
  const auto& kept = shown.run->checkpoints;
  const std::size_t count = std::min(kFilm, kept.size());
  indices.clear();
  for (std::size_t i = 0; i < count; ++i) indices.push_back(count == 1 ? 0 : i * (kept.size() - 1) / (count - 1));
  // The shown one is among them.
  if (std::find(indices.begin(), indices.end(), shown.index) == indices.end())
    *std::min_element(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) {
      const auto far = [&](std::size_t i) { return i > shown.index ? i - shown.index : shown.index - i; };
      return far(a) < far(b);
    }) = shown.index;
  input.layers = 1;
  input.heads = static_cast<std::int64_t>(count);
  input.ordered = true;
  const std::int64_t heads = shown.run->config.model.heads;
  for (std::size_t i = 0; i < count; ++i) {
    const LiveCheckpoint& one = *kept[indices[i]];
    const auto place = static_cast<std::size_t>(shown.layer * heads + shown.head);
    input.values.push_back(one.maps[place]);
    input.masks.push_back(causal(one.maps[place].dim(0)));
    input.keys.push_back((one.id << 16) + place);
    input.order.push_back(static_cast<std::int64_t>(i));
    input.names.push_back(fill(tr("at step {}"), {text::grouped_number(one.step)}));
    input.marks.push_back(figures::cell_number(score_of(one.reading.induction, shown.layer, shown.head)));
    if (indices[i] == shown.index) input.selected_head = static_cast<std::int64_t>(i);
  }
  input.selected_layer = 0;
  input.data_name = "weights_by_step";
  return input;
}

figures::GridInput heads_input(const Context& context, const Shown& shown) {
  figures::GridInput input = grid_of(context);
  input.layers = shown.run->config.model.layers;
  input.heads = shown.run->config.model.heads;
  for (std::size_t i = 0; i < shown.checkpoint->maps.size(); ++i) {
    input.values.push_back(shown.checkpoint->maps[i]);
    input.masks.push_back(causal(shown.checkpoint->maps[i].dim(0)));
    input.keys.push_back((shown.checkpoint->id << 16) + i);
  }
  input.selected_layer = shown.layer;
  input.selected_head = shown.head;
  return input;
}

figures::AnswersInput answers_input(const Shown& shown) {
  figures::AnswersInput input;
  const auto& reading = shown.checkpoint->reading;
  const auto& tokenizer = *shown.run->data->tokenizer();
  for (std::size_t i = asked_from(*shown.run); i + 1 < shown.run->ids.size(); ++i) {
    const std::int32_t right = shown.run->ids[i + 1], answer = reading.answers[i];
    input.places.push_back({tokenizer.display_text(right), tokenizer.display_text(answer), right == answer, reading.right[i]});
  }
  return input;
}

namespace {

// Trains as the view's settings say, up to the step that it shows, or 400, for a file that is written without a window.
constexpr std::int64_t kExportedSteps = 400;
Result<LiveState> trained_for_export(const LiveSettings& settings, const std::string& sentence, std::int64_t steps,
                                     const CancelToken& cancel) {
  LiveTrainer trainer;
  trainer.look_at(sentence);
  trainer.start(settings);
  while (true) {
    if (cancel.cancelled()) return cancelled();
    const auto state = trainer.state();
    if (state->error) return *state->error;
    if (!state->runs.empty() && state->runs.back().step >= steps) {
      trainer.play(false);
      return *state;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

std::shared_ptr<const LiveState> shown_training(const Context& context, const State& state) {
  if (const auto* trainer = job_of<LiveTrainer>(context, "train")) return trainer->state();
  const std::int64_t steps = state.step > 0 ? state.step : kExportedSteps;
  return context.derived
      .later<LiveState>(DerivedKey("train/export", {steps}),
                        [settings = settings_of(state), steps,
                         sentence = context.document.texts.empty() ? std::string() : context.document.texts.front()](
                            const CancelToken& cancel) { return trained_for_export(settings, sentence, steps, cancel); })
      .value;
}

}  // namespace headlight::views::training
