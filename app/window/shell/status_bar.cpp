// The last row: quiet words, each behind a dot whose colour shows its state.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/text/device_words.h"
#include "app/text/error_words.h"
#include "app/ui/style.h"
#include "app/window/shell/export_progress.h"
#include "app/window/shell/popups.h"
#include "app/window/shell/shell.h"
#include "engine/document/array_source.h"
#include "engine/pipeline/on_host.h"
#include "engine/pipeline/padding.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

using figures::Font;

struct Line {
  std::string text;
  figures::Color dot;
  bool may_go = false;  // may be left out if there is little room
};

// If the processor computes: why the graphics card is not used, or which one could be; empty while that is being looked up.
std::string unused_gpu(Shell& shell, const Trace& trace) {
  if (is_of_arrays(trace.document())) return {};                // nothing is computed there
  if (trace.document().backend.starts_with("cuda")) return {};  // it was used, or the remark says why not
  const auto devices = devices_here(shell);
  if (!devices) return {};
  for (const backends::Device& device : *devices.value)
    if (device.id == "cuda")
      return device.available ? fill(tr("not used: {}"), {device_words(device.label)}) : spoken_briefly(device.why);
  return {};
}

// What the shown tab says of itself.
views::TabWords said_by_tab(const Shell& shell) {
  const auto said = shell.transient.status.find(shell.view().tab);
  return said == shell.transient.status.end() ? views::TabWords() : said->second;
}

// What was said last, and what is said of the tab, the computation and the machine, in order.
std::vector<Line> lines_of(Shell& shell, const Frame& frame, const figures::Theme& theme) {
  std::vector<Line> lines;
  if (!shell.ui.notice.empty()) lines.push_back({shell.ui.notice, shell.ui.notice_bad ? theme.wrong : theme.info});
  if (const auto opening = shell.models().opening()) lines.push_back({opening_words(*opening), theme.selected});
  if (const auto fetching = shell.models().fetching())
    lines.push_back(
        {fill(tr("fetching {}, {} %"), {fetching->name, std::to_string(std::lround(100 * fetching->share()))}), theme.info});
  const views::TabWords said = said_by_tab(shell);
  const Published& published = shell.published();
  if (!said.where.empty() && published.trace) lines.push_back({said.where, theme.selected, true});
  if (shell.nothing_typed()) {
    lines.push_back({tr("no sentence"), theme.secondary});
  } else if (published.error && published.error->kind != ErrorKind::cancelled) {
    lines.push_back({tr("could not compute this"), theme.wrong});
  } else if (shell.worker().computing_for() > 0.15) {
    lines.push_back({tr("computing"), theme.selected});
  } else if (published.trace) {
    std::size_t tokens = 0, targets = 0;
    for (const Sentence& s : published.trace->texts()) tokens += s.tokens.size();
    for (const Sentence& s : published.trace->targets()) targets += s.tokens.size();
    std::string count = std::to_string(tokens);
    if (targets) count += " + " + std::to_string(targets);
    const bool read = is_of_arrays(published.trace->document());
    lines.push_back({fill(read                    ? tr("read in {}, {} tokens")
                          : tokens + targets == 1 ? tr("computed in {}, {} token")
                                                  : tr("computed in {}, {} tokens"),
                          {duration_words(published.trace->seconds()), count}),
                     theme.good});
  }
  if (published.trace) {
    const std::string label = device_words(published.trace->backend_label());
    const Message remark = published.trace->remark();
    lines.push_back({label, remark.empty() ? theme.info : theme.selected});
    if (const std::string gpu = unused_gpu(shell, *published.trace); !gpu.empty()) lines.push_back({gpu, theme.secondary, true});
    if (const OnHost host = on_host(*published.trace); host.steps > 0)
      lines.push_back(
          {fill(host.steps == 1 ? tr("{} step by plain loops on the host: {}") : tr("{} steps by plain loops on the host: {}"),
                {std::to_string(host.steps), host.operations}),
           theme.selected, true});
    if (attends_padding(*published.trace))
      lines.push_back({tr("[PAD] is attended to: no mask keeps padding out"), theme.selected});
    if (!remark.empty()) lines.push_back({fill(tr("instead of the GPU: {}"), {spoken(remark)}), theme.selected, true});
  }
  if (frame.milliseconds > 0)
    lines.push_back({fill(tr("frame {}"), {duration_words(frame.milliseconds / 1e3)}), theme.secondary, true});
  // The open view's last result: nowhere else does it mean anything.
  if (const std::string& result = shell.transient.results[shell.view().tab]; !result.empty())
    lines.push_back({result, theme.selected, true});
  return lines;
}

}  // namespace

void draw_status_bar(Shell& shell, const Look& look, const Frame& frame) {
  const figures::Theme& theme = look.theme;
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const ImVec2 high(low.x + ImGui::GetWindowWidth(), ImGui::GetWindowPos().y + ImGui::GetWindowHeight());
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(low, high, gl::packed(theme.panel));
  list.AddRectFilled(low, {high.x, low.y + std::max(1.0f, std::floor(look.scale))}, gl::packed(theme.line));

  shell.parts.add("status", low.x, low.y, high.x, high.y);

  const float end = draw_export_progress(shell, look, low, high);
  std::vector<Line> lines = lines_of(shell, frame, theme);
  if (shell.autosave_) {
    switch (shell.autosave_->state()) {
      case Autosave::State::saved: lines.push_back({tr("session saved"), theme.good}); break;
      case Autosave::State::waiting: lines.push_back({tr("saving session"), theme.secondary}); break;
      case Autosave::State::failed:
        lines.push_back({fill(tr("session not saved: {}"), {spoken(shell.autosave_->last().error())}), theme.wrong});
        break;
    }
  }

  if (const std::string keys = said_by_tab(shell).keys; !keys.empty() && shell.published().trace)
    lines.push_back({keys, theme.secondary, true});

  const auto width_of = [&](const Line& line) {
    return look.px(14) + look.figures.width(line.text, kSmall, Font::words) * look.scale + look.px(28);
  };
  float needed = 0;
  for (const Line& line : lines) needed += width_of(line);
  for (std::size_t i = lines.size(); i-- > 0;) {
    if (needed <= end - low.x - look.px(8) || !lines[i].may_go) continue;
    needed -= width_of(lines[i]);
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
  }

  shell.ui.status_words.clear();
  for (const Line& line : lines) shell.ui.status_words.push_back(line.text);
  float x = low.x + look.px(16);
  const float middle = (low.y + high.y) / 2, line_height = look.figures.line_height(kSmall, Font::words) * look.scale;
  for (const Line& line : lines) {
    const float room = end - look.px(16) - x - look.px(14);
    if (room < look.px(40)) break;
    list.AddCircleFilled({x + look.px(4), middle}, look.px(3.5f), gl::packed(line.dot));
    const float width = std::min(look.figures.width(line.text, kSmall, Font::words) * look.scale, room);
    look.figures.text(list, {x + look.px(14), std::round(middle - line_height / 2)}, line.text, kSmall, Font::words,
                      theme.secondary, room);
    x += look.px(14) + width + look.px(28);
  }
}

}  // namespace headlight::window
