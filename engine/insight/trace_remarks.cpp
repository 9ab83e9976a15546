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

}  // namespace

Result<TraceRemarks> trace_remarks(const Trace& trace, const CancelToken& cancel) {
  TraceRemarks remarks;
  const Document& document = trace.document();
  if (document.model == "sandbox") return remarks;
  const auto model = open_stored_model(document.model);
  if (!model.ok()) return remarks;
  const std::int64_t longest = std::max(longest_of(trace.texts()), longest_of(trace.targets()));
  if (longest > (*model)->length) {
    remarks.tokens = longest;
    remarks.trained_length = (*model)->length;
  }
  if ((*model)->task != ModelTask::encoder_decoder || !document.interventions.empty() || !predicts_next(trace)) return remarks;
  for (std::size_t batch = 0; batch < trace.targets().size(); ++batch) {
    if (trace.targets()[batch].tokens.size() < kLeastTarget) continue;
    HL_ASSIGN(const Predictions said, predictions(trace, static_cast<std::int64_t>(batch), 1, cancel));
    if (said.mean_loss > kUnlikelyTarget) remarks.target_loss = std::max(remarks.target_loss, said.mean_loss);
  }
  remarks.target_language = (*model)->target_language;
  return remarks;
}

}  // namespace headlight
