// The Train view: a small model learns while one looks on: its losses, its heads on one sequence, its answers.
#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/stack.h"
#include "app/gl/figure_view.h"
#include "app/panels/panels.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/train/train_tab.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "engine/core/one_nan.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

constexpr float kGap = 24, kTwo = 860, kRight = 320;

gl::Hit draw_picture(const TrainTab& tab, const char* id, figures::Figure figure, TrainPicture which) {
  figure.background.a = 0;
  const gl::Hit hit = tab.context.figures.draw(figure, id);
  name_part(tab.context, std::string("train:") + id);
  figure_menu(tab.context, (std::string(id) + " menu").c_str(), hit,
              [&] { return figures::stacked({train_picture(tab.context, 968, which)}, 0, 16); });
  return hit;
}

void draw_curves(const TrainTab& tab, float width, float height) {
  const figures::LossChartInput input = train_loss_input(tab.context.view.train, *tab.state);
  figures::Figure figure = figures::loss_chart(input, width, height, tab.context.theme, tab.context.measure);
  const figures::Figure asked = figure;
  const gl::Hit hit = draw_picture(tab, "curves", std::move(figure), TrainPicture::losses);
  if (!hit.hovered) return;
  const std::int64_t point = figures::loss_point_at(asked, input, hit.at);
  if (point < 0) return;
  const auto at = static_cast<std::size_t>(point);
  const auto step = static_cast<std::int64_t>(input.steps[at]);
  std::string words = fill(tr("at step {}"), {text::grouped_number(step)});
  for (const auto& run : input.runs)
    for (const auto& [what, losses] :
         {std::pair(&input.held_out_words, &run.held_out), std::pair(&input.training_words, &run.training)}) {
      char number[32];
      std::snprintf(number, sizeof number, "%.3f", one_nan((*losses)[at]));
      words += "\n" + (run.label.empty() ? "" : run.label + ", ") + *what + "  " + number;
    }
  ui::tooltip(tab.look, words);
  if (hit.clicked) tab.context.view.train.step = step;
}

// Words at the left, and others at the right end of the line where both fit.
void next_to_words(const TrainTab& tab, const std::string& left, const std::string& right, float width) {
  const ui::Look& look = tab.look;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float wide = look.figures.width(right, 13, figures::Font::words);
  ui::words(look, left, look.theme.secondary, 13);
  if (look.figures.width(left, 13, figures::Font::words) + wide + 24 > width) return;
  look.figures.text(*ImGui::GetWindowDrawList(), {at.x + look.px(width - wide), at.y}, right, 13, figures::Font::words,
                    look.theme.secondary, look.px(wide + 2));
}

void draw_film(const TrainTab& tab, const TrainShown& shown, float width, float height) {
  std::vector<std::size_t> indices;
  figures::GridInput input = train_film_input(tab.context, shown, indices);
  input.bare = true;
  next_to_words(tab,
                fill(tr("layer {}, head {}, step by step, with its induction score"),
                     {std::to_string(shown.layer), std::to_string(shown.head)}),
                fill(tr("shown: step {}, checkpoint {} of {}"),
                     {text::grouped_number(shown.checkpoint->step), std::to_string(shown.index + 1),
                      std::to_string(shown.run->checkpoints.size())}),
                width);
  const gl::Hit hit = draw_picture(tab, "film", figures::head_grid(input, width, height, tab.context.theme, tab.context.measure),
                                   TrainPicture::film);
  if (hit.clicked && hit.tag.kind == figures::Tag::thumbnail) {
    const std::size_t at = indices[static_cast<std::size_t>(std::clamp<std::int64_t>(hit.tag.b, 0, input.heads - 1))];
    const auto& kept = shown.run->checkpoints;
    tab.context.view.train.step = at + 1 == kept.size() ? -1 : kept[at]->step;
  }
}

void draw_run_choice(const TrainTab& tab, const TrainShown& shown) {
  if (tab.state->runs.size() < 2) return;
  const char* const labels[] = {tr(tab.state->runs[0].label.c_str()), tr(tab.state->runs[1].label.c_str())};
  const int clicked = ui::segmented(tab.look, "run", labels, 2, static_cast<int>(shown.run_index),
                                    tr("Of two runs, the one whose heads and answers are shown"));
  if (clicked >= 0) tab.context.view.train.run = clicked;
  name_part(tab.context, "train:run");
}

// The grid of all heads, and the scores of the chosen one, in `room` pixels of height: the grid takes what the words leave.
void draw_heads(const TrainTab& tab, const TrainShown& shown, float width, float room) {
  const ui::Look& look = tab.look;
  const float top = ImGui::GetCursorPosY();
  draw_run_choice(tab, shown);
  ui::words(look, fill(tr("Every head at step {}"), {text::grouped_number(shown.checkpoint->step)}), look.theme.text, 17);
  const std::string sequence = shown.run->typed ? tr("on the sentence that is typed")
                                                : tr("on a held-out row, since the model does not know the typed sentence");
  ui::words(look, sequence, look.theme.secondary, 13);
  figures::GridInput heads = train_heads_input(tab.context, shown);
  heads.bare = true;
  const auto layer = static_cast<std::size_t>(shown.layer), head = static_cast<std::size_t>(shown.head);
  const std::string scores = fill(tr("layer {}, head {}: induction {}, previous token {}"),
                                  {std::to_string(shown.layer), std::to_string(shown.head),
                                   figures::cell_number(shown.checkpoint->reading.induction[layer][head]),
                                   figures::cell_number(shown.checkpoint->reading.previous[layer][head])});
  constexpr float kScores = 14, kLine = 23;
  const auto lines = static_cast<float>(figures::wrap(scores, width - 1, kScores, figures::Font::words, look.figures).size());
  const float height = room - (ImGui::GetCursorPosY() - top) / look.scale - lines * kLine - 8;
  const auto layers = static_cast<float>(heads.layers);
  const gl::Hit hit = draw_picture(
      tab, "heads",
      figures::head_grid(heads, width, std::clamp(height, 100.0f, 40 + 90 * layers), tab.context.theme, tab.context.measure),
      TrainPicture::heads);
  if (hit.clicked && hit.tag.kind == figures::Tag::thumbnail) {
    tab.context.view.train.layer = hit.tag.a;
    tab.context.view.train.head = hit.tag.b;
  }
  ui::words(look, scores, look.theme.text, kScores);
}

void draw_right(const TrainTab& tab, const TrainShown& shown, float width, float height) {
  const ui::Look& look = tab.look;
  draw_heads(tab, shown, width, height * 0.4f + 110);
  const figures::AnswersInput answers = train_answers_input(shown);
  const auto right = std::count_if(answers.places.begin(), answers.places.end(), [](const auto& one) { return one.is_right; });
  const auto wrong = static_cast<std::int64_t>(answers.places.size()) - right;
  ui::words(look, tr("What it answers"), look.theme.text, 17);
  ui::words(look,
            fill(tr("{} right, {} wrong; above: what should come, below: its answer, bars: the probability of the right one"),
                 {std::to_string(right), std::to_string(wrong)}),
            look.theme.secondary, 13);
  draw_picture(tab, "answers", figures::answers(answers, width, tab.context.theme, tab.context.measure), TrainPicture::answers);
  if (!tab.state->untrained()) draw_train_saving(tab, width);
}

template <class Draw>
void column(const char* id, const ui::Look& look, float width, Draw draw) {
  const ImGuiWindowFlags quiet =
      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground;
  if (ImGui::BeginChild(id, {look.px(width), 0}, ImGuiChildFlags_NavFlattened | ImGuiChildFlags_AutoResizeY, quiet)) draw();
  ImGui::EndChild();
}

// On a projector: the curves or the rows, and every head, without scrolling.
void draw_presented(const TrainTab& tab, const TrainShown& shown, float width, float height) {
  constexpr float kTwoPresented = 620;
  const bool two = width >= kTwoPresented;
  const float right = two ? std::floor((width - kGap) * 0.34f) : width, left = two ? width - right - kGap : width;
  column("left", tab.look, left, [&] {
    if (tab.state->untrained()) return draw_train_examples(tab, shown, left);
    draw_curves(tab, left, std::clamp(height - 46, 160.0f, 560.0f));
    draw_train_slider(tab, left);
  });
  if (two) ImGui::SameLine(0, tab.look.px(kGap));
  column("right", tab.look, right, [&] { draw_heads(tab, shown, right, height); });
}

void draw_trained(const TrainTab& tab, const TrainShown& shown, float width, float height) {
  if (tab.context.view.presentation) return draw_presented(tab, shown, width, height);
  const bool two = width >= kTwo;
  const float left = two ? width - kRight - kGap : width, right = two ? kRight : width;
  column("left", tab.look, left, [&] {
    if (tab.state->untrained()) return draw_train_examples(tab, shown, left);
    draw_curves(tab, left, std::clamp(height * 0.5f, 190.0f, 420.0f));
    draw_train_slider(tab, left);
    draw_film(tab, shown, left, std::clamp(height * 0.5f - 60, 130.0f, 300.0f));
  });
  if (two)
    ImGui::SameLine(0, tab.look.px(kGap));
  else
    ImGui::Dummy({0, tab.look.px(8)});
  column("right", tab.look, right, [&] { draw_right(tab, shown, right, two ? height : 600); });
}

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  LiveTrainer* const live = job_of<LiveTrainer>(context, "train");
  if (!live) {
    ui::words(look, tr("Nothing can be trained here."), look.theme.secondary, 15);
    return;
  }
  Transient none;  // tests and exports have no transient state
  auto& own = (context.transient ? *context.transient : none).of<TrainTransient>();
  const TrainTab tab{context, look, *live, live->state(), own};
  answer_train_saving(tab);
  keep_prepared(tab);
  const std::string sentence = context.document.texts.empty() ? "" : context.document.texts.front();
  if (sentence != own.sentence && !tab.state->runs.empty()) {
    own.sentence = sentence;
    live->look_at(sentence);
  }
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  const float top = ImGui::GetCursorPosY(), width = std::floor(ImGui::GetContentRegionAvail().x / context.scale - 14);
  const float room = ImGui::GetContentRegionAvail().y / context.scale;
  if (!context.view.presentation) draw_train_settings(tab);
  draw_train_player(tab);
  ImGui::Dummy({0, look.px(4)});
  if (tab.state->error) ui::words(look, spoken_in_window(*tab.state->error), look.theme.wrong, 15);
  if (const TrainShown shown = train_shown(context.view.train, *tab.state); shown.checkpoint)
    draw_trained(tab, shown, width, room - (ImGui::GetCursorPosY() - top) / context.scale);
  ImGui::PopStyleVar();
}

figures::Figure figure_of_train(const Context& context, float width, float) { return train_figure(context, width); }

template <TrainPicture which>
figures::Figure one_picture(const Context& context, float width, float) {
  const figures::Figure figure = train_picture(context, width - 32, which);
  return figure.items.empty() ? figure : figures::stacked({figure}, 0, 16);
}

}  // namespace

Entry train_panel() {
  Entry entry = {"train", "Train", "loss = −ln softmax(logits)[next token]", "Olsson et al. 2022", draw, figure_of_train};
  entry.full_width = true;
  entry.controls = [](Context& context) -> std::vector<Control> {
    LiveTrainer* const live = job_of<LiveTrainer>(context, "train");
    if (!live) return {};
    const bool playing = live->state()->playing;
    return {{.id = "play",
             .label = playing ? tr("pause") : tr("train"),
             .why = tr("Trains in the background; you can type and look around meanwhile"),
             .press = [&context] { play_training(context); },
             .on = playing,
             .widest = tr("pause")}};
  };
  entry.job = [](const JobHost& host) -> std::unique_ptr<Job> { return std::make_unique<LiveTrainer>(host.busy, host.wake); };
  entry.pictures = {{"train", "a small model's training: everything on one page", figure_of_train},
                    {"train-losses", "its losses by step", one_picture<TrainPicture::losses>},
                    {"train-film", "one head, step by step", one_picture<TrainPicture::film>},
                    {"train-heads", "every head at the shown step", one_picture<TrainPicture::heads>},
                    {"train-answers", "what it answers at the shown step", one_picture<TrainPicture::answers>}};
  return entry;
}

}  // namespace headlight::panels
