// The numbers of the Heads view: statistics of every head, and one query against its keys.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/views/heads/data.h"
#include "engine/core/sorting.h"

namespace headlight::views::heads {
namespace {

constexpr std::int64_t kAtOnce = 64 * 1024;  // cells evaluated within a frame

Result<HeadStatistics> statistics_of(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head) {
  Trace::Tile tile;
  tile.batch = batch;
  tile.head = head;
  HL_ASSIGN(Tensor weights, trace.tile(trace.name_at(site.prefix, Role::weights), tile));
  Tensor mask = site_mask(site, batch, head);
  // Rows of padding say nothing about the head.
  const auto sentences = site.rows_are_targets ? trace.targets() : trace.texts();
  std::vector<std::int32_t> ids;
  const auto& tokens = sentences[static_cast<std::size_t>(batch)].tokens;
  if (site.site != masks::Site::cross)
    for (const auto& token : tokens) ids.push_back(token.id);
  const auto rows = std::min<std::int64_t>(weights.dim(0), static_cast<std::int64_t>(tokens.size()));
  weights = weights.slice(0, 0, rows);
  if (!mask.empty()) mask = mask.slice(0, 0, rows);
  return head_statistics(weights, mask, ids);
}

DerivedKey key_of(DerivedKey::Tag tag, const Context& context, const AttentionChoice& choice) {
  return DerivedKey(tag, {context.trace->generation(), choice.kind, choice.batch});
}

}  // namespace

std::shared_ptr<const HeadStatistics> statistics(const Context& context, const AttentionChoice& choice, const AttentionSite& site,
                                                 std::int64_t head) {
  const DerivedKey key = key_of("heads/statistics", context, choice).add(site.prefix).add(head);
  const auto make = [trace = context.trace, site, batch = choice.batch, head](const CancelToken&) {
    return statistics_of(*trace, site, batch, head);
  };
  return site.queries * site.keys <= 4 * kAtOnce ? context.derived.now<HeadStatistics>(key, make).value
                                                 : context.derived.later<HeadStatistics>(key, make).value;
}

std::shared_ptr<const HeadTable> head_table(const Context& context, const AttentionChoice& choice) {
  std::vector<AttentionSite> sites;
  std::int64_t cells = 0;
  for (const AttentionSite* site : choice.layers) {
    sites.push_back(*site);
    cells += site->heads * site->queries * site->keys;
  }
  const auto make = [trace = context.trace, sites, batch = choice.batch](const CancelToken& cancel) -> Result<HeadTable> {
    HeadTable table;
    for (const AttentionSite& site : sites)
      for (std::int64_t head = 0; head < site.heads; ++head) {
        if (cancel.cancelled()) return cancelled();
        HL_ASSIGN(HeadStatistics one, statistics_of(*trace, site, batch, head));
        table.heads.push_back(std::move(one));
      }
    return table;
  };
  const DerivedKey key = key_of("heads/table", context, choice);
  return cells <= kAtOnce ? context.derived.now<HeadTable>(key, make).value : context.derived.later<HeadTable>(key, make).value;
}

std::shared_ptr<const NeuronRow> neuron_row(const Context& context, const AttentionChoice& choice, HeadRef head,
                                            std::int64_t query, std::int64_t most) {
  const AttentionSite& site = *choice.layers[static_cast<std::size_t>(head.layer)];
  const DerivedKey key = key_of("heads/neuron", context, choice).add(site.prefix).add(head.head).add(query).add(most);
  const auto make = [trace = context.trace, site, batch = choice.batch, head = head.head, query,
                     most](const CancelToken&) -> Result<NeuronRow> {
    const auto row_of = [&](const std::string& step, std::int64_t first, std::int64_t rows,
                            std::int64_t of_head) -> Result<Tensor> {
      Trace::Tile tile;
      tile.batch = batch;
      tile.head = of_head;
      tile.row = first;
      tile.rows = rows;
      HL_ASSIGN(const Tensor read, trace->tile(step, tile));
      return read.as(DType::f32).compact();
    };
    HL_ASSIGN(const Tensor q, row_of(site.q, query, 1, head));
    HL_ASSIGN(const Tensor k, row_of(site.k, 0, site.keys, head / (site.heads / site.kv_heads)));
    Tensor left = q, right = k;  // what is multiplied, number by number
    if (!site.score_vector.empty()) {
      HL_ASSIGN(const Tensor vector, trace->values(site.score_vector));
      left = vector.as(DType::f32).compact();
      right = Tensor(DType::f32, k.shape(), k.axes(), true);
      for (std::int64_t i = 0; i < k.count(); ++i)
        right.data<float>()[i] = std::tanh(q.data<float>()[i % q.count()] + k.data<float>()[i]);
    }
    HL_ASSIGN(const Tensor scores, row_of(trace->name_at(site.prefix, Role::scores), query, 1, head));
    HL_ASSIGN(const Tensor weights, row_of(trace->name_at(site.prefix, Role::weights), query, 1, head));
    const Tensor mask = site_mask(site, batch, head);
    const auto visible = [&](std::int64_t j) { return mask.empty() || mask.data<std::uint8_t>()[query * site.keys + j] != 0; };
    std::vector<std::int64_t> shown(static_cast<std::size_t>(site.keys));
    std::iota(shown.begin(), shown.end(), std::int64_t{0});
    if (site.keys > most) {
      sort_stably(shown, [&](std::int64_t a, std::int64_t b) { return weights.data<float>()[a] > weights.data<float>()[b]; });
      shown.resize(static_cast<std::size_t>(std::max<std::int64_t>(1, most)));
      sort_stably(shown);
    }
    NeuronRow row;
    row.input.query = left.reshaped({left.count()});
    row.input.additive = !site.score_vector.empty();
    row.input.total = site.keys;
    row.input.held = 0;
    const std::int64_t d = k.dim(1);
    row.input.keys = Tensor(DType::f32, {static_cast<std::int64_t>(shown.size()), d}, {"key", "dimension"}, true);
    double all = 0;
    for (std::int64_t j = 0; j < site.keys; ++j) all += static_cast<double>(weights.data<float>()[j]);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const std::int64_t j = shown[i];
      std::copy_n(right.data<float>() + j * d, d, row.input.keys.data<float>() + static_cast<std::int64_t>(i) * d);
      figures::NeuronInput::Key one;
      one.number = j;
      one.visible = visible(j);
      one.score = static_cast<double>(scores.data<float>()[j]);
      one.scaled = one.score * site.scale;
      one.weight = static_cast<double>(weights.data<float>()[j]);
      row.input.held += all > 0 ? one.weight / all : 0;
      row.input.rows.push_back(std::move(one));
    }
    return row;
  };
  return context.derived.now<NeuronRow>(key, make).value;
}

}  // namespace headlight::views::heads
