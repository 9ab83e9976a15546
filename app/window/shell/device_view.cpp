// Below the list of devices: the document computed on two of them, their times, and how far apart their numbers are.
#include <algorithm>
#include <cstdio>

#include "app/text/device_words.h"
#include "app/text/error_words.h"
#include "app/ui/style.h"
#include "app/window/shell/popups.h"
#include "app/window/shell/shell.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

using figures::Font;

std::string scientific(double x) {
  char text[32];
  std::snprintf(text, sizeof text, x == 0 ? "%.0f" : "%.1e", x);
  return text;
}

// The devices side by side, as many per line as fit; the chosen one is highlighted.
void choose_device_view(Shell& shell, const Look& look, const char* id, const std::vector<backends::Device>& devices,
                        std::string& chosen, const char* why) {
  ImGui::PushID(id);
  bool first = true;
  for (const backends::Device& device : devices) {
    if (!device.available) continue;
    if (!first) ImGui::SameLine(0, look.px(4));
    first = false;
    const float width = look.figures.width(device.id, 14, Font::words) * look.scale + look.px(32);
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
    if (button(look, device.id.c_str(), 0, 28, device.id == chosen)) chosen = device.id;
    shell.name_part(std::string("devices:") + id + ":" + device.id);
    tooltip(look, why, device_words(device.label));
  }
  ImGui::PopID();
}

// A device's name, a bar proportional to its time, and the time.
void bar(const Look& look, const DeviceRuns& device, double longest) {
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float width = look.px(352), height = look.px(24), name = look.px(96), number = look.px(84);
  const float line = look.figures.line_height(13, Font::words) * look.scale, y = low.y + (height - line) / 2;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  look.figures.text(list, {low.x, y}, device.id, 13, Font::words, look.theme.text, name - look.px(8));
  const auto share = static_cast<float>(longest > 0 ? device.median() / longest : 0);
  const float room = width - name - number, x = low.x + name;
  list.AddRectFilled({x, low.y + look.px(5)}, {x + std::max(look.px(2), room * share), low.y + height - look.px(5)},
                     gl::packed(look.theme.info), look.px(3));
  const std::string time = duration_words(device.median());
  const float at = low.x + width - look.figures.width(time, 13, Font::words) * look.scale;
  look.figures.text(list, {at, y}, time, 13, Font::words, look.theme.text);
  ImGui::Dummy({width, height});
}

void line(const Look& look, std::string_view step, std::string_view largest, std::string_view relative, figures::Color color) {
  const ImVec2 low = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float height = look.figures.line_height(13, Font::mono) * look.scale + look.px(3), first = look.px(274),
              second = look.px(338);
  const auto right = [&](std::string_view text, float end, Font font) {
    look.figures.text(list, {low.x + end - look.figures.width(text, 13, font) * look.scale, low.y}, text, 13, font, color);
  };
  look.figures.text(list, low, step, 13, Font::mono, color, look.px(212));
  right(largest, first, Font::mono);
  right(relative, second, Font::mono);
  ImGui::Dummy({second, height});
}

void draw_result(Shell& shell, const Look& look, const DeviceComparison& result) {
  const auto& [a, b] = result.devices;
  bar(look, a, std::max(a.median(), b.median()));
  bar(look, b, std::max(a.median(), b.median()));
  const bool a_is_faster = a.median() <= b.median();
  const DeviceRuns &fast = a_is_faster ? a : b, &slow = a_is_faster ? b : a;
  if (fast.median() > 0) {
    char times[32];
    std::snprintf(times, sizeof times, "%.1f", slow.median() / fast.median());
    words(look,
          fill(tr("{} is {} times as fast as {}: medians of {} and {} runs, transfers included."),
               {fast.id, times, slow.id, std::to_string(fast.seconds.size()), std::to_string(slow.seconds.size())}),
          look.theme.secondary);
  }
  const StepDifference* const worst = result.worst();
  if (!worst) return;
  ImGui::Spacing();
  words(look,
        worst->one_is_not_a_number ? fill(tr("In {} one of them has values that are not numbers."), {worst->step})
        : worst->relative == 0     ? std::string(tr("Every step has the same values, to the last digit."))
                               : fill(tr("Furthest apart: {}, by {} of its size."), {worst->step, scientific(worst->relative)}),
        worst->one_is_not_a_number ? look.theme.wrong : look.theme.text);
  shell.name_part("devices:worst");
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(2)});
  line(look, tr("step"), tr("largest difference"), tr("relative"), look.theme.secondary);
  ImGui::BeginChild("steps", {look.px(352), look.px(150)});
  for (const StepDifference& step : result.steps)
    line(look, step.step, step.one_is_not_a_number ? "NaN" : scientific(step.largest), scientific(step.relative),
         step.one_is_not_a_number ? look.theme.wrong : look.theme.text);
  ImGui::EndChild();
  ImGui::PopStyleVar();
  shell.name_part("devices:steps");
  tooltip(look, tr("Each step's values on the one device against those on the other: the largest difference of two numbers, and "
                   "the root of the summed squares of all differences over that of the values"));
  if (result.left_out > 0)
    words(
        look,
        fill(tr("{} steps that no trace keeps were left out: making them again takes long."), {std::to_string(result.left_out)}),
        look.theme.secondary);
}

}  // namespace

void draw_device_check(Shell& shell, const Look& look, const std::vector<backends::Device>& devices) {
  std::vector<std::string> there;
  for (const backends::Device& device : devices)
    if (device.available) there.push_back(device.id);
  if (there.size() < 2) return;
  // Compares the document's device with the graphics card, if there is one and the document uses another device.
  auto& [a, b] = shell.ui.compared_devices;
  const auto is_there = [&](const std::string& id) { return std::find(there.begin(), there.end(), id) != there.end(); };
  if (!is_there(a)) a = is_there(shell.document().backend) ? shell.document().backend : "cpu";
  if (!is_there(b)) b = a != "cuda" && is_there("cuda") ? "cuda" : a != "cpu" ? "cpu" : "reference";

  ImGui::Dummy({0, look.px(8)});
  words(look, tr("Two devices compared"), look.theme.text, kHeading);
  caption(look, tr("this one"));
  choose_device_view(shell, look, "a", devices, a, tr("One of the two that compute the same document"));
  caption(look, tr("beside this one"));
  choose_device_view(shell, look, "b", devices, b, tr("The other of the two that compute the same document"));

  ImGui::Dummy({0, look.px(4)});
  const DeviceCheck::Snapshot now = shell.device_check().snapshot();
  if (now.running) {
    if (button(look, labelled(tr("Stop"), "stop").c_str(), 0, 30)) shell.device_check().cancel();
    shell.name_part("devices:stop");
    tooltip(look, tr("Ends the comparison"));
    ImGui::SameLine(0, look.px(8));
    words(look,
          now.runs == 0       ? std::string(tr("waiting"))
          : now.doing.empty() ? std::string(tr("comparing the numbers"))
          : now.run == 0      ? fill(tr("{}: a run that does not count"), {now.doing})
                              : fill(tr("{}: run {} of {}"), {now.doing, std::to_string(now.run), std::to_string(now.runs)}),
          look.theme.secondary);
    shell.frame_in(0.1);
    return;
  }
  const bool pressed = button(look, labelled(tr("Measure"), "measure").c_str(), 0, 30, false, a != b);
  shell.name_part("devices:measure");
  tooltip(look, a == b ? tr("Choose two different devices")
                       : tr("Computes the document a few times on each, in the background, and compares every step's numbers"));
  if (pressed && a != b) {
    shell.device_check().start(shell.document(), {a, b});
    return;
  }
  if (now.error) {
    ImGui::PushTextWrapPos(look.px(352));
    words(look, spoken(*now.error), now.error->kind == ErrorKind::cancelled ? look.theme.secondary : look.theme.wrong);
    ImGui::PopTextWrapPos();
  }
  if (!now.result) return;
  ImGui::PushTextWrapPos(look.px(352));
  Document measured = now.document;
  measured.backend = shell.document().backend;
  if (!(measured == shell.document())) {
    words(look, tr("Of the document as it was: measure again."), look.theme.selected);
    shell.name_part("devices:old");
  }
  draw_result(shell, look, *now.result);
  ImGui::PopTextWrapPos();
}

}  // namespace headlight::window
