// The word, the layers passed, and the sentences, each a row that can be typed into.
#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/views/base/attention_bar.h"
#include "app/views/context/data.h"
#include "engine/document/stored_model.h"
#include "imgui.h"

namespace headlight::views::contexts {
namespace {

using figures::Font;
using Node = Sheet::Node;
using sheet::Span;

constexpr float kRow = 30, kMark = 34, kCross = 30, kControl = 34;
constexpr const char* kOffered = "course";  // the model that has learnt the word's senses

// Dots for the layers passed, from 0, on a line; the current one is large.
figures::Figure layer_track(std::int64_t layers, std::int64_t now, float width, const Pen& with) {
  figures::Figure figure;
  const figures::Composer pen{figure, with.theme, with.measure};
  figure.width = width;
  figure.height = 36;
  const float from = 14, pitch = layers > 1 ? (width - 28) / static_cast<float>(layers - 1) : 0;
  const auto at = [&](std::int64_t n) { return from + pitch * static_cast<float>(n); };
  pen.line({from, 13}, {at(layers - 1), 13}, with.theme.line, 3);
  pen.line({from, 13}, {at(now), 13}, with.theme.selected, 3);
  const std::vector<std::int64_t> named = figures::ticks(0, layers, pitch, 20, now);
  for (std::int64_t n = 0; n < layers; ++n) {
    const bool current = n == now, passed = n <= now;
    const figures::Tag tag{figures::Tag::column, n, 0};
    pen.box({at(n) - std::max(6.0f, pitch / 2), 0, std::max(12.0f, pitch), 36}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, tag);
    figure.add(figures::Disc{{at(n), 13}, current ? 7.0f : 4.0f, passed ? with.theme.selected : with.theme.faint, tag});
    if (std::find(named.begin(), named.end(), n) != named.end())
      pen.text(at(n), 29, std::to_string(n), 12, Font::mono, current ? with.theme.selected : with.theme.secondary,
               figures::Align::middle, 0, tag);
  }
  return figure;
}

void follow_track(const Frame& frame, const gl::Hit& hit) {
  if (hit.hovered && hit.tag.kind == figures::Tag::column) {
    if (hit.clicked || ImGui::IsMouseDown(ImGuiMouseButton_Left)) choose_layer(frame, hit.tag.a);
    say_at_mouse(frame.scene, hit.tag.a == 0 ? std::string(tr("0: the embedding, before any layer"))
                                             : fill(tr("after {} layers; the arrow keys step"), {std::to_string(hit.tag.a)}));
  }
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_RightArrow)) choose_layer(frame, frame.choice.layer + 1);
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) choose_layer(frame, frame.choice.layer - 1);
}

Node track_row(Sheet& sheet, const Shared& frame) {
  const std::int64_t layers = frame->last_layer() + 1, now = frame->choice.layer;
  const float room = frame->presented() ? 600 : sheet.scene.room.w * 0.55f;
  const float wide = std::clamp((room < 680 ? 20.0f : 26.0f) * static_cast<float>(layers), 90.0f, 240.0f);
  Part track{.id = "layers",
             .picture = [layers, now](Size s, const Pen& pen) { return layer_track(layers, now, s.w, pen); },
             .of = sheet.scene.made_of<struct TrackOf>(layers, now),
             .hit = [frame](const Drawn& drawn) { follow_track(*frame, drawn.hit); },
             .focusable = true};
  std::vector<Node> both = {quiet_line(sheet, "layers name", tr("layers passed"), 36),
                            sheet.picture(std::move(track), wide, Span(36))};
  return shown_everywhere(Sheet::row("layers row", 8, std::move(both)));
}

Node play_button(Sheet& sheet, const Shared& frame) {
  const bool playing = frame->held->playing_since >= 0;
  Node button = sheet.button({.id = "play",
                              .label = playing ? tr("stop") : tr("play"),
                              .why = tr("Passes the layers one after the other"),
                              .press =
                                  [frame, playing] {
                                    Held& held = *frame->held;
                                    const std::int64_t now = frame->choice.layer;
                                    held.playing_from = now < frame->last_layer() ? now : 0;
                                    held.playing_since = playing ? -1 : frame->context().now;
                                    if (!playing) frame->state.layer = held.playing_from;
                                  },
                              .enabled = frame->last_layer() > 0,
                              .high = kControl});
  button.presented = true;
  return button;
}

// Makes the sentences the view's own and returns them.
std::vector<std::string>& own_sentences(const Frame& frame) {
  State& state = frame.state;
  if (state.sentences.size() < 2) state.sentences = frame.typed.words.sentences;
  if (state.word.empty()) state.word = frame.typed.words.word;
  return state.sentences;
}

// The typed sentence if it has the word and is not there yet.
void add_sentence(const Frame& frame) {
  std::vector<std::string>& sentences = own_sentences(frame);
  const std::vector<std::string>& texts = frame.context().document.texts;
  const std::string typed = texts.empty() ? std::string() : texts.front(), &word = frame.typed.words.word;
  const bool fits = has_word(typed, word) && std::find(sentences.begin(), sentences.end(), typed) == sentences.end();
  sentences.push_back(fits ? typed : fill(tr("the {}"), {word}));
}

Node word_row(Sheet& sheet, const Shared& frame) {
  const float field = sheet.scene.room.w * 0.55f < 680 ? 104 : 150;
  std::vector<Node> both = {quiet_line(sheet, "word name", tr("word"), kControl),
                            live_field(sheet,
                                       {.id = "word",
                                        .text = frame->typed.words.word,
                                        .hint = frame->typed.words.word,
                                        .why = tr("A word that stands in every sentence, as it is written there"),
                                        .type = 16,
                                        .set = [frame](std::string word) { frame->state.word = std::move(word); }},
                                       field, kControl)};
  return Sheet::row("word row", 8, std::move(both));
}

// The material's two words whose neighbours tell what is meant.
Node examples_choice(Sheet& sheet, const Shared& frame) {
  struct Example {
    const char* word;
    std::vector<std::string> sentences;
    const char* probes;
  };
  static const Example kExamples[] = {
      {"mole", {"American shrew mole", "One mole of carbon dioxide", "Take a biopsy of the mole"}, "lives, weighs, on"},
      {"Tower", {"Eiffel Tower", "Miniature Eiffel Tower"}, "huge, tiny"}};
  const std::string& word = frame->typed.words.word;
  return sheet.choice("examples", {kExamples[0].word, kExamples[1].word},
                      word == kExamples[0].word   ? 0
                      : word == kExamples[1].word ? 1
                                                  : -1,
                      {tr("One word in three senses: an animal, an amount, a spot on the skin"),
                       tr("The tower, and a small copy of it: one more word before it, and the vector ends elsewhere")},
                      [frame](int chosen) {
                        const Example& example = kExamples[chosen];
                        frame->state.word = example.word;
                        frame->state.sentences = example.sentences;
                        frame->state.probes = example.probes;
                        frame->state.sentence = 0;
                      });
}

void add_buttons(Sheet& sheet, const Shared& frame, std::vector<Node>& all) {
  const bool room = frame->typed.words.sentences.size() < figures::kMostSentences;
  all.push_back(sheet.button({.id = "add",
                              .label = tr("+ sentence"),
                              .why = room ? tr("One sentence more; it must have the word") : tr("Six sentences are the most"),
                              .press = [frame] { add_sentence(*frame); },
                              .enabled = room,
                              .high = kControl}));
  const State& state = frame->state;
  if (state.sentences.empty() && state.word.empty() && state.probes.empty()) return;
  all.push_back(sheet.button({.id = "reset",
                              .label = tr("reset"),
                              .why = tr("Brings back the word, sentences and probe words that the view begins with"),
                              .press =
                                  [frame] {
                                    frame->state.sentences.clear();
                                    frame->state.word.clear();
                                    frame->state.probes.clear();
                                  },
                              .high = kControl}));
}

void draw_mark(const Frame& frame, const ui::Look& look, std::size_t row, bool selected) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const figures::Color hue = figures::sentence_color(row, look.theme);
  list.AddRectFilled({at.x + look.px(4), at.y + look.px(4)}, {at.x + look.px(8), at.y + look.px(kRow - 4)}, gl::packed(hue),
                     look.px(2));
  look.figures.text(list, {at.x + look.px(18), at.y + look.px((kRow - look.figures.line_height(15, Font::mono)) / 2)},
                    std::to_string(row + 1), 15, Font::mono, selected ? look.theme.selected : look.theme.text);
  if (ImGui::InvisibleButton("mark", {look.px(kMark), look.px(kRow)})) frame.state.sentence = static_cast<std::int64_t>(row);
  ui::tooltip(look, tr("Chooses the sentence whose attention is shown at the right"));
  name_part(frame.context(), "context:mark:" + std::to_string(row));
}

// In place of the chips of a sentence that has none.
void draw_why_not(const Frame& frame, const ui::Look& look, std::size_t row, float width) {
  const ContextState::Sentence& one = frame.typed.sentences[row];
  const ImVec2 at = ImGui::GetCursorScreenPos();
  std::vector<std::string> lines =
      figures::wrap(one.error.empty() ? tr("computing …") : one.brief, width, 13, Font::words, frame.context().measure);
  if (lines.size() > 2) lines.resize(2);
  float y = at.y + look.px((kRow - 15 * static_cast<float>(lines.size())) / 2);
  for (const std::string& line : lines) {
    look.figures.text(*ImGui::GetWindowDrawList(), {at.x, y}, line, 13, Font::words,
                      one.error.empty() ? look.theme.secondary : look.theme.wrong, look.px(width));
    y += look.px(15);
  }
  ImGui::Dummy({look.px(width), look.px(kRow)});
  if (!one.error.empty() && ImGui::IsItemHovered()) ui::tooltip(look, one.error);
  name_part(frame.context(), "context:error:" + std::to_string(row));
}

void draw_chips(const Frame& frame, const ui::Look& look, std::size_t row, bool selected, float width) {
  const WordInText& found = *frame.typed.sentences[row].found;
  figures::SentenceChipsInput input = figures::chips_of(found, row);
  if (selected) input.hot = frame.held->hot_source;
  figures::Figure figure = figures::sentence_chips(input, width, look.theme, frame.context().measure);
  figure.background.a = 0;
  const gl::Hit hit = frame.context().figures.draw(figure, "chips");
  name_part(frame.context(), "context:chips:" + std::to_string(row));
  if (!hit.hovered || hit.tag.kind != figures::Tag::token) return;
  if (hit.clicked) frame.state.sentence = static_cast<std::int64_t>(row);
  if (selected) frame.held->hot_source_next = hit.tag.a;
  const auto at = static_cast<std::size_t>(hit.tag.a);
  const std::string words =
      fill(tr("{}, token {}"), {found.sentence().labels[at], std::to_string(found.sentence().tokens[at].id)});
  ui::tooltip(look, found.hidden[at] ? words + ": " + tr("the word cannot see it") : words);
}

void draw_cross(const Frame& frame, const ui::Look& look, std::size_t row) {
  const bool may = frame.typed.words.sentences.size() > 2;
  if (ui::button(look, "×", look.px(kCross), kRow, false, may)) {
    std::vector<std::string>& sentences = own_sentences(frame);
    sentences.erase(sentences.begin() + static_cast<std::ptrdiff_t>(row));
    if (frame.state.sentence > static_cast<std::int64_t>(row)) --frame.state.sentence;
  }
  ui::tooltip(look, may ? tr("Takes the sentence away") : tr("Two sentences are the least"));
  name_part(frame.context(), "context:remove:" + std::to_string(row));
}

void draw_sentence_field(const Frame& frame, const ui::Look& look, std::size_t row, float width) {
  push_font(frame.context(), Font::words, 15);
  ImGui::SetNextItemWidth(look.px(width));
  std::string text = frame.typed.words.sentences[row];
  if (ui::live_text_input("##sentence", text, tr("a sentence with the word"))) own_sentences(frame)[row] = std::move(text);
  ImGui::PopFont();
  ui::tooltip(look, tr("The sentence; what is typed is compared at once"));
  name_part(frame.context(), "context:sentence:" + std::to_string(row));
}

// On a projector the sentences are read, not typed.
void draw_sentence(const Frame& frame, const ui::Look& look, std::size_t row, Size size) {
  const std::vector<std::size_t>& shown = frame.shown.shown;
  const bool selected = !shown.empty() && shown[static_cast<std::size_t>(frame.choice.sentence)] == row;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (selected)
    ImGui::GetWindowDrawList()->AddRect(at, {at.x + look.px(size.w), at.y + look.px(size.h)}, gl::packed(look.theme.selected),
                                        look.px(8));
  ImGui::SetCursorScreenPos({at.x, at.y + look.px(2)});
  draw_mark(frame, look, row, selected);
  float left = size.w - kMark - 6;
  const bool fields = !frame.presented();
  if (fields) {
    const float field = std::floor(std::clamp(size.w * 0.36f, 150.0f, 300.0f));
    ImGui::SameLine(0, 0);
    draw_sentence_field(frame, look, row, field);
    left -= field + 8 + kCross + 8;
  }
  ImGui::SameLine(0, look.px(fields ? 8 : 0));
  if (frame.typed.sentences[row].found)
    draw_chips(frame, look, row, selected, std::max(60.0f, left));
  else
    draw_why_not(frame, look, row, std::max(60.0f, left));
  if (!fields) return;
  ImGui::SameLine(0, look.px(8));
  draw_cross(frame, look, row);
}

// What must be known of the model: that it is random, or lacks the word.
std::string notes_of(const Frame& frame) {
  const auto found = [&](auto wanted) {
    return std::any_of(frame.typed.sentences.begin(), frame.typed.sentences.end(),
                       [&](const ContextState::Sentence& one) { return one.found && wanted(*one.found); });
  };
  std::string words;
  const auto add = [&](const std::string& more) { words += (words.empty() ? "" : " ") + more; };
  if (found([](const WordInText& one) { return std::find(one.hidden.begin(), one.hidden.end(), true) != one.hidden.end(); }))
    add(tr("Hatched: the word cannot see it."));
  if (found([](const WordInText& one) { return one.unknown; }))
    add(fill(tr("The model does not know {}: it stands there as an unknown token."), {frame.typed.words.word}));
  if (context_document(frame.context()).custom_mask) add(tr("A painted mask fits one sentence alone and is left out here."));
  if (context_document(frame.context()).model == "sandbox")
    add(tr("Random weights: the word moves, but where it moves to means nothing."));
  return words;
}

Node model_button(Sheet& sheet, const Shared& frame) {
  const auto model = open_stored_model(kOffered);
  return sheet.button({.id = "model",
                       .label = tr("Take the model course"),
                       .on = true,
                       .why = model.ok()
                                  ? tr("It has read sentences with moles in three senses. Ctrl+Z brings the present model back.")
                                  : tr("The bundled models are not installed"),
                       .press =
                           [frame] {
                             const auto taken = open_stored_model(kOffered);
                             if (!taken.ok()) return;
                             Document document = frame->context().document;
                             use_model(document, **taken);
                             document.targets.clear();
                             frame->context().edit(std::move(document));
                           },
                       .enabled = model.ok(),
                       .high = kControl});
}

}  // namespace

sheet::Node live_field(Sheet& sheet, LiveField field, Span wide, float high) {
  Part part;
  part.id = field.id;
  part.explains = field.why;
  part.draw = [&context = sheet.scene.context, f = std::move(field)](const ui::Look& look, Size room) {
    push_font(context, Font::words, f.type);
    ImGui::SetNextItemWidth(look.px(room.w));
    std::string text = f.text;
    if (ui::live_text_input(("##" + f.id).c_str(), text, f.hint.c_str())) f.set(std::move(text));
    ImGui::PopFont();
  };
  return sheet.by_hand(std::move(part), wide, high);
}

sheet::Node quiet_line(Sheet& sheet, std::string id, std::string words, float high, bool at_end) {
  const float wide = std::ceil(sheet.scene.pen.measure.width(words, ui::kSmall, Font::words)) + 1;
  Part part;
  part.id = std::move(id);
  part.draw = [words = std::move(words), at_end](const ui::Look& look, Size room) {
    const float free = room.h - look.figures.line_height(ui::kSmall, Font::words);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    look.figures.text(*ImGui::GetWindowDrawList(), {at.x, at.y + look.px(at_end ? free - 2 : free / 2)}, words, ui::kSmall,
                      Font::words, look.theme.secondary);
  };
  return sheet.by_hand(std::move(part), wide, high);
}

void choose_layer(const Frame& frame, std::int64_t layer) {
  frame.state.layer = std::clamp<std::int64_t>(layer, 0, frame.last_layer());
  frame.held->playing_since = -1;
}

sheet::Node controls_flow(Sheet& sheet, const Shared& frame) {
  std::vector<Node> all = {word_row(sheet, frame), examples_choice(sheet, frame)};
  if (frame->shown.compared) {
    all.push_back(track_row(sheet, frame));
    all.push_back(play_button(sheet, frame));
  }
  add_buttons(sheet, frame, all);
  all[0].presented = false;
  return Sheet::flow("controls", 14, std::move(all));
}

std::vector<sheet::Node> sentence_rows(Sheet& sheet, const Shared& frame) {
  std::vector<Node> rows;
  for (std::size_t row = 0; row < frame->typed.sentences.size(); ++row) {
    Part part{.id = "row:" + std::to_string(row),
              .draw = [frame, row](const ui::Look& look, Size size) { draw_sentence(*frame, look, row, size); }};
    rows.push_back(sheet.by_hand(std::move(part), {240, 400, sheet::kAny}, kRow + 5));
  }
  std::vector<Node> all = {Sheet::column("sentences", {1, 3, 3}, std::move(rows))};
  if (const std::string notes = notes_of(*frame); !notes.empty()) {
    all.push_back(sheet.words("notes", notes, 13, sheet.scene.pen.theme.secondary));
    if (frame->presented()) all.back().rank = 2;
  }
  for (Node& node : all) node = shown_everywhere(std::move(node));
  if (context_document(frame->context()).model == "sandbox") all.push_back(model_button(sheet, frame));
  return all;
}

}  // namespace headlight::views::contexts
