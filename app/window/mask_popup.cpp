// The masks: presets, a switch and the parameters for each kind, a matrix from a file, and how masked scores are filled.
#include <algorithm>

#include "app/window/popups.h"
#include "app/window/shell.h"
#include "app/window/style.h"
#include "engine/attention/masks/mask.h"
#include "engine/core/files.h"
#include "engine/core/npy.h"
#include "imgui.h"

namespace headlight::window {
namespace {

Choice fresh(const masks::Entry& entry) {
  Choice choice{entry.id, {}};
  for (const Parameter& parameter : entry.parameters) choice.values[parameter.id] = parameter.fallback;
  return choice;
}

// A matrix as the mask "custom" wants it: rank 2, anything but zero may attend.
Status load_matrix(Shell& shell, const std::filesystem::path& path) {
  HL_ASSIGN(const std::string bytes, read_file(path, std::uint64_t{1} << 30));
  HL_ASSIGN(const Tensor tensor, read_npy(bytes, path.string()));
  if (tensor.rank() != 2)
    return invalid("a mask is a matrix, and this array has the shape " + to_string(tensor.shape()), path.string(),
                   "save it as [queries, keys]");
  auto matrix = std::make_shared<masks::Matrix>();
  matrix->queries = tensor.dim(0);
  matrix->keys = tensor.dim(1);
  matrix->values.reserve(static_cast<std::size_t>(tensor.count()));
  for (std::int64_t i = 0; i < matrix->queries; ++i)
    for (std::int64_t j = 0; j < matrix->keys; ++j) matrix->values.push_back(tensor.at({i, j}) != 0 ? 1 : 0);
  Document next = shell.document();
  next.custom_mask = std::move(matrix);
  if (std::none_of(next.masks.begin(), next.masks.end(), [](const Choice& c) { return c.id == "custom"; }))
    next.masks.push_back({"custom", {}});
  shell.edit(std::move(next));
  return {};
}

void ask_matrix(Shell& shell) {
  ImGui::CloseCurrentPopup();
  shell.files.ask({FileDialog::Mode::open_file,
                   "Open a mask: an .npy matrix [queries, keys], 1 = may attend",
                   {".npy"},
                   shell.configuration().last_folder,
                   {},
                   [&shell](const std::filesystem::path& path) { return load_matrix(shell, path); }});
}

struct Preset {
  const char* label;
  std::vector<const char*> ids;
};

}  // namespace

void mask_popup(Shell& shell, const Look& look) {
  words(look, "Masks", look.theme.text, kHeading);
  const std::vector<Preset> presets = {
      {"none", {}}, {"causal", {"causal"}}, {"+ padding", {"causal", "padding"}}, {"+ window", {"causal", "window"}}};
  for (std::size_t i = 0; i < presets.size(); ++i) {
    if (i) ImGui::SameLine(0, look.px(4));
    std::vector<std::string> now;
    for (const Choice& choice : shell.document().masks) now.push_back(choice.id);
    const std::vector<std::string> wanted(presets[i].ids.begin(), presets[i].ids.end());
    if (!button(look, presets[i].label, 0, 28, now == wanted)) continue;
    Document next = shell.document();
    next.masks.clear();
    for (const std::string& id : wanted)
      if (const masks::Entry* entry = masks::registry().find(id)) next.masks.push_back(fresh(*entry));
    shell.edit(std::move(next));
  }
  caption(look, "all that are on apply together (AND); 1 = may attend");
  for (const masks::Entry& entry : masks::registry().entries()) {
    ImGui::PushID(entry.id.c_str());
    const auto& masks = shell.document().masks;
    const auto at = std::find_if(masks.begin(), masks.end(), [&](const Choice& c) { return c.id == entry.id; });
    bool on = at != masks.end();
    if (toggle(look, entry.label.c_str(), &on)) {
      if (on && entry.id == "custom" && !shell.document().custom_mask) {
        ask_matrix(shell);
      } else {
        Document next = shell.document();
        if (on)
          next.masks.push_back(fresh(entry));
        else
          std::erase_if(next.masks, [&](const Choice& c) { return c.id == entry.id; });
        shell.edit(std::move(next));
      }
    } else {
      tooltip(look, entry.formula, entry.source);
      if (at != masks.end()) {
        Choice choice = *at;
        bool changed = false;
        ImGui::Indent(look.px(42));
        for (const Parameter& parameter : entry.parameters) {
          Value value = choice.values.contains(parameter.id) ? choice.values[parameter.id] : parameter.fallback;
          if (draw_parameter(shell, look, parameter, value)) {
            choice.values[parameter.id] = value;
            changed = true;
          }
        }
        if (entry.id == "custom" && button(look, "Open another matrix...", 0, 28)) ask_matrix(shell);
        ImGui::Unindent(look.px(42));
        if (changed) {
          Document next = shell.document();
          for (Choice& c : next.masks)
            if (c.id == entry.id) c = choice;
          shell.edit(std::move(next));
        }
      }
    }
    ImGui::PopID();
  }
  ImGui::Spacing();
  caption(look, "masked scores become");
  const char* const fills[] = {"-inf", "-1e9"};
  const int fill = shell.document().mask_fill == backends::MaskFill::minus_infinity ? 0 : 1;
  if (const int chosen = segmented(look, "fill", fills, 2, fill); chosen >= 0) {
    Document next = shell.document();
    next.mask_fill = chosen == 0 ? backends::MaskFill::minus_infinity : backends::MaskFill::minus_1e9;
    shell.edit(std::move(next));
  }
  ImGui::PushTextWrapPos(look.px(340));
  words(look, "A row that may attend to nothing becomes all zeros under -inf, uniform under -1e9.", look.theme.secondary);
  ImGui::PopTextWrapPos();
}

}  // namespace headlight::window
