#include "app/views/walk/bar.h"

#include <algorithm>
#include <cmath>

#include "app/gl/figure_view.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/view.h"
#include "app/views/walk/steps.h"
#include "imgui.h"

namespace headlight::views {

const View& walk_view();

namespace walk {
namespace {

using figures::Font;
using Node = Sheet::Node;

constexpr float kBar = 54, kLowBar = 44, kLeastDots = 101;

struct Button {
  std::string id, label, why;
  std::function<void()> press;
  bool strong = false, enabled = true;
  float wide = 34;
};

float width_of(const Frame& frame, const std::string& label, float around) {
  return frame.context.measure.width(label, 14, Font::words) + around;
}

// In the middle of the bar's height.
Node button_of(Sheet& sheet, Button button) {
  constexpr float kHigh = 30;
  const float wide = button.wide;
  const auto draw = [b = button](const ui::Look& look, Size room) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos({at.x, at.y + look.px((room.h - kHigh) / 2)});
    if (ui::button(look, ui::labelled(b.label.c_str(), b.id.c_str()).c_str(), look.px(room.w), kHigh, b.strong, b.enabled))
      b.press();
  };
  Node node = sheet.by_hand({.id = std::move(button.id), .draw = draw, .explains = std::move(button.why)}, wide,
                            sheet::Span{kHigh, kHigh, sheet::kAny});
  node.presented = true;
  return node;
}

Node stepping(Sheet& sheet, const Frame& frame) {
  const Context& context = frame.context;
  const WalkScene& scene = frame.walk;
  const int last = static_cast<int>(scene.graph->stops.size()) - 1;
  const bool playing = context.transient->of<WalkTransient>().playing, takes_word = takes(scene);
  const auto to = [&frame](int stop) { return [&frame, stop] { jump(frame.context, frame.walk, stop); }; };
  return Sheet::row(
      "stepping", 5,
      {button_of(sheet, {"first", "|<", tr("To the first step (Home)"), to(0), false, scene.stop > 0}),
       button_of(sheet, {"back", "<", tr("One step back (Shift+Space)"), to(scene.stop - 1), false, scene.stop > 0}),
       button_of(sheet, {"play", playing ? tr("pause") : tr("play"),
                         playing ? tr("Stop here") : tr("Goes on by itself, as fast as one reads"),
                         [&frame, playing] { play(frame.context, frame.walk, !playing); }, true, true,
                         std::max({60.0f, width_of(frame, tr("play"), 24), width_of(frame, tr("pause"), 24)})}),
       button_of(sheet, {"next", ">",
                         takes_word ? tr("Takes the word into the text and begins again (Space)") : tr("One step on (Space)"),
                         [&frame] {
                           play(frame.context, frame.walk, false);
                           step_on(frame.context, frame.walk, 1);
                         },
                         takes_word, scene.stop < last || takes_word}),
       button_of(sheet, {"last", ">|", tr("To the last step (End)"), to(last), false, scene.stop < last})});
}

// What takes the diagram's place. In a narrow place F7 and the palette choose the page.
Node instead(Sheet& sheet, const Frame& frame) {
  const Context& context = frame.context;
  const bool opened = !own(context).open.empty();
  std::vector<Node> all = {
      button_of(sheet, {"open", tr("values"),
                        opened ? tr("Back to the diagram (Esc)")
                               : tr("Opens every number of this step (Enter); the inspector explains the one under the mouse"),
                        [&frame, opened] {
                          if (opened)
                            own(frame.context).open.clear();
                          else
                            open_box(frame.context, frame.walk, frame.walk.input.lit);
                        },
                        opened, true, width_of(frame, tr("values"), 22)})};
  for (const Page& page : walk_view().pages) {
    if (!*page.id) continue;
    const bool shown = own(context).page == page.id;
    all.push_back(button_of(sheet, {page.id, tr(page.label), shown ? tr("Back to the diagram (Esc)") : tr(page.why),
                                    [&context, &page, shown] {
                                      own(context).open.clear();
                                      own(context).page = shown ? "" : page.id;
                                    },
                                    shown, true, width_of(frame, tr(page.label), 22)}));
    all.back().rank = static_cast<int>(all.size()) - 1;
  }
  if (context.export_animation) {
    all.push_back(button_of(sheet, {"film", tr("film…"), tr("Exports the whole walk-through as an animated picture"),
                                    [&context] { context.export_animation(walk_film(context, 1280, 720)); }, false, true,
                                    width_of(frame, tr("film…"), 22)}));
    all.back().rank = static_cast<int>(all.size()) - 1;
  }
  return Sheet::row("instead", 5, std::move(all));
}

// They go first: the buttons do the same.
Node dots(Sheet& sheet, const Frame& frame) {
  const auto draw = [&frame](Size s, const Pen& pen) {
    return walk_dots(*frame.walk.graph, frame.walk.stop, frame.context.transient->of<WalkTransient>().dot, s.w, s.h, pen.theme,
                     pen.measure);
  };
  const auto follow = [&frame](const Drawn& drawn) {
    const int stop = drawn.hit.tag.kind == figures::Tag::token ? static_cast<int>(drawn.hit.tag.a) : -1;
    frame.context.transient->of<WalkTransient>().dot = stop;
    if (stop < 0) return;
    ui::tooltip(frame.look, walk_title(*frame.walk.graph, stop));
    if (drawn.hit.clicked) jump(frame.context, frame.walk, stop);
  };
  Node node = sheet.picture({.id = "steps", .picture = draw, .hit = follow}, {kLeastDots, kLeastDots, sheet::kAny},
                            sheet::Span{0, 0, sheet::kAny});
  node.rank = 9;
  return node;
}

void draw_bar(const Frame& frame, Size room) {
  const ui::Look& look = frame.look;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 low = ImGui::GetCursorScreenPos(), high{low.x + look.px(room.w), low.y + look.px(room.h)};
  const float alpha = ImGui::GetStyle().Alpha;
  list.AddRectFilled(low, high, gl::packed(look.theme.panel, alpha), look.px(8));
  list.AddRect(low, high, gl::packed(look.theme.line, alpha), look.px(8), 0, std::max(1.0f, std::floor(look.scale)));
  Sheet inside(frame.scene);
  inside.root = Sheet::row("bar", {kGap, kGap, kGap + 3}, {stepping(inside, frame), instead(inside, frame), dots(inside, frame)});
  ImGui::SetCursorScreenPos({low.x + look.px(kGap), low.y});
  draw_node(inside, "walk", inside.root, room.w - kGap - 10, room.h);
}

}  // namespace

float bar_height(const ui::Look& look) { return ui::is_low(look) ? kLowBar : kBar; }

sheet::Node bar_part(Sheet& sheet, const Shared& frame) {
  Node node = part_by_hand(sheet, "bar", [frame](const ui::Look&, Size room) { draw_bar(*frame, room); });
  node.forms = {{{0, 0, sheet::kAny}, [high = bar_height(frame->look)](float) { return sheet::Span(high); }}};
  return node;
}

}  // namespace walk
}  // namespace headlight::views
