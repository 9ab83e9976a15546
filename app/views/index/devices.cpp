// The devices that the Index lab measures.
#include <algorithm>
#include <utility>

#include "app/text/device_words.h"
#include "app/views/index/data.h"

namespace headlight::views::lab {
namespace {

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

}  // namespace

const std::vector<std::string>& precisions() {
  static const std::vector<std::string> all = {"f32", "tf32", "bf16"};
  return all;
}

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// They are looked up once, which takes a GPU's start.
std::vector<Device> devices_of(const Context& context) {
  using Devices = std::vector<Device>;
  const auto found = context.derived.later<Devices>(
      DerivedKey("lab/devices"),
      [machine = machine_of(context)](const CancelToken&) -> Result<Devices> { return devices_among(machine.devices()); });
  return found.value ? *found.value : devices_among({{"cpu", "CPU", true, {}}});
}

void flip(std::vector<std::string>& chosen, const std::string& one) {
  if (!contains(chosen, one))
    chosen.push_back(one);
  else if (chosen.size() > 1)
    std::erase(chosen, one);
}

std::vector<std::string> chosen_devices(const Context& context, const std::vector<Device>& devices) {
  const auto usable = [&](const std::string& id) {
    return std::any_of(devices.begin(), devices.end(), [&](const Device& d) { return d.id == id && d.available; });
  };
  std::vector<std::string> chosen;
  for (const std::string& id : state_of(context).devices)
    if (usable(id) && !contains(chosen, id)) chosen.push_back(id);
  if (!chosen.empty()) return chosen;
  const std::string own = device_and_precision(context.document.backend).first;
  return {usable(own) ? own : std::string("cpu")};
}

std::vector<Device> devices_among(const std::vector<backends::Device>& found) {
  std::vector<Device> all;
  for (const backends::Device& device : found) {
    const auto named = device_and_precision(device.id);
    if (named.first == "reference") continue;
    auto at = std::find_if(all.begin(), all.end(), [&](const Device& d) { return d.id == named.first; });
    if (at == all.end())
      at = all.insert(all.end(), {named.first, short_label(device), device.label, device.available, device.why, {}});
    if (device.available) at->precisions.push_back(named.second);
  }
  // Two GPUs of one model are told apart by their number.
  for (Device& device : all) {
    const auto alike = std::count_if(all.begin(), all.end(), [&](const Device& d) { return d.label == device.label; });
    if (alike > 1 && device.id.starts_with("cuda:")) device.label += " " + device.id.substr(5);
  }
  return all;
}

std::vector<Choice> choices_of(const Context& context) {
  const std::vector<Device> devices = devices_of(context);
  const std::vector<std::string> chosen = chosen_devices(context, devices);
  std::vector<Choice> choices;
  for (const Device& device : devices) {
    if (!device.available || !contains(chosen, device.id)) continue;
    const std::size_t before = choices.size();
    for (const std::string& precision : precisions()) {
      if (!contains(state_of(context).precisions, precision) || !contains(device.precisions, precision)) continue;
      const bool plain = precision == "f32";
      choices.push_back({plain ? device.id : device.id + ":" + precision, device.label, precision});
    }
    if (choices.size() == before) choices.push_back({device.id, device.label, "f32"});
  }
  return choices;
}

std::string name_of(const Choice& choice) { return choice.device + ", " + choice.precision; }

Choice shown_choice(const Context& context) {
  const std::vector<Choice> choices = choices_of(context);
  for (const Choice& choice : choices)
    if (choice.backend == state_of(context).shown) return choice;
  return choices.front();
}

}  // namespace headlight::views::lab
