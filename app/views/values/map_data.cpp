#include "app/views/values/map_data.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/time_text.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/derived_value.h"
#include "engine/backends/backends.h"
#include "engine/core/fingerprint.h"
#include "engine/insight/explain.h"
#include "engine/pipeline/run.h"
#include "engine/text/grouped_number.h"

namespace headlight::views::values {
namespace {

constexpr std::int64_t kQuick = std::int64_t{1} << 24;  // multiply-adds that a frame has time for

// What makes the numbers of a picture different from those of any other.
std::uint64_t key_of_picture(const Context& context, const AttentionChoice& choice, std::uint64_t salt) {
  Fingerprint key;
  key.add(salt).add(context.trace->generation()).add(choice.prefix());
  key.add(static_cast<std::uint64_t>(choice.head)).add(static_cast<std::uint64_t>(choice.batch));
  return key.a;
}

std::vector<std::string> facts_of(const CombinedHeads::Way& way, const std::string& shapes, double other_seconds) {
  const double times = way.seconds > 0 ? other_seconds / way.seconds : 0;
  std::string time = fill(tr("{} on this processor"), {figures::time_text(way.seconds)});
  if (times > 1) time += fill(tr(", {} times as fast"), {short_number(times)});
  return {shapes, fill(tr("{} numbers to learn"), {text::grouped_number(way.parameters)}), time};
}

}  // namespace

std::shared_ptr<const ValueMap> map_of(const Context& context, const AttentionChoice& choice, std::string* error) {
  const auto trace = context.trace;
  const AttentionSite& site = *choice.site;
  const std::int64_t d = trace->document().d_model;
  return derived_value<ValueMap>(
      context, DerivedKey("values/map", {trace->generation(), site.prefix, choice.head}),
      site.heads * d * site.d_k * site.d_k * 4 + d * d * site.d_k, kQuick,
      [trace, prefix = site.prefix, head = choice.head](const CancelToken& cancel) {
        return value_map(*trace, *find_site(*trace, prefix), head, cancel);
      },
      error);
}

std::shared_ptr<const ValueSum> map_sum_of(const Context& context, const AttentionChoice& choice, std::string* error) {
  const auto trace = context.trace;
  const AttentionSite& site = *choice.site;
  const std::int64_t d = trace->document().d_model, rows = std::min(site.queries, kMostSummedRows);
  return derived_value<ValueSum>(
      context, DerivedKey("values/map sum", {trace->generation(), site.prefix, choice.batch}),
      site.heads * site.d_k * ((site.keys + rows) * d + rows * site.keys), kQuick,
      [trace, prefix = site.prefix, batch = choice.batch](const CancelToken& cancel) {
        return value_sum(*trace, *find_site(*trace, prefix), batch, cancel);
      },
      error);
}

std::shared_ptr<const SingularValues> full_rank_of(const Context& context, std::int64_t d) {
  if (d > kWidestMap) return nullptr;
  return context.derived
      .later<SingularValues>(DerivedKey("values/full rank", {d}),
                             [d](const CancelToken& cancel) -> Result<SingularValues> {
                               SingularValues made{full_rank_singular_values(d, 0, cancel)};
                               if (cancel.cancelled()) return cancelled();
                               return made;
                             })
      .value;
}

figures::ValueMapInput map_input(const Context& context, const AttentionChoice& choice, const ValueMap& map) {
  figures::ValueMapInput input;
  input.title = fill(tr("Value map: {}"), {attention_title(choice)});
  input.d_in = map.d_in;
  input.d_v = map.d_v;
  input.d_out = map.d_out;
  input.down = map.down.as(DType::f32);
  input.up = map.up.as(DType::f32);
  if (!map.map.empty()) input.map = map.map.as(DType::f32);
  input.values = map.spectrum.values;
  for (std::size_t h = 0; h < map.heads.size(); ++h)
    if (static_cast<std::int64_t>(h) != map.head) input.others.push_back(map.heads[h].values);
  if (map.d_in == map.d_out)
    if (const auto full = full_rank_of(context, map.d_in)) {
      input.full = full->values;
      for (double& value : input.full) value *= map.spectrum.norm;
    }
  input.rank = map.spectrum.rank;
  input.effective_rank = map.spectrum.effective_rank;
  input.numbers = map.numbers();
  input.full_numbers = map.full_numbers();
  input.note = random_note(*context.trace, map.down_name);
  input.key = key_of_picture(context, choice, 1);
  return input;
}

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value == 0 ? "%.0f" : "%.1e", value);
  return text;
}

figures::ValueSumInput map_sum_input(const Context& context, const AttentionChoice& choice, const ValueSum& sum) {
  figures::ValueSumInput input;
  input.labels = row_labels(context, choice);
  input.labels.resize(std::min(input.labels.size(), static_cast<std::size_t>(sum.rows)));
  input.by_head = sum.by_head.as(DType::f32);
  input.concat = sum.concat.as(DType::f32);
  Tensor difference(DType::f32, sum.by_head.shape());
  float most = 0;
  const auto a = sum.by_head.values<double>(), b = sum.concat.values<double>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference.data<float>()[i] = static_cast<float>(a[i] - b[i]);
    most = std::max(most, std::abs(static_cast<float>(a[i] - b[i])));
  }
  input.difference = std::move(difference);
  input.largest = static_cast<float>(sum.largest);
  // A difference within rounding has the scale of what is compared: on a scale of its own it would look large.
  input.largest_difference = sum.equal() ? std::max(most, input.largest) : most;
  input.by_head_words = sum.heads == 1 ? std::string(tr("A (X V_down) V_up, of the one head"))
                                       : fill(tr("Σ A (X V_down) V_up, over {} heads"), {std::to_string(sum.heads)});
  input.good = sum.equal();
  const std::string numbers =
      fill(tr("max difference {}, numbers up to {}"), {scientific(sum.difference), short_number(sum.largest)});
  input.good_words = sum.equal()   ? fill(tr("equal to {}"), {scientific(sum.difference)}) + "; " + numbers
                     : sum.changed ? tr("an intervention changes what the model computed") + std::string(": ") + numbers
                                   : tr("not equal") + std::string(": ") + numbers;
  if (sum.rows < choice.site->queries)
    input.good_words +=
        "; " + fill(tr("the first {} of {} tokens"), {std::to_string(sum.rows), std::to_string(choice.site->queries)});
  input.note = random_note(*context.trace, choice.prefix() + "q");
  input.key = key_of_picture(context, choice, 2);
  return input;
}

bool is_stacked(const AttentionChoice& choice, const Trace& trace) {
  return trace.step_at(choice.prefix(), Role::heads_stacked) != nullptr;
}

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

figures::CombinerInput combiner_input(const Context& context, const AttentionChoice& choice, const CombinedHeads& both) {
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

}  // namespace headlight::views::values
