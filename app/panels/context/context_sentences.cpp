// The word, the layers passed, and the sentences, each a row that can be typed into.
#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/panels/context/context_tab.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/figure_menu.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "engine/document/stored_model.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr float kRow = 36, kMark = 34, kCross = 30;
constexpr const char* kOffered = "course";  // the model that has learnt the word's senses

// Dots for the layers passed, from 0, on a line; the current one is large.
figures::Figure layer_track(const ContextTab& tab, std::int64_t layers, float width) {
  figures::Figure figure;
  const figures::Composer pen{figure, tab.look.theme, tab.context.measure};
  figure.width = width;
  figure.height = 36;
  const float from = 14, pitch = layers > 1 ? (width - 28) / static_cast<float>(layers - 1) : 0;
  const auto at = [&](std::int64_t n) { return from + pitch * static_cast<float>(n); };
  pen.line({from, 13}, {at(layers - 1), 13}, tab.look.theme.line, 3);
  pen.line({from, 13}, {at(tab.choice.layer), 13}, tab.look.theme.selected, 3);
  const std::vector<std::int64_t> named = figures::ticks(0, layers, pitch, 20, tab.choice.layer);
  for (std::int64_t n = 0; n < layers; ++n) {
    const bool current = n == tab.choice.layer, passed = n <= tab.choice.layer;
    const figures::Tag tag{figures::Tag::column, n, 0};
    pen.box({at(n) - std::max(6.0f, pitch / 2), 0, std::max(12.0f, pitch), 36}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, tag);
    figure.add(figures::Disc{{at(n), 13}, current ? 7.0f : 4.0f, passed ? tab.look.theme.selected : tab.look.theme.faint, tag});
    if (std::find(named.begin(), named.end(), n) != named.end())
      pen.text(at(n), 29, std::to_string(n), 12, Font::mono, current ? tab.look.theme.selected : tab.look.theme.secondary,
               figures::Align::middle, 0, tag);
  }
  return figure;
}

void draw_track(const ContextTab& tab, float width) {
  const auto layers = static_cast<std::int64_t>(tab.shown.compared->layers.size());
  const gl::Hit hit = tab.context.figures.draw(layer_track(tab, layers, width), "layers passed", true);
  name_part(tab.context, "context:layers");
  const auto go_to = [&](std::int64_t layer) {
    tab.context.view.context.layer = std::clamp<std::int64_t>(layer, 0, layers - 1);
    tab.own.playing_since = -1;
  };
  if (hit.hovered && hit.tag.kind == figures::Tag::column) {
    if (hit.clicked || ImGui::IsMouseDown(ImGuiMouseButton_Left)) go_to(hit.tag.a);
    ui::tooltip(tab.look, hit.tag.a == 0 ? tr("0: the embedding, before any layer")
                                         : fill(tr("after {} layers; the arrow keys step"), {std::to_string(hit.tag.a)}));
  }
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_RightArrow)) go_to(tab.choice.layer + 1);
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) go_to(tab.choice.layer - 1);
}

void draw_play(const ContextTab& tab) {
  const bool playing = tab.own.playing_since >= 0;
  const auto layers = static_cast<std::int64_t>(tab.shown.compared->layers.size());
  if (ui::button(tab.look, ui::labelled(playing ? tr("stop") : tr("play"), "play").c_str(), 0, 34, false, layers > 1)) {
    tab.own.playing_from = tab.choice.layer + 1 < layers ? tab.choice.layer : 0;
    tab.own.playing_since = playing ? -1 : tab.context.now;
    if (!playing) tab.context.view.context.layer = tab.own.playing_from;
  }
  ui::tooltip(tab.look, tr("Passes the layers one after the other"));
  name_part(tab.context, "context:play");
}

// Makes the sentences the view's own and returns them.
std::vector<std::string>& own_sentences(const ContextTab& tab) {
  ContextView& view = tab.context.view.context;
  if (view.sentences.size() < 2) view.sentences = tab.state.words.sentences;
  if (view.word.empty()) view.word = tab.state.words.word;
  return view.sentences;
}

void draw_adding(const ContextTab& tab) {
  const ui::Look& look = tab.look;
  const bool room = tab.state.words.sentences.size() < figures::kMostSentences;
  next_on_line(look, look.figures.width(tr("+ sentence"), 15, Font::words) + 34, 8);
  if (ui::button(look, ui::labelled(tr("+ sentence"), "more").c_str(), 0, 34, false, room)) {
    std::vector<std::string>& sentences = own_sentences(tab);
    // The typed sentence if it has the word and is not there yet.
    const std::string typed = tab.context.document.texts.empty() ? std::string() : tab.context.document.texts.front();
    const bool fits =
        has_word(typed, tab.state.words.word) && std::find(sentences.begin(), sentences.end(), typed) == sentences.end();
    sentences.push_back(fits ? typed : fill(tr("the {}"), {tab.state.words.word}));
  }
  ui::tooltip(look, room ? tr("One sentence more; it must have the word") : tr("Six sentences are the most"));
  name_part(tab.context, "context:add");
  ContextView& view = tab.context.view.context;
  const bool changed = !view.sentences.empty() || !view.word.empty() || !view.probes.empty();
  if (!changed) return;
  next_on_line(look, look.figures.width(tr("reset"), 15, Font::words) + 34, 8);
  if (ui::button(look, ui::labelled(tr("reset"), "reset").c_str())) {
    view.sentences.clear();
    view.word.clear();
    view.probes.clear();
  }
  ui::tooltip(look, tr("Brings back the word, sentences and probe words that the view begins with"));
  name_part(tab.context, "context:reset");
}

void draw_mark(const ContextTab& tab, std::size_t row, bool selected, float high) {
  const ui::Look& look = tab.look;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const figures::Color hue = figures::sentence_color(row, look.theme);
  list.AddRectFilled({at.x + look.px(4), at.y + look.px(4)}, {at.x + look.px(8), at.y + look.px(high - 4)}, gl::packed(hue),
                     look.px(2));
  look.figures.text(list, {at.x + look.px(18), at.y + look.px((high - look.figures.line_height(15, Font::mono)) / 2)},
                    std::to_string(row + 1), 15, Font::mono, selected ? look.theme.selected : look.theme.text);
  if (ImGui::InvisibleButton("mark", {look.px(kMark), look.px(high)}))
    tab.context.view.context.sentence = static_cast<std::int64_t>(row);
  ui::tooltip(look, tr("Chooses the sentence whose attention is shown at the right"));
  name_part(tab.context, "context:mark:" + std::to_string(row));
}

void draw_chips(const ContextTab& tab, std::size_t row, float width) {
  const ContextState::Sentence& one = tab.state.sentences[row];
  if (!one.found) {
    const std::string words = one.error.empty() ? tr("computing …") : one.brief;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    std::vector<std::string> lines = figures::wrap(words, width, 13, Font::words, tab.context.measure);
    if (lines.size() > 2) lines.resize(2);
    float y = at.y + tab.look.px((kRow - 6 - 15 * static_cast<float>(lines.size())) / 2);
    for (const std::string& line : lines) {
      tab.look.figures.text(*ImGui::GetWindowDrawList(), {at.x, y}, line, 13, Font::words,
                            one.error.empty() ? tab.look.theme.secondary : tab.look.theme.wrong, tab.look.px(width));
      y += tab.look.px(15);
    }
    ImGui::Dummy({tab.look.px(width), tab.look.px(kRow - 6)});
    if (!one.error.empty() && ImGui::IsItemHovered()) ui::tooltip(tab.look, one.error);
    name_part(tab.context, "context:error:" + std::to_string(row));
    return;
  }
  figures::SentenceChipsInput input = figures::chips_of(*one.found, row);
  const bool selected = !tab.shown.shown.empty() && tab.shown.shown[static_cast<std::size_t>(tab.choice.sentence)] == row;
  if (selected) input.hot = tab.own.hot_source;
  figures::Figure figure = figures::sentence_chips(input, width, tab.look.theme, tab.context.measure);
  figure.background.a = 0;
  const gl::Hit hit = tab.context.figures.draw(figure, "chips");
  name_part(tab.context, "context:chips:" + std::to_string(row));
  if (!hit.hovered || hit.tag.kind != figures::Tag::token) return;
  if (hit.clicked) tab.context.view.context.sentence = static_cast<std::int64_t>(row);
  if (selected) tab.own.hot_source_next = hit.tag.a;
  const auto& token = one.found->sentence().tokens[static_cast<std::size_t>(hit.tag.a)];
  const bool hidden = one.found->hidden[static_cast<std::size_t>(hit.tag.a)];
  const std::string label = one.found->sentence().labels[static_cast<std::size_t>(hit.tag.a)];
  const std::string words = fill(tr("{}, token {}"), {label, std::to_string(token.id)});
  ui::tooltip(tab.look, hidden ? words + ": " + tr("the word cannot see it") : words);
}

void draw_cross(const ContextTab& tab, std::size_t row) {
  const ui::Look& look = tab.look;
  const bool may = tab.state.words.sentences.size() > 2;
  if (ui::button(look, "×", look.px(kCross), 30, false, may)) {
    std::vector<std::string>& sentences = own_sentences(tab);
    sentences.erase(sentences.begin() + static_cast<std::ptrdiff_t>(row));
    std::int64_t& selected = tab.context.view.context.sentence;
    if (selected > static_cast<std::int64_t>(row)) --selected;
  }
  ui::tooltip(look, may ? tr("Takes the sentence away") : tr("Two sentences are the least"));
  name_part(tab.context, "context:remove:" + std::to_string(row));
}

// What must be known of the model: that it is random, or lacks the word.
void draw_notes(const ContextTab& tab) {
  const ui::Look& look = tab.look;
  const auto found = [&](auto wanted) {
    return std::any_of(tab.state.sentences.begin(), tab.state.sentences.end(),
                       [&](const ContextState::Sentence& one) { return one.found && wanted(*one.found); });
  };
  std::string words;
  const auto add = [&](const std::string& more) { words += (words.empty() ? "" : " ") + more; };
  if (found([](const WordInText& one) { return std::find(one.hidden.begin(), one.hidden.end(), true) != one.hidden.end(); }))
    add(tr("Hatched: the word cannot see it."));
  if (found([](const WordInText& one) { return one.unknown; }))
    add(fill(tr("The model does not know {}: it stands there as an unknown token."), {tab.state.words.word}));
  if (context_document(tab.context).custom_mask) add(tr("A painted mask fits one sentence alone and is left out here."));
  const bool random = context_document(tab.context).model == "sandbox";
  if (random) add(tr("Random weights: the word moves, but where it moves to means nothing."));
  if (!words.empty()) ui::words(look, words, look.theme.secondary, 13);
  if (!random || tab.context.view.presentation) return;
  const auto model = open_stored_model(kOffered);
  if (ui::button(look, ui::labelled(tr("Take the model course"), "course").c_str(), 0, 34, true, model.ok())) {
    Document document = tab.context.document;
    use_model(document, **model);
    document.targets.clear();
    tab.context.edit(std::move(document));
  }
  ui::tooltip(look, model.ok() ? tr("It has read sentences with moles in three senses. Ctrl+Z brings the present model back.")
                               : tr("The bundled models are not installed"));
  name_part(tab.context, "context:model");
}

// The material's two words whose neighbours tell what is meant.
void draw_examples(const ContextTab& tab) {
  struct Example {
    const char* word;
    std::vector<std::string> sentences;
    const char* probes;
  };
  static const Example kExamples[] = {
      {"mole", {"American shrew mole", "One mole of carbon dioxide", "Take a biopsy of the mole"}, "lives, weighs, on"},
      {"Tower", {"Eiffel Tower", "Miniature Eiffel Tower"}, "huge, tiny"}};
  const char* const labels[] = {kExamples[0].word, kExamples[1].word};
  const char* const why[] = {tr("One word in three senses: an animal, an amount, a spot on the skin"),
                             tr("The tower, and a small copy of it: one more word before it, and the vector ends elsewhere")};
  const std::string& word = tab.state.words.word;
  const int at = word == labels[0] ? 0 : word == labels[1] ? 1 : -1;
  next_on_line(tab.look, 150, 12);
  const int chosen = ui::segmented(tab.look, "examples", labels, 2, at, why);
  name_part(tab.context, "context:examples");
  if (chosen < 0) return;
  ContextView& view = tab.context.view.context;
  view.word = kExamples[chosen].word;
  view.sentences = kExamples[chosen].sentences;
  view.probes = kExamples[chosen].probes;
  view.sentence = 0;
}

}  // namespace

void draw_context_controls(const ContextTab& tab, float width) {
  const ui::Look& look = tab.look;
  ContextView& view = tab.context.view.context;
  if (!tab.context.view.presentation) {
    const std::string label = tr("word");
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float wide = look.figures.width(label, 13, Font::words) + 8;
    look.figures.text(*ImGui::GetWindowDrawList(), {at.x, at.y + look.px((34 - look.figures.line_height(13, Font::words)) / 2)},
                      label, 13, Font::words, look.theme.secondary);
    ImGui::Dummy({look.px(wide - 8), look.px(34)});
    ImGui::SameLine(0, look.px(8));
    push_font(tab.context, Font::words, 16);
    ImGui::SetNextItemWidth(look.px(width < 680 ? 104.0f : 150.0f));
    std::string word = tab.state.words.word;
    if (ui::live_text_input("##word", word, tab.state.words.word.c_str())) view.word = std::move(word);
    ImGui::PopFont();
    ui::tooltip(look, tr("A word that stands in every sentence, as it is written there"));
    name_part(tab.context, "context:word");
    draw_examples(tab);
  }
  if (!tab.shown.compared) {
    if (!tab.context.view.presentation) draw_adding(tab);
    return;
  }
  const std::string label = tr("layers passed");
  const float wide = look.figures.width(label, 13, Font::words) + 8;
  const auto layers = static_cast<float>(tab.shown.compared->layers.size());
  const float track = std::clamp((width < 680 ? 20 : 26) * layers, 90.0f, std::max(90.0f, width * 0.36f));
  if (!tab.context.view.presentation) next_on_line(look, wide + 8 + track, 16);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  look.figures.text(*ImGui::GetWindowDrawList(), {at.x, at.y + look.px((34 - look.figures.line_height(13, Font::words)) / 2)},
                    label, 13, Font::words, look.theme.secondary);
  ImGui::Dummy({look.px(wide - 8), look.px(34)});
  ImGui::SameLine(0, look.px(8));
  draw_track(tab, track);
  next_on_line(look, look.figures.width(tr("play"), 15, Font::words) + 34, 12);
  draw_play(tab);
  if (!tab.context.view.presentation) draw_adding(tab);
}

void draw_context_sentences(const ContextTab& tab, float width, bool fields) {
  const ui::Look& look = tab.look;
  const float field = fields ? std::floor(std::clamp(width * 0.36f, 150.0f, 300.0f)) : 0;
  for (std::size_t row = 0; row < tab.state.sentences.size(); ++row) {
    ImGui::PushID(static_cast<int>(row));
    const bool selected = !tab.shown.shown.empty() && tab.shown.shown[static_cast<std::size_t>(tab.choice.sentence)] == row;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (selected)
      ImGui::GetWindowDrawList()->AddRect({at.x, at.y - look.px(2)}, {at.x + look.px(width), at.y + look.px(kRow - 3)},
                                          gl::packed(look.theme.selected), look.px(8));
    draw_mark(tab, row, selected, kRow - 6);
    float left = width - kMark - 6;
    if (fields) {
      ImGui::SameLine(0, 0);
      push_font(tab.context, Font::words, 15);
      ImGui::SetNextItemWidth(look.px(field));
      std::string text = tab.state.words.sentences[row];
      if (ui::live_text_input("##sentence", text, tr("a sentence with the word"))) own_sentences(tab)[row] = std::move(text);
      ImGui::PopFont();
      ui::tooltip(look, tr("The sentence; what is typed is compared at once"));
      name_part(tab.context, "context:sentence:" + std::to_string(row));
      left -= field + 8 + kCross + 8;
    }
    ImGui::SameLine(0, look.px(fields ? 8 : 0));
    draw_chips(tab, row, std::max(60.0f, left));
    if (fields) {
      ImGui::SameLine(0, look.px(8));
      draw_cross(tab, row);
    }
    ImGui::PopID();
  }
  draw_notes(tab);
}

}  // namespace headlight::panels
