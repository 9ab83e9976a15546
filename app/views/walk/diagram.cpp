#include "app/views/walk/diagram.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figures/base/compose.h"
#include "app/gl/figure_view.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/figure_menu.h"
#include "app/views/walk/steps.h"
#include "imgui.h"

namespace headlight::views::walk {
namespace {

using figures::WalkBox;
using Side = figures::WalkPicture::Side;

constexpr float kLeastLetter = 12;  // points at scale 1: if letters would be smaller, the diagram scrolls instead

std::string box_words(const Context& context, const WalkScene& scene, int index) {
  const WalkBox& box = scene.graph->boxes[static_cast<std::size_t>(index)];
  if (box.kind == WalkBox::Kind::text) return tr("The sentence as it was typed.");
  if (box.steps.empty()) return figures::walk_words(*context.trace, scene.choice.site, *scene.graph, index);
  return box.step() + " " + figures::walk_shape(box.shape, box.axes, figures::WalkShape::named) + ": " +
         tr(box.operation.c_str());
}

// The number under the mouse in a small picture is highlighted everywhere; returns it in words: "·blue → a: 0.42".
std::string hover_cell(const Context& context, const WalkScene& scene, int index, const figures::Box& inner, figures::Point at) {
  const auto& picture = scene.input.pictures[static_cast<std::size_t>(index)];
  if (!picture) return {};
  const figures::Box cells = walk_cells(*picture, inner);
  if (!cells.contains(at) || cells.w <= 0) return {};
  const std::int64_t rows = picture->values.dim(0), columns = picture->values.dim(1);
  const auto place = [](float offset, float size, std::int64_t count) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(offset / size * static_cast<float>(count)), 0, count - 1);
  };
  const std::int64_t cell_row = place(at.y - cells.y, cells.h, rows), cell_column = place(at.x - cells.x, cells.w, columns);
  const std::int64_t row = cell_row * picture->row_block;
  const std::int64_t column = cell_column * (picture->head_from < 0 ? picture->column_block : 1);
  Hot& next = context.hover.next;
  if (picture->rows == Side::queries) next.row = row;
  if (picture->rows == Side::keys) next.column = row;
  if (picture->columns == Side::keys) next.column = column;
  const WalkBox& box = scene.graph->boxes[static_cast<std::size_t>(index)];
  if ((box.role == Role::loss || box.role == Role::loss_shifted) && box.steps.size() > 1) {  // each row's part in the mean
    next.value = {box.steps[box.steps.size() - 2], {row * picture->full_columns + column}};
    return fill(tr("sentence {0}, place {1}: {2} nats"),
                {std::to_string(row + 1), std::to_string(column), walk_number(picture->values.at({cell_row, cell_column}))});
  }
  // Vectors are sampled, so each cell is one number; in a reduced pattern a cell stands for several.
  const bool one = picture->columns == Side::other || (picture->row_block == 1 && picture->column_block == 1);
  if (one && picture->head_from < 0) {
    next.value = walk_address(*context.trace, scene.choice, box.step(), row, column);
  } else if (one) {
    // All heads side by side: finds the head and its dimension.
    const std::int64_t each = picture->head_to - picture->head_from, size = box.shape.back();
    next.value =
        walk_address(*context.trace, scene.choice, box.step(), row, std::min(size - 1, column % each * picture->column_block));
    if (next.value.index.size() == 4) next.value.index[1] = column / each;
  }
  const auto label = [&](Side side, std::int64_t k) {
    const bool writes = side == Side::queries && picture->columns == Side::keys;
    const auto labels = writes ? row_labels(context, scene.choice) : walk_labels(*context.trace, scene.choice, box, side);
    return k < static_cast<std::int64_t>(labels.size()) ? labels[static_cast<std::size_t>(k)] : std::to_string(k);
  };
  const bool hidden = !picture->mask.empty() && picture->mask.at({cell_row, cell_column}) == 0;
  const std::int64_t dimension = next.value.index.empty() ? column : next.value.index.back();
  return label(picture->rows, row) + (picture->columns == Side::keys ? " → " : ", ") +
         (picture->columns == Side::keys ? label(Side::keys, column) : std::to_string(dimension)) + ": " +
         (hidden ? std::string(tr("masked")) : walk_number(picture->values.at({cell_row, cell_column})));
}

void draw_diagram(const Frame& frame, float width, float height) {
  const Context& context = frame.context;
  const ui::Look& look = frame.look;
  const WalkScene& scene = frame.walk;
  // The whole diagram is shown, at a smaller size if necessary. If letters would become too small it scrolls, except in
  // presentation mode.
  const float least = context.view.presentation ? 0 : kLeastLetter / figures::kWalkSmall / std::max(1.0f, context.scale);
  const figures::WalkSize whole = figures::walk_least_size(*scene.graph);
  const float fits = std::min({1.0f, width / whole.width, height / whole.height});
  const float factor = std::max(fits, least);
  const bool scrolls = fits < factor;
  const ImVec2 size{look.px(width), look.px(height)};
  auto& kept = context.transient->of<WalkTransient>();
  if (ImGui::BeginChild("diagram", size, ImGuiChildFlags_NavFlattened,
                        scrolls ? ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoBackground : kQuiet)) {
    const float bar = scrolls ? ImGui::GetStyle().ScrollbarSize / context.scale : 0;
    const figures::WalkLayout layout = walk_layout(*scene.graph, (width - (height < whole.height * factor ? bar : 0)) / factor,
                                                   (height - (width < whole.width * factor ? bar : 0)) / factor, context.measure);
    const figures::Box& lit = layout.boxes[static_cast<std::size_t>(scene.input.lit)];
    if (std::exchange(kept.follow, false) && scrolls) {
      ImGui::SetScrollX(look.px(std::max(0.0f, (lit.x + lit.w / 2) * factor - width / 2)));
      ImGui::SetScrollY(look.px(std::max(0.0f, (lit.y + lit.h / 2) * factor - height / 2)));
    }
    const figures::Figure figure =
        figures::scaled(walk_figure(*scene.graph, layout, scene.input, context.theme, context.measure), factor);
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    gl::Hit hit = context.figures.draw(figure, "diagram");
    hit.at = {hit.at.x / factor, hit.at.y / factor};
    int hovered = -1;
    for (int i = 0; i < static_cast<int>(layout.boxes.size()); ++i) {
      const figures::Box& box = layout.boxes[static_cast<std::size_t>(i)];
      if (context.parts) {
        const WalkBox& of = scene.graph->boxes[static_cast<std::size_t>(i)];
        const float s = context.scale * factor;
        for (const std::string& name : {"walk:" + of.id, of.role == Role::weights ? std::string("walk:softmax") : std::string()})
          if (!name.empty())
            context.parts->add(name, origin.x + box.x * s, origin.y + box.y * s, origin.x + (box.x + box.w) * s,
                               origin.y + (box.y + box.h) * s);
      }
      if (hit.hovered && box.contains(hit.at)) hovered = i;
    }
    kept.hovered = hovered;
    if (hovered >= 0) {
      const std::string number = hover_cell(context, scene, hovered, layout.inner[static_cast<std::size_t>(hovered)], hit.at);
      ui::tooltip(look,
                  (number.empty() ? "" : number + "\n") + box_words(context, scene, hovered) + "\n" +
                      tr("Click: go there. Double click or Enter: its values."),
                  scene.graph->boxes[static_cast<std::size_t>(hovered)].formula);
      if (hit.double_clicked) {
        open_box(context, scene, hovered);
      } else if (hit.clicked) {
        play(context, scene, false);
        own(context).step = scene.graph->boxes[static_cast<std::size_t>(hovered)].id;
      }
    }
    figure_menu(context, "diagram menu", hit, [&] {
      return walk_poster(*scene.graph, scene.input, walk_notes_of(context, scene, scene.input.lit), scene.input.lit, 1, 1480, 800,
                         context.theme, context.measure);
    });
  }
  ImGui::EndChild();
}

}  // namespace

sheet::Node diagram_part(Sheet& sheet, const Shared& frame) {
  return part_by_hand(sheet, "diagram", [frame](const ui::Look&, Size room) { draw_diagram(*frame, room.w, room.h); });
}

}  // namespace headlight::views::walk
