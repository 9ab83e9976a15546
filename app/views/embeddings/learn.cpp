// The Embeddings view's page of word vectors that are learnt from a text while the person watches.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "app/figures/base/stack.h"
#include "app/files/configuration.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/embeddings/learnt_data.h"
#include "app/views/embeddings/parts.h"
#include "engine/core/one_nan.h"
#include "engine/insight/analogies.h"
#include "engine/text/grouped_number.h"
#include "imgui.h"

namespace headlight::views::word_vectors {
namespace {

using figures::Font;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr float kLearnGap = 24, kLearnLeastTwo = 860;
constexpr std::array<std::int64_t, 4> kWidths = {8, 16, 32, 64}, kEpochs = {5, 10, 20, 40};

// What lives from frame to frame: what was shown last stays until what belongs to the next checkpoint is computed.
struct Learnt {
  LearntHeld paths;
  std::shared_ptr<const Neighbours> nearest;
  std::shared_ptr<const AnsweredSum> answer;
  std::string nearest_of, answer_of;  // the training and the word or sum that they belong to
  std::uint64_t saved = 0;            // the last answer about saving that was said
  std::string problem;                // why the last one failed
};

// The page during one frame.
struct LearnFrame {
  const Scene& scene;
  State& state;
  WordFilm& film;
  std::shared_ptr<const WordFilmState> now;
  LearntShown shown;
  std::shared_ptr<Learnt> own;

  const Context& context() const { return scene.context; }
};
using SharedLearn = std::shared_ptr<const LearnFrame>;

// --- settings and player

// A stepper over the values of a list.
Node list_stepper(Sheet& sheet, const char* id, const char* label, const std::array<std::int64_t, 4>& values, std::int64_t* value,
                  const char* why) {
  const auto at = std::min<std::int64_t>(std::lower_bound(values.begin(), values.end(), *value) - values.begin(), 3);
  return sheet.stepper(id, fill(label, {std::to_string(*value)}), at, 4, why,
                       [values, value](std::int64_t to) { *value = values.at(static_cast<std::size_t>(to)); });
}

Node settings(Sheet& sheet, State& state) {
  std::vector<Node> all = {
      sheet.choice("kind", {"skip-gram", "CBOW"}, state.kind == "cbow" ? 1 : 0,
                   {tr("A word guesses each of its neighbours"), tr("The neighbours' mean guesses the word")},
                   [&state](int chosen) { state.kind = chosen == 1 ? "cbow" : "skipgram"; }),
      sheet.choice("text", {tr("the course's sentences"), tr("own text")}, state.text == "file" ? 1 : 0,
                   {tr("Made-up sentences that come with the program: kinship, colours, places"), tr("A text file of your own")},
                   [&state](int chosen) { state.text = chosen == 1 ? "file" : "course"; })};
  if (state.text == "file")
    all.push_back(sheet.field("path", &state.path, tr("path of a text file"),
                              tr("Words that occur three times or more are learnt, the 5,000 most frequent of them"), 240));
  all.push_back(list_stepper(sheet, "width", tr("width {}"), kWidths, &state.width, tr("The numbers that stand for a word")));
  all.push_back(list_stepper(sheet, "epochs", tr("epochs {}"), kEpochs, &state.epochs, tr("How often the text is read")));
  return Sheet::flow("learnt settings", 12, std::move(all));
}

std::string status_of(const WordFilmState& now) {
  if (now.preparing) return tr("preparing …");
  if (now.checkpoints.empty()) return {};
  return fill(tr("{}   {} words   {} places in the text"),
              {epochs_words(now, now.done), text::grouped_number(now.words), text::grouped_number(now.places)});
}

void begin_anew(const LearnFrame& frame) {
  frame.state.step = -1;
  frame.film.start(word_film_settings(frame.state), true);
}

void add_saving(Sheet& sheet, const SharedLearn& frame, std::vector<Node>& all) {
  const WordFilmState& now = *frame->now;
  if (sheet.scene.medium == sheet::Medium::presented || now.untrained() || now.checkpoints.size() < 2) return;
  const std::string made = (now.settings.bag ? "cbow-" : "skipgram-") + std::to_string(now.settings.dimensions) + "-" +
                           std::to_string(frame->shown.index);
  all.push_back(live_field(sheet, "name", &frame->state.name, made,
                           tr("The name of the folder that the shown vectors are saved as"), 150, 14));
  all.push_back(sheet.button({.id = "save",
                              .label = tr("save"),
                              .why = fill(tr("Writes the words and vectors.npz into {}, as headlight train-embeddings does"),
                                          {word_vectors_path().string()}),
                              .press = [frame, made] {
                                frame->own->problem.clear();
                                frame->film.save(frame->shown.index, word_vectors_path(),
                                                 frame->state.name.empty() ? made : frame->state.name);
                              }}));
}

Node player(Sheet& sheet, const SharedLearn& frame) {
  const WordFilmState& now = *frame->now;
  const bool same = now.training > 0 && word_film_settings(frame->state) == now.settings;
  const bool fresh = now.training == 0 || now.untrained(), going = same && !now.error && !now.finished;
  std::vector<Node> all = {sheet.button({.id = "play",
                                         .label = fresh         ? tr("train")
                                                  : !going      ? tr("train anew")
                                                  : now.playing ? tr("pause")
                                                                : tr("go on"),
                                         .on = true,
                                         .why = tr("Trains in the background; you can type and look around meanwhile"),
                                         .press =
                                             [frame, going, playing = now.playing] {
                                               if (!going) return begin_anew(*frame);
                                               frame->state.step = -1;
                                               frame->film.play(!playing);
                                             },
                                         .wide = 110}),
                           sheet.button({.id = "restart",
                                         .label = tr("restart"),
                                         .why = tr("Begins anew from random vectors; the same settings give the same training"),
                                         .press = [frame] { begin_anew(*frame); },
                                         .enabled = same && !fresh})};
  if (const std::string words = status_of(now); !words.empty())
    all.push_back(sheet.label("status", words, 13, sheet.scene.pen.theme.secondary));
  add_saving(sheet, frame, all);
  return shown_everywhere(Sheet::flow("learnt player", 8, std::move(all)));
}

// Says where the vectors were saved, or why not.
void answer_saving(const LearnFrame& frame) {
  const WordFilmSaved saved = frame.film.saved();
  if (saved.number == frame.own->saved) return;
  frame.own->saved = saved.number;
  frame.own->problem = saved.error ? spoken_in_window(*saved.error) : std::string();
  if (saved.error) return;
  frame.state.name.clear();
  frame.context().say(fill(tr("saved {}"), {saved.folder.string()}));
}

// Prepares what the settings ask for while nothing is trained: the random vectors that it would begin with. The page opens on
// words that move to their places, so that the first thing seen is learnt.
void keep_prepared(const LearnFrame& frame) {
  const WordFilmState& now = *frame.now;
  const WordFilmSettings wanted = word_film_settings(frame.state);
  const bool idle = now.untrained() || (now.error && now.checkpoints.empty());
  if (now.training == 0)
    frame.film.start(wanted, wanted.path.empty());
  else if (idle && !now.playing && !(wanted == now.settings))
    frame.film.start(wanted, false);
}

// --- the plane

// The kept checkpoints as a line; at its right end the newest is followed.
void draw_slider(const LearnFrame& frame, const ui::Look& look, Size size) {
  const auto& kept = frame.now->checkpoints;
  const std::size_t shown = frame.shown.index;
  const float height = look.px(size.h), radius = look.px(7);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("checkpoints", {look.px(size.w), height}, ImGuiButtonFlags_EnableNav);
  const float left = corner.x + radius, room = look.px(size.w) - 2 * radius;
  const auto last = static_cast<float>(std::max<std::size_t>(1, kept.size() - 1));
  const auto choose = [&](std::size_t i) { frame.state.step = i + 1 == kept.size() ? -1 : static_cast<std::int64_t>(i); };
  if (ImGui::IsItemActive() && ImGui::IsMouseDown(0))
    choose(static_cast<std::size_t>(std::lround(std::clamp((ImGui::GetIO().MousePos.x - left) / room, 0.0f, 1.0f) * last)));
  if (ImGui::IsItemFocused()) {
    if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow) && shown > 0) choose(shown - 1);
    if (ImGui::IsKeyPressed(ImGuiKey_RightArrow) && shown + 1 < kept.size()) choose(shown + 1);
  }
  const float middle = corner.y + height / 2, at = left + room * static_cast<float>(shown) / last;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float alpha = ImGui::GetStyle().Alpha;
  list.AddLine({left, middle}, {left + room, middle}, gl::packed(look.theme.line, alpha), look.px(4));
  list.AddLine({left, middle}, {at, middle}, gl::packed(look.theme.selected, alpha), look.px(4));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const float x = left + room * static_cast<float>(i) / last;
    list.AddLine({x, middle - look.px(5)}, {x, middle + look.px(5)},
                 gl::packed(i <= shown ? look.theme.selected : look.theme.secondary, alpha), look.px(1));
  }
  list.AddCircleFilled({at, middle}, radius, gl::packed(look.theme.selected, alpha));
}

Node plane(Sheet& sheet, const SharedLearn& frame) {
  const auto input = std::make_shared<const figures::WordPlaneInput>(
      learnt_plane_input(frame->context(), *frame->now, frame->shown, &frame->own->paths));
  const auto hit = [frame, input](const Drawn& drawn) {
    const gl::Hit& at = drawn.hit;
    if (!at.hovered || at.tag.kind != figures::Tag::row || at.tag.a < 0) return;
    const auto which = static_cast<std::size_t>(at.tag.a);
    const auto& point = input->points[input->shown][which];
    say_at_mouse(frame->scene, fill(tr("{}: at {}, {} in this plane; a click lists the words nearest to it"),
                                    {input->words[which], short_number(point[0]), short_number(point[1])}));
    if (at.clicked) frame->state.word = input->words[which];
  };
  return sheet.picture(
      {.id = "plane",
       .picture = [input](Size s, const Pen& pen) { return figures::word_plane(*input, s.w, s.h, pen.theme, pen.measure); },
       .hit = hit,
       .paper = {720, 560},
       .on_paper = [frame](Size s, const Pen&) { return figure_of_plane(frame->context(), s.w, s.h > 0 ? s.h : 0.75f * s.w); }},
      {240, 600, kAny}, Span{180, 460, kAny});
}

Node plane_column(Sheet& sheet, const SharedLearn& frame) {
  std::vector<Node> all = {plane(sheet, frame)};
  if (frame->now->checkpoints.size() > 1)
    all.push_back(
        shown_everywhere(sheet.by_hand({.id = "slider",
                                        .draw = [frame](const ui::Look& look, Size size) { draw_slider(*frame, look, size); },
                                        .explains = tr("Which step is shown; at the right end the newest is followed")},
                                       {120, 400, kAny}, 26)));
  else
    all.push_back(plain_words(
        sheet, "random words",
        tr("Every word begins as random numbers. Press train: words with the same neighbours in the text come together, and "
           "equal differences become alike."),
        14, sheet.scene.pen.theme.secondary));
  Node words = live_field(sheet, "shown-words", &frame->state.shown_words, tr("words in the plane: king queen man woman"),
                          tr("Which words the plane shows, with spaces between them, at least three of the text; empty: chosen "
                             "for you"),
                          {120, 400, kAny}, 14);
  words.presented = false;
  all.push_back(std::move(words));
  return Sheet::column("plane column", 6, std::move(all));
}

// --- the lists and the losses

Node list(Sheet& sheet, const SharedLearn& frame, const char* id, const Neighbours& nearest, std::size_t rows) {
  auto input = std::make_shared<figures::NeighboursInput>();
  for (std::size_t i = 0; i < std::min(rows, nearest.size()); ++i)
    input->rows.push_back({word_of(*frame->shown.shared.space, nearest[i].token), nearest[i].cosine, -1});
  input->row_height = 26;
  const auto hit = [frame, input](const Drawn& drawn) {
    if (!drawn.hit.hovered || drawn.hit.tag.kind != figures::Tag::row || drawn.hit.tag.a < 0) return;
    const std::string& word = input->rows[static_cast<std::size_t>(drawn.hit.tag.a)].token;
    say_at_mouse(frame->scene, fill(tr("A click asks for the words nearest to {}"), {word}));
    if (drawn.hit.clicked) frame->state.word = word;
  };
  return sheet.picture(
      {.id = id,
       .picture = [input](Size s, const Pen& pen) { return figures::neighbour_list(*input, s.w, pen.theme, pen.measure); },
       .hit = hit,
       .paper = {560, 0},
       .on_paper =
           [input](Size s, const Pen& pen) {
             return figures::stacked({figures::neighbour_list(*input, s.w, pen.theme, pen.measure)}, 0, 16);
           }},
      {120, 240, kAny});
}

Node nearest_column(Sheet& sheet, const SharedLearn& frame, std::size_t rows) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  State& state = frame->state;
  Learnt& own = *frame->own;
  const EmbeddingSpace& space = *frame->shown.shared.space;
  const std::int32_t token = learnt_word(state, space);
  const std::string first = token >= 0 && state.word.empty() ? word_of(space, token) : std::string();
  std::vector<Node> asked = {sheet.label("nearest name", tr("Nearest to"), 17, theme.text),
                             live_field(sheet, "word", &state.word, first,
                                        tr("A word of the text; a click on a point chooses it, too"), {60, 120, kAny}, 14)};
  asked.front().forms.front().wide.least = asked.front().forms.front().wide.wished;
  std::vector<Node> all = {shown_everywhere(Sheet::row("nearest to", 8, std::move(asked)))};
  if (token < 0) {
    all.push_back(plain_words(sheet, "rare", tr("The text does not have this word often enough."), 14, theme.wrong));
  } else {
    const std::string what = std::to_string(frame->now->training) + "/" + std::to_string(token);
    if (const auto made = neighbours_of(frame->context(), frame->shown.shared, token)) {
      own.nearest = made;
      own.nearest_of = what;
    }
    if (own.nearest && own.nearest_of == what) all.push_back(list(sheet, frame, "learnt-nearest", *own.nearest, rows));
  }
  return Sheet::column("nearest column", 6, std::move(all));
}

Node sum_column(Sheet& sheet, const SharedLearn& frame, std::size_t rows) {
  State& state = frame->state;
  Learnt& own = *frame->own;
  const SharedSpace& shared = frame->shown.shared;
  // Vectors that are learnt to the end open on an analogy that holds in them.
  std::string sum = state.sum.empty() ? known_analogies().front().sum : state.sum;
  if (const AskedSum asked = frame->now->finished ? asked_sum(frame->context(), shared) : AskedSum(); !asked.text.empty())
    sum = asked.text;
  std::vector<Node> all = {
      plain_words(sheet, "learnt sum name", tr("Calculate with words"), 17, sheet.scene.pen.theme.text),
      live_field(sheet, "learnt-sum", &state.sum, sum,
                 tr("A word, or words with + and - between them, with spaces around the signs"), {60, 200, kAny}, 14)};
  std::string error;
  const std::string what = std::to_string(frame->now->training) + "/" + sum;
  if (const auto made = answer_of(frame->context(), shared, sum, &error)) {
    own.answer = made;
    own.answer_of = what;
  }
  if (!error.empty())
    all.push_back(plain_words(sheet, "no sum", error, 14, sheet.scene.pen.theme.wrong));
  else if (own.answer && own.answer_of == what && !own.answer->nearest.empty())
    all.push_back(list(sheet, frame, "learnt-answer", own.answer->nearest, rows));
  return Sheet::column("sum column", 6, std::move(all));
}

void follow_loss(const LearnFrame& frame, const figures::CurvesInput& input, const Drawn& drawn) {
  if (!drawn.hit.hovered) return;
  const std::int64_t at = figures::curve_point_at(drawn.figure, input, drawn.hit.at);
  if (at < 0) return;
  char number[32];
  std::snprintf(number, sizeof number, "%.4f", one_nan(input.curves.front().y[static_cast<std::size_t>(at)]));
  say_at_mouse(frame.scene,
               fill(tr("{}: loss {} nat a guess, the mean since the checkpoint before"),
                    {epochs_words(*frame.now, frame.now->checkpoints[static_cast<std::size_t>(at + 1)]->done), number}),
               "−ln σ(u₀·h) − Σ ln σ(−uₖ·h)");
  if (drawn.hit.clicked) frame.state.step = at + 1;
}

Node losses(Sheet& sheet, const SharedLearn& frame) {
  const auto input = std::make_shared<const figures::CurvesInput>(learnt_loss_input(*frame->now, frame->shown));
  Node node = sheet.picture(
      {.id = "losses",
       .picture = [input](Size s, const Pen& pen) { return figures::curves(*input, s.w, s.h, pen.theme, pen.measure); },
       .hit = [frame, input](const Drawn& drawn) { follow_loss(*frame, *input, drawn); },
       .paper = {720, 320},
       .on_paper = [frame](Size s, const Pen&) { return figure_of_losses(frame->context(), s.w, s.h > 0 ? s.h : 320); }},
      {200, 400, kAny}, Span{110, 240, 300});
  node.presented = false;
  return node;
}

// Both lists side by side, and the losses below.
Node lists_column(Sheet& sheet, const SharedLearn& frame, float width, float height) {
  const bool with_losses = sheet.scene.medium != sheet::Medium::presented && frame->now->checkpoints.size() > 1;
  const float room = with_losses ? std::max(200.0f, 0.6f * height) : height;
  const auto rows = static_cast<std::size_t>(std::clamp((room - 100) / 26, 3.0f, 10.0f));
  std::vector<Node> both = {nearest_column(sheet, frame, rows), sum_column(sheet, frame, rows)};
  for (Node& column : both) column.wide = std::floor((width - 16) / 2);
  std::vector<Node> all = {Sheet::row("lists", 16, std::move(both))};
  if (with_losses) all.push_back(losses(sheet, frame));
  return Sheet::column("lists column", 10, std::move(all));
}

// The window's training, or one of an export's own.
std::shared_ptr<const WordFilmState> film_of(const Context& context) {
  if (const auto* words = job_of<WordFilm>(context, "embeddings")) return words->state();
  const WordFilmSettings settings = word_film_settings(context.view.own.of<State>());
  const DerivedKey key("embeddings/film", {settings.bag, settings.dimensions, settings.epochs, settings.path});
  return context.derived
      .later<WordFilmState>(key, [settings](const CancelToken& cancel) { return train_word_film(settings, cancel); })
      .value;
}

}  // namespace

sheet::Node learn_page(Sheet& sheet) {
  const Scene& scene = sheet.scene;
  const figures::Theme& theme = scene.pen.theme;
  WordFilm* const film = job_of<WordFilm>(scene.context, "embeddings");
  if (!film) return sheet.notice(tr("Nothing can be trained here."), theme.secondary);
  const auto now = film->state();
  const auto frame = std::make_shared<const LearnFrame>(
      LearnFrame{scene, scene.state<State>(), *film, now, learnt_shown(scene.context, *now), own_transient<Learnt>(scene)});
  keep_prepared(*frame);
  answer_saving(*frame);
  const bool presented = scene.medium == sheet::Medium::presented;
  std::vector<Node> all;
  if (!presented) all.push_back(settings(sheet, frame->state));
  all.push_back(player(sheet, frame));
  if (!frame->own->problem.empty()) all.push_back(plain_words(sheet, "problem", frame->own->problem, 14, theme.wrong));
  if (now->error) all.push_back(plain_words(sheet, "why not", spoken_in_window(*now->error), 15, theme.wrong));
  if (frame->shown.shared.space) {
    const float width = scene.room.w - 14, height = room_below(scene, presented ? 76 : 116);
    const bool two = width >= kLearnLeastTwo;
    const float left = two ? std::floor(0.5f * (width - kLearnGap)) : width, side = two ? width - left - kLearnGap : width;
    Node words = plane_column(sheet, frame);
    words.wide = left;
    if (two || presented) {
      std::vector<Node> both = {std::move(words)};
      if (two) {  // on a small projector the plane alone, without scrolling
        both.push_back(lists_column(sheet, frame, side, height));
        both.back().wide = side;
      }
      for (Node& column : both) column.scrolls = true;
      all.push_back(Sheet::row("learnt", kLearnGap, std::move(both)));
    } else {
      Node below = Sheet::column("learnt", 16, {std::move(words), lists_column(sheet, frame, side, 420)});
      below.scrolls = true;
      all.push_back(std::move(below));
    }
  }
  return Sheet::column("learn page", 6, std::move(all));
}

figures::Figure figure_of_plane(const Context& context, float width, float height) {
  const auto state = film_of(context);
  if (!state) return {};
  figures::WordPlaneInput input = learnt_plane_input(context, *state, learnt_shown(context, *state), nullptr);
  if (input.words.empty()) return {};
  input.title = state->settings.bag ? tr("Words learnt by CBOW") : tr("Words learnt by skip-gram");
  return figures::word_plane(input, width, height, context.theme, context.measure);
}

figures::Figure figure_of_losses(const Context& context, float width, float height) {
  const auto state = film_of(context);
  if (!state || state->checkpoints.size() < 2) return {};
  figures::CurvesInput input = learnt_loss_input(*state, learnt_shown(context, *state));
  input.title = tr("Loss of the word vectors");
  return figures::curves(input, width, height, context.theme, context.measure);
}

}  // namespace headlight::views::word_vectors
