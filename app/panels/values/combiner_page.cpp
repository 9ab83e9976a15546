#include "app/panels/values/combiner_page.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "app/figures/charts/timing_bars.h"
#include "app/figures/values/combiner_picture.h"
#include "app/gl/figure_view.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/derived_value.h"
#include "app/panels/shared/figure_menu.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "engine/backends/backends.h"
#include "engine/core/fingerprint.h"
#include "engine/insight/combined_heads.h"
#include "engine/insight/explain.h"
#include "engine/pipeline/run.h"
#include "engine/text/grouped_number.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

constexpr float kLeastHigh = 300, kPaperRow = 26, kPaperAround = 260, kPaperHighest = 640;

bool is_stacked(const AttentionChoice& choice, const Trace& trace) {
  return trace.step_at(choice.prefix(), Role::heads_stacked) != nullptr;
}

// Of the trace's own heads where they are stacked; else of a model like it with heads of full width and random weights.
std::shared_ptr<const CombinedHeads> both_ways(const Context& context, const AttentionChoice& choice, std::string* error) {
  const auto trace = context.trace;
  const AttentionSite& site = *choice.site;
  const bool own = is_stacked(choice, *trace);
  return derived_value<CombinedHeads>(
      context, DerivedKey("values/combiners", {trace->generation(), site.prefix, choice.batch}), 1,
      0,  // it is measured, so that it never belongs into a frame
      [trace, own, prefix = site.prefix, layer = site.layer,
       batch = choice.batch](const CancelToken& cancel) -> Result<CombinedHeads> {
        std::shared_ptr<const Trace> stacked = trace;
        if (!own) {
          Document document = with_stacked_heads(trace->document(), layer);
          document.backend = "cpu";
          HL_ASSIGN(const auto cpu, backends::open(document.backend));
          HL_ASSIGN(stacked, run(document, *cpu, cancel, {}));
        }
        const AttentionSite* const at = find_site(*stacked, prefix);
        if (!at) return not_found("this attention is not part of the model with stacked heads").at(prefix);
        return combine_both_ways(*stacked, *at, batch, cancel);
      },
      error);
}

std::vector<std::string> facts_of(const CombinedHeads::Way& way, const std::string& shapes, double other_seconds) {
  const double times = way.seconds > 0 ? other_seconds / way.seconds : 0;
  std::string time = fill(tr("{} on this processor"), {figures::time_text(way.seconds)});
  if (times > 1) time += fill(tr(", {} times as fast"), {short_number(times)});
  return {shapes, fill(tr("{} numbers to learn"), {text::grouped_number(way.parameters)}), time};
}

figures::CombinerInput input_of(const Context& context, const AttentionChoice& choice, const CombinedHeads& both) {
  figures::CombinerInput input;
  const std::string h = std::to_string(both.heads), d = std::to_string(both.d), hidden = std::to_string(both.hidden);
  auto& [stack, concat] = input.ways;
  stack.title = tr("2-D stack");
  stack.formula = "tanh(tanh(Stack(heads) W_H) W_O)";
  stack.facts = facts_of(both.stack, "W_H [" + h + ", " + hidden + "], W_O [" + hidden + ", 1]", both.concat.seconds);
  stack.output = both.stack.output.as(DType::f32);
  stack.largest = static_cast<float>(both.stack.largest);
  stack.name = "stack2d";
  concat.title = tr("side by side");
  concat.formula = "Concat(heads) W_O";
  concat.facts = facts_of(both.concat, "W_O [" + std::to_string(both.heads * both.d) + ", " + d + "]", both.stack.seconds);
  concat.output = both.concat.output.as(DType::f32);
  concat.largest = static_cast<float>(both.concat.largest);
  concat.name = "concat";
  input.labels = row_labels(context, choice);
  input.labels.resize(std::min(input.labels.size(), static_cast<std::size_t>(both.rows)));
  input.below = fill(tr("{} heads, each {} wide; with 32 heads of 512 and n_hidden 16 it is {} numbers against {}."),
                     {h, d, text::grouped_number(both.stack.at_course_sizes), text::grouped_number(both.concat.at_course_sizes)});
  input.note = is_stacked(choice, *context.trace) ? tr("this model's heads; Concat's W_O is drawn from the seed")
                                                  : tr("random heads of full width, as this model has narrower ones");
  Fingerprint key;
  key.add(std::uint64_t{3}).add(context.trace->generation()).add(choice.prefix()).add(static_cast<std::uint64_t>(choice.batch));
  input.key = key.a;
  return input;
}

}  // namespace

void draw_combiners(Context& context, const ui::Look& look, const AttentionChoice& choice) {
  std::string error;
  const auto both = both_ways(context, choice, &error);
  if (!both) {
    ui::words(look, error.empty() ? tr("measuring …") : error, error.empty() ? look.theme.secondary : look.theme.wrong, 15);
    return;
  }
  const float width = std::floor(ImGui::GetContentRegionAvail().x / context.scale - 14);
  const float height = std::max(kLeastHigh, std::floor(ImGui::GetContentRegionAvail().y / context.scale) - 4);
  figures::CombinerInput input = input_of(context, choice, *both);
  input.hot = hovered_token(*context.trace, choice.site->rows_are_targets, choice.batch, context.hover.now);
  figures::Figure figure = figures::combiner_picture(input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "combiners");
  name_part(context, "values:combiners");
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0) {
    const std::int64_t row = hit.row % figures::kCombinerMap, dimension = hit.column;
    if (row < both->rows && dimension >= 0 && dimension < both->d) {
      if (is_stacked(choice, *context.trace))
        context.hover.next.value = {context.trace->name_at(choice.prefix(), Role::attention_output),
                                    {choice.batch, row, dimension}};
      const std::string token =
          row < static_cast<std::int64_t>(input.labels.size()) ? input.labels[static_cast<std::size_t>(row)] : "";
      ui::tooltip(look, fill(tr("{}, dimension {}"), {token, std::to_string(dimension)}) + "\n" +
                            fill(tr("2-D stack: {}"), {short_number(both->stack.output.at({row, dimension}))}) + "\n" +
                            fill(tr("Concat W_O: {}"), {short_number(both->concat.output.at({row, dimension}))}));
    }
  }
  figure_menu(context, "combiners menu", hit, [&] { return combiners_figure(context, choice, 960); });
}

figures::Figure combiners_figure(const Context& context, const AttentionChoice& choice, float width) {
  const auto both = both_ways(context, choice, nullptr);
  if (!both) return {};
  const float height = std::min(kPaperHighest, static_cast<float>(both->rows) * kPaperRow + kPaperAround);
  return figures::combiner_picture(input_of(context, choice, *both), width, height, context.theme, context.measure);
}

}  // namespace headlight::panels
