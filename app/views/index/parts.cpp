#include "app/views/index/parts.h"

#include <algorithm>
#include <utility>

#include "app/figures/base/compose.h"
#include "imgui.h"

namespace headlight::views::lab {

namespace {

using figures::Font;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

}  // namespace

sheet::Node first_in_line(Sheet& sheet, std::string id, std::vector<std::string> texts, float size, figures::Color color,
                          bool or_none) {
  const figures::TextMeasure& measure = sheet.scene.pen.measure;
  const float high = measure.line_height(size, Font::words);
  const auto lines = [texts = std::move(texts), size, &measure, or_none](float width) -> std::vector<std::string> {
    const std::string fitting = figures::first_that_fits(texts, width, size, Font::words, measure);
    if (!fitting.empty() || or_none) return {fitting};
    return figures::wrap(texts.back(), width, size, Font::words, measure);
  };
  Node node = sheet.by_hand({.id = std::move(id),
                             .draw =
                                 [lines, size, color, high](const ui::Look& look, Size room) {
                                   const std::vector<std::string> all = lines(room.w);
                                   const float free = room.h - high * static_cast<float>(all.size());
                                   ImVec2 at = ImGui::GetCursorScreenPos();
                                   at.y += look.px(std::max(0.0f, free / 2));
                                   for (const std::string& line : all) {
                                     look.figures.text(*ImGui::GetWindowDrawList(), at, line, size, Font::words, color);
                                     at.y += look.px(high);
                                   }
                                 }},
                            {0, 0, kAny}, high);
  node.forms[0].high = [lines, high](float width) { return Span(high * static_cast<float>(lines(width).size())); };
  node.presented = true;
  return node;
}

sheet::Node group(Sheet& sheet, std::string id, float gap, const std::function<std::vector<Node>(Sheet&)>& controls) {
  const auto inner = std::make_shared<Sheet>(sheet.scene);
  inner->root = shown_everywhere(Sheet::flow(id, gap, controls(*inner)));
  float least = 0, wished = -gap;
  for (const Node& child : inner->root.children) {
    least = std::max(least, child.forms[0].wide.least);
    wished += child.forms[0].wide.wished + gap;
  }
  const auto high = [inner, medium = sheet.scene.medium](float width) {
    return Span(sheet::solve(inner->root, width, kAny, {.medium = medium}).height);
  };
  Node node =
      sheet.by_hand({.id = std::move(id),
                     .draw = [inner](const ui::Look&, Size room) { draw_node(*inner, "index", inner->root, room.w, room.h); }},
                    {least, wished, wished}, 0);
  node.forms[0].high = high;
  node.presented = true;
  return node;
}

}  // namespace headlight::views::lab
