#include "app/views/walk/shapes_page.h"

#include <algorithm>

#include "app/figures/base/stack.h"
#include "app/gl/figure_view.h"
#include "app/text/language.h"
#include "app/views/base/figure_menu.h"
#include "app/views/walk/shapes_picture.h"
#include "engine/document/presets.h"
#include "imgui.h"

namespace headlight::views::walk {
namespace {

using figures::WalkShapesInput;

// The layer that a step's place names, "decoder.layer.0.cross."; -1: none.
std::int64_t layer_of(std::string_view place) {
  const std::size_t at = place.find("layer.");
  return at == std::string_view::npos ? -1 : std::atoll(std::string(place.substr(at + 6)).c_str());
}

std::string list(const Axes& axes) {
  std::string text;
  for (const std::string& axis : axes) text += (text.empty() ? "" : ", ") + axis;
  return text;
}

const AttentionSite* site_at(const Trace& trace, std::string_view place) {
  for (const AttentionSite& site : trace.sites())
    if (site.prefix == place) return &site;
  return nullptr;
}

WalkShapesInput::Row row_of(const Trace& trace, const Step& step, const presets::Entry* preset) {
  WalkShapesInput::Row row;
  row.name = own_name(step.name);
  row.axes = list(step.axes);
  row.shape = to_string(step.shape);
  const AttentionSite* site = step.role == Role::mask ? site_at(trace, place_of(step.name)) : nullptr;
  if (site && !site->mask.mask.empty() && site->mask.mask.shape() != step.shape) {
    row.said = fill(tr("repeated to {}"), {row.shape});
    row.shape = to_string(site->mask.mask.shape());
  }
  if (step.role == Role::context_transposed) row.said = tr("not contiguous");
  if (const std::string remark = preset ? presets::remark_of(*preset, step.name) : std::string(); !remark.empty())
    row.remark = tr(remark.c_str());
  return row;
}

// All steps but those of other layers.
WalkShapesInput shapes_input(const Context& context, const WalkScene& scene) {
  const Trace& trace = *context.trace;
  const presets::Entry* const preset = presets::preset_of(trace.document());
  const std::int64_t shown = scene.choice.site ? scene.choice.site->layer : 0;
  const figures::WalkBox& box = scene.graph->boxes[static_cast<std::size_t>(scene.input.lit)];
  WalkShapesInput input;
  for (const Step& step : trace.steps()) {
    const std::string place(place_of(step.name));
    if (const std::int64_t layer = layer_of(place); layer >= 0 && layer != shown) continue;
    if (input.groups.empty() || input.groups.back().place != place) input.groups.push_back({place, {}});
    WalkShapesInput::Row row = row_of(trace, step, preset);
    row.lit = std::find(box.steps.begin(), box.steps.end(), step.name) != box.steps.end();
    input.groups.back().rows.push_back(std::move(row));
  }
  for (WalkShapesInput::Group& group : input.groups)
    if (group.place.empty()) group.place = tr("the model");
  const std::int64_t layers = trace.document().layers;
  if (layers > 1)
    input.note = fill(tr("Layer {} of {}; the others have the same steps."), {std::to_string(shown), std::to_string(layers)});
  return input;
}

// The step that the n-th row stands for.
const Step* step_of_row(const Trace& trace, std::int64_t shown_layer, std::int64_t n) {
  for (const Step& step : trace.steps()) {
    if (const std::int64_t layer = layer_of(place_of(step.name)); layer >= 0 && layer != shown_layer) continue;
    if (n-- == 0) return &step;
  }
  return nullptr;
}

// Goes to the box that has the step, in whichever attention's diagram that is.
void go_to(const Context& context, const WalkScene& scene, const Step& step) {
  const auto show = [&](const AttentionSite* site) {
    const figures::WalkGraph graph = figures::walk_graph(*context.trace, site);
    for (const figures::WalkBox& box : graph.boxes)
      if (box.kind == figures::WalkBox::Kind::step &&
          std::find(box.steps.begin(), box.steps.end(), step.name) != box.steps.end()) {
        own(context).step = box.id;
        return true;
      }
    return false;
  };
  if (show(scene.choice.site)) return;
  const std::int64_t layer = scene.choice.site ? scene.choice.site->layer : 0;
  for (const AttentionSite& site : context.trace->sites()) {
    if (site.layer != layer || !show(&site)) continue;
    std::string kind = site.prefix;
    const std::size_t at = kind.find("layer.");
    kind.erase(at, kind.find('.', at + 6) + 1 - at);
    context.view.site = kind;
    return;
  }
}

void draw_shapes(const Frame& frame, float width) {
  const Context& context = frame.context;
  const ui::Look& look = frame.look;
  const WalkScene& walk = frame.walk;
  auto& kept = context.transient->of<WalkTransient>();
  WalkShapesInput input = shapes_input(context, walk);
  input.hovered = kept.hovered_row;
  const figures::Figure figure = walk_shapes(input, width - 8, context.theme, context.measure);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + look.px(4));
  const gl::Hit hit = context.figures.draw(figure, "walk shapes");
  name_part(context, "walk:list");
  figure_menu(context, "walk shapes menu", hit, [&context] { return shapes_figure(context, 1400); });
  kept.hovered_row = hit.hovered && hit.tag.kind == figures::Tag::row ? static_cast<int>(hit.tag.a) : -1;
  if (kept.hovered_row < 0) return;
  const Step* const step = step_of_row(*context.trace, walk.choice.site ? walk.choice.site->layer : 0, kept.hovered_row);
  if (!step) return;
  ui::tooltip(look, step->name + ": " + tr(step->operation.c_str()) + "\n" + tr("Click: go there. Double click: its values."),
              step->formula);
  if (hit.clicked) go_to(context, walk, *step);
  if (hit.double_clicked) {
    go_to(context, walk, *step);
    own(context).page.clear();
    own(context).open = own(context).step;
    kept.page = step->name;
  }
}

}  // namespace

sheet::Node shapes_page(Sheet& sheet, const Shared& frame) {
  return page_by_hand(sheet, [frame](Size room) { draw_shapes(*frame, room.w); });
}

figures::Figure shapes_figure(const Context& context, float width) {
  const WalkScene walk = walk_scene(context);
  if (!walk.graph) return {};
  WalkShapesInput input = shapes_input(context, walk);
  for (WalkShapesInput::Group& group : input.groups)
    for (WalkShapesInput::Row& row : group.rows) row.lit = false;
  figures::Figure figure =
      figures::stacked({walk_shapes(input, std::max(width, 1000.0f) - 32, context.theme, context.measure)}, 0, 16);
  figure.background = context.theme.background;
  figure.title = tr("Every step and its shape");
  return figure;
}

}  // namespace headlight::views::walk
