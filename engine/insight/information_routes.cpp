#include "engine/insight/information_routes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "engine/attention/shares/summand_shares.h"
#include "engine/core/sorting.h"
#include "engine/insight/backend_product.h"
#include "engine/insight/explain.h"
#include "engine/insight/residual_stream.h"
#include "engine/operations/rms_norm.h"

namespace headlight {
namespace {

using Attention = InformationShares::Attention;

std::vector<float> as_floats(const Tensor& tensor) {
  const Tensor plain = tensor.as(DType::f32).compact();
  const auto values = plain.values<float>();
  return {values.begin(), values.end()};
}

Result<std::vector<float>> step_rows(const Trace& trace, const std::string& step, std::int64_t batch, std::int64_t head,
                                     std::int64_t row, std::int64_t rows) {
  HL_ASSIGN(const Tensor tile, rows_of(trace, step, batch, head, row, rows));
  return as_floats(tile);
}

const Sentence& sentence_of(const Trace& trace, std::int64_t batch, bool targets) {
  return (targets ? trace.targets() : trace.texts())[static_cast<std::size_t>(batch)];
}

// "decoder." of "decoder.layer.1.cross."
std::string stack_of(const std::string& prefix) { return prefix.substr(0, prefix.find("layer.")); }

// A sum step's input that carries `output`: the output itself, or a norm of it.
const Step* summand_of(const Trace& trace, const Step& sum, const std::string& output) {
  for (const std::string& input : sum.inputs) {
    const Step* const step = trace.find(input);
    if (step && (step->name == output || (!step->inputs.empty() && step->inputs.front() == output))) return step;
  }
  return nullptr;
}

// The factor in every dimension by which an RMSNorm behind W_O changes the attention's result; empty: no norm is there.
Result<std::vector<float>> norm_scale(const Trace& trace, const ResidualPlace& place, std::int64_t batch, std::int64_t row,
                                      std::int64_t rows) {
  const Step* const sum = trace.find(place.after);
  const Step* const added = sum ? summand_of(trace, *sum, place.output) : nullptr;
  if (!added || added->name == place.output) return std::vector<float>{};
  if (!added->computed_by.is<operations::RmsNorm>())
    return failure(ErrorKind::unavailable,
                   "a LayerNorm stands between this attention and the sum, so its summands have no shares")
        .at(added->name);
  HL_ASSIGN(std::vector<float> scale, step_rows(trace, added->name, batch, 0, row, rows));
  HL_ASSIGN(const std::vector<float> own, step_rows(trace, place.output, batch, 0, row, rows));
  for (std::size_t i = 0; i < scale.size(); ++i) scale[i] = own[i] != 0 ? scale[i] / own[i] : 0.0F;
  return scale;
}

// The vector [d_model] that W_O adds; empty: it has no bias.
Result<std::vector<float>> output_bias(const Trace& trace, const ResidualPlace& place, const CancelToken& cancel) {
  const Step* const output = trace.find(place.output);
  for (const std::string& input : output ? output->inputs : std::vector<std::string>{})
    for (const NamedParameter& parameter : trace.parameters())
      if (parameter.name == input && parameter.shape.size() == 1) {
        HL_ASSIGN(const Tensor bias, trace.values(input, cancel));
        return as_floats(bias);
      }
  return std::vector<float>{};
}

bool is_changed(const Trace& trace, const AttentionSite& site) {
  for (std::int64_t head = 0; head < site.heads; ++head)
    if (kept_of_head(trace, site.prefix, head) != 1) return true;
  return false;
}

// x [rows, d_v] times a head's rows of W_O, [rows, d_model], by the backend.
Result<std::vector<float>> through_head(const Tensor& x, const Tensor& w_o, std::int64_t head, backends::Backend& backend,
                                        const CancelToken& cancel) {
  if (w_o.empty()) return as_floats(x);
  const std::int64_t d_v = x.dim(1);
  HL_ASSIGN(const backends::Buffer rows, backend.upload(x.compact()));
  HL_ASSIGN(const backends::Buffer matrix, backend.upload(w_o.slice(0, head * d_v, (head + 1) * d_v).compact()));
  HL_ASSIGN(const backends::Buffer out, backend_product(backend, rows, matrix, cancel));
  HL_ASSIGN(const Tensor product, backend.download(out));
  return as_floats(product);
}

void append(std::vector<float>& all, const std::vector<float>& more) { all.insert(all.end(), more.begin(), more.end()); }

// The feed-forward part's share of a layer's output, [position].
Result<std::vector<float>> feed_forward_shares(const Trace& trace, const std::string& place, std::int64_t batch,
                                               std::int64_t positions) {
  std::vector<float> share(static_cast<std::size_t>(positions), 0.0F);
  const Step* const fed = trace.step_at(place, Role::mlp_output);
  if (!fed) return share;
  const Step* const sum = trace.step_at(place, Role::mlp_residual);
  const Step* const part = sum ? summand_of(trace, *sum, fed->name) : nullptr;
  if (!part) {  // without a residual sum it replaces what was there
    std::fill(share.begin(), share.end(), 1.0F);
    return share;
  }
  HL_ASSIGN(const std::vector<float> z, step_rows(trace, sum->name, batch, 0, 0, positions));
  HL_ASSIGN(const std::vector<float> x, step_rows(trace, part->name, batch, 0, 0, positions));
  const std::size_t d = z.size() / share.size();
  std::vector<float> before(d);
  for (std::size_t t = 0; t < share.size(); ++t) {
    const std::span<const float> row(z.data() + t * d, d), fed_row(x.data() + t * d, d);
    for (std::size_t c = 0; c < d; ++c) before[c] = row[c] - fed_row[c];
    const float of_part = shares::importance(row, fed_row, 1), of_before = shares::importance(row, before, 1);
    share[t] = of_part + of_before > 0 ? of_part / (of_part + of_before) : 0.0F;
  }
  return share;
}

// Everything that one attention's summands are made of, as numbers.
struct Read {
  shares::Summands summands;
  std::vector<float> sum, before, weights, values, by_distance, bias, scale;
};

// Of every head's value of every token behind its rows of W_O.
std::uint64_t value_bytes(const AttentionSite& site, std::int64_t keys, std::int64_t width) {
  return static_cast<std::uint64_t>(site.heads * keys * width) * sizeof(float);
}

Status read_attention(const Trace& trace, const AttentionSite& site, std::int64_t batch, backends::Backend& backend,
                      const CancelToken& cancel, Read& read) {
  const ResidualPlace place = residual_place(trace, site);
  if (place.mixes) return heads_are_mixed(site);
  if (place.output.empty()) return not_found("what this attention adds is no step of the trace").at(site.prefix);
  const auto queries = static_cast<std::int64_t>(sentence_of(trace, batch, site.rows_are_targets).tokens.size());
  const auto keys = static_cast<std::int64_t>(sentence_of(trace, batch, site.columns_are_targets).tokens.size());
  HL_ASSIGN(read.sum, step_rows(trace, place.replaces ? place.output : place.after, batch, 0, 0, queries));
  const auto width = static_cast<std::int64_t>(read.sum.size()) / queries;
  const std::uint64_t bytes = value_bytes(site, keys, width);
  if (bytes > kMostValueBytes)
    return failure(ErrorKind::too_large, "the values of this attention behind W_O take {} MB", bytes >> 20)
        .at(site.prefix)
        .mend("shorten the text");
  if (!place.replaces) {
    HL_ASSIGN(read.before, step_rows(trace, place.before, batch, 0, 0, queries));
  }
  HL_ASSIGN(read.scale, norm_scale(trace, place, batch, 0, queries));
  HL_ASSIGN(read.bias, output_bias(trace, place, cancel));
  Tensor w_o;
  if (!place.matrix.empty()) {
    HL_ASSIGN(w_o, trace.values(place.matrix, cancel));
  }
  const std::string weights = trace.name_at(site.prefix, Role::weights);
  const std::int64_t group = site.kv_heads > 0 ? site.heads / site.kv_heads : 1;
  for (std::int64_t head = 0; head < site.heads; ++head) {
    if (cancel.cancelled()) return cancelled();
    Trace::Tile tile{batch, head, 0, queries, 0, keys};
    HL_ASSIGN(const Tensor of_head, trace.tile(weights, tile));
    std::vector<float> numbers = as_floats(of_head);
    const float kept = kept_of_head(trace, site.prefix, head);
    for (float& one : numbers) one *= kept;
    append(read.weights, numbers);
    HL_ASSIGN(const Tensor v, rows_of(trace, site.v, batch, head / group, 0, keys));
    HL_ASSIGN(const std::vector<float> values, through_head(v, w_o, head, backend, cancel));
    append(read.values, values);
    if (site.relative_values.empty()) continue;
    HL_ASSIGN(const Tensor table, trace.values(site.relative_values, cancel));
    HL_ASSIGN(const std::vector<float> rows, through_head(table, w_o, head, backend, cancel));
    append(read.by_distance, rows);
  }
  read.summands = {
      site.heads,         queries,   keys,      width, read.sum, read.before, read.weights, read.values, read.by_distance,
      site.relative_clip, read.bias, read.scale};
  return {};
}

// Shares of importances; of a sum to which no summand is important the rest has the whole share.
void take_shares(shares::Importances made, Attention& attention) {
  for (std::size_t query = 0; query < made.total.size(); ++query) {
    if (!(made.total[query] > 0)) {
      made.rest[query] = made.total[query] = 1;
    }
    const float part = 1 / made.total[query];
    made.before[query] *= part;
    made.rest[query] *= part;
    float* const row = made.by_source.data() + query * static_cast<std::size_t>(attention.keys);
    for (std::int64_t key = 0; key < attention.keys; ++key) row[key] *= part;
  }
  attention.by_source = std::move(made.by_source);
  attention.before = std::move(made.before);
  attention.rest = std::move(made.rest);
  attention.total = std::move(made.total);
}

std::size_t stack_at(InformationShares& made, const std::string& name) {
  for (std::size_t i = 0; i < made.stacks.size(); ++i)
    if (made.stacks[i].name == name) return i;
  made.stacks.push_back({name, 0, 0, {}});
  return made.stacks.size() - 1;
}

}  // namespace

std::uint64_t InformationShares::bytes() const {
  std::uint64_t numbers = 0;
  for (const Attention& one : attentions) numbers += one.by_source.size() + 3 * one.before.size();
  for (const Stack& stack : stacks)
    for (const std::vector<float>& layer : stack.feed_forward) numbers += layer.size();
  return sizeof *this + numbers * sizeof(float);
}

std::uint64_t sharing_bytes(const Trace& trace, std::int64_t batch) {
  std::uint64_t most = 0;
  for (const AttentionSite& site : trace.sites()) {
    const Step* const output = trace.find(residual_place(trace, site).output);
    if (!output) continue;
    const auto queries = static_cast<std::int64_t>(sentence_of(trace, batch, site.rows_are_targets).tokens.size());
    const auto keys = static_cast<std::int64_t>(sentence_of(trace, batch, site.columns_are_targets).tokens.size());
    const auto weights = static_cast<std::uint64_t>(site.heads * queries * keys) * sizeof(float);
    most = std::max(most, value_bytes(site, keys, output->shape.back()) + weights);
  }
  return most;
}

Result<InformationShares> information_shares(const Trace& trace, std::int64_t batch, backends::Backend& backend,
                                             const CancelToken& cancel,
                                             const std::function<void(std::int64_t, std::int64_t)>& progress) {
  if (batch < 0 || batch >= static_cast<std::int64_t>(trace.texts().size()))
    return not_found("there is no sentence {}", batch).mend("there are {} sentences", trace.texts().size());
  if (trace.sites().empty()) return not_found("this model has no attention");
  InformationShares made;
  made.computed_in = sharing_bytes(trace, batch);
  float largest = 0;
  std::int64_t done = 0;
  for (const AttentionSite& site : trace.sites()) {
    if (progress) progress(done++, static_cast<std::int64_t>(trace.sites().size()));
    Read read;
    HL_TRY(read_attention(trace, site, batch, backend, cancel, read));
    Attention attention;
    attention.prefix = site.prefix;
    attention.stack = attention.source = stack_at(made, stack_of(site.prefix));
    if (site.rows_are_targets != site.columns_are_targets) attention.source = stack_at(made, "encoder.");
    attention.layer = site.layer;
    attention.heads = site.heads;
    attention.queries = read.summands.queries;
    attention.keys = read.summands.keys;
    shares::Importances of = shares::importances(read.summands, cancel);
    if (of.total.empty()) return cancelled();
    if (!is_changed(trace, site))
      for (const float rest : of.rest_size) made.difference = std::max(made.difference, static_cast<double>(rest));
    for (const float one : read.sum) largest = std::max(largest, std::abs(one));
    take_shares(std::move(of), attention);
    InformationShares::Stack& stack = made.stacks[attention.stack];
    stack.positions = attention.queries;
    if (stack.layers <= site.layer) {
      stack.layers = site.layer + 1;
      stack.feed_forward.resize(static_cast<std::size_t>(stack.layers));
      const std::string place = stack.name + "layer." + std::to_string(site.layer) + ".";
      HL_ASSIGN(stack.feed_forward.back(), feed_forward_shares(trace, place, batch, stack.positions));
    }
    made.attentions.push_back(std::move(attention));
  }
  made.tolerance = 256 * static_cast<double>(std::numeric_limits<float>::epsilon()) * static_cast<double>(largest);
  return made;
}

RouteVector last_vector(const InformationShares& shares, std::int64_t position) {
  const std::size_t stack = shares.stacks.size() - 1;
  return {stack, shares.stacks[stack].layers, std::clamp<std::int64_t>(position, 0, shares.stacks[stack].positions - 1)};
}

InformationRoutes information_routes(const InformationShares& shares, const RouteVector& to, double threshold,
                                     bool without_first) {
  InformationRoutes made;
  std::map<RouteVector, bool> waiting;  // those reached and not yet followed
  waiting[to] = true;
  const auto above = [&](float share) { return static_cast<double>(share) >= threshold && share > 0; };
  // From the predicting stack's last layer down, then through the encoder: what leads to a vector is always below it.
  while (!waiting.empty()) {
    const RouteVector at = std::max_element(waiting.begin(), waiting.end(), [](const auto& a, const auto& b) {
                             return std::pair(a.first.stack, a.first.level) < std::pair(b.first.stack, b.first.level);
                           })->first;
    waiting.erase(at);
    InformationRoutes::Vector vector;
    vector.at = at;
    if (at.level > 0) {
      const std::int64_t layer = at.level - 1;
      const auto position = static_cast<std::size_t>(at.position);
      vector.feed_forward = shares.stacks[at.stack].feed_forward[static_cast<std::size_t>(layer)][position];
      bool follows = true;  // what was there before the feed-forward part, which also reads it
      for (std::size_t i = shares.attentions.size(); i-- > 0 && follows;) {
        const Attention& attention = shares.attentions[i];
        if (attention.stack != at.stack || attention.layer != layer) continue;
        for (std::int64_t key = 0; key < attention.keys; ++key) {
          const float share = attention.share(at.position, key);
          if (!above(share)) continue;
          if (!attention.is_cross() && key == at.position) {
            vector.goes_down = true;
            continue;
          }
          if (without_first && key == 0) {
            ++made.hidden;
            made.hidden_most = std::max(made.hidden_most, share);
            continue;
          }
          const std::int64_t level = attention.is_cross() ? shares.stacks[attention.source].layers : layer;
          const RouteVector from{attention.source, level, key};
          made.edges.push_back({i, at.position, key, share, from, at});
          waiting[from] = true;
        }
        vector.before = attention.before[position];
        follows = above(vector.before);
      }
      vector.goes_down = vector.goes_down || follows;
      if (vector.goes_down) waiting[{at.stack, layer, at.position}] = true;
    }
    made.vectors.push_back(vector);
  }
  sort_stably(made.edges, [](const auto& a, const auto& b) { return a.share > b.share; });
  return made;
}

Result<std::vector<float>> edge_by_head(const Trace& trace, const InformationShares& shares, std::size_t attention,
                                        std::int64_t batch, std::int64_t query, std::int64_t key, const CancelToken& cancel) {
  const Attention& of = shares.attentions[attention];
  const AttentionSite* const site = find_site(trace, of.prefix);
  if (!site) return not_found("the trace has no such attention").at(of.prefix);
  const ResidualPlace place = residual_place(trace, *site);
  HL_ASSIGN(const std::vector<float> z, step_rows(trace, place.replaces ? place.output : place.after, batch, 0, query, 1));
  HL_ASSIGN(const std::vector<float> scale, norm_scale(trace, place, batch, query, 1));
  Tensor w_o;
  if (!place.matrix.empty()) {
    HL_ASSIGN(w_o, trace.values(place.matrix, cancel));
  }
  std::vector<float> made;
  for (std::int64_t head = 0; head < of.heads; ++head) {
    if (cancel.cancelled()) return cancelled();
    Trace::Tile cell{batch, head, query, 1, key, 1};
    HL_ASSIGN(const Tensor weight, trace.tile(trace.name_at(of.prefix, Role::weights), cell));
    HL_ASSIGN(const std::vector<double> values, values_of_query(trace, *site, batch, head, query));
    const std::ptrdiff_t d_v = static_cast<std::ptrdiff_t>(values.size()) / site->keys;
    const std::vector<double> value(values.begin() + key * d_v, values.begin() + (key + 1) * d_v);
    const std::vector<double> passed = through_output(value, w_o, head);
    std::vector<float> x(passed.begin(), passed.end());
    for (std::size_t c = 0; c < scale.size(); ++c) x[c] *= scale[c];
    const float factor = as_floats(weight).front() * kept_of_head(trace, of.prefix, head);
    made.push_back(shares::importance(z, x, factor) / of.total[static_cast<std::size_t>(query)]);
  }
  return made;
}

}  // namespace headlight
