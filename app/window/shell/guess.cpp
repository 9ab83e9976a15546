#include "app/window/shell/guess.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/view.h"
#include "app/window/shell/shell.h"
#include "imgui.h"
#include "imgui_internal.h"

namespace headlight::window {
using namespace ui;
namespace {

using figures::Font;
using figures::Hides;

constexpr float kGuessLine = 44;               // points
constexpr float kOneVote = 96, kVoteBar = 56;  // points of a candidate with its bar, and of the longest bar

struct Kind {
  Hides hides;
  const char *label, *question;
};
constexpr Kind kKinds[] = {
    {Hides::picture, tr_later("picture"), tr_later("Where is it brightest?")},
    {Hides::numbers, tr_later("numbers"), tr_later("Which number is it?")},
    {Hides::names, tr_later("names"), tr_later("Which token is it?")},
    {Hides::predictions, tr_later("predicted words"), tr_later("Which word comes next?")},
    {Hides::head, tr_later("which head"), tr_later("Which head is it?")},
};
const Kind& kind_of(Hides hides) {
  return *std::find_if(std::begin(kKinds), std::end(kKinds) - 1, [&](const Kind& kind) { return kind.hides == hides; });
}

// Until the key is let go, nobody else gets it.
bool took(ImGuiKey key) {
  if (!ImGui::IsKeyPressed(key, false)) return false;
  ImGuiKeyData* data = ImGui::GetKeyData(key);
  data->Down = false;
  data->DownDuration = -1;
  return true;
}

void lay(Shell& shell) {
  Guess& guess = shell.ui.guess;
  guess.revealed = false;
  // The keys that count are typed into nothing.
  ImGui::ClearActiveID();
  shell.ui.focus_sentence = false;
}

// The tokens of all sentences that are shown, and their whole words, which sentences about them say.
std::set<std::string> names_of(const Shell& shell) {
  std::set<std::string> names;
  const auto& trace = shell.published().trace;
  if (!trace) return names;
  for (const auto sentences : {trace->texts(), trace->targets()})
    for (const Sentence& sentence : sentences) {
      for (std::size_t i = 0; i < sentence.tokens.size(); ++i)
        names.insert(figures::bare_name(i < sentence.labels.size() ? sentence.labels[i] : sentence.tokens[i].piece));
      std::istringstream words(sentence.text);
      for (std::string word; words >> word;) names.insert(figures::bare_name(word));
    }
  names.erase("");
  return names;
}

}  // namespace

std::vector<int> Guess::counted() const {
  std::vector<int> counts(marks.list.size());
  for (const int vote : votes) {
    if (static_cast<std::size_t>(vote) >= counts.size()) counts.resize(static_cast<std::size_t>(vote) + 1);
    ++counts[static_cast<std::size_t>(vote)];
  }
  return counts;
}

void guess_about(Shell& shell, Hides hides) {
  shell.ui.guess.hides = hides;
  lay(shell);
}

void guess(Shell& shell) {
  Guess& guess = shell.ui.guess;
  const views::View* const open = views::registry().find(shell.view().tab);
  if (!guess.on())
    guess_about(shell, open ? open->hides : Hides::picture);
  else if (guess.revealed)
    lay(shell);
  else
    guess.revealed = true;
}

void guess_next(Shell& shell) {
  if (!shell.ui.guess.on()) return guess(shell);
  const Kind* const now = &kind_of(shell.ui.guess.hides);
  guess_about(shell, (now + 1 == std::end(kKinds) ? kKinds : now + 1)->hides);
}

void end_guess(Shell& shell) { shell.ui.guess = {}; }

void forget_votes(Shell& shell) {
  shell.ui.guess.votes.clear();
  shell.ui.guess.marks = {};
}

void handle_guess_keys(Shell& shell) {
  Guess& guess = shell.ui.guess;
  const ImGuiIO& io = ImGui::GetIO();
  if (!guess.on() || io.WantTextInput || io.KeyCtrl || io.KeyAlt || GImGui->OpenPopupStack.Size > 0) return;
  for (int i = 0; i < static_cast<int>(gl::GuessMarks::kMost); ++i)
    if (took(static_cast<ImGuiKey>(ImGuiKey_1 + i)) || took(static_cast<ImGuiKey>(ImGuiKey_Keypad1 + i)))
      guess.votes.push_back(i);
  if (took(ImGuiKey_Backspace) && !guess.votes.empty()) guess.votes.pop_back();
  if (took(ImGuiKey_0) || took(ImGuiKey_Keypad0)) forget_votes(shell);
}

void begin_covered(Shell& shell, const Look& look) {
  Guess& guess = shell.ui.guess;
  if (!guess.on()) return;
  guess.marks.clicked = -1;
  if (guess.revealed) return look.figures.cover(nullptr, &guess.marks);
  guess.cover.hides = guess.hides;
  guess.cover.names = names_of(shell);
  look.figures.cover(&guess.cover, &guess.marks);
}

void end_covered(Shell& shell, const Look& look) {
  Guess& guess = shell.ui.guess;
  look.figures.cover(nullptr, nullptr);
  if (guess.marks.clicked >= 0) guess.votes.push_back(guess.marks.clicked);
  guess.marks.clicked = -1;
}

float guess_height(const Shell& shell, const Look& look) { return shell.ui.guess.on() ? look.px(kGuessLine) : 0; }

void draw_guess(Shell& shell, const Look& look, ImVec2 low, float width) {
  Guess& guess = shell.ui.guess;
  if (!guess.on()) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float high = guess_height(shell, look), edge = std::max(1.0f, std::floor(look.scale)),
              right = low.x + width - look.px(16);
  list.AddRectFilled(low, {low.x + width, low.y + high}, gl::packed(look.theme.panel));
  list.AddRectFilled(low, {low.x + width, low.y + edge}, gl::packed(look.theme.line));
  const auto text = [&](float x, const std::string& words, float size, Font font, figures::Color color) {
    const float line = look.figures.line_height(size, font) * look.scale;
    look.figures.text(list, {x, std::round(low.y + (high - line) / 2)}, words, size, font, color);
    return look.figures.width(words, size, font) * look.scale;
  };
  const Kind& kind = kind_of(guess.hides);
  const std::string covered = fill(tr("guess: {}"), {tr(kind.label)});
  const char* const reveals = guess.revealed ? tr("Cover") : tr("Reveal");
  const float top = std::round(low.y + (high - look.px(28)) / 2);
  float x = low.x + look.px(16);
  const auto control = [&](const char* id, const std::string& words, bool strong, const char* why, const char* part) {
    const float wide = look.figures.width(words, 14, Font::words) * look.scale + look.px(24);
    ImGui::SetCursorScreenPos({x, top});
    const bool clicked = button(look, labelled(words.c_str(), id).c_str(), wide, 28, strong);
    tooltip(look, why);
    shell.name_part(part);
    x += wide + look.px(8);
    return clicked;
  };
  if (control("guess kind", covered, false,
              tr("Covers something else: the picture, numbers, names, predicted words, which head (Shift+F9)"), "guess:kind"))
    guess_next(shell);
  if (control("guess reveal", reveals, true, tr("Takes the cover off, or lays it again (F9)"), "guess:reveal"))
    window::guess(shell);

  const std::vector<int> counts = guess.counted();
  if (counts.empty()) {
    const std::string question = tr(kind.question), keys = tr("1 to 9 count the guesses, 0 forgets them");
    x += look.px(8);
    const float room = right - x, asked = look.figures.width(question, kBody, Font::words_bold) * look.scale;
    if (asked <= room) x += text(x, question, kBody, Font::words_bold, look.theme.text) + look.px(16);
    if (x + look.figures.width(keys, kSmall, Font::words) * look.scale <= right)
      text(x, keys, kSmall, Font::words, look.theme.secondary);
    return;
  }
  if (control("guess forget", tr("Reset"), false, tr("Forgets all guesses (0); Backspace takes the last one back"),
              "guess:reset"))
    return forget_votes(shell);
  const int most = std::max(1, *std::max_element(counts.begin(), counts.end()));
  const float each = std::min(look.px(kOneVote), (right - x) / static_cast<float>(counts.size()));
  const float bar = std::max(look.px(6), std::min(look.px(kVoteBar), each - look.px(48)));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const float left = x + look.px(8) + static_cast<float>(i) * each, middle = low.y + high / 2;
    const float name = text(left, std::to_string(i + 1), kBody, Font::words_bold, look.theme.selected) + look.px(6);
    const float long_ = bar * static_cast<float>(counts[i]) / static_cast<float>(most);
    list.AddRectFilled({left + name, middle - look.px(6)}, {left + name + std::max(look.px(1), long_), middle + look.px(6)},
                       gl::packed(look.theme.info), look.px(2));
    text(left + name + long_ + look.px(5), std::to_string(counts[i]), kBody, Font::mono, look.theme.text);
  }
  shell.parts.add("guess:votes", x, low.y, right, low.y + high);
}

void draw_covered_inspector(const Shell& shell, const Look& look) {
  const gl::Uncovered control(look.figures);
  words(look, fill(tr("Covered while the class guesses: {}"), {tr(kind_of(shell.ui.guess.hides).question)}), look.theme.text,
        kBody);
  words(look, tr("F9 reveals it, Escape ends the guessing."), look.theme.secondary);
}

}  // namespace headlight::window
