// The masks: presets, a switch and the parameters for each kind, a matrix from a file, a button to the Masks view, and how masked
// scores are filled.
#include <algorithm>

#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/mask_edit.h"
#include "app/views/base/view.h"
#include "app/window/shell/popups.h"
#include "app/window/shell/shell.h"
#include "engine/core/files.h"
#include "engine/core/npy.h"
#include "engine/operations/attention_fill.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

// Reads a matrix for the mask "custom": rank 2; anything but zero may attend.
Status load_matrix(Shell& shell, const std::filesystem::path& path) {
  HL_ASSIGN(const std::string bytes, read_file(path, std::uint64_t{1} << 30));
  HL_ASSIGN(const Tensor tensor, read_npy(bytes, path.string()));
  if (tensor.rank() != 2)
    return invalid("a mask is a matrix, and this array has the shape {}", to_string(tensor.shape()))
        .at(path.string())
        .mend("save it as [queries, keys]");
  auto matrix = std::make_shared<masks::Matrix>();
  matrix->queries = tensor.dim(0);
  matrix->keys = tensor.dim(1);
  matrix->values.reserve(static_cast<std::size_t>(tensor.count()));
  for (std::int64_t i = 0; i < matrix->queries; ++i)
    for (std::int64_t j = 0; j < matrix->keys; ++j) matrix->values.push_back(tensor.at({i, j}) != 0 ? 1 : 0);
  Document next = shell.document();
  next.custom_mask = std::move(matrix);
  shell.edit(views::with_layer(std::move(next), {"custom", {}}));
  return {};
}

void ask_matrix(Shell& shell) {
  ImGui::CloseCurrentPopup();
  shell.files.ask({FileDialog::Mode::open_file,
                   tr("Open a mask: an .npy matrix [queries, keys], 1 = may attend"),
                   {".npy"},
                   shell.configuration().last_folder,
                   {},
                   [&shell](const std::filesystem::path& path) { return load_matrix(shell, path); }});
}

void open_tab(Shell& shell) {
  views::open_for(shell.view(), views::Offers::masks);
  ImGui::CloseCurrentPopup();
}

// The painted layer: it is switched like the others once it exists; it is painted in the view or read from a file.
void draw_own(Shell& shell, const Look& look, const masks::Entry& entry) {
  bool on = views::layer_of(shell.document(), entry.id) != nullptr;
  if (shell.document().custom_mask) {
    if (toggle(look, tr(entry.label.c_str()), &on))
      shell.edit(on ? views::with_layer(shell.document(), {entry.id, {}}) : views::without_layer(shell.document(), entry.id));
    tooltip(look, tr(entry.formula.c_str()), entry.source);
  } else {
    caption(look, tr(entry.label.c_str()));
  }
  ImGui::Indent(look.px(42));
  if (button(look, tr("paint…"), 0, 28)) open_tab(shell);
  tooltip(look, tr("Opens the Masks view: paint and erase cells with the mouse, and see what that does to the weights"));
  ImGui::SameLine(0, look.px(4));
  if (button(look, tr("open a matrix…"), 0, 28)) ask_matrix(shell);
  tooltip(look, tr("Reads an .npy matrix [queries, keys]: 1 = may attend"));
  ImGui::Unindent(look.px(42));
}

}  // namespace

void mask_popup(Shell& shell, const Look& look) {
  words(look, tr("Masks"), look.theme.text, kHeading);
  draw_untrained(shell, look, {"masks"});
  const auto& presets = views::mask_presets();
  for (std::size_t i = 0; i < presets.size(); ++i) {
    const float wide = look.figures.width(tr(presets[i].label), 14, figures::Font::words) * look.scale + look.px(20);
    if (i) {
      ImGui::SameLine(0, look.px(4));
      if (ImGui::GetContentRegionAvail().x < wide) ImGui::NewLine();
    }
    if (button(look, tr(presets[i].label), wide, 28, views::is_preset(shell.document(), presets[i])))
      shell.edit(views::with_preset(shell.document(), presets[i]));
    tooltip(look, tr("Switches on these masks and no others"));
  }
  caption(look,
          tr("All that are on apply together (AND); global tokens take back what window, dilated window and blocks forbid."));
  for (const masks::Entry& entry : masks::registry().entries()) {
    ImGui::PushID(entry.id.c_str());
    const Choice* layer = views::layer_of(shell.document(), entry.id);
    bool on = layer != nullptr;
    if (entry.id == "custom") {
      draw_own(shell, look, entry);
    } else if (toggle(look, tr(entry.label.c_str()), &on)) {
      shell.edit(on ? views::with_layer(shell.document(), views::fresh_layer(entry))
                    : views::without_layer(shell.document(), entry.id));
    } else {
      tooltip(look, tr(entry.formula.c_str()), entry.source);
      if (layer) {
        Choice choice = *layer;
        bool changed = false;
        ImGui::Indent(look.px(42));
        for (const Parameter& parameter : entry.parameters) {
          Value value = choice.values.contains(parameter.id) ? choice.values[parameter.id] : parameter.fallback;
          if (draw_parameter(shell, look, parameter, value)) {
            choice.values[parameter.id] = value;
            changed = true;
          }
        }
        ImGui::Unindent(look.px(42));
        if (changed) shell.edit(views::with_layer(shell.document(), std::move(choice)));
      }
    }
    ImGui::PopID();
  }
  ImGui::Spacing();
  caption(look, tr("masked scores become"));
  const char* const fills[] = {"-inf", "-1e9"};
  const int fill = shell.document().mask_fill == operations::MaskFill::minus_infinity ? 0 : 1;
  if (const int chosen =
          segmented(look, "fill", fills, 2, fill, tr("Both give a masked key the weight 0, unless a whole row is masked"));
      chosen >= 0) {
    Document next = shell.document();
    next.mask_fill = chosen == 0 ? operations::MaskFill::minus_infinity : operations::MaskFill::minus_1e9;
    shell.edit(std::move(next));
  }
  ImGui::PushTextWrapPos(look.px(340));
  words(look, tr("A row that may attend to nothing becomes all zeros under -inf, uniform under -1e9."), look.theme.secondary);
  ImGui::PopTextWrapPos();
}

}  // namespace headlight::window
