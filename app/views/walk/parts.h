// The Walk-through during one frame, and how its parts that draw themselves stand in the sheet.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "app/ui/widgets.h"
#include "app/views/base/sheet.h"
#include "app/views/walk/scene.h"
#include "imgui.h"

namespace headlight::views::walk {

struct Frame {
  const Scene& scene;
  const Context& context;
  const ui::Look look;
  WalkScene walk;
};
using Shared = std::shared_ptr<const Frame>;

inline constexpr float kGap = 12;  // in points, between the parts
inline constexpr ImGuiWindowFlags kQuiet =
    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground;

// What draws itself in any room, presented or not.
inline sheet::Node part_by_hand(Sheet& sheet, std::string id, std::function<void(const ui::Look&, Size)> draw) {
  sheet::Node node = sheet.by_hand({.id = std::move(id), .draw = std::move(draw)}, {0, 0, sheet::kAny}, {0, 0, sheet::kAny});
  node.presented = true;
  return node;
}

// A page in a window of its own, which scrolls while presenting, too. `draw` is given the room beside its scroll bar.
inline sheet::Node page_by_hand(Sheet& sheet, std::function<void(Size)> draw) {
  return part_by_hand(sheet, "page", [draw = std::move(draw)](const ui::Look& look, Size room) {
    if (ImGui::BeginChild("walk page", {look.px(room.w), look.px(room.h)}, ImGuiChildFlags_NavFlattened,
                          ImGuiWindowFlags_NoBackground))
      draw({room.w - ImGui::GetStyle().ScrollbarSize / look.scale - 4, room.h - 4});
    ImGui::EndChild();
  });
}

}  // namespace headlight::views::walk
