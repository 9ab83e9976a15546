#include "engine/insight/path_patching.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "engine/core/sorting.h"
#include "engine/insight/explain.h"
#include "engine/insight/output_parts.h"
#include "engine/insight/predictions.h"
#include "engine/insight/residual_stream.h"

namespace headlight {
namespace {

Error no_such_part(const std::string& place) { return not_found("the model has no such part").at(place); }

// w[query, key] v[key], what one head reads at one key.
Result<std::vector<double>> read_at(const Trace& trace, const AttentionSite& site, std::int64_t head, std::int64_t query,
                                    std::int64_t key) {
  HL_ASSIGN(const Tensor weight, trace.tile(trace.name_at(site.prefix, Role::weights), {0, head, query, 1, key, 1}));
  HL_ASSIGN(const std::vector<double> values, values_of_query(trace, site, 0, head, query));
  const std::ptrdiff_t d_v = static_cast<std::ptrdiff_t>(values.size()) / site.keys;
  std::vector<double> part(values.begin() + key * d_v, values.begin() + (key + 1) * d_v);
  const double factor = as_doubles(weight).front();
  for (double& x : part) x *= factor;
  return part;
}

Result<std::vector<double>> one_row(const Trace& trace, const std::string& step, std::int64_t head, std::int64_t position) {
  HL_ASSIGN(const Tensor row, rows_of(trace, step, 0, head, position, 1));
  return as_doubles(row);
}

}  // namespace

Result<std::unique_ptr<PathPatching>> PathPatching::open(const Document& document, const PatchQuestion& question,
                                                         backends::Backend& backend, const CancelToken& cancel) {
  if (document.texts.size() != 1)
    return usage_error("two sentences are compared, and the document has {} texts", document.texts.size())
        .at("--patch")
        .mend("give one text");
  std::unique_ptr<PathPatching> made(new PathPatching(question, backend));
  made->changed_document_ = document;
  made->changed_document_.texts = {question.changed};
  HL_ASSIGN(made->clean_trace_, run(document, backend, cancel));
  RunOptions options;
  options.cache = &made->cache_;
  HL_ASSIGN(made->changed_trace_, run(made->changed_document_, backend, cancel, options));
  const std::size_t clean = made->clean_trace_->texts()[0].tokens.size(),
                    changed = made->changed_trace_->texts()[0].tokens.size();
  if (clean != changed)
    return usage_error("the sentence has {} tokens and the changed one {}", clean, changed)
        .at("--patch")
        .mend("change words for words of as many tokens");
  HL_ASSIGN(const OutputParts output, output_parts(*made->clean_trace_));
  made->stream_ = output.stream;
  HL_ASSIGN(made->clean_, made->difference_in(*made->clean_trace_));
  HL_ASSIGN(made->changed_, made->difference_in(*made->changed_trace_));
  return made;
}

Result<double> PathPatching::difference_in(const Trace& trace) const {
  HL_ASSIGN(const std::vector<double> scores, scores_behind(trace, 0, question_.position));
  return scores.at(static_cast<std::size_t>(question_.word)) - scores.at(static_cast<std::size_t>(question_.over));
}

Result<std::vector<StepPatch>> PathPatching::patches_of(std::span<const PatchPart> parts) const {
  // By step, head and position.
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::vector<double>> whole, read;
  for (const PatchPart& part : parts) {
    if (part.kind == PatchPart::Kind::vector) {
      if (part.level < 0 || part.level >= static_cast<std::int64_t>(stream_.size())) return no_such_part("");
      const std::string& step = stream_[static_cast<std::size_t>(part.level)];
      const Step* const found = clean_trace_->find(step);
      const std::int64_t begin = std::max<std::int64_t>(0, part.position);
      const std::int64_t end = part.position < 0 ? found->shape[1] : part.position + 1;
      for (std::int64_t at = begin; at < end; ++at) {
        HL_ASSIGN((whole[{step, -1, at}]), one_row(*clean_trace_, step, 0, at));
      }
      continue;
    }
    const AttentionSite *const clean = find_site(*clean_trace_, part.place), *const changed =
                                                                                 find_site(*changed_trace_, part.place);
    const std::string context = clean ? clean_trace_->name_at(clean->prefix, Role::context) : std::string();
    if (!changed || context.empty() || part.head < 0 || part.head >= clean->heads) return no_such_part(part.place);
    const std::int64_t begin = std::max<std::int64_t>(0, part.position);
    const std::int64_t end = part.position < 0 ? clean->queries : part.position + 1;
    for (std::int64_t at = begin; at < end; ++at) {
      if (part.kind == PatchPart::Kind::head) {
        HL_ASSIGN((whole[{context, part.head, at}]), one_row(*clean_trace_, context, part.head, at));
        continue;
      }
      for (std::int64_t head = 0; head < clean->heads; ++head) {
        std::vector<double>& sum = read[{context, head, at}];
        if (sum.empty()) {
          HL_ASSIGN(sum, one_row(*changed_trace_, context, head, at));
        }
        HL_ASSIGN(const std::vector<double> put_back, read_at(*clean_trace_, *clean, head, at, part.key));
        HL_ASSIGN(const std::vector<double> taken, read_at(*changed_trace_, *changed, head, at, part.key));
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += put_back[i] - taken[i];
      }
    }
  }
  whole.merge(read);  // what both have stays as it is in `whole`
  std::vector<StepPatch> patches;
  for (auto& [at, numbers] : whole) {
    const auto& [step, head, position] = at;
    patches.push_back({step, 0, std::max<std::int64_t>(0, head), position, std::move(numbers)});
  }
  return patches;
}

Result<double> PathPatching::restored(std::span<const PatchPart> parts, const CancelToken& cancel) {
  HL_ASSIGN(const std::vector<StepPatch> patches, patches_of(parts));
  RunOptions options;
  options.cache = &cache_;
  HL_ASSIGN(const auto trace, run_patched(changed_document_, backend_, patches, cancel, options));
  return difference_in(*trace);
}

std::vector<std::size_t> PatchEffects::strongest_heads() const {
  std::vector<std::size_t> order(heads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  sort_stably(order, [&](std::size_t a, std::size_t b) {
    return std::abs(heads[a].difference - changed) > std::abs(heads[b].difference - changed);
  });
  return order;
}

std::uint64_t PatchEffects::bytes() const {
  std::uint64_t sum = sizeof *this + (vectors.size() + edges.size()) * sizeof(double);
  for (const Head& head : heads) sum += sizeof head + head.by_position.size() * sizeof(double);
  return sum;
}

Result<PatchEffects> patch_effects(PathPatching& patching, const InformationRoutes& routes, const InformationShares& shares,
                                   const CancelToken& cancel, const std::function<void(std::int64_t, std::int64_t)>& progress) {
  PatchEffects made;
  made.clean = patching.clean();
  made.changed = patching.changed();
  const std::size_t last = shares.stacks.size() - 1;
  std::int64_t positions = 0;
  for (const InformationShares::Attention& attention : shares.attentions) {
    if (attention.stack != last) continue;
    positions = std::max(positions, attention.queries);
    for (std::int64_t head = 0; head < attention.heads; ++head)
      made.heads.push_back({attention.prefix, attention.layer, head, 0, {}});
  }
  const std::int64_t by_position = static_cast<std::int64_t>(std::min(kMostByPosition, made.heads.size())) * positions;
  const auto all = static_cast<std::int64_t>(made.heads.size() + routes.edges.size() + routes.vectors.size()) + by_position;
  std::int64_t done = 0;
  const auto restored = [&](const PatchPart& part) {
    if (progress) progress(done++, all);
    return patching.restored({&part, 1}, cancel);
  };
  for (const InformationRoutes::Edge& edge : routes.edges) {
    PatchPart part{PatchPart::Kind::edge, shares.attentions[edge.attention].prefix, 0, 0, edge.query, edge.key};
    HL_ASSIGN(const double difference, restored(part));
    made.edges.push_back(difference);
  }
  for (const InformationRoutes::Vector& vector : routes.vectors) {
    double difference = made.changed;
    if (vector.at.stack == last) {
      HL_ASSIGN(difference, restored({PatchPart::Kind::vector, {}, vector.at.level, 0, vector.at.position, 0}));
    }
    made.vectors.push_back(difference);
  }
  for (PatchEffects::Head& head : made.heads) {
    HL_ASSIGN(head.difference, restored({PatchPart::Kind::head, head.prefix, 0, head.head, -1, 0}));
  }
  const std::vector<std::size_t> order = made.strongest_heads();
  for (std::size_t i = 0; i < std::min(kMostByPosition, order.size()); ++i) {
    PatchEffects::Head& head = made.heads[order[i]];
    for (std::int64_t at = 0; at < positions; ++at) {
      HL_ASSIGN(const double difference, restored({PatchPart::Kind::head, head.prefix, 0, head.head, at, 0}));
      head.by_position.push_back(difference);
    }
  }
  return made;
}

}  // namespace headlight
