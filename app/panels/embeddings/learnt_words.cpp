#include "app/panels/embeddings/learnt_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "app/figures/base/stack.h"
#include "app/figures/embeddings/embedding_figures.h"
#include "app/files/configuration.h"
#include "app/gl/figure_view.h"
#include "app/panels/embeddings/learnt_words_data.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/shared/growing_column.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "engine/core/one_nan.h"
#include "engine/insight/analogies.h"
#include "engine/text/grouped_number.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr float kLearntGap = 24, kLearntTwo = 860;
constexpr std::array<std::int64_t, 4> kLearntWidths = {8, 16, 32, 64}, kLearntEpochs = {5, 10, 20, 40};

// What lives from frame to frame: what was shown last stays until what belongs to the next checkpoint is computed.
struct LearntTransient {
  LearntHeld paths;
  std::shared_ptr<const Neighbours> nearest;
  std::shared_ptr<const AnsweredSum> answer;
  std::string nearest_of, answer_of;  // the training and the word or sum that they belong to
  std::uint64_t saved = 0;            // the last answer about saving that was said
  std::string problem;                // why the last one failed
};

// The page while it is drawn.
struct LearntPage {
  Context& context;
  const ui::Look& look;
  WordFilm& film;
  std::shared_ptr<const WordFilmState> state;
  LearntShown shown;
  LearntTransient& own;
};

void learnt_part(const LearntPage& page, const char* id) { name_part(page.context, std::string("embeddings:") + id); }

// A stepper over the values of a list.
void draw_learnt_stepper(const LearntPage& page, const char* id, const char* label, const std::array<std::int64_t, 4>& values,
                         std::int64_t& value, const char* why) {
  const auto at = std::min<std::int64_t>(std::lower_bound(values.begin(), values.end(), value) - values.begin(), 3);
  const std::string text = fill(label, {std::to_string(value)});
  next_on_line(page.look, page.look.figures.width(text, 14, Font::words) + 2 * 26 + 18, 12);
  if (const auto to = stepper(page.look, id, text, at, 4, why); to >= 0) value = values[static_cast<std::size_t>(to)];
  learnt_part(page, id);
}

void draw_learnt_field(const LearntPage& page, const char* id, std::string& text, const char* hint, float width,
                       const char* tip) {
  push_font(page.context, Font::words, 14);
  ImGui::SetNextItemWidth(page.look.px(width));
  ui::live_text_input((std::string("##") + id).c_str(), text, hint);
  ImGui::PopFont();
  ui::tooltip(page.look, tip);
  learnt_part(page, id);
}

void draw_learnt_settings(const LearntPage& page) {
  EmbeddingsView& view = page.context.view.embeddings;
  const char* const kinds[] = {"skip-gram", "CBOW"};
  const char* const kinds_why[] = {tr("A word guesses each of its neighbours"), tr("The neighbours' mean guesses the word")};
  if (const int clicked = ui::segmented(page.look, "kind", kinds, 2, view.kind == "cbow" ? 1 : 0, kinds_why); clicked >= 0)
    view.kind = clicked == 1 ? "cbow" : "skipgram";
  learnt_part(page, "kind");
  const char* const texts[] = {tr("the course's sentences"), tr("own text")};
  const char* const texts_why[] = {tr("Made-up sentences that come with the program: kinship, colours, places"),
                                   tr("A text file of your own")};
  next_on_line(page.look,
               page.look.figures.width(texts[0], 14, Font::words) + page.look.figures.width(texts[1], 14, Font::words) + 56, 12);
  if (const int clicked = ui::segmented(page.look, "text", texts, 2, view.text == "file" ? 1 : 0, texts_why); clicked >= 0)
    view.text = clicked == 1 ? "file" : "course";
  learnt_part(page, "text");
  if (view.text == "file") {
    next_on_line(page.look, 240, 12);
    push_font(page.context, Font::words, 14);
    ImGui::SetNextItemWidth(page.look.px(240));
    ui::text_input("##path", view.path, tr("path of a text file"));
    ImGui::PopFont();
    ui::tooltip(page.look, tr("Words that occur three times or more are learnt, the 5,000 most frequent of them"));
    learnt_part(page, "path");
  }
  draw_learnt_stepper(page, "width", tr("width {}"), kLearntWidths, view.width, tr("The numbers that stand for a word"));
  draw_learnt_stepper(page, "epochs", tr("epochs {}"), kLearntEpochs, view.epochs, tr("How often the text is read"));
}

std::string learnt_status(const LearntPage& page) {
  const WordFilmState& state = *page.state;
  if (state.preparing) return tr("preparing …");
  if (state.checkpoints.empty()) return {};
  return fill(tr("{}   {} words   {} places in the text"),
              {epochs_words(state, state.done), text::grouped_number(state.words), text::grouped_number(state.places)});
}

void draw_learnt_player(const LearntPage& page) {
  const ui::Look& look = page.look;
  EmbeddingsView& view = page.context.view.embeddings;
  const WordFilmState& state = *page.state;
  const WordFilmSettings wanted = word_film_settings(view);
  const bool same = state.training > 0 && wanted == state.settings;
  const auto start = [&] {
    view.step = -1;
    page.film.start(wanted, true);
  };
  const bool fresh = state.training == 0 || state.untrained();
  const bool going = same && !state.error && !state.finished;
  const char* const label = fresh ? tr("train") : !going ? tr("train anew") : state.playing ? tr("pause") : tr("go on");
  if (ui::button(look, ui::labelled(label, "play").c_str(), look.px(110), 30, true)) {
    if (going) {
      view.step = -1;
      page.film.play(!state.playing);
    } else {
      start();
    }
  }
  ui::tooltip(look, tr("Trains in the background; you can type and look around meanwhile"));
  learnt_part(page, "play");
  ImGui::SameLine(0, look.px(8));
  if (ui::button(look, ui::labelled(tr("restart"), "restart").c_str(), 0, 30, false, same && !fresh)) start();
  ui::tooltip(look, tr("Begins anew from random vectors; the same settings give the same training"));
  learnt_part(page, "restart");
  const std::string words = learnt_status(page);
  if (words.empty()) return;
  next_on_line(look, look.figures.width(words, 13, Font::words) + 8, 16);
  ImGui::AlignTextToFramePadding();
  ui::words(look, words, look.theme.secondary, 13);
}

void draw_learnt_saving(const LearntPage& page) {
  if (page.state->untrained() || page.state->checkpoints.size() < 2) return;
  EmbeddingsView& view = page.context.view.embeddings;
  const std::string made = (page.state->settings.bag ? "cbow-" : "skipgram-") + std::to_string(page.state->settings.dimensions) +
                           "-" + std::to_string(page.shown.index);
  next_on_line(page.look, 150 + 8 + page.look.figures.width(tr("save"), 15, Font::words) + 32, 16);
  draw_learnt_field(page, "name", view.name, made.c_str(), 150, tr("The name of the folder that the shown vectors are saved as"));
  ImGui::SameLine(0, page.look.px(8));
  if (ui::button(page.look, ui::labelled(tr("save"), "save").c_str(), 0, 30)) {
    page.own.problem.clear();
    page.film.save(page.shown.index, word_vectors_path(), view.name.empty() ? made : view.name);
  }
  ui::tooltip(page.look, fill(tr("Writes the words and vectors.npz into {}, as headlight train-embeddings does"),
                              {word_vectors_path().string()}));
  learnt_part(page, "save");
}

// Says where the vectors were saved, or why not.
void answer_learnt_saving(const LearntPage& page) {
  const WordFilmSaved saved = page.film.saved();
  if (saved.number == page.own.saved) return;
  page.own.saved = saved.number;
  page.own.problem = saved.error ? spoken_in_window(*saved.error) : std::string();
  if (saved.error) return;
  page.context.view.embeddings.name.clear();
  page.context.say(fill(tr("saved {}"), {saved.folder.string()}));
}

// The kept checkpoints as a line; at its right end the newest is followed.
void draw_learnt_slider(const LearntPage& page, float width) {
  const ui::Look& look = page.look;
  EmbeddingsView& view = page.context.view.embeddings;
  const auto& kept = page.state->checkpoints;
  const float height = look.px(26), radius = look.px(7);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("checkpoints", {look.px(width), height}, ImGuiButtonFlags_EnableNav);
  ui::tooltip(look, tr("Which step is shown; at the right end the newest is followed"));
  learnt_part(page, "slider");
  const float left = corner.x + radius, room = look.px(width) - 2 * radius;
  const float last = static_cast<float>(std::max<std::size_t>(1, kept.size() - 1));
  const auto choose = [&](std::size_t i) { view.step = i + 1 == kept.size() ? -1 : static_cast<std::int64_t>(i); };
  if (ImGui::IsItemActive() && ImGui::IsMouseDown(0))
    choose(static_cast<std::size_t>(std::lround(std::clamp((ImGui::GetIO().MousePos.x - left) / room, 0.0f, 1.0f) * last)));
  if (ImGui::IsItemFocused()) {
    if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow) && page.shown.index > 0) choose(page.shown.index - 1);
    if (ImGui::IsKeyPressed(ImGuiKey_RightArrow) && page.shown.index + 1 < kept.size()) choose(page.shown.index + 1);
  }
  const float middle = corner.y + height / 2, at = left + room * static_cast<float>(page.shown.index) / last;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float alpha = ImGui::GetStyle().Alpha;
  list.AddLine({left, middle}, {left + room, middle}, gl::packed(look.theme.line, alpha), look.px(4));
  list.AddLine({left, middle}, {at, middle}, gl::packed(look.theme.selected, alpha), look.px(4));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const float x = left + room * static_cast<float>(i) / last;
    list.AddLine({x, middle - look.px(5)}, {x, middle + look.px(5)},
                 gl::packed(i <= page.shown.index ? look.theme.selected : look.theme.secondary, alpha), look.px(1));
  }
  list.AddCircleFilled({at, middle}, radius, gl::packed(look.theme.selected, alpha));
}

void draw_learnt_plane(const LearntPage& page, float width, float height) {
  figures::WordPlaneInput input = learnt_plane_input(page.context, *page.state, page.shown, &page.own.paths);
  figures::Figure figure = figures::word_plane(input, width, height, page.context.theme, page.context.measure);
  figure.background.a = 0;
  const gl::Hit hit = page.context.figures.draw(figure, "plane");
  learnt_part(page, "plane");
  figure_menu(page.context, "plane menu", hit, [&] { return learnt_plane_figure(page.context, 720, 560); });
  if (!hit.hovered || hit.tag.kind != figures::Tag::row || hit.tag.a < 0) return;
  const std::string& word = input.words[static_cast<std::size_t>(hit.tag.a)];
  const auto& point = input.points[input.shown][static_cast<std::size_t>(hit.tag.a)];
  ui::tooltip(page.look, fill(tr("{}: at {}, {} in this plane; a click lists the words nearest to it"),
                              {word, short_number(point[0]), short_number(point[1])}));
  if (hit.clicked) page.context.view.embeddings.word = word;
}

void draw_learnt_loss(const LearntPage& page, float width, float height) {
  const figures::CurvesInput input = learnt_loss_input(*page.state, page.shown);
  figures::Figure figure = figures::curves(input, width, height, page.context.theme, page.context.measure);
  const figures::Figure asked = figure;
  figure.background.a = 0;
  const gl::Hit hit = page.context.figures.draw(figure, "losses");
  learnt_part(page, "losses");
  figure_menu(page.context, "losses menu", hit, [&] { return learnt_loss_figure(page.context, 720, 320); });
  if (!hit.hovered) return;
  const std::int64_t at = figures::curve_point_at(asked, input, hit.at);
  if (at < 0) return;
  char number[32];
  std::snprintf(number, sizeof number, "%.4f", one_nan(input.curves.front().y[static_cast<std::size_t>(at)]));
  ui::tooltip(page.look,
              fill(tr("{}: loss {} nat a guess, the mean since the checkpoint before"),
                   {epochs_words(*page.state, page.state->checkpoints[static_cast<std::size_t>(at + 1)]->done), number}),
              "−ln σ(u₀·h) − Σ ln σ(−uₖ·h)");
  if (hit.clicked) page.context.view.embeddings.step = at + 1;
}

void draw_learnt_list(const LearntPage& page, const char* id, const Neighbours& nearest, std::size_t rows, float width) {
  const EmbeddingSpace& space = *page.shown.shared.space;
  figures::NeighboursInput input;
  for (std::size_t i = 0; i < std::min(rows, nearest.size()); ++i)
    input.rows.push_back({word_of(space, nearest[i].token), nearest[i].cosine, -1});
  input.row_height = 26;
  figures::Figure figure = figures::neighbour_list(input, width, page.context.theme, page.context.measure);
  figure.background.a = 0;
  const gl::Hit hit = page.context.figures.draw(figure, id);
  learnt_part(page, id);
  figure_menu(page.context, (std::string(id) + " menu").c_str(), hit, [&] {
    return figures::stacked({figures::neighbour_list(input, 560, page.context.theme, page.context.measure)}, 0, 16);
  });
  if (!hit.hovered || hit.tag.kind != figures::Tag::row || hit.tag.a < 0) return;
  const std::string& word = input.rows[static_cast<std::size_t>(hit.tag.a)].token;
  ui::tooltip(page.look, fill(tr("A click asks for the words nearest to {}"), {word}));
  if (hit.clicked) page.context.view.embeddings.word = word;
}

void draw_learnt_nearest(const LearntPage& page, std::size_t rows, float width) {
  EmbeddingsView& view = page.context.view.embeddings;
  const EmbeddingSpace& space = *page.shown.shared.space;
  const std::int32_t token = learnt_word(view, space);
  const std::string first = token >= 0 && view.word.empty() ? word_of(space, token) : std::string();
  ui::words(page.look, tr("Nearest to"), page.look.theme.text, 17);
  ImGui::SameLine(0, page.look.px(8));
  draw_learnt_field(page, "word", view.word, first.c_str(),
                    width - page.look.figures.width(tr("Nearest to"), 17, Font::words) - 10,
                    tr("A word of the text; a click on a point chooses it, too"));
  if (token < 0) {
    ui::words(page.look, tr("The text does not have this word often enough."), page.look.theme.wrong, 14);
    return;
  }
  const std::string what = std::to_string(page.state->training) + "/" + std::to_string(token);
  if (const auto made = neighbours_of(page.context, page.shown.shared, token)) {
    page.own.nearest = made;
    page.own.nearest_of = what;
  }
  if (page.own.nearest && page.own.nearest_of == what) draw_learnt_list(page, "learnt-nearest", *page.own.nearest, rows, width);
}

void draw_learnt_sum(const LearntPage& page, std::size_t rows, float width) {
  EmbeddingsView& view = page.context.view.embeddings;
  ui::words(page.look, tr("Calculate with words"), page.look.theme.text, 17);
  // Vectors that are learnt to the end open on an analogy that holds in them.
  std::string sum = view.sum.empty() ? known_analogies().front().sum : view.sum;
  if (const AskedSum asked = page.state->finished ? asked_sum(page.context, page.shown.shared) : AskedSum(); !asked.text.empty())
    sum = asked.text;
  draw_learnt_field(page, "learnt-sum", view.sum, sum.c_str(), width,
                    tr("A word, or words with + and - between them, with spaces around the signs"));
  std::string error;
  const std::string what = std::to_string(page.state->training) + "/" + sum;
  if (const auto made = answer_of(page.context, page.shown.shared, sum, &error)) {
    page.own.answer = made;
    page.own.answer_of = what;
  }
  if (!error.empty()) return ui::words(page.look, error, page.look.theme.wrong, 14);
  if (page.own.answer && page.own.answer_of == what && !page.own.answer->nearest.empty())
    draw_learnt_list(page, "learnt-answer", page.own.answer->nearest, rows, width);
}

// Both lists side by side, and the losses below.
void draw_learnt_side(const LearntPage& page, float width, float height) {
  const bool losses = !page.context.view.presentation && page.state->checkpoints.size() > 1;
  const float each = std::floor((width - 16) / 2), lists = losses ? std::max(200.0f, 0.6f * height) : height;
  const auto rows = static_cast<std::size_t>(std::clamp((lists - 100) / 26, 3.0f, 10.0f));
  growing_column("nearest column", page.look, each, [&] { draw_learnt_nearest(page, rows, each); });
  ImGui::SameLine(0, page.look.px(16));
  growing_column("sum column", page.look, each, [&] { draw_learnt_sum(page, rows, each); });
  const float used = 100 + 26 * static_cast<float>(rows);
  if (losses) draw_learnt_loss(page, width, std::clamp(height - used - 10, 110.0f, 300.0f));
}

void draw_learnt_left(const LearntPage& page, float width, float height) {
  const bool presented = page.context.view.presentation, begun = page.state->checkpoints.size() > 1;
  const float below = (begun ? 34.0f : 64.0f) + (presented ? 0.0f : 44.0f);
  draw_learnt_plane(page, width, std::max(180.0f, height - below));
  if (begun)
    draw_learnt_slider(page, width);
  else
    ui::words(
        page.look,
        tr("Every word begins as random numbers. Press train: words with the same neighbours in the text come together, and "
           "equal differences become alike."),
        page.look.theme.secondary, 14);
  if (!presented)
    draw_learnt_field(page, "shown-words", page.context.view.embeddings.shown_words,
                      tr("words in the plane: king queen man woman"), width,
                      tr("Which words the plane shows, with spaces between them, at least three of the text; empty: chosen for "
                         "you"));
}

// Prepares what the settings ask for while nothing is trained: the random vectors that it would begin with.
void keep_words_prepared(const LearntPage& page) {
  const WordFilmState& state = *page.state;
  const WordFilmSettings wanted = word_film_settings(page.context.view.embeddings);
  const bool idle = state.untrained() || (state.error && state.checkpoints.empty());
  if (state.training == 0 || (idle && !state.playing && !(wanted == state.settings))) page.film.start(wanted, false);
}

// The window's training, or one of an export's own.
std::shared_ptr<const WordFilmState> film_of(const Context& context) {
  if (const auto* words = job_of<WordFilm>(context, "embeddings")) return words->state();
  const WordFilmSettings settings = word_film_settings(context.view.embeddings);
  const DerivedKey key("embeddings/film", {settings.bag, settings.dimensions, settings.epochs, settings.path});
  return context.derived
      .later<WordFilmState>(key, [settings](const CancelToken& cancel) { return train_word_film(settings, cancel); })
      .value;
}

}  // namespace

WordFilmSettings word_film_settings(const EmbeddingsView& view) {
  WordFilmSettings settings;
  settings.bag = view.kind == "cbow";
  settings.dimensions = view.width;
  settings.epochs = view.epochs;
  if (view.text == "file") settings.path = view.path;
  return settings;
}

void draw_learnt_words(Context& context, const ui::Look& look, float width, float height) {
  WordFilm* const film = job_of<WordFilm>(context, "embeddings");
  if (!film) return ui::words(look, tr("Nothing can be trained here."), look.theme.secondary, 15);
  Transient none;  // tests and exports have no transient state
  auto& own = (context.transient ? *context.transient : none).of<LearntTransient>();
  const auto state = film->state();
  const LearntPage page{context, look, *film, state, learnt_shown(context, *state), own};
  keep_words_prepared(page);
  answer_learnt_saving(page);
  const float top = ImGui::GetCursorPosY();
  if (!context.view.presentation) draw_learnt_settings(page);
  draw_learnt_player(page);
  if (!context.view.presentation) draw_learnt_saving(page);
  if (!own.problem.empty()) ui::words(look, own.problem, look.theme.wrong, 14);
  if (state->error) ui::words(look, spoken_in_window(*state->error), look.theme.wrong, 15);
  ImGui::Dummy({0, look.px(2)});
  if (!page.shown.shared.space) return;
  const float left_over = height - (ImGui::GetCursorPosY() - top) / context.scale;
  const bool two = width >= kLearntTwo;
  const float left = two ? std::floor(0.5f * (width - kLearntGap)) : width, side = two ? width - left - kLearntGap : width;
  growing_column("plane column", look, left,
                 [&] { draw_learnt_left(page, left, two || context.view.presentation ? left_over : 420); });
  if (!two && context.view.presentation) return;  // on a small projector the plane alone, without scrolling
  if (two) ImGui::SameLine(0, look.px(kLearntGap));
  growing_column("lists column", look, side, [&] { draw_learnt_side(page, side, two ? left_over : 420); });
}

figures::Figure learnt_plane_figure(const Context& context, float width, float height) {
  const auto state = film_of(context);
  if (!state) return {};
  const LearntShown shown = learnt_shown(context, *state);
  figures::WordPlaneInput input = learnt_plane_input(context, *state, shown, nullptr);
  if (input.words.empty()) return {};
  input.title = state->settings.bag ? tr("Words learnt by CBOW") : tr("Words learnt by skip-gram");
  return figures::word_plane(input, width, height, context.theme, context.measure);
}

figures::Figure learnt_loss_figure(const Context& context, float width, float height) {
  const auto state = film_of(context);
  if (!state || state->checkpoints.size() < 2) return {};
  figures::CurvesInput input = learnt_loss_input(*state, learnt_shown(context, *state));
  input.title = tr("Loss of the word vectors");
  return figures::curves(input, width, height, context.theme, context.measure);
}

}  // namespace headlight::panels
