// The Long texts view's costs by length: a chart, and the table of the lecture about speech.
#include <string>
#include <utility>
#include <vector>

#include "app/figures/base/compose.h"
#include "app/text/language.h"
#include "app/views/long_texts/parts.h"
#include "engine/recurrence/network.h"

namespace headlight::views::long_range {
namespace {

using Node = Sheet::Node;
using Of = figures::LongCostsInput::Of;
using sheet::kAny;
using sheet::Span;

constexpr float kLeastChart = 170, kChartForSpeech = 330;

Of cost_of(const State& state) { return state.cost == "time" ? Of::seconds : state.cost == "bytes" ? Of::bytes : Of::operations; }

// Starts and stops the measuring of times.
void add_measuring(Sheet& sheet, const Shared& frame, const LongCosts& costs, std::vector<Node>& all) {
  const auto& held = frame->held;
  const std::size_t most = kLongLengths.size();
  if (costs.measuring) {
    all.push_back(sheet.button(
        {.id = "stop", .label = tr("stop"), .press = [held, done = costs.done] { held->lengths = done; }, .high = 28}));
    all.push_back(sheet.label("measuring",
                              fill(tr("measuring, {} of {} lengths"), {std::to_string(costs.done), std::to_string(most)}), 13,
                              sheet.scene.pen.theme.secondary));
    frame->context().frame_in(0.1);
  } else if (costs.done < most && costs.error.empty()) {
    all.push_back(sheet.button({.id = "measure",
                                .label = tr("measure"),
                                .why = tr("Times every method at each length, about a second a length; edits come first"),
                                .press = [held, most] { held->lengths = most; },
                                .high = 28}));
  }
}

Node controls(Sheet& sheet, const Shared& frame, const LongCosts& costs) {
  const Of of = cost_of(frame->state);
  std::vector<Node> all = {sheet.choice(
      "cost", {tr("operations"), tr("bytes"), tr("time")}, static_cast<int>(of),
      {tr("Operations and bytes are counted from the sizes; times are measured here, in the background")}, [frame](int chosen) {
        frame->state.cost = chosen == 2 ? "time" : chosen == 1 ? "bytes" : "operations";
        if (chosen == 2) frame->held->lengths = kLongLengths.size();
      })};
  if (of == Of::seconds) add_measuring(sheet, frame, costs, all);
  return shown_everywhere(Sheet::flow("cost controls", 12, std::move(all)));
}

void follow_line(const Frame& frame, const gl::Hit& hit, const figures::LongCostsInput& input) {
  if (!hit.hovered || hit.tag.kind != figures::Tag::link || hit.tag.a < 0) return;
  if (hit.clicked) choose_method(frame, hit.tag.a);
  const auto at = static_cast<std::size_t>(hit.tag.a);
  if (at < long_texts::registry().entries().size())
    explain_method(frame, at);
  else if (const auto* kind = recurrence::kinds().find(input.lines[at].id))
    say_at_mouse(frame.scene, tr("Reads one token after the other and keeps a state of d numbers: the view Recurrence"),
                 kind->formula + "   " + kind->source);
}

// A chart that is high gives way only after the table below it has gone.
Node chart(Sheet& sheet, const Shared& frame, figures::LongCostsInput of_costs) {
  const auto input = std::make_shared<const figures::LongCostsInput>(std::move(of_costs));
  const auto draw = [input](Size s, const Pen& pen) {
    return figures::long_costs(*input, s.w, s.h > 0 ? s.h : 560, pen.theme, pen.measure);
  };
  Node node = sheet.picture({.id = "chart",
                             .picture = draw,
                             .hit = [frame, input](const Drawn& drawn) { follow_line(*frame, drawn.hit, *input); },
                             .paper = {860, 560}},
                            {240, 480, kAny}, Span{kChartForSpeech, 460, kAny});
  node.forms.push_back({node.forms.front().wide, [](float) { return Span{kLeastChart, kChartForSpeech, kAny}; }});
  node.rank = 3;
  node.stays = true;
  return node;
}

Node speech(Sheet& sheet) {
  Node node = sheet.picture({.id = "speech",
                             .picture = [](Size s, const Pen& pen) { return figures::speech_table(s.w, pen.theme, pen.measure); },
                             .hit =
                                 [&scene = sheet.scene](const Drawn& drawn) {
                                   if (drawn.hit.hovered)
                                     say_at_mouse(scene, tr("Quoted, not measured here"), tr("Katharopoulos et al. 2020"));
                                 },
                             .paper = {600, 0},
                             .framed = true},
                            {200, 480, kAny});
  node.rank = 4;
  node.presented = false;
  return node;
}

}  // namespace

sheet::Node costs_page(Sheet& sheet, const Shared& frame) {
  const LongCosts costs = long_costs(frame->context(), frame->shown, cost_of(frame->state), frame->held->lengths);
  std::vector<Node> all = {controls(sheet, frame, costs)};
  if (!costs.error.empty()) {
    all.push_back(sheet.words("why not", costs.error, 13, sheet.scene.pen.theme.wrong));
    all.back().presented = true;
  }
  all.push_back(chart(sheet, frame, costs.input));
  all.push_back(speech(sheet));
  return Sheet::column("costs page", 6, std::move(all));
}

}  // namespace headlight::views::long_range
