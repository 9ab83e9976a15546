// The Index lab's switches for devices and precisions: what the machine has can be chosen; for the rest a reason is shown.
#include <algorithm>

#include "app/panels/index_lab/index_lab.h"
#include "app/session/index_sweep.h"
#include "app/text/device_words.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "imgui.h"

namespace headlight::views {
namespace {

constexpr const char* kPrecisions[] = {"f32", "tf32", "bf16"};

bool contains(const std::vector<std::string>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// "cuda:1:bf16" is "cuda:1" in bf16.
std::pair<std::string, std::string> device_and_precision(const std::string& id) {
  for (const char* precision : {"tf32", "bf16"})
    if (id.ends_with(std::string(":") + precision)) return {id.substr(0, id.rfind(':')), precision};
  return {id, "f32"};
}

std::string short_label(const backends::Device& device) {
  if (device.id == "cpu") return "CPU";
  return device.available ? device_words(device.label, 1) : std::string("GPU");
}

const LabMachine& machine_of(const Context& context) {
  static const LabMachine here;
  return sweep_of(context) ? sweep_of(context)->machine() : here;
}

// The devices are looked up once. Until the result is there, which takes a GPU's start, only the CPU is listed.
std::vector<LabDevice> devices_of(const Context& context) {
  using Devices = std::vector<LabDevice>;
  const auto found = context.derived.later<Devices>(
      DerivedKey("lab/devices"),
      [machine = machine_of(context)](const CancelToken&) -> Result<Devices> { return lab_devices(machine.devices()); });
  return found.value ? *found.value : lab_devices({{"cpu", "CPU", true, {}}});
}

// A click adds or removes it; the last one stays.
void flip(std::vector<std::string>& chosen, const std::string& one) {
  if (!contains(chosen, one))
    chosen.push_back(one);
  else if (chosen.size() > 1)
    std::erase(chosen, one);
}

std::vector<std::string> chosen_devices(const Context& context, const std::vector<LabDevice>& devices) {
  const auto usable = [&](const std::string& id) {
    return std::any_of(devices.begin(), devices.end(), [&](const LabDevice& d) { return d.id == id && d.available; });
  };
  std::vector<std::string> chosen;
  for (const std::string& id : context.view.index_lab.devices)
    if (usable(id) && !contains(chosen, id)) chosen.push_back(id);
  if (!chosen.empty()) return chosen;
  const std::string own = device_and_precision(context.document.backend).first;
  return {usable(own) ? own : std::string("cpu")};
}

}  // namespace

float lab_button_width(const Context& context, const std::string& label) {
  return context.measure.width(label, 14, figures::Font::words) + 24;
}

std::vector<LabDevice> lab_devices(const std::vector<backends::Device>& found) {
  std::vector<LabDevice> all;
  for (const backends::Device& device : found) {
    const auto named = device_and_precision(device.id);
    if (named.first == "reference") continue;
    auto at = std::find_if(all.begin(), all.end(), [&](const LabDevice& d) { return d.id == named.first; });
    if (at == all.end())
      at = all.insert(all.end(), {named.first, short_label(device), device.label, device.available, device.why, {}});
    if (device.available) at->precisions.push_back(named.second);
  }
  // Two GPUs of one model are told apart by their number.
  for (LabDevice& device : all) {
    const auto alike = std::count_if(all.begin(), all.end(), [&](const LabDevice& d) { return d.label == device.label; });
    if (alike > 1 && device.id.starts_with("cuda:")) device.label += " " + device.id.substr(5);
  }
  return all;
}

std::vector<LabChoice> lab_choices(const Context& context) {
  const std::vector<LabDevice> devices = devices_of(context);
  const std::vector<std::string> chosen = chosen_devices(context, devices);
  std::vector<LabChoice> choices;
  for (const LabDevice& device : devices) {
    if (!device.available || !contains(chosen, device.id)) continue;
    const std::size_t before = choices.size();
    for (const char* precision : kPrecisions) {
      if (!contains(context.view.index_lab.precisions, precision) || !contains(device.precisions, precision)) continue;
      const bool plain = std::string_view(precision) == "f32";
      choices.push_back({plain ? device.id : device.id + ":" + precision, device.label, precision});
    }
    if (choices.size() == before) choices.push_back({device.id, device.label, "f32"});
  }
  return choices;
}

std::string lab_name(const LabChoice& choice) { return choice.device + ", " + choice.precision; }

LabChoice lab_shown(const Context& context) {
  const std::vector<LabChoice> choices = lab_choices(context);
  for (const LabChoice& choice : choices)
    if (choice.backend == context.view.index_lab.shown) return choice;
  return choices.front();
}

void draw_lab_shown(Context& context, const ui::Look& look, float width) {
  const std::vector<LabChoice> choices = lab_choices(context);
  if (choices.size() < 2) return;
  const std::string shown = lab_shown(context).backend;
  LabFlow flow(look, width);
  ImGui::BeginGroup();
  for (const LabChoice& choice : choices) {
    const std::string name = lab_name(choice);
    flow.next(lab_button_width(context, name), 4);
    if (ui::button(look, (name + "###lab shown " + choice.backend).c_str(), look.px(lab_button_width(context, name)), 28,
                   choice.backend == shown))
      context.view.index_lab.shown = choice.backend;
    ui::tooltip(look,
                fill(tr("Shows the map, the errors and the notebook's table of {}; the bars show all that are chosen"), {name}));
  }
  ImGui::EndGroup();
  name_part(context, "index:shown");
}

void LabFlow::next(float wide, float gap) {
  if (used_ > 0 && used_ + gap + wide <= width_) {
    ImGui::SameLine(0, look_.px(gap));
    used_ += gap + wide;
  } else {
    used_ = wide;
  }
}

float lab_segments_width(const Context& context, const std::vector<const char*>& labels) {
  float width = 4 * static_cast<float>(labels.size() - 1);
  for (const char* label : labels) width += lab_button_width(context, label);
  return width;
}

void draw_lab_devices(Context& context, const ui::Look& look, LabFlow& flow) {
  ViewState& view = context.view;
  const std::vector<LabDevice> devices = devices_of(context);
  const std::vector<std::string> chosen = chosen_devices(context, devices);
  bool first = true;
  for (const LabDevice& device : devices) {
    const std::string label = device.label + "###lab device " + device.id;
    flow.next(lab_button_width(context, device.label), std::exchange(first, false) ? 12 : 4);
    const bool on = contains(chosen, device.id);
    if (ui::button(look, label.c_str(), look.px(lab_button_width(context, device.label)), 28, on, device.available)) {
      view.index_lab.devices = chosen;
      flip(view.index_lab.devices, device.id);
    }
    ui::tooltip(look, device.available
                          ? fill(tr("Measured on: {}. Several devices can be chosen; one always is"), {device_words(device.full)})
                          : fill(tr("Not here: {}"), {spoken(device.why)}));
  }
  name_part(context, "index:devices");
  // The precisions that some device here supports, and for the others why none does.
  std::string missing;
  for (const LabDevice& device : devices)
    if (!device.available) missing = spoken(device.why);
  const auto has = [&](const char* precision, bool among_chosen) {
    return std::any_of(devices.begin(), devices.end(), [&](const LabDevice& d) {
      return contains(d.precisions, precision) && (!among_chosen || contains(chosen, d.id));
    });
  };
  const char* const what[] = {tr("32-bit floating point, exact products"),
                              tr("Products of numbers rounded to 10 bits of mantissa, on a GPU's matrix units"),
                              tr("Products of numbers rounded to 7 bits of mantissa, on a GPU's matrix units")};
  first = true;
  for (std::size_t i = 0; i < std::size(kPrecisions); ++i) {
    const std::string precision = kPrecisions[i], label = precision + "###lab precision " + precision;
    flow.next(lab_button_width(context, precision), std::exchange(first, false) ? 12 : 4);
    const bool possible = has(kPrecisions[i], true);
    const bool on =
        possible && (contains(view.index_lab.precisions, precision) || (i == 0 && lab_choices(context)[0].precision == "f32"));
    if (ui::button(look, label.c_str(), look.px(lab_button_width(context, precision)), 28, on, possible))
      flip(view.index_lab.precisions, precision);
    std::string why = what[i];
    if (!possible && has(kPrecisions[i], false))
      why = fill(tr("{}. {}"), {why, tr("None of the chosen devices computes so: choose a GPU")});
    else if (!possible)
      why = fill(tr("{}. {}"), {why, missing.empty() ? std::string(tr("No device of this machine computes so"))
                                                     : fill(tr("Not here: {}"), {missing})});
    ui::tooltip(look, why);
  }
  name_part(context, "index:precisions");
}

}  // namespace headlight::views
