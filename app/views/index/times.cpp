// The times of the Index lab: the switches for devices, precisions and sizes, and the bars.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "app/text/device_words.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/views/index/parts.h"
#include "imgui.h"

namespace headlight::views::lab {
namespace {

using figures::Font;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

// --- devices and precisions: what the machine has can be chosen; for the rest a reason is shown

Node device_buttons(Sheet& sheet, const Shared& frame) {
  return group(sheet, "devices", 4, [&](Sheet& inner) {
    const std::vector<Device> devices = devices_of(frame->context());
    const std::vector<std::string> chosen = chosen_devices(frame->context(), devices);
    std::vector<Node> all;
    for (const Device& device : devices)
      all.push_back(inner.button(
          {.id = "device " + device.id,
           .label = device.label,
           .on = contains(chosen, device.id),
           .why = device.available
                      ? fill(tr("Measured on: {}. Several devices can be chosen; one always is"), {device_words(device.full)})
                      : fill(tr("Not here: {}"), {spoken(device.why)}),
           .press =
               [&state = frame->state, chosen, id = device.id] {
                 state.devices = chosen;
                 flip(state.devices, id);
               },
           .enabled = device.available,
           .high = 28}));
    return all;
  });
}

// What a precision is and, where no chosen device has it, why.
std::string why_precision(const std::string& precision, bool possible, const std::vector<Device>& devices) {
  std::string what = precision == "f32"    ? tr("32-bit floating point, exact products")
                     : precision == "tf32" ? tr("Products of numbers rounded to 10 bits of mantissa, on a GPU's matrix units")
                                           : tr("Products of numbers rounded to 7 bits of mantissa, on a GPU's matrix units");
  if (possible) return what;
  if (std::ranges::any_of(devices, [&](const Device& d) { return contains(d.precisions, precision); }))
    return fill(tr("{}. {}"), {what, tr("None of the chosen devices computes so: choose a GPU")});
  std::string missing;
  for (const Device& device : devices)
    if (!device.available) missing = spoken(device.why);
  return fill(tr("{}. {}"), {what, missing.empty() ? std::string(tr("No device of this machine computes so"))
                                                   : fill(tr("Not here: {}"), {missing})});
}

Node precision_buttons(Sheet& sheet, const Shared& frame) {
  return group(sheet, "precisions", 4, [&](Sheet& inner) {
    const std::vector<Device> devices = devices_of(frame->context());
    const std::vector<std::string> chosen = chosen_devices(frame->context(), devices);
    const bool plain = choices_of(frame->context()).front().precision == "f32";
    std::vector<Node> all;
    for (const std::string& precision : precisions()) {
      const bool possible = std::ranges::any_of(
          devices, [&](const Device& d) { return contains(chosen, d.id) && contains(d.precisions, precision); });
      all.push_back(
          inner.button({.id = "precision " + precision,
                        .label = precision,
                        .on = possible && (contains(frame->state.precisions, precision) || (precision == "f32" && plain)),
                        .why = why_precision(precision, possible, devices),
                        .press = [&state = frame->state, precision] { flip(state.precisions, precision); },
                        .enabled = possible,
                        .high = 28}));
    }
    return all;
  });
}

// --- sizes

constexpr float kButton = 24, kNumber = 52, kLabel = 13, kBetween = 4;

struct SizeField {
  const char *id, *letter, *label, *why;
  std::int64_t State::*member;
  std::int64_t most;
};
std::array<SizeField, 5> fields_of_sizes() {
  return {{{"words", "W", tr("words W"), tr("Words in the batch"), &State::words, 1 << 16},
           {"length", "l", tr("length l"), tr("Symbols a word, padding included"), &State::length, 512},
           {"vocab", "n", tr("symbols n"), tr("Symbols in the vocabulary"), &State::vocab, 1 << 16},
           {"d", "d", tr("width d"), tr("Numbers a symbol's vector has"), &State::d, 4096},
           {"heads", "h", tr("heads h"), tr("Heads that share d; each has tables of its own"), &State::heads, 64}}};
}

// "W [-] 500 [+]": buttons halve and double; the number can be typed.
void draw_size(const Frame& frame, const ui::Look& look, const SizeField& size, const std::string& label) {
  const Context& context = frame.context();
  std::int64_t& value = frame.state.*size.member;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(kBetween), 0});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float wide = context.measure.width(label, kLabel, Font::words) + 6;
  context.figures.text(*ImGui::GetWindowDrawList(), {at.x, at.y + look.px(6)}, label, kLabel, Font::words, look.theme.secondary);
  ImGui::SetCursorScreenPos({at.x + look.px(wide), at.y});
  if (ui::button(look, "-", look.px(kButton), 28, false, value > 1)) value = std::max<std::int64_t>(1, (value + 1) / 2);
  ui::tooltip(look, tr("Half as many"));
  ImGui::SameLine();
  ImGui::SetNextItemWidth(look.px(kNumber));
  push_font(context, Font::mono, 14);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(5), ImGui::GetStyle().FramePadding.y});
  auto& [draft, typing] = frame.held->sizes[size.id];
  if (!typing) draft = std::to_string(value);
  if (ui::text_input("##size", draft, nullptr, ImGuiInputTextFlags_CharsDecimal | ImGuiInputTextFlags_AutoSelectAll)) {
    char* end = nullptr;
    const long long typed = std::strtoll(draft.c_str(), &end, 10);
    if (end != draft.c_str() && typed >= 1 && typed <= size.most) value = typed;
  }
  typing = ImGui::IsItemActive();
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ui::tooltip(look, fill(tr("{}: 1 to {}"), {size.why, std::to_string(size.most)}));
  ImGui::SameLine();
  if (ui::button(look, "+", look.px(kButton), 28, false, value < size.most)) value = std::min(size.most, value * 2);
  ui::tooltip(look, tr("Twice as many"));
  ImGui::PopStyleVar();
}

// Named in words where all five fit in one line, else by their letters.
Node size_fields(Sheet& sheet, const Shared& frame, bool spelled) {
  return group(sheet, "sizes", 8, [&](Sheet& inner) {
    std::vector<Node> all;
    for (const SizeField& size : fields_of_sizes()) {
      const std::string label = spelled ? size.label : size.letter;
      const float wide =
          std::ceil(inner.scene.pen.measure.width(label, kLabel, Font::words)) + 6 + 2 * kButton + kNumber + 2 * kBetween;
      all.push_back(inner.by_hand(
          {.id = std::string("size ") + size.id,
           .draw = [frame, size, label](const ui::Look& look, views::Size) { draw_size(*frame, look, size, label); }},
          wide, 28));
    }
    return all;
  });
}

Node size_line(Sheet& sheet, const Shared& frame) {
  Node spelled = size_fields(sheet, frame, true), brief = size_fields(sheet, frame, false);
  const float line = spelled.forms[0].wide.wished;
  spelled.forms.front().wide.least = line;  // rather letters than two lines
  Node either = Sheet::either({std::move(spelled), std::move(brief)});
  either.rank = 4;
  return either;
}

// --- switches for what is computed and how it is drawn

Node switches(Sheet& sheet, const Shared& frame) {
  return group(sheet, "switches", 12, [&](Sheet& inner) {
    State& state = frame->state;
    return std::vector<Node>{
        inner.toggle(
            "every query", tr("every query's output"), &state.every_query,
            tr("Every query's output is kept, as in an ordinary layer; else, as in the notebook, their mean alone. V must "
               "be made then, and the index gains less")),
        inner.toggle("own positions", tr("position weights W_P"), &state.own_positions,
                     tr("On: the positions are multiplied by weights of their own, W_P, in every bar, in the word's four terms "
                        "and in the table. Off: by those of the symbols, W_P = W_M, as the notebook does to check itself. The "
                        "ways by distinct rows and by folded weights need one matrix for both and are left out then. (isdpa "
                        "takes them as PWQ, PWK, PWV)")),
        inner.toggle("padding masked", tr("padding masked"), &state.padding,
                     tr("In every bar, and in the word above: keys that are symbol 0, padding, get weight 0, and queries that "
                        "are leave the mean. The notebook masks nothing. (bench isdpa --pad-index 0)")),
        inner.toggle("word lengths", tr("words as in a text"), &state.word_lengths,
                     tr("The words measured have as many symbols as the words of an English text, 4 on average, and padding up "
                        "to l; else every place has any symbol, as in the notebook")),
        inner.toggle("log", tr("logarithmic"), &state.log,
                     tr("A bar twice as long is then not twice the time: every power of ten has the same length"))};
  });
}

// --- the bars and what is said about them

Node ratio(Sheet& sheet, const Shared& frame, const Measured& part, bool named) {
  const Times times = times_of(frame->state, *part.rows);
  const Context& context = frame->context();
  const auto against = [&](double other) { return ratio_text(other, times.index); };
  // The status bar shows the same number.
  if (context.transient && part.choice.backend == shown_choice(context).backend)
    context.transient->results["index"] = fill(tr("ISDPA {}× the fastest SDPA at W={}"),
                                               {factor_text(times.fastest, times.index), std::to_string(frame->state.words)});
  const bool wins = times.fastest >= times.index;
  std::vector<std::string> texts =
      times.notebook <= 0
          ? std::vector<std::string>{fill(wins ? tr("ISDPA is {} as fast as the fastest way without an index ({})")
                                               : tr("ISDPA loses here: {} of the speed of the fastest way without an index ({})"),
                                          {against(times.fastest), times.fastest_label}),
                                     fill(tr("ISDPA: {} the fastest without an index ({})"),
                                          {against(times.fastest), times.fastest_label})}
          : std::vector<std::string>{
                fill(wins ? tr("ISDPA is {} as fast as the fastest way without an index ({}), {} as fast as the notebook's steps")
                          : tr("ISDPA loses here: {} of the speed of the fastest way without an index ({}), {} of the notebook's "
                               "steps"),
                     {against(times.fastest), times.fastest_label, against(times.notebook)}),
                fill(tr("ISDPA: {} the fastest without an index ({}), {} the notebook's steps"),
                     {against(times.fastest), times.fastest_label, against(times.notebook)})};
  if (named)
    for (std::string& text : texts) text = fill(tr("{}: {}"), {name_of(part.choice), text});
  const figures::Theme& theme = sheet.scene.pen.theme;
  return first_in_line(sheet, "ratio " + part.choice.backend, std::move(texts), 14, wins ? theme.good : theme.wrong);
}

// Why ways that people look for have no bar; empty: they have.
std::string missing_ways(const Frame& frame, const Answer& answer) {
  if (!sweep_of(frame.context())) return {};
  // The methods for the slowest chosen device: a GPU computes fifty times as much in the same time.
  std::vector<std::string> ways = ways_of(frame.state, answer.parts.empty() ? "cpu" : answer.parts.front().choice.backend);
  for (const Measured& part : answer.parts)
    if (std::vector<std::string> of_this = ways_of(frame.state, part.choice.backend); of_this.size() < ways.size())
      ways = std::move(of_this);
  if (ways.empty()) return tr("The layer without an index takes long at these sizes: not measured while you wait");
  if (frame.state.every_query || contains(ways, "notebook")) return {};
  return tr("The notebook's steps take long at these sizes: not measured while you wait");
}

// How much of the bars' figure is drawn: `close` puts the rows closer together, `bars` leaves out everything below the bars.
enum class Room { whole, close, bars };
figures::Figure bars(figures::TimingBarsInput input, Room room, float width, const Pen& pen) {
  input.row = room == Room::whole ? 28.0f : 22.0f;
  if (room == Room::bars) {
    input.parts.clear();
    input.reached.clear();
    input.reached_note.clear();
  }
  return figures::timing_bars(input, width, pen.theme, pen.measure);
}

// A picture of earlier sizes, while those that are set are being measured.
figures::Figure faded(figures::Figure figure) {
  constexpr float kShare = 0.5f;
  for (figures::Item& item : figure.items) {
    if (auto* box = std::get_if<figures::Rectangle>(&item)) box->fill.a *= kShare, box->stroke.a *= kShare;
    if (auto* line = std::get_if<figures::Line>(&item)) line->color.a *= kShare;
    if (auto* text = std::get_if<figures::Text>(&item)) text->color.a *= kShare;
  }
  return figure;
}

Node bars_picture(Sheet& sheet, const Answer& answer, const figures::TimingBarsInput& input, bool presented) {
  const auto shared = std::make_shared<const figures::TimingBarsInput>(input);
  const Room least = presented ? Room::bars : Room::close;
  const auto high = [shared, least, pen = sheet.scene.pen](float width) {
    const float whole = bars(*shared, Room::whole, width, pen).height;
    return Span{std::min(whole, bars(*shared, least, width, pen).height), whole, whole};
  };
  const auto picture = [shared, least, old = answer.old](views::Size s, const Pen& pen) {
    figures::Figure figure = bars(*shared, Room::whole, s.w, pen);
    for (const Room room : {Room::close, Room::bars})
      if (s.h > 0 && figure.height > s.h + 0.5f && room <= least) figure = bars(*shared, room, s.w, pen);
    return old ? faded(std::move(figure)) : figure;
  };
  return sheet.picture({.id = "times",
                        .picture = picture,
                        .paper = {860, 0},
                        .on_paper = [shared](views::Size s, const Pen& pen) { return bars(*shared, Room::whole, s.w, pen); }},
                       {160, 600, kAny}, high);
}

Node heading_line(Sheet& sheet, const Shared& frame) {
  std::vector<Node> all = {
      sheet.label("layer", tr("One layer"), ui::kHeading, sheet.scene.pen.theme.text, {}, Font::words_bold),
      sheet.choice("mode", {tr("per call"), tr("cached")}, frame->state.cached ? 1 : 0,
                   {tr("The weights change: the tables are made in every call, as in the notebook's loop"),
                    tr("The weights are fixed, for every way alike: the tables are made once and kept, and the ways without an "
                       "index keep their folded weights and projected rows")},
                   [&state = frame->state](int mode) { state.cached = mode == 1; }),
      device_buttons(sheet, frame), precision_buttons(sheet, frame)};
  return shown_everywhere(Sheet::flow("measured on", 12, std::move(all)));
}

}  // namespace

sheet::Node times_column(Sheet& sheet, const Shared& frame) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  const Context& context = frame->context();
  std::vector<Node> all = {heading_line(sheet, frame), Sheet::column("size line", 0, {size_line(sheet, frame)}),
                           switches(sheet, frame)};
  // Presented, nothing scrolls: in a low room the controls go before the bars.
  if (frame->presented())
    for (std::size_t i = 0; i < all.size(); ++i) all[i].rank = 2 + static_cast<int>(i);
  if (const std::string problem = problem_of(frame->state); !problem.empty()) {
    all.push_back(remark(sheet, "problem", problem, 14, theme.wrong));
    return Sheet::column("times column", 5, std::move(all));
  }
  const Answer answer = answer_of(context);
  if (!answer.error.empty()) all.push_back(remark(sheet, "times error", answer.error, 14, theme.wrong));
  for (const Measured& part : answer.parts) {
    if (answer.old || !part.rows) continue;
    const Times times = times_of(frame->state, *part.rows);
    if (times.index > 0 && times.fastest > 0) all.push_back(ratio(sheet, frame, part, answer.parts.size() > 1));
  }
  if (const std::string missing = missing_ways(*frame, answer); !missing.empty())
    all.push_back(remark(sheet, "missing ways", missing, 14, theme.secondary, 5));
  all.push_back(bars_picture(sheet, answer, bars_of(context, answer), frame->presented()));
  if (answer.measuring && answer.any())
    all.push_back(remark(sheet, "measuring", answer.old ? tr("measuring …") : tr("measuring the ways without an index …"), 14,
                         theme.secondary, 5));
  return Sheet::column("times column", 5, std::move(all));
}

}  // namespace headlight::views::lab
