// The second row: a pill for each choice that shapes the computation, and the badge that says what the weights are.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/window/popups.h"
#include "app/window/shell.h"
#include "app/window/style.h"
#include "engine/attention/positions/position.h"
#include "engine/tokenizers/tokenizer.h"
#include "imgui.h"

namespace headlight::window {
namespace {

using figures::Font;

struct Picker {
  const char* id;
  const char* label;
  const char* help;
  std::string (*value)(const Shell&);
  void (*popup)(Shell&, const Look&);
};

std::string tokenizer_words(const Shell& shell) {
  const std::string& name = shell.document().tokenizer;
  // The loaded vocabulary knows its size; until it is loaded the registry's label has to do.
  if (const auto& trace = shell.published().trace; trace && trace->document().tokenizer == name && trace->tokenizer())
    return trace->tokenizer()->label();
  if (const tokenizers::Entry* entry = tokenizers::registry().find(name)) return tr(entry->label.c_str());
  const std::size_t slash = name.find_last_of('/');
  return slash == std::string::npos ? name : name.substr(slash + 1);
}

// Without what stands in brackets: "causal (no peeking)" among others is "causal".
std::string without_brackets(std::string label) {
  for (const char* open : {" (", "(", "("})
    if (const std::size_t at = label.find(open); at != std::string::npos && at > 0) return label.substr(0, at);
  return label;
}

// Each mask's name; several of them briefly, and from the fourth on counted.
std::string mask_words(const Shell& shell) {
  const auto& masks = shell.document().masks;
  if (masks.empty()) return tr("none");
  std::string all;
  constexpr std::size_t kNamed = 3;
  for (std::size_t i = 0; i < masks.size() && i < kNamed; ++i) {
    const masks::Entry* entry = masks::registry().find(masks[i].id);
    const std::string label = entry ? tr(entry->label.c_str()) : masks[i].id.c_str();
    all += (i ? " + " : "") + (masks.size() > 1 ? without_brackets(label) : label);
  }
  return masks.size() > kNamed ? all + " + " + std::to_string(masks.size() - kNamed) : all;
}

std::string score_words(const Shell& shell) {
  const Document& d = shell.document();
  std::string all = d.score == "scaled_dot" ? d.scale == "none"   ? tr("dot")
                                              : d.scale == "sqrt" ? tr("scaled dot")
                                                                  : tr("dot") + (" \xC3\x97 " + d.scale)
                                            : d.score;
  if (d.temperature != 1.0) all += ", T " + to_string(Value(d.temperature));
  return all;
}

// "CPU, 2 threads": the rest of the label stands in the status bar.
std::string backend_words(const Shell& shell) {
  const auto& trace = shell.published().trace;
  if (!trace || trace->document().backend != shell.document().backend) return shell.document().backend;
  const std::string label = trace->backend_label();
  const std::size_t first = label.find(','), second = first == std::string::npos ? first : label.find(',', first + 1);
  return label.substr(0, second);
}

const std::array<Picker, 7>& pickers() {
  static const std::array<Picker, 7> all = {{
      {"model", tr_later("model"), tr_later("What computes: a sandbox of seeded random weights, and how its layers are built."),
       [](const Shell& s) { return std::string(tr(s.document().model.c_str())); }, model_popup},
      {"tokenizer", tr_later("tokenizer"),
       tr_later("How the sentence is cut into tokens: a model only ever sees these pieces (Ctrl+T for the next)."),
       tokenizer_words, tokenizer_popup},
      {"positions", tr_later("positions"),
       tr_later("What tells the model where a token stands: attention alone cannot tell one order of words from another."),
       [](const Shell& s) {
         const positions::Entry* entry = positions::registry().find(s.document().position);
         return entry ? std::string(tr(entry->label.c_str())) : s.document().position;
       },
       position_popup},
      {"mask", tr_later("mask"), tr_later("Which keys a query may attend to: not the future, not padding (Ctrl+M for causal)."),
       mask_words, mask_popup},
      {"score", tr_later("score"), tr_later("How a query and a key become a score: scale and temperature."), score_words,
       score_popup},
      {"size", tr_later("heads"), tr_later("Layers \xC3\x97 heads, and the width of the model."),
       [](const Shell& s) { return std::to_string(s.document().layers) + " \xC3\x97 " + std::to_string(s.document().heads); },
       size_popup},
      {"backend", tr_later("backend"),
       tr_later("Where it is computed: on the processor, on a graphics card, or slowly in double."), backend_words,
       backend_popup},
  }};
  return all;
}

// Outlined words at the right end of the row. Returns its width when `draw` is false.
float badge(const Look& look, std::string_view text, figures::Color color, ImVec2 right_top, bool draw) {
  const float width = look.figures.width(text, 14, Font::words) * look.scale + look.px(32), height = look.px(kPillHeight);
  if (!draw) return width;
  const ImVec2 low(right_top.x - width, right_top.y), high(right_top.x, right_top.y + height);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(low, high, gl::packed(color, 0.1f), height / 2);
  list.AddRect(low, high, gl::packed(color), height / 2, 0, std::max(1.0f, look.scale));
  look.figures.text(list, {low.x + look.px(16), (low.y + high.y - look.figures.line_height(14, Font::words) * look.scale) / 2},
                    text, 14, Font::words, color);
  return width;
}

}  // namespace

void draw_pickers(Shell& shell, const Look& look) {
  const float left = look.px(16), gap = look.px(8), width = ImGui::GetWindowWidth(), top = ImGui::GetCursorPosY();
  const bool random = shell.document().model == "sandbox";
  const char* badge_words = random ? tr("random") : tr("trained");
  const figures::Color badge_color = random ? look.theme.selected : look.theme.good;
  const float badge_width = badge(look, badge_words, badge_color, {}, false);
  const float room = width - 2 * left - badge_width - gap;

  std::array<float, 7> widths{};
  float sum = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const Picker& picker = pickers()[i];
    widths[i] = std::min(pill_width(look, tr(picker.label), picker.value(shell)), look.px(300));
    sum += widths[i] + gap;
  }
  // A little too narrow: the last value (what computes, said in full in the status bar) is shortened rather than pushed down.
  if (const float lacking = sum - gap - room; lacking > 0 && widths.back() - lacking >= look.px(128)) {
    widths.back() -= std::ceil(lacking);
    sum -= std::ceil(lacking);
  }
  // Some air where there is room for it.
  if (const float extra = std::min(look.px(40), (room - sum) / static_cast<float>(widths.size())); extra > 0)
    for (float& w : widths) w = std::floor(w + extra);

  bool any_open = false;
  for (const Picker& picker : pickers()) any_open = any_open || ImGui::IsPopupOpen((std::string("popup/") + picker.id).c_str());
  float x = left, y = top;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const Picker& picker = pickers()[i];
    if (x > left && x + widths[i] > left + room) {  // a narrow window: a second row
      x = left;
      y += look.px(kPillHeight) + gap;
    }
    ImGui::SetCursorPos({x, y});
    const std::string popup = std::string("popup/") + picker.id;
    if (i == 0) shell.takes_focus("pickers");
    if (pill(look, picker.id, tr(picker.label), picker.value(shell), widths[i], ImGui::IsPopupOpen(popup.c_str())) ||
        shell.ui.popup_next == picker.id) {
      ImGui::OpenPopup(popup.c_str());
      shell.ui.popup_next.clear();
    }
    // While another picker is open its popup takes the click that closes it: the same click opens this one, a frame later.
    if (any_open && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsPopupOpen(popup.c_str()) &&
        ImGui::IsMouseHoveringRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), false))
      shell.ui.popup_next = picker.id;
    shell.name_part(std::string("picker:") + picker.id);
    tooltip(look, tr(picker.help));
    const ImVec2 screen = ImGui::GetMainViewport()->Size;
    const ImVec2 below(ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + look.px(4));
    ImGui::SetNextWindowPos({std::min(below.x, screen.x - look.px(408)), below.y});
    ImGui::SetNextWindowSizeConstraints({look.px(280), 0},
                                        {look.px(400), std::max(look.px(200), screen.y - below.y - look.px(8))});
    if (ImGui::BeginPopup(popup.c_str())) {
      picker.popup(shell, look);
      ImGui::EndPopup();
    }
    x += widths[i] + gap;
  }
  const ImVec2 origin = ImGui::GetWindowPos();
  badge(look, badge_words, badge_color, {origin.x + width - left, origin.y + top}, true);
  ImGui::SetCursorPos({width - left - badge_width, top});
  ImGui::InvisibleButton("badge", {badge_width, look.px(kPillHeight)});
  shell.name_part("badge");
  tooltip(look, random ? tr("The weights are seeded random numbers: the patterns show the computation, not a language model.")
                       : tr("The weights were trained: the patterns are those of a language model."));
  ImGui::SetCursorPos({0, y + look.px(kPillHeight) + look.px(12)});
}

}  // namespace headlight::window
