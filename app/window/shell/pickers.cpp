// The second row: a pill for each choice that determines the computation, and the badge that says what the weights are.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "app/figures/base/labels.h"
#include "app/text/device_words.h"
#include "app/ui/style.h"
#include "app/views/base/view.h"
#include "app/window/shell/array_form.h"
#include "app/window/shell/popups.h"
#include "app/window/shell/shell.h"
#include "engine/attention/positions/position.h"
#include "engine/document/array_source.h"
#include "engine/document/stored_model.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/tokenizers/training/training.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

using figures::Font;

constexpr float kSmallBadge = 24;
constexpr float kOneRow = 760;  // in a lower window the pickers take one row

struct Picker {
  const char* id;
  const char* label;
  const char* help;
  std::string (*value)(const Shell&);
  void (*popup)(Shell&, const Look&);
  float widest = 400;  // points, of the popup
};

// The name of a tokenizer. A loaded vocabulary knows its size; until it is loaded the registry's label has to do.
std::string tokenizer_name(const std::string& name, const std::string& loaded_name, const tokenizers::Tokenizer* loaded) {
  if (loaded && loaded_name == name) return loaded->label();
  if (const tokenizers::Entry* entry = tokenizers::registry().find(name)) return tr(entry->label.c_str());
  const std::size_t slash = name.find_last_of('/');
  return slash == std::string::npos ? name : name.substr(slash + 1);
}

// "BPE 4,096"; with another one for the second sentence "BPE 4,096 → Words 8,192".
std::string tokenizer_words(const Shell& shell) {
  const Document& document = shell.document();
  const auto& trace = shell.published().trace;
  const std::string none;
  std::string first =
      tokenizer_name(document.tokenizer, trace ? trace->document().tokenizer : none, trace ? trace->tokenizer().get() : nullptr);
  const std::string& target = document.target_tokenizer;
  if (document.targets.empty() || target.empty() || target == document.tokenizer) return first;
  return first + " \xE2\x86\x92 " +
         tokenizer_name(target, trace ? trace->document().target_tokenizer : none,
                        trace ? trace->target_tokenizer().get() : nullptr);
}

// The name of each mask; several are abbreviated, and of many only the first two and the number of the others are shown.
std::string mask_words(const Shell& shell) {
  const auto& masks = shell.document().masks;
  if (masks.empty()) return tr("none");
  std::string all;
  const std::size_t named = masks.size() > 3 ? 2 : 3;
  for (std::size_t i = 0; i < masks.size() && i < named; ++i) {
    const masks::Entry* entry = masks::registry().find(masks[i].id);
    const std::string label = entry ? tr(entry->label.c_str()) : masks[i].id.c_str();
    all += (i ? " + " : "") + (masks.size() > 1 ? figures::without_brackets(label) : label);
  }
  return masks.size() > named ? all + " + " + std::to_string(masks.size() - named) : all;
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

// "CPU, 2 threads": the rest of the label is in the status bar.
std::string backend_words(const Shell& shell) {
  const auto& trace = shell.published().trace;
  if (!trace || trace->document().backend != shell.document().backend) return shell.document().backend;
  return device_words(trace->backend_label(), 2);
}

const std::array<Picker, 7>& pickers() {
  static const std::array<Picker, 7> all = {{
      {"model", tr_later("model"), tr_later("What computes: a sandbox of seeded random weights, and how its layers are built."),
       [](const Shell& s) {
         return is_of_arrays(s.document()) ? arrays_label(s.document())
                                           : std::string(tr(model_label(s.document().model).c_str()));
       },
       model_popup, 730},
      {"tokenizer", tr_later("tokenizer"),
       tr_later("How the sentence is cut into tokens: a model only ever sees these pieces (Ctrl+T for the next)."),
       tokenizer_words, tokenizer_popup},
      {"positions", tr_later("positions"),
       tr_later("What tells the model where a token stands: attention alone cannot tell one order of words from another."),
       [](const Shell& s) {
         const positions::Entry* entry = positions::registry().find(s.document().position);
         if (!entry) return s.document().position;
         if (leaves_out_positions(s.document())) return std::string(tr("left out"));
         // Of a trained model the table was learned, and not drawn.
         const bool trained = entry->random && s.document().model != "sandbox";
         return std::string(trained ? tr("learned table") : tr(entry->label.c_str()));
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

// Outlined words at the right end of the row; `small` beside the tokens. If `draw` is false, only returns the width.
float badge(const Look& look, std::string_view text, figures::Color color, ImVec2 right_top, bool draw, bool small) {
  const float size = small ? kSmall : 14, margin = look.px(small ? 8 : 16);
  const float width = look.figures.width(text, size, Font::words) * look.scale + 2 * margin,
              height = look.px(small ? kSmallBadge : kPillHeight);
  if (!draw) return width;
  const ImVec2 low(right_top.x - width, right_top.y), high(right_top.x, right_top.y + height);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(low, high, gl::packed(color, 0.1f), height / 2);
  list.AddRect(low, high, gl::packed(color), height / 2, 0, std::max(1.0f, look.scale));
  look.figures.text(list, {low.x + margin, (low.y + high.y - look.figures.line_height(size, Font::words) * look.scale) / 2}, text,
                    size, Font::words, color);
  return width;
}

// Where a picker's values are chosen: a popup below the last item.
void draw_popup(Shell& shell, const Look& look, const Picker& picker) {
  const std::string popup = std::string("popup/") + picker.id;
  if (shell.ui.popup_next == picker.id) {
    ImGui::OpenPopup(popup.c_str());
    shell.ui.popup_next.clear();
  }
  const ImVec2 screen = ImGui::GetMainViewport()->Size, low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  const float room = screen.y - high.y - look.px(12);
  // If there is little room below, the popup is beside the row instead.
  const float least = look.px(200),
              top = room >= least ? high.y + look.px(4) : std::max(look.px(8), screen.y - least - look.px(8));
  ImGui::SetNextWindowPos({std::max(look.px(8), std::min(low.x, screen.x - look.px(picker.widest + 8))), top});
  const float widest = std::min(look.px(picker.widest), screen.x - look.px(16));
  const float narrowest = picker.widest > 400 ? widest : std::min(look.px(280), screen.x - look.px(16));
  ImGui::SetNextWindowSizeConstraints({narrowest, 0}, {widest, screen.y - top - look.px(8)});
  if (ImGui::BeginPopup(popup.c_str())) {
    picker.popup(shell, look);
    ImGui::EndPopup();
  }
}

// What the weights are, shown in the picker row.
struct Badge {
  std::string words;
  figures::Color color;
  std::string why;
};
constexpr double kManyBytes = 0.3;

// The share of tokens that are one byte of a letter of several.
double share_of_bytes(const Trace& trace, std::int64_t batch) {
  const auto texts = trace.texts();
  const auto at = static_cast<std::size_t>(std::max<std::int64_t>(0, batch));
  if (at >= texts.size() || texts[at].tokens.empty()) return 0;
  const std::string& text = texts[at].text;
  const auto is_byte = [&](const tokenizers::Token& token) {
    return token.end == token.start + 1 && token.start >= 0 && token.end <= static_cast<std::int64_t>(text.size()) &&
           static_cast<unsigned char>(text[static_cast<std::size_t>(token.start)]) >= 0x80;
  };
  const auto bytes = std::count_if(texts[at].tokens.begin(), texts[at].tokens.end(), is_byte);
  return static_cast<double>(bytes) / static_cast<double>(texts[at].tokens.size());
}

// What a trained model was never trained to read, or how it was not trained to work, in the place of the badge.
std::optional<Badge> remark_of(Shell& shell, const Look& look) {
  const auto remarks = shown_remarks(shell);
  if (!remarks) return {};
  std::string losses;  // beside the usual one
  if (remarks->text_loss > 0) {
    char here[32], usual[32];
    std::snprintf(here, sizeof here, "%.1f", remarks->text_loss);
    std::snprintf(usual, sizeof usual, "%.1f", remarks->usual_loss);
    losses = fill(tr("The model expects this text hardly at all: {0} nat a token, where plain English sentences have {1}."),
                  {here, usual});
  }
  if (const double share = share_of_bytes(*shell.published().trace, shell.view().batch); share >= kManyBytes)
    return Badge{
        tr("unfamiliar text"), look.theme.wrong,
        fill(tr("{} % of the tokens are single bytes of letters that the model has no pieces for: it has hardly read such "
                "text, and its patterns mean little here."),
             {std::to_string(static_cast<int>(std::lround(100 * share)))}) +
            (losses.empty() ? "" : " " + losses)};
  if (remarks->tokens > 0) {
    const std::string length = std::to_string(remarks->trained_length);
    return Badge{
        fill(tr("beyond {} tokens"), {length}), look.theme.wrong,
        fill(tr("The sentence has {} tokens, more than the {} of the longest that the model was trained on: its positions "
                "go on, but nothing has taught it what to do there."),
             {std::to_string(remarks->tokens), length})};
  }
  if (!remarks->untrained.empty())
    return Badge{
        tr("not trained so"), look.theme.selected,
        fill(tr("{} was not trained with this choice of {}: the numbers are right, but the model never learnt to work so."),
             {model_label(shell.document().model), field_names(remarks->untrained)})};
  if (!losses.empty())
    return Badge{tr("unfamiliar text"), look.theme.wrong,
                 losses + " " + tr("It has hardly read such text, and its patterns mean little here.")};
  if (remarks->target_loss <= 0) return {};
  char loss[32];
  std::snprintf(loss, sizeof loss, "%.1f", remarks->target_loss);
  return Badge{
      tr("unlikely target"), look.theme.wrong,
      fill(
          tr("The model finds the second sentence hardly possible here, {} nat a token: it was trained to write {}. Another "
             "language, or no translation?"),
          {loss, remarks->target_language.empty() ? std::string(tr("another language")) : tr(remarks->target_language.c_str())})};
}
// Of a view that does not show the document's model.
std::optional<Badge> badge_of_view(const Shell& shell, const Look& look) {
  const views::View* const view = views::registry().find(shell.view().tab);
  if (!view || !view->own_weights) return {};
  if (view->own_weights(shell.view()) == views::OwnWeights::learnt)
    return Badge{tr("learnt here"), look.theme.good,
                 tr("This view's own small network has learnt from its text; the model above is not used here.")};
  return Badge{tr("random"), look.theme.selected,
               tr("This view has weights of its own, random ones: the model above is not used here.")};
}
Badge badge_of(Shell& shell, const Look& look) {
  if (auto own = badge_of_view(shell, look)) return std::move(*own);
  if (is_of_arrays(shell.document())) {
    ArraysBadge badge = arrays_badge(shell);
    return {std::move(badge.words), badge.unusual ? look.theme.selected : look.theme.good, std::move(badge.why)};
  }
  if (!has_random_weights(shell) && !shell.document().matrices.empty())
    return {tr("given"), look.theme.good, tr("The document gives the weights in numbers: every result can be checked by hand.")};
  if (shell.document().model == "sandbox")
    return {tr("random"), look.theme.selected,
            tr("The weights are seeded random numbers: the patterns show the computation, not a language model.")};
  if (auto remark = remark_of(shell, look)) return std::move(*remark);
  const auto model = open_stored_model(shell.document().model);
  const std::string on = model.ok() && !(*model)->trained_on.empty() ? tr((*model)->trained_on.c_str()) : std::string();
  const std::string why = tr("The weights were trained: the patterns are those of a language model.");
  return {tr("trained"), look.theme.good, on.empty() ? why : fill(tr("Trained on {}."), {on}) + " " + why};
}

constexpr const char* kMore = "popup/more pickers";

// Puts the pickers from `first` on behind one button: a list of them with their values; a click opens the picker at the button's
// place. The list is closed before the picker opens.
void draw_more(Shell& shell, const Look& look, std::size_t first, const char* label, const std::string& value, float width) {
  if (first == 0) shell.takes_focus("pickers");
  bool open = ImGui::IsPopupOpen(kMore);
  for (std::size_t i = first; i < pickers().size(); ++i)
    open = open || ImGui::IsPopupOpen((std::string("popup/") + pickers()[i].id).c_str());
  if (pill(look, "more pickers", label, value, width, open)) ImGui::OpenPopup(kMore);
  for (std::size_t i = first; i < pickers().size(); ++i) shell.name_part(std::string("picker:") + pickers()[i].id);
  if (first == 0) shell.name_part("badge");
  tooltip(look, tr("What is computed and how: the settings that have no room beside each other in this window"));
  for (std::size_t i = first; i < pickers().size(); ++i) draw_popup(shell, look, pickers()[i]);
  const ImVec2 screen = ImGui::GetMainViewport()->Size, low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  const float wide = std::min(look.px(340), screen.x - look.px(16));
  ImGui::SetNextWindowPos({std::max(look.px(8), std::min(low.x, screen.x - wide - look.px(8))), high.y + look.px(4)});
  ImGui::SetNextWindowSizeConstraints({wide, 0}, {wide, std::max(look.px(120), screen.y - high.y - look.px(12))});
  if (!ImGui::BeginPopup(kMore)) return;
  for (std::size_t i = first; i < pickers().size(); ++i) {
    const Picker& picker = pickers()[i];
    if (pill(look, picker.id, tr(picker.label), picker.value(shell), ImGui::GetContentRegionAvail().x, false)) {
      shell.ui.popup_next = picker.id;
      ImGui::CloseCurrentPopup();
    }
    tooltip(look, tr(picker.help));
  }
  if (first == 0) {
    const Badge badge = badge_of(shell, look);
    words(look, badge.why, badge.color);
    if (offers_chat(shell.document())) draw_field(shell, look, "chat");
    draw_interventions(shell, look);
  }
  ImGui::EndPopup();
}

// One picker and its popup; `any_open`: the popup of one of them is open.
void draw_picker(Shell& shell, const Look& look, const Picker& picker, const std::string& value, float width, bool any_open) {
  const std::string popup = std::string("popup/") + picker.id;
  const bool clicked = pill(look, picker.id, tr(picker.label), value, width, ImGui::IsPopupOpen(popup.c_str()));
  if (clicked) shell.ui.popup_next = picker.id;
  // While another picker is open, its popup takes the click that closes it: the same click opens this one, a frame later.
  const bool later = any_open && !clicked && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsPopupOpen(popup.c_str()) &&
                     ImGui::IsMouseHoveringRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), false);
  shell.name_part(std::string("picker:") + picker.id);
  tooltip(look, tr(picker.help));
  draw_popup(shell, look, picker);
  if (later) shell.ui.popup_next = picker.id;
}

}  // namespace

std::shared_ptr<const TraceRemarks> shown_remarks(Shell& shell) {
  const auto trace = shell.published().trace;
  if (!trace || trace->document().model != shell.document().model) return nullptr;
  return shell.derived()
      .later<TraceRemarks>(DerivedKey("remarks", {trace->generation()}),
                           [trace](const CancelToken& cancel) { return trace_remarks(*trace, cancel); })
      .value;
}

std::string field_names(const std::vector<std::string>& ids) {
  std::string names;
  for (const std::string& id : ids)
    if (const Field* field = find_field(id))
      names += (names.empty() ? "" : ", ") + std::string(tr(field->parameter.label.c_str()));
  return names;
}

void draw_untrained(const Shell& shell, const Look& look, const std::vector<std::string>& ids) {
  std::vector<std::string> changed = untrained_fields(shell.document());
  std::erase_if(changed, [&](const std::string& id) { return std::find(ids.begin(), ids.end(), id) == ids.end(); });
  if (changed.empty()) return;
  ImGui::PushTextWrapPos(look.px(340));
  words(look,
        fill(tr("{} was not trained with this choice of {}: the numbers are right, but the model never learnt to work so."),
             {model_label(shell.document().model), field_names(changed)}),
        look.theme.selected);
  ImGui::PopTextWrapPos();
}

float draw_chat_switch(Shell& shell, const Look& look, float right, bool draw) {
  if (!offers_chat(shell.document())) return 0;
  const float width = look.figures.width(tr("chat"), 14, Font::words) * look.scale + look.px(28), gap = look.px(8);
  if (!draw) return width + gap;
  ImGui::SetCursorPos({right - gap - width, ImGui::GetCursorPosY()});
  const bool on = shell.document().chat;
  if (button(look, labelled(tr("chat"), "chat").c_str(), width, kPillHeight, on)) {
    Document next = shell.document();
    next.chat = !on;
    next.plain = false;  // the frame is made of special tokens
    shell.edit(std::move(next));
  }
  shell.name_part("chat");
  tooltip(look,
          on ? tr("The sentence stands in the frame that this model was tuned to answer in. Click for the plain sentence, which "
                  "it continues.")
             : tr("Puts the sentence into the frame that this model was tuned to answer in: who speaks, and where the answer "
                  "begins."));
  return width + gap;
}

float draw_badge(Shell& shell, const Look& look, float right, bool draw) {
  const Badge said = badge_of(shell, look);
  const bool small = shell.view().presentation;
  const float width = badge(look, said.words, said.color, {}, false, small);
  if (!draw) return width;
  const ImVec2 at = ImGui::GetCursorPos(), origin = ImGui::GetWindowPos();
  badge(look, said.words, said.color, {origin.x + right, origin.y + at.y}, true, small);
  ImGui::SetCursorPos({right - width, at.y});
  ImGui::InvisibleButton("badge", {width, look.px(small ? kSmallBadge : kPillHeight)});
  shell.name_part("badge");
  tooltip(look, said.why);
  return width;
}

namespace {

// Of attention that was read: the file in the place of the model, how it is read and, where its weights follow from scores, the
// settings that they follow with.
void draw_pickers_of_arrays(Shell& shell, const Look& look) {
  const float right = look.px(16), left = shell.ui.rail + right, gap = look.px(8), top = ImGui::GetCursorPosY();
  const bool computed = shell.published().trace && !shell.published().trace->sites().empty() &&
                        shell.published().trace->step_at(shell.published().trace->sites().front().prefix, Role::masked_scores);
  ImGui::SetCursorPos({left, top});
  for (const Picker& picker : pickers()) {
    const std::string_view id = picker.id;
    if (id != "model" && !(computed && (id == "mask" || id == "score"))) continue;
    const std::string value = picker.value(shell);
    const float width = std::min(pill_width(look, tr(picker.label), value), look.px(300));
    ImGui::SetCursorPosY(top);
    if (id == "model") shell.takes_focus("pickers");
    draw_picker(shell, look, picker, value, width, false);
    ImGui::SameLine(0, gap);
    if (id != "model") continue;
    ImGui::SetCursorPosY(top);
    draw_array_pill(shell, look);
    ImGui::SameLine(0, gap);
  }
  ImGui::SetCursorPos({0, top});
  draw_badge(shell, look, ImGui::GetWindowWidth() - right, true);
  ImGui::SetCursorPos({0, top + look.px(kPillHeight) + look.px(is_tall(look) ? 8 : 6)});
}

// Presented: those of which a lesson's step speaks, before the tokens.
void draw_spoken_pickers(Shell& shell, const Look& look) {
  const float left = shell.ui.rail + look.px(16), gap = look.px(8), top = ImGui::GetCursorPosY();
  float x = left;
  for (const Picker& picker : pickers()) {
    if (!shell.parts.is_spoken_of(std::string("picker:") + picker.id)) continue;
    const std::string value = picker.value(shell);
    const float width = std::min(pill_width(look, tr(picker.label), value), look.px(300));
    ImGui::SetCursorPos({x, top + look.px(4)});
    draw_picker(shell, look, picker, value, width, false);
    x += width + gap;
  }
  shell.ui.pickers_width = x - left;
  ImGui::SetCursorPos({0, top});
}

}  // namespace

void draw_pickers(Shell& shell, const Look& look) {
  if (shell.view().presentation) return draw_spoken_pickers(shell, look);
  if (is_of_arrays(shell.document()) && !is_low(look)) return draw_pickers_of_arrays(shell, look);
  const float right = look.px(16), left = shell.ui.rail + right, gap = look.px(8), width = ImGui::GetWindowWidth(),
              top = ImGui::GetCursorPosY();
  const Badge said = badge_of(shell, look);
  if (is_low(look)) {  // all of them are behind one button, beside the tokens
    ImGui::SetCursorPos({left, top});
    const std::string value = shell.document().interventions.empty() ? said.words : interventions_words(shell.document());
    const float wide = pill_width(look, tr("model"), value);
    draw_more(shell, look, 0, tr("model"), value, wide);
    shell.ui.pickers_width = wide + gap;
    ImGui::SetCursorPos({0, top});
    return;
  }
  const float weights_width = draw_badge(shell, look, 0, false);
  const float marks = weights_width + draw_interventions_badge(shell, look, 0, false);
  const float badge_width = marks + draw_chat_switch(shell, look, 0, false);
  const float room = width - left - right - badge_width - gap;

  std::array<float, 7> widths{};
  std::array<std::string, 7> values;
  float sum = 0;
  const auto say = [&](std::size_t i, std::string value) {
    values[i] = std::move(value);
    widths[i] = std::min(pill_width(look, tr(pickers()[i].label), values[i]), look.px(300));
  };
  const auto add_up = [&] {
    sum = 0;
    for (const float w : widths) sum += w + gap;
  };
  for (std::size_t i = 0; i < widths.size(); ++i) say(i, pickers()[i].value(shell));
  add_up();
  // If the row is slightly too narrow, pickers are abbreviated one after the other, from the last on ("CPU", whose details the
  // status bar shows; "causal"), before a second row takes room from the view.
  const std::array<std::string, 7> full = values;
  for (std::size_t i = widths.size(); i-- > 0 && sum - gap > room;) {
    say(i, i + 1 == widths.size() ? values[i].substr(0, values[i].find(',')) : figures::without_brackets(values[i]));
    add_up();
  }
  if (sum - gap > room) {
    for (std::size_t i = 0; i < widths.size(); ++i) say(i, full[i]);
    add_up();
  }
  // If a second row would take too much room from the view, the pickers that do not fit are behind a button.
  std::size_t shown = widths.size();
  const std::string more = "…";
  if (sum - gap > room && ImGui::GetMainViewport()->Size.y / look.scale < kOneRow) {
    const float needs = pill_width(look, tr("more"), more) + gap;
    while (shown > 0 && sum - gap + needs > room) sum -= widths[--shown] + gap;
    sum += needs;
  }
  // More space between the pickers if there is room.
  if (const float extra = std::min(look.px(40), (room - sum) / static_cast<float>(shown + 1)); extra > 0)
    for (float& w : widths) w = std::floor(w + extra);

  bool any_open = false;
  for (const Picker& picker : pickers()) any_open = any_open || ImGui::IsPopupOpen((std::string("popup/") + picker.id).c_str());
  float x = left, y = top;
  for (std::size_t i = 0; i < shown; ++i) {
    const Picker& picker = pickers()[i];
    if (x > left && x + widths[i] > left + room) {  // a narrow window: a second row
      x = left;
      y += look.px(kPillHeight) + gap;
    }
    ImGui::SetCursorPos({x, y});
    if (i == 0) shell.takes_focus("pickers");
    draw_picker(shell, look, picker, values[i], widths[i], any_open);
    x += widths[i] + gap;
  }
  if (shown < widths.size()) {
    ImGui::SetCursorPos({x, y});
    draw_more(shell, look, shown, tr("more"), more, 0);
  }
  ImGui::SetCursorPos({0, top});
  draw_badge(shell, look, width - right, true);
  ImGui::SetCursorPos({0, top});
  draw_interventions_badge(shell, look, width - right - weights_width, true);
  ImGui::SetCursorPos({0, top});
  draw_chat_switch(shell, look, width - right - marks, true);
  ImGui::SetCursorPos({0, y + look.px(kPillHeight) + look.px(is_tall(look) ? 8 : 6)});
}

}  // namespace headlight::window
