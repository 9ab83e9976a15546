#include "app/views/values/norms_data.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/derived_value.h"
#include "engine/insight/explain.h"
#include "engine/insight/residual_stream.h"

namespace headlight::views::values {
namespace {

using NormPart = VectorNorms::Part;

constexpr std::int64_t kNormsAtOnce = 1 << 16;  // numbers read within a frame; more are read in the background
constexpr std::int64_t kNumberedCells = 2000;   // a map of more has numbers only where its cells are large

// The last of these roles' steps at a place: its residual sum, or the norm behind that; of a model without sums the part itself.
void add_part(const Trace& trace, std::vector<NormPart>& parts, NormPart::Kind kind, std::int64_t layer, const std::string& place,
              std::initializer_list<Role> roles) {
  std::string last;
  for (const Role role : roles)
    if (const Step* step = trace.step_at(place, role); step && step->shape.size() == 3) last = step->name;
  if (!last.empty()) parts.push_back({kind, layer, last});
}

std::vector<NormPart> parts_of(const Trace& trace, const std::string& stack) {
  std::vector<NormPart> parts;
  const bool post = trace.document().norm == "post";
  const auto add_attention = [&](const AttentionSite& site, NormPart::Kind kind, std::int64_t layer) {
    add_part(
        trace, parts, kind, layer, site.prefix,
        {Role::concat, Role::attention_output, Role::attention_residual, post ? Role::attention_norm : Role::attention_residual});
  };
  for (std::int64_t layer = 0;; ++layer) {
    const std::string place = stack + "layer." + std::to_string(layer) + ".";
    const AttentionSite* const site = find_site(trace, place);
    if (!site) return parts;
    if (layer == 0)
      if (const std::string before = residual_place(trace, *site).before; !before.empty())
        parts.push_back({NormPart::start, 0, before});
    add_attention(*site, NormPart::attention, layer);
    if (const AttentionSite* const cross = find_site(trace, place + "cross."))
      add_attention(*cross, NormPart::cross_attention, layer);
    add_part(trace, parts, NormPart::feed_forward, layer, place,
             {Role::mlp_output, Role::mlp_residual, post ? Role::mlp_norm : Role::mlp_residual});
  }
}

std::string stack_of(const AttentionChoice& choice) { return choice.kind == "decoder.cross." ? "decoder." : choice.kind; }
DerivedKey norms_key(DerivedKey::Tag tag, const Context& context, const AttentionChoice& choice) {
  return DerivedKey(tag, {context.trace->generation(), stack_of(choice), choice.batch});
}

// Of a row of lengths without one of them; of an even number the lower one in the middle.
double median_without(const Tensor& lengths, std::int64_t part, std::int64_t token) {
  std::vector<double> others;
  for (std::int64_t t = 0; t < lengths.dim(1); ++t)
    if (t != token) others.push_back(lengths.at({part, t}));
  const auto middle = others.begin() + static_cast<std::ptrdiff_t>((others.size() - 1) / 2);
  std::nth_element(others.begin(), middle, others.end());
  return *middle;
}

std::string row_label(const NormPart& part) {
  switch (part.kind) {
    case NormPart::start: return tr("E, start");
    case NormPart::attention: return fill(tr("{} attention"), {std::to_string(part.layer)});
    case NormPart::cross_attention: return fill(tr("{} cross-attention"), {std::to_string(part.layer)});
    case NormPart::feed_forward: return fill(tr("{} feed-forward"), {std::to_string(part.layer)});
  }
  return {};
}

}  // namespace

Result<VectorNorms> vector_norms(const Trace& trace, const std::string& stack, std::int64_t batch, const CancelToken& cancel) {
  VectorNorms norms;
  norms.parts = parts_of(trace, stack);
  if (norms.parts.empty()) return not_found("this model has no layer").at(stack);
  for (std::size_t part = 0; part < norms.parts.size(); ++part) {
    if (cancel.cancelled()) return cancelled();
    HL_ASSIGN(const Tensor vectors, rows_of(trace, norms.parts[part].step, batch, 0, 0, -1));
    const std::vector<double> numbers = as_doubles(vectors);
    const std::int64_t width = vectors.dim(-1), tokens = static_cast<std::int64_t>(numbers.size()) / width;
    if (part == 0) norms.lengths = Tensor(DType::f64, {static_cast<std::int64_t>(norms.parts.size()), tokens});
    double* const to = norms.lengths.data<double>() + static_cast<std::int64_t>(part) * tokens;
    for (std::int64_t t = 0; t < tokens; ++t) to[t] = length_of({numbers.begin() + t * width, numbers.begin() + (t + 1) * width});
  }
  return norms;
}

LongestVector longest_of(const VectorNorms& norms) {
  LongestVector longest;
  if (norms.lengths.dim(1) < 3) return longest;
  for (std::int64_t part = 0; part < norms.lengths.dim(0); ++part)
    for (std::int64_t token = 0; token < norms.lengths.dim(1); ++token) {
      const double times = norms.lengths.at({part, token}) / median_without(norms.lengths, part, token);
      if (std::isfinite(times) && times > longest.times) longest = {part, token, times};
    }
  return longest;
}

std::shared_ptr<const VectorNorms> norms_of(const Context& context, const AttentionChoice& choice, std::string* error) {
  const auto trace = context.trace;
  const auto layers = static_cast<std::int64_t>(choice.layers.size());
  return derived_value<VectorNorms>(
      context, norms_key("values/norms", context, choice), 2 * layers * choice.site->queries * trace->document().d_model,
      kNormsAtOnce,
      [trace, stack = stack_of(choice), batch = choice.batch](const CancelToken& cancel) {
        return vector_norms(*trace, stack, batch, cancel);
      },
      error);
}

std::string part_words(const NormPart& part) {
  const std::string layer = std::to_string(part.layer);
  switch (part.kind) {
    case NormPart::start: return tr("before layer 0");
    case NormPart::attention: return fill(tr("after the attention of layer {}"), {layer});
    case NormPart::cross_attention: return fill(tr("after the cross-attention of layer {}"), {layer});
    case NormPart::feed_forward: return fill(tr("after the feed-forward part of layer {}"), {layer});
  }
  return {};
}

figures::HeatmapInput norms_input(const Context& context, const AttentionChoice& choice, const VectorNorms& norms) {
  figures::HeatmapInput input;
  input.title = tr("Length of every vector after every part");
  for (const NormPart& part : norms.parts) input.row_labels.push_back(row_label(part));
  input.column_labels = row_labels(context, choice);
  input.column_labels.resize(static_cast<std::size_t>(norms.lengths.dim(1)));
  input.row_axis = tr("after this part");
  input.column_axis = tr("token");
  input.row_name = "part";
  input.column_name = "token";
  input.data_name = "norms";
  input.quantity = tr("length");
  input.numbers = norms.lengths;
  input.small_numbers = norms.lengths.count() <= kNumberedCells;
  input.fit = figures::CellFit::box;
  // Powers of ten: the largest lengths are a thousand times the others'. A length of 0 has the colour of the least.
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const double length : norms.lengths.values<double>())
    if (std::isfinite(length) && length > 0) least = std::min(least, length), most = std::max(most, length);
  if (most <= 0) least = most = 1;
  input.values = Tensor(DType::f32, norms.lengths.shape());
  for (std::int64_t i = 0; i < norms.lengths.count(); ++i) {
    const double length = norms.lengths.data<double>()[i];
    input.values.data<float>()[i] = static_cast<float>(std::isfinite(length) ? std::log10(std::max(length, least)) : length);
  }
  input.low = static_cast<float>(std::log10(least));
  input.high = most > 1.01 * least ? static_cast<float>(std::log10(most)) : input.low + 1;
  input.low_words = short_number(least);
  input.high_words = short_number(most > 1.01 * least ? most : 10 * least);
  input.range_words = tr("length, by powers of ten");
  input.note = random_note(*context.trace, choice.prefix() + "q");
  input.key = norms_key("values/norms picture", context, choice).hash();
  return input;
}

std::string longest_words(const figures::HeatmapInput& input, const VectorNorms& norms) {
  const LongestVector longest = longest_of(norms);
  if (longest.times <= 0) return {};
  return fill(tr("{}, {}: {}, that is {} times the median of the other tokens"),
              {input.column_labels[static_cast<std::size_t>(longest.token)],
               part_words(norms.parts[static_cast<std::size_t>(longest.part)]),
               short_number(norms.lengths.at({longest.part, longest.token})), short_number(longest.times)});
}

}  // namespace headlight::views::values
