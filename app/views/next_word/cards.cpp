// What really follows at every position.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/text/language.h"
#include "app/views/base/figure_menu.h"
#include "app/views/next_word/parts.h"
#include "engine/core/one_nan.h"
#include "imgui.h"

namespace headlight::views::next_word {
namespace {

using Node = Sheet::Node;
using sheet::Span;

constexpr float kLeastCards = 126;

figures::SurpriseInput cards_input(const Place& place, const Predictions& said) {
  figures::SurpriseInput input;
  const Sentence& sentence = place.sentence();
  const std::size_t count = std::min(said.positions.size(), sentence.labels.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Predictions::Position& here = said.positions[i];
    figures::SurpriseInput::Card card;
    card.token = sentence.labels[i];
    card.hue = static_cast<int>(i % 12);
    if (here.follows >= 0) {
      card.follows = place.word(here.follows);
      card.loss = here.loss;
      card.rank = here.rank;
      card.chance = here.probability;
    } else if (!here.best.empty()) {
      card.best = place.word(here.best.front().token);
      card.chance = here.best.front().probability;
    }
    input.cards.push_back(std::move(card));
  }
  input.current = place.position;
  return input;
}

bool scrolls(std::int64_t count, float width) {
  return figures::card_pitch(count, width) * static_cast<float>(count) > width + 1;
}

void follow_card(const Frame& frame, const gl::Hit& hit) {
  if (!hit.hovered || hit.tag.kind != figures::Tag::token) return;
  const auto& token = frame.place.sentence().tokens[static_cast<std::size_t>(hit.tag.a)];
  Hot& next = frame.context().hover.next;
  next.byte_start = token.start;
  next.byte_end = std::max(token.end, token.start + (token.end == token.start ? 0 : 1));
  next.in_target = !frame.place.trace->targets().empty();
  next.token = hit.tag.a;
  if (hit.clicked) frame.state.position = hit.tag.a + 1 == frame.place.tokens() ? -1 : hit.tag.a;
}

// The cards, which scroll to the position when that has changed. Only those in sight are drawn.
void draw_cards(const Frame& frame, figures::SurpriseInput input, const ui::Look& look, Size room) {
  const auto count = static_cast<std::int64_t>(input.cards.size());
  input.pitch = figures::card_pitch(count, room.w);
  if (ImGui::BeginChild("cards", {look.px(room.w), look.px(room.h)}, ImGuiChildFlags_NavFlattened,
                        ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoBackground)) {
    const float pitch = input.pitch * look.scale, left = pitch * static_cast<float>(frame.place.position);
    // The cards of a sentence that has just grown are there a frame later.
    const bool elsewhere = frame.own->scrolled != frame.place.position || frame.own->scrolled_width != room.w;
    if (elsewhere && scrolls(count, room.w) && count == frame.place.tokens()) {
      const float at = ImGui::GetScrollX(), wide = look.px(room.w);
      if (left < at || left + pitch > at + wide + 1) ImGui::SetScrollX(std::max(0.0f, left + pitch - wide));
      frame.own->scrolled = frame.place.position;
      frame.own->scrolled_width = room.w;
    }
    input.first = static_cast<std::int64_t>(ImGui::GetScrollX() / pitch) - 1;
    input.count = static_cast<std::int64_t>(room.w / input.pitch) + 4;
    figures::Figure figure = figures::surprise_cards(input, look.theme, frame.context().measure);
    figure.background.a = 0;
    const gl::Hit hit = frame.context().figures.draw(figure, "cards");
    follow_card(frame, hit);
    figure_menu(frame.context(), "cards menu", hit, [&] { return cards_figure(frame.context(), frame.place, 0); });
  }
  ImGui::EndChild();
}

// The words for the cards' lines, and the cards beside them.
Node cards_row(Sheet& sheet, const Shared& frame) {
  const Pen& pen = sheet.scene.pen;
  const float height = figures::surprise_cards({}, pen.theme, pen.measure).height;
  figures::SurpriseInput input = cards_input(frame->place, *frame->own->predictions);
  input.labels = false;
  if (frame->context().hover.now.byte_start >= 0) input.hot = frame->context().hover.now.token;
  const auto count = static_cast<std::int64_t>(input.cards.size());
  const float most = std::max(kLeastCards, std::ceil(figures::card_pitch(count, 1e6f) * static_cast<float>(count)));
  Node names = sheet.picture({.id = "card names",
                              .picture = [](Size, const Pen& p) { return figures::surprise_cards({}, p.theme, p.measure); },
                              .of = sheet.scene.made_of<struct CardNames>(),
                              .on_paper = [frame](Size, const Pen&) { return cards_figure(frame->context(), frame->place, 0); }},
                             figures::surprise_labels_width(pen.measure), height);
  Node cards = sheet.by_hand(
      {.id = "cards",
       .draw = [frame, input = std::move(input)](const ui::Look& look, Size room) { draw_cards(*frame, input, look, room); }},
      {kLeastCards, kLeastCards, most}, 0);
  cards.forms[0].high = [count, height](float width) { return Span(height + (scrolls(count, width) ? kScrollBar : 0)); };
  cards.presented = true;
  return Sheet::row("cards row", 0, {std::move(names), std::move(cards)});
}

}  // namespace

std::string two_decimals_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", one_nan(value));
  return text;
}

Nodes cards_nodes(Sheet& sheet, const Shared& frame) {
  // The latest ones, until those of a new trace are ready.
  if (const auto made = predictions_of(frame->context(), frame->place)) frame->own->predictions = made;
  const auto& said = frame->own->predictions;
  std::string quiet = tr("at every position: how surprised the model was");
  if (said && !std::isnan(said->mean_loss)) quiet += "   " + fill(tr("mean loss {} nat"), {two_decimals_of(said->mean_loss)});
  Nodes all = {heading(sheet, "cards title", tr("What really follows"), {std::move(quiet)})};
  all.push_back(said ? cards_row(sheet, frame) : waiting(sheet, "no cards"));
  return all;
}

figures::Figure cards_figure(const Context& context, const Place& place, float) {
  if (place.fills) return {};
  const auto said = predictions_of(context, place);
  if (!said) return {};
  return figures::surprise_cards(cards_input(place, *said), context.theme, context.measure);
}

}  // namespace headlight::views::next_word
