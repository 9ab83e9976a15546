#include "app/window/shell/model_offer.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/session/model_shelf.h"
#include "app/ui/style.h"
#include "app/window/shell/popups.h"
#include "app/window/shell/shell.h"
#include "engine/core/byte_words.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

constexpr const char* kOfferedModel = "smollm2";
constexpr float kOfferHeight = 36, kOfferButton = 26;

// The entry of the list, if the model is to be had, or has just been fetched. Who has opened a model of their own by its path
// needs no offer.
std::optional<ListedModel> offered_model(const Shell& shell) {
  if (!shell.offers_model() || !shell.configuration().offers_model) return {};
  if (std::filesystem::path(shell.document().model).has_parent_path()) return {};
  const auto list = shell.models().list();
  if (!list) return {};
  for (const ListedModel& model : *list)
    if (model.model.name == kOfferedModel &&
        (model.group == ListedModel::Group::get || (model.group == ListedModel::Group::own && shell.ui.offered_is_here)))
      return model;
  return {};
}

struct OfferButton {
  const char* label;
  const char* id;
  const char* why;
  bool strong = false;
};

}  // namespace

float model_offer_height(const Shell& shell, const Look& look) {
  return !shell.view().presentation && !is_low(look) && offered_model(shell) ? look.px(kOfferHeight) : 0;
}

void draw_model_offer(Shell& shell, const Look& look) {
  const auto model = offered_model(shell);
  if (model_offer_height(shell, look) <= 0 || !model) return;
  const auto fetching = shell.models().fetching();
  const auto error = shell.ui.model_errors.find(kOfferedModel);
  const bool here = model->group == ListedModel::Group::own, wrong = error != shell.ui.model_errors.end();
  const std::string size = byte_words(static_cast<double>(model->model.bytes));
  std::string text = fill(tr("A language model that others trained can be had: {}, {}, {}."),
                          {model->title.empty() ? model->model.name : model->title, size, model->model.license});
  std::vector<OfferButton> buttons = {
      {tr("Not now"), "decline model", tr("The line goes for good; the list of models always has it")},
      {tr("Get it"), "get offered", tr("Fetches it with pip and checks it, in the background; the window stays free"), true}};
  if (here) {
    text = fill(tr("{} is here."), {model->model.name});
    buttons[1] = {tr("Open it"), "open offered", tr("Reads the sentence with this model"), true};
  } else if (fetching && fetching->name == kOfferedModel) {
    text = fill(tr("fetching {}, {} %"), {kOfferedModel, std::to_string(std::lround(100 * fetching->share()))});
    buttons = {{tr("Cancel"), "cancel offered", tr("Ends the download; nothing of it stays")}};
  } else if (wrong) {
    text = error->second;
    buttons[1].label = tr("Try again");
  }

  const ImVec2 low = ImGui::GetCursorScreenPos();
  const ImVec2 at(low.x + shell.ui.rail, low.y), high(low.x + ImGui::GetWindowWidth(), low.y + look.px(kOfferHeight));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, high, gl::packed(look.theme.panel));
  list.AddRectFilled(at, {high.x, at.y + std::max(1.0f, std::floor(look.scale))}, gl::packed(look.theme.line));
  shell.parts.add("model offer", at.x, at.y, high.x, high.y);
  float right = high.x - look.px(16);
  for (const OfferButton& one : buttons) {
    const float wide = look.figures.width(one.label, 14, figures::Font::words) * look.scale + look.px(24);
    right -= wide;
    ImGui::SetCursorScreenPos({right, at.y + look.px((kOfferHeight - kOfferButton) / 2)});
    const bool clicked = button(look, labelled(one.label, one.id).c_str(), wide, kOfferButton, one.strong);
    shell.name_part(one.id);
    tooltip(look, one.why);
    right -= look.px(8);
    if (!clicked) continue;
    const std::string id = one.id;
    if (id == "get offered") get_model(shell, kOfferedModel);
    if (id == "cancel offered") shell.models().cancel();
    if (id == "open offered") (void)choose_model(shell, model->id);
    if (id == "decline model" || id == "open offered") shell.configuration().offers_model = false;
  }
  const float line = look.figures.line_height(kSmall, figures::Font::words) * look.scale;
  look.figures.text(list, {at.x + look.px(16), std::round((at.y + high.y - line) / 2)}, text, kSmall, figures::Font::words,
                    wrong && !here && !fetching ? look.theme.wrong : look.theme.secondary, right - at.x - look.px(24));
  ImGui::SetCursorScreenPos(low);
  ImGui::Dummy({high.x - low.x, high.y - low.y});
  ImGui::SetCursorScreenPos({low.x, high.y});
}

}  // namespace headlight::window
