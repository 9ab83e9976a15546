#include "engine/insight/trace_remarks.h"

#include <algorithm>
#include <span>

#include "engine/document/stored_model.h"
#include "engine/insight/predictions.h"

namespace headlight {
namespace {

constexpr std::size_t kLeastTarget = 3;  // tokens

std::int64_t longest_of(std::span<const Sentence> sentences) {
  std::size_t longest = 0;
  for (const Sentence& sentence : sentences) longest = std::max(longest, sentence.tokens.size());
  return static_cast<std::int64_t>(longest);
}

// The cells of one intervention that are in no text of the trace, as it would be written with these alone; empty: there are none.
std::string lost_cells_of(const Trace& trace, const Intervention& one) {
  const std::int64_t texts = longest_of(trace.texts()), targets = longest_of(trace.targets());
  const std::int64_t queries = one.at.side == "decoder." ? targets : texts, keys = one.at.cross ? texts : queries;
  Intervention lost = one;
  std::erase_if(lost.cells, [&](const Intervention::Cell& cell) { return cell.query < queries && cell.key < keys; });
  return lost.cells.empty() ? std::string() : to_text(lost);
}

}  // namespace

Result<TraceRemarks> trace_remarks(const Trace& trace, const CancelToken& cancel) {
  TraceRemarks remarks;
  const Document& document = trace.document();
  for (const Intervention& one : document.interventions)
    if (std::string lost = lost_cells_of(trace, one); !lost.empty()) remarks.lost_cells.push_back(std::move(lost));
  const auto model = trace.stored_model();
  if (!model) return remarks;
  remarks.untrained = untrained_fields(document, *model);
  const std::int64_t longest = std::max(longest_of(trace.texts()), longest_of(trace.targets()));
  if (longest > model->length) {
    remarks.tokens = longest;
    remarks.trained_length = model->length;
  }
  if (model->task != ModelTask::encoder_decoder || !document.interventions.empty() || !predicts_next(trace)) return remarks;
  for (std::size_t batch = 0; batch < trace.targets().size(); ++batch) {
    if (trace.targets()[batch].tokens.size() < kLeastTarget) continue;
    HL_ASSIGN(const Predictions said, predictions(trace, static_cast<std::int64_t>(batch), 1, cancel));
    if (said.mean_loss > kUnlikelyTarget) remarks.target_loss = std::max(remarks.target_loss, said.mean_loss);
  }
  remarks.target_language = model->target_language;
  return remarks;
}

}  // namespace headlight
