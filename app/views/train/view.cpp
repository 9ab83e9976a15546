// The Train view: a small model learns while one looks on: its losses, its heads on one sequence, its answers.
#include "app/views/base/view.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/views/train/data.h"
#include "engine/core/one_nan.h"

namespace headlight::views {
namespace training {
namespace {

using figures::Tag;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

// What a picture is made of: the training as it is, and what of it is shown.
template <class Picture>
std::shared_ptr<const void> of(const Frame& frame) {
  const Shown& shown = frame.shown;
  return frame.scene.made_of<Picture>(frame.live, shown.run_index, shown.checkpoint, shown.layer, shown.head,
                                      frame.context().view.colormap);
}

std::string at_step(const Shown& shown) {
  return fill(tr("Every head at step {}"), {text::grouped_number(shown.checkpoint->step)});
}

// --- the pictures; those of a file, and of the menus, have titles

void follow_curves(const Frame& frame, const Drawn& drawn) {
  if (!drawn.hit.hovered) return;
  const figures::LossChartInput input = loss_input(frame.state, *frame.live);
  const std::int64_t point = figures::loss_point_at(drawn.figure, input, drawn.hit.at);
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
  say_at_mouse(frame.scene, words);
  if (drawn.hit.clicked) frame.state.step = step;
}

Part curves_of(const Shared& frame) {
  return {.id = "curves",
          .picture =
              [frame](Size s, const Pen& pen) {
                figures::LossChartInput curves = loss_input(frame->state, *frame->live);
                if (s.h <= 0) curves.title = tr("Loss");
                return figures::loss_chart(curves, s.w, s.h > 0 ? s.h : 380, pen.theme, pen.measure);
              },
          .of = of<struct CurvesOf>(*frame),
          .hit = [frame](const Drawn& drawn) { follow_curves(*frame, drawn); },
          .paper = {968, 0},
          .framed = true};
}

Part film_of(const Shared& frame) {
  const auto hit = [frame](const Drawn& drawn) {
    if (!drawn.hit.clicked || drawn.hit.tag.kind != Tag::thumbnail) return;
    std::vector<std::size_t> indices;
    (void)film_input(frame->context(), frame->shown, indices);
    const auto last = static_cast<std::int64_t>(indices.size()) - 1;
    const std::size_t at = indices[static_cast<std::size_t>(std::clamp<std::int64_t>(drawn.hit.tag.b, 0, last))];
    const auto& kept = frame->shown.run->checkpoints;
    frame->state.step = at + 1 == kept.size() ? -1 : kept[at]->step;
  };
  return {.id = "film",
          .picture =
              [frame](Size s, const Pen& pen) {
                std::vector<std::size_t> indices;
                figures::GridInput film = film_input(frame->context(), frame->shown, indices);
                film.bare = s.h > 0;
                if (!film.bare)
                  film.title = fill(tr("layer {}, head {}, step by step"),
                                    {std::to_string(frame->shown.layer), std::to_string(frame->shown.head)});
                return figures::head_grid(film, s.w, s.h > 0 ? s.h : 240, pen.theme, pen.measure);
              },
          .of = of<struct FilmOf>(*frame),
          .hit = hit,
          .paper = {968, 0},
          .framed = true};
}

Part heads_of(const Shared& frame) {
  const auto hit = [frame](const Drawn& drawn) {
    if (!drawn.hit.clicked || drawn.hit.tag.kind != Tag::thumbnail) return;
    frame->state.layer = drawn.hit.tag.a;
    frame->state.head = drawn.hit.tag.b;
  };
  return {.id = "heads",
          .picture =
              [frame](Size s, const Pen& pen) {
                figures::GridInput heads = heads_input(frame->context(), frame->shown);
                heads.bare = s.h > 0;
                if (!heads.bare)
                  heads.title = frame->live->untrained() ? tr("Every head before it learns") : at_step(frame->shown);
                return figures::head_grid(heads, s.w, s.h > 0 ? s.h : 360, pen.theme, pen.measure);
              },
          .of = of<struct HeadsOf>(*frame),
          .hit = hit,
          .paper = {968, 0},
          .framed = true};
}

// On the screen words beside it say what it is.
Part answers_of(const Shared& frame) {
  return {.id = "answers",
          .picture =
              [frame, filed = frame->scene.medium == sheet::Medium::file](Size s, const Pen& pen) {
                figures::AnswersInput answers = answers_input(frame->shown);
                if (filed) answers.title = tr("What it answers");
                return figures::answers(answers, s.w, pen.theme, pen.measure);
              },
          .of = of<struct AnswersOf>(*frame),
          .paper = {968, 0},
          .framed = true,
          .caption = tr("What it answers")};
}

// --- columns

Node curves_column(Sheet& sheet, const Shared& frame) {
  if (frame->live->untrained()) return examples_column(sheet, frame);
  const figures::Theme& theme = sheet.scene.pen.theme;
  const Shown& shown = frame->shown;
  const bool presented = sheet.scene.medium == sheet::Medium::presented;
  const Span high = presented ? Span{160, 560, 560} : Span{190, 420, 420};
  std::vector<Node> all = {sheet.picture(curves_of(frame), {300, 640, kAny}, high), checkpoint_slider(sheet, frame)};
  std::vector<Node> words = {sheet.label("film words",
                                         fill(tr("layer {}, head {}, step by step, with its induction score"),
                                              {std::to_string(shown.layer), std::to_string(shown.head)}),
                                         13, theme.secondary),
                             sheet.label("shown words",
                                         fill(tr("shown: step {}, checkpoint {} of {}"),
                                              {text::grouped_number(shown.checkpoint->step), std::to_string(shown.index + 1),
                                               std::to_string(shown.run->checkpoints.size())}),
                                         13, theme.secondary)};
  all.push_back(Sheet::flow("about the film", 24, std::move(words)));
  Node film = sheet.picture(film_of(frame), {300, 640, kAny}, {130, 300, 300});
  film.presented = false;
  all.push_back(std::move(film));
  return Sheet::column("left", 6, std::move(all));
}

Node heads_column(Sheet& sheet, const Shared& frame) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  const Shown& shown = frame->shown;
  const LiveState& live = *frame->live;
  std::vector<Node> all;
  if (live.runs.size() > 1)
    all.push_back(sheet.choice("run", {tr(live.runs[0].label.c_str()), tr(live.runs[1].label.c_str())},
                               static_cast<int>(shown.run_index), {tr("Of two runs, the one whose heads and answers are shown")},
                               [frame](int run) { frame->state.run = run; }));
  all.push_back(sheet.words("at step", at_step(shown), 17, theme.text));
  all.push_back(sheet.words("sequence",
                            shown.run->typed ? tr("on the sentence that is typed")
                                             : tr("on a held-out row, since the model does not know the typed sentence"),
                            13, theme.secondary));
  const auto layers = static_cast<float>(shown.run->config.model.layers);
  all.push_back(sheet.picture(heads_of(frame), {180, 320, kAny}, {100, 40 + 90 * layers, 40 + 90 * layers}));
  const auto layer = static_cast<std::size_t>(shown.layer), head = static_cast<std::size_t>(shown.head);
  const auto& reading = shown.checkpoint->reading;
  all.push_back(sheet.words(
      "scores",
      fill(tr("layer {}, head {}: induction {}, previous token {}"),
           {std::to_string(shown.layer), std::to_string(shown.head), figures::cell_number(reading.induction[layer][head]),
            figures::cell_number(reading.previous[layer][head])}),
      14, theme.text));
  const bool presented = sheet.scene.medium == sheet::Medium::presented;
  for (Node& node : all) {
    node.presented = true;
    // Presented, nothing scrolls: in a low room these go.
    if (presented && (node.id == "sequence" || node.id == "scores")) node.rank = 2;
  }
  const figures::AnswersInput answers = answers_input(shown);
  const auto right = std::count_if(answers.places.begin(), answers.places.end(), [](const auto& one) { return one.is_right; });
  all.push_back(sheet.words("answers name", tr("What it answers"), 17, theme.text));
  all.push_back(sheet.words(
      "right and wrong",
      fill(tr("{} right, {} wrong; above: what should come, below: its answer, bars: the probability of the right one"),
           {std::to_string(right), std::to_string(static_cast<std::int64_t>(answers.places.size()) - right)}),
      13, theme.secondary));
  all.push_back(sheet.picture(answers_of(frame), {180, 320, kAny}));
  all.back().presented = false;
  if (!live.untrained())
    for (Node& node : saving_nodes(sheet, frame)) all.push_back(std::move(node));
  return Sheet::column("right", 6, std::move(all));
}

// Each picture is a column of its own, so that a file may have it alone.
Node filed(Sheet& sheet, std::string id, Part part) {
  return Sheet::column(std::move(id), 0, {sheet.picture(std::move(part), {0, 900, kAny})});
}

void fill_file(Sheet& sheet, const Shared& frame) {
  sheet.title = fill(tr("Training: {}"), {task_label(frame->live->settings.task)});
  if (frame->live->untrained()) {
    const auto rows = [frame](Size s, const Pen& pen) {
      return figures::framed(figures::example_rows(example_rows_of(*frame->shown.run), s.w, pen.theme, pen.measure),
                             tr("What it learns from"), 0, pen.theme);
    };
    sheet.root = Sheet::column(
        "train", 20, {filed(sheet, "rows", {.id = "examples", .picture = rows}), filed(sheet, "every head", heads_of(frame))});
    return;
  }
  sheet.root = Sheet::column("train", 20,
                             {filed(sheet, "losses", curves_of(frame)), filed(sheet, "one head", film_of(frame)),
                              filed(sheet, "every head", heads_of(frame)), filed(sheet, "all answers", answers_of(frame))});
}

// Tells the trainer what the view asks for, and hears what it has done.
void keep_up(const Frame& frame) {
  answer_saving(frame);
  prepare(frame);
  const std::string sentence = frame.sentence();
  if (sentence == frame.held->sentence || frame.live->runs.empty()) return;
  frame.held->sentence = sentence;
  frame.trainer->look_at(sentence);
}

Frame frame_of(const Scene& scene) {
  State& state = scene.state<State>();
  Frame frame{
      scene, state, job_of<LiveTrainer>(scene.context, "train"), shown_training(scene.context, state), own_transient<Held>(scene),
      {}};
  if (frame.live) frame.shown = shown_of(state, *frame.live);
  return frame;
}

Sheet sheet_of(const Scene& scene) {
  Sheet sheet(scene);
  const bool in_file = scene.medium == sheet::Medium::file;
  if (!in_file && !job_of<LiveTrainer>(scene.context, "train")) {
    sheet.root = sheet.notice(tr("Nothing can be trained here."), scene.pen.theme.secondary);
    return sheet;
  }
  const auto frame = std::make_shared<const Frame>(frame_of(scene));
  if (in_file) {
    if (frame->live && frame->shown.checkpoint) fill_file(sheet, frame);
    return sheet;
  }
  keep_up(*frame);
  std::vector<Node> all = {settings_flow(sheet, frame), player_flow(sheet, frame)};
  if (frame->live->error) {
    all.push_back(sheet.words("why not", spoken_in_window(*frame->live->error), 15, scene.pen.theme.wrong));
    all.back().presented = true;
  }
  if (frame->shown.checkpoint) {
    Node left = curves_column(sheet, frame), right = heads_column(sheet, frame);
    const bool presented = scene.medium == sheet::Medium::presented;
    left.wide = {presented ? 300.0f : 516.0f, 660, kAny};
    right.wide = presented ? Span{180, 340, kAny} : Span(320);
    right.rank = 1;
    right.below = left.scrolls = right.scrolls = true;
    all.push_back(Sheet::row("training", 24, {std::move(left), std::move(right)}));
  }
  sheet.root = Sheet::column("train", {4, 12, 12}, std::move(all));
  return sheet;
}

template <void (*act)(const Frame&)>
void in_window(Context& context) {
  const Scene scene{.context = context, .view = context.view};
  const Frame frame = frame_of(scene);
  if (frame.trainer && frame.live) act(frame);
}
bool is_open(const ViewState& view) { return view.tab == "train"; }
std::vector<Control> strip_controls(Context& context) {
  const LiveTrainer* const live = job_of<LiveTrainer>(context, "train");
  if (!live) return {};
  const bool playing = live->state()->playing;
  return {{.id = "play",
           .label = playing ? tr("pause") : tr("train"),
           .why = tr("Trains in the background; you can type and look around meanwhile"),
           .press = [&context] { in_window<play>(context); },
           .on = playing,
           .widest = tr("pause")}};
}
void two_runs(ViewState& v) { v.own.of<State>().compare = "layers"; }
bool learnt_for_a_while(Job& job) {
  auto& live = dynamic_cast<LiveTrainer&>(job);
  const auto state = live.state();
  const bool enough = state->error || (!state->runs.empty() && state->runs[0].step >= 600);
  if (enough == state->playing) live.play(!enough);
  return enough && !state->playing;
}
void save_alone(const Frame& frame) { save(frame, false); }
void save_and_open(const Frame& frame) { save(frame, true); }

}  // namespace
}  // namespace training

const View& train_view() {
  using namespace training;
  static const View view = {
      .id = "train",
      .label = tr_later("Train"),
      .sees = tr_later("A small model learning here and now, and its heads while they form"),
      .formula = "loss = −ln softmax(logits)[next token]",
      .source = "Olsson et al. 2022",
      .group = "meaning",
      .icon = "2,3 2,17 18,17; 4,5 7,6 9,11 12,14 18,15",
      .pages = {{"", "", "", true, "train", "a small model's training: everything on one page"}},
      .sheet = sheet_of,
      .full_width = true,
      .job = [](const JobHost& host) -> std::unique_ptr<Job> { return std::make_unique<LiveTrainer>(host.busy, host.wake); },
      .samples = {{"text", [](ViewState& v) { v.own.of<State>().task = "text"; }}, {"layers", two_runs}},
      .commands = {{"play", tr_later("Train: play or pause"),
                    tr_later("A small model learns in the background while one looks on"), nullptr, is_open, in_window<play>},
                   {"save", tr_later("Train: save as model"),
                    tr_later("Stores the shown step as a model, which the model picker then has"), nullptr, is_open,
                    in_window<save_alone>},
                   {"open", tr_later("Train: open in Heads"),
                    tr_later("Stores the shown step and goes to Heads with the sequence"), nullptr, is_open,
                    in_window<save_and_open>}},
      .exports = {{"losses", "train-losses", "its losses by step"},
                  {"one head", "train-film", "one head, step by step"},
                  {"every head", "train-heads", "every head at the shown step"},
                  {"all answers", "train-answers", "what it answers at the shown step"}},
      .controls = strip_controls,
      .toured = {.staged = {{"two-runs", two_runs, learnt_for_a_while}}}};
  return view;
}

}  // namespace headlight::views
