// Controls made from the Document's schema and from the parameters of registry entries: one description draws all of them.
#include <algorithm>
#include <cmath>
#include <functional>

#include "app/text/error_words.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/window/shell/shell.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

// Beside the control the command line's option is not worth naming.
std::string in_window(const Error& error) { return spoken(Error(error.kind, error.what, {}, error.mend)); }

const char* spoken_label(const Parameter& parameter) {
  return tr(parameter.label.empty() ? parameter.id.c_str() : parameter.label.c_str());
}

void label_of(const Look& look, const Parameter& parameter) {
  caption(look, spoken_label(parameter));
  tooltip(look, tr(parameter.help.c_str()));
}

// Why a choice cannot be made; empty: it can.
using WhyNot = std::function<std::string(const std::string&)>;

// Choices side by side if they fit, else a list, in which those that cannot be made are grey and say why. Returns the chosen
// index, or -1.
int choose(const Look& look, const Parameter& parameter, const std::string& current, const WhyNot& why_not = {}) {
  const auto& choices = parameter.choices;
  const auto at = std::find(choices.begin(), choices.end(), current);
  const int selected = at == choices.end() ? -1 : static_cast<int>(at - choices.begin());
  if (choices.size() <= 4) {
    std::vector<const char*> labels;
    labels.reserve(choices.size());
    for (const std::string& choice : choices) labels.push_back(tr(choice.c_str()));
    return segmented(look, parameter.id.c_str(), labels.data(), static_cast<int>(labels.size()), selected,
                     tr(parameter.help.c_str()));
  }
  int chosen = -1;
  if (ImGui::BeginCombo("##choice", tr(current.c_str()))) {
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const std::string why = why_not && choices[i] != current ? why_not(choices[i]) : std::string();
      const ImGuiSelectableFlags flags = why.empty() ? ImGuiSelectableFlags_None : ImGuiSelectableFlags_Disabled;
      if (ImGui::Selectable(labelled(tr(choices[i].c_str()), choices[i].c_str()).c_str(), static_cast<int>(i) == selected, flags))
        chosen = static_cast<int>(i);
      tooltip(look, why);
    }
    ImGui::EndCombo();
  }
  return chosen;
}

// A number as text, with step buttons for whole numbers, as one item. True if the user changed `draft`.
bool number(const Look& look, const Parameter& parameter, std::string& draft) {
  ImGui::BeginGroup();
  ImGui::SetNextItemWidth(look.px(parameter.kind == Parameter::Kind::integer ? 110 : 150));
  bool changed = text_input("##number", draft, "", ImGuiInputTextFlags_NoUndoRedo | ImGuiInputTextFlags_AutoSelectAll);
  for (const int step : {-1, 1}) {
    if (parameter.kind != Parameter::Kind::integer) break;
    ImGui::SameLine(0, look.px(4));
    const bool pressed = button(look, step < 0 ? "-" : "+", look.px(30), 30);
    tooltip(look, step < 0 ? tr("One less") : tr("One more"));
    if (!pressed) continue;
    char* end = nullptr;
    const long long value = std::strtoll(draft.c_str(), &end, 10);
    const auto next = std::clamp(static_cast<double>(value + step), parameter.least, parameter.most);
    draft = std::to_string(static_cast<long long>(next));
    changed = true;
  }
  ImGui::EndGroup();
  return changed;
}

}  // namespace

bool draw_field(Shell& shell, const Look& look, const char* id) {
  const Field* field = find_field(id);
  if (!field) return false;
  const Parameter& parameter = field->parameter;
  if (parameter.kind == Parameter::Kind::choice && parameter.choices.size() < 2) return false;  // nothing to choose
  ImGui::PushID(id);
  const std::vector<std::string> texts = field->get(shell.document());
  const std::string current = texts.empty() ? "" : texts.front();
  const auto apply = [&](const std::string& text) {
    Document next = shell.document();
    const Status status = field->set(next, {text});
    if (!status.ok()) {
      shell.ui.draft_errors[id] = in_window(status.error());
      return false;
    }
    shell.ui.draft_errors.erase(id);
    shell.edit(std::move(next));
    return true;
  };
  bool changed = false;
  if (parameter.kind == Parameter::Kind::boolean) {
    bool value = current == "true" || current == "1" || current == "yes" || current == "on";
    if (toggle(look, labelled(spoken_label(parameter), "on").c_str(), &value)) changed = apply(value ? "true" : "false");
    tooltip(look, tr(parameter.help.c_str()));
  } else if (parameter.kind == Parameter::Kind::choice) {
    label_of(look, parameter);
    const WhyNot why_not = [&](const std::string& choice) {
      Document next = shell.document();
      if (const Status set = field->set(next, {choice}); !set.ok()) return in_window(set.error());
      const Status valid = validate(next);
      return valid.ok() ? std::string() : in_window(valid.error());
    };
    if (const int chosen = choose(look, parameter, current, why_not); chosen >= 0)
      changed = apply(parameter.choices[static_cast<std::size_t>(chosen)]);
  } else {
    label_of(look, parameter);
    // A field being edited keeps what is typed; otherwise it follows the document.
    std::string& draft = shell.ui.drafts[id];
    const bool wrong = shell.ui.draft_errors.contains(id);
    if (!wrong && !ImGui::IsAnyItemActive()) draft = current;
    const bool typed = number(look, parameter, draft);
    tooltip(look, tr(parameter.help.c_str()));
    if (typed) changed = apply(draft);
    if (wrong && ImGui::IsItemDeactivated()) {
      shell.ui.draft_errors.erase(id);
      draft = current;
    }
  }
  if (const auto error = shell.ui.draft_errors.find(id); error != shell.ui.draft_errors.end())
    words(look, error->second, look.theme.wrong);
  ImGui::PopID();
  return changed;
}

bool draw_parameter(Shell& shell, const Look& look, const Parameter& parameter, Value& value) {
  ImGui::PushID(parameter.id.c_str());
  const std::string key = "parameter/" + std::to_string(ImGui::GetID("draft"));
  bool changed = false;
  const auto apply = [&](const std::string& text) {
    Result<Value> parsed = parse_value(parameter, text);
    if (!parsed.ok()) {
      shell.ui.draft_errors[key] = in_window(parsed.error());
      return;
    }
    shell.ui.draft_errors.erase(key);
    if (value != *parsed) {
      value = *parsed;
      changed = true;
    }
  };
  const std::string current = to_string(value);
  if (parameter.kind == Parameter::Kind::boolean) {
    bool on = std::holds_alternative<bool>(value) && std::get<bool>(value);
    if (toggle(look, labelled(spoken_label(parameter), "on").c_str(), &on)) {
      value = on;
      changed = true;
    }
  } else if (parameter.kind == Parameter::Kind::choice) {
    label_of(look, parameter);
    if (const int chosen = choose(look, parameter, current); chosen >= 0)
      apply(parameter.choices[static_cast<std::size_t>(chosen)]);
  } else {
    caption(look, spoken_label(parameter));
    ImGui::SameLine();
    std::string& draft = shell.ui.drafts[key];
    if (!shell.ui.draft_errors.contains(key) && !ImGui::IsAnyItemActive()) draft = current;
    if (number(look, parameter, draft)) apply(draft);
  }
  tooltip(look, tr(parameter.help.c_str()));
  if (const auto error = shell.ui.draft_errors.find(key); error != shell.ui.draft_errors.end())
    words(look, error->second, look.theme.wrong);
  ImGui::PopID();
  return changed;
}

}  // namespace headlight::window
