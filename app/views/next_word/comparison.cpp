// Two continuations compared: how likely each is, and how they part from layer to layer.
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/figures/base/stack.h"
#include "app/figures/charts/curves.h"
#include "app/text/language.h"
#include "app/ui/text_input.h"
#include "app/views/base/attention_bar.h"
#include "app/views/next_word/parts.h"
#include "imgui.h"

namespace headlight::views::next_word {
namespace {

using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

std::string signed_number(double value) {
  if (std::isnan(value)) return "nan";  // not "+nan"
  char text[32];
  std::snprintf(text, sizeof text, "%+.2f", value);
  return text;
}

// "74" below a thousand, "1.2e+05" above.
std::string times_words(double log_odds) { return short_number(std::exp(std::abs(log_odds))); }

// The tokens of a field, or of the candidate that stands for an empty one.
TokenIds compared_ids(const Context& context, const Place& place, const std::string& typed, std::size_t candidate) {
  if (!typed.empty()) return continuation_ids(place, typed);
  const auto ranked = ranked_of(context, place);  // the model's own, whatever layer the list is of
  if (ranked && candidate < ranked->candidates.size()) return {ranked->candidates[candidate].token};
  return {};
}

// A field that is empty as long as a candidate stands for it.
Node field(Sheet& sheet, const Shared& frame, const char* id, std::string& text, std::size_t candidate) {
  constexpr float kHigh = 32;
  const std::string hint = frame->ranked && candidate < frame->ranked->candidates.size()
                               ? frame->place.word(frame->ranked->candidates[candidate].token)
                               : std::string();
  return sheet.by_hand({.id = id,
                        .draw =
                            [frame, label = std::string("##") + id, &text, hint](const ui::Look& look, Size room) {
                              push_font(frame->context(), figures::Font::words, 15);
                              ImGui::SetNextItemWidth(look.px(room.w));
                              ui::live_text_input(label.c_str(), text, look.figures.uncovered(hint).value_or("").c_str());
                              ImGui::PopFont();
                            },
                        .explains = tr("A continuation of one or more words; empty: one of the two best candidates")},
                       {90, 90, kAny}, kHigh);
}

figures::CurvesInput odds_input(const Place& place, const LogitLens& lens, std::int32_t a, std::int32_t b) {
  figures::CurvesInput input;
  const std::int64_t at = place.position;
  figures::CurvesInput::Curve odds{fill(tr("above 0: {}, below: {}"), {place.word(a), place.word(b)}), {}, 1, false};
  for (std::int64_t row = 0; row < lens.rows(); ++row) odds.y.push_back(lens.logit(row, at, a) - lens.logit(row, at, b));
  input.curves.push_back(std::move(odds));
  input.curves.push_back({"0", std::vector<double>(static_cast<std::size_t>(lens.rows()), 0.0), 3, true});
  input.title = tr("Log-odds after each layer");
  input.x_axis = tr("layers passed (0: the embedding)");
  input.y_axis = tr("log-odds, nat");
  return input;
}

void add_odds(Sheet& sheet, const Shared& frame, std::int32_t a, std::int32_t b, Nodes& all) {
  const auto lens = lens_of(frame->context(), frame->place);
  if (!lens) return;
  auto made = odds_input(frame->place, *lens, a, b);
  made.margin = 0;
  const auto input = std::make_shared<const figures::CurvesInput>(std::move(made));
  const auto follow = [frame, input](const Drawn& drawn) {
    if (!drawn.hit.hovered) return;
    const std::int64_t at = figures::curve_point_at(drawn.figure, *input, drawn.hit.at);
    if (at >= 0)
      say_at_mouse(frame->scene, fill(tr("after {} layers: {} nat"),
                                      {std::to_string(at), signed_number(input->curves[0].y[static_cast<std::size_t>(at)])}));
  };
  const auto paper = [input](Size s, const Pen& pen) {
    figures::CurvesInput wide = *input;
    wide.margin = 12;
    return figures::stacked({figures::curves(wide, s.w, 360, pen.theme, pen.measure)}, 0, 16);
  };
  all.push_back(sheet.picture(
      {.id = "odds",
       .picture = [input](Size s, const Pen& pen) { return figures::curves(*input, s.w, s.h, pen.theme, pen.measure); },
       .of = sheet.scene.made_of<struct OddsOf>(lens, frame->place.position, a, b),
       .hit = follow,
       .paper = {640, 0},
       .on_paper = paper},
      {240, 240, kAny}, Span{170, 210, 210}));
}

// Both continuations by their numbers, as a picture, in words, and by layer.
void add_compared(Sheet& sheet, const Shared& frame, const Continued& a, const Continued& b, Nodes& all) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  const figures::ContinuationsInput input{{a.words, std::exp(a.log_probability)}, {b.words, std::exp(b.log_probability)}};
  const double odds = a.log_probability - b.log_probability;
  all.push_back(sheet.picture(
      {.id = "continuations",
       .picture = [input](Size s, const Pen& pen) { return figures::continuations(input, s.w, pen.theme, pen.measure); },
       .paper = {480, 0},
       .title = tr("Two continuations compared"),
       .framed = true,
       .caption = tr("Two continuations compared")},
      {200, 200, kAny}));
  all.push_back(sheet.words("odds words",
                            fill(tr("log-odds {} nat: {} is {} times as likely"),
                                 {signed_number(odds), odds >= 0 ? a.words : b.words, times_words(odds)}),
                            14, theme.text));
  add_odds(sheet, frame, a.tokens.front(), b.tokens.front(), all);
  if (a.tokens.size() > 1 || b.tokens.size() > 1)
    all.push_back(sheet.words("chain rule",
                              tr("The percentages are of all tokens (chain rule), the line is of each first token."), 13,
                              theme.secondary));
}

}  // namespace

Nodes comparison_nodes(Sheet& sheet, const Shared& frame) {
  State& state = frame->state;
  Nodes all = {
      heading(sheet, "comparison title", tr("Two continuations compared")),
      Sheet::row("fields", 12, {field(sheet, frame, "first", state.first, 0), field(sheet, frame, "second", state.second, 1)})};
  if (!frame->ranked) return all;
  const Context& context = frame->context();
  std::string error;
  const auto a = continued_of(context, frame->place, compared_ids(context, frame->place, state.first, 0), &error);
  const auto b = continued_of(context, frame->place, compared_ids(context, frame->place, state.second, 1), &error);
  if (a && b)
    add_compared(sheet, frame, *a, *b, all);
  else
    all.push_back(waiting(sheet, "not compared", error));
  return all;
}

figures::Figure odds_figure(const Context& context, const Place& place, float width) {
  const State& state = state_of(context);
  const auto lens = lens_of(context, place);
  const TokenIds a = compared_ids(context, place, state.first, 0), b = compared_ids(context, place, state.second, 1);
  if (!lens || a.empty() || b.empty()) return {};
  return figures::curves(odds_input(place, *lens, a.front(), b.front()), width, 360, context.theme, context.measure);
}

}  // namespace headlight::views::next_word
