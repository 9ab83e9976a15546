#include "engine/insight/trace_remarks.h"

#include <algorithm>
#include <span>

#include "engine/document/stored_model.h"
#include "engine/insight/predictions.h"
#include "engine/pipeline/predict.h"
#include "engine/pipeline/run_anywhere.h"

namespace headlight {
namespace {

constexpr std::size_t kLeastTarget = 3, kLeastText = 8, kMostRead = 16;  // tokens

// What every model of English has read the like of.
constexpr const char* kPlainText =
    "The children went down to the river in the morning. Their mother had told them not to swim, because the water was still "
    "cold.";

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

// The mean loss of the last tokens of a sentence; a few are enough for the mean, and a vocabulary may be large.
Result<double> loss_at_end(const Trace& trace, std::int64_t batch, const CancelToken& cancel) {
  const std::vector<tokenizers::Token>& tokens = predicted_sentence(trace, batch).tokens;
  double sum = 0;
  const std::size_t first = std::max(tokens.size(), kMostRead + 1) - kMostRead;
  for (std::size_t i = first; i < tokens.size(); ++i) {
    if (cancel.cancelled()) return cancelled();
    HL_ASSIGN(const std::vector<double> scores, scores_behind(trace, batch, static_cast<std::int64_t>(i) - 1));
    sum -= log_probability(scores, tokens[i].id);
  }
  return sum / static_cast<double>(tokens.size() - first);
}

// Whether the words, between spaces, are cut into many pieces, as those of a language that the tokenizer was not made for.
bool is_shattered(const Sentence& sentence) {
  std::size_t words = 0;
  bool inside = false;
  for (const char c : sentence.text) {
    const bool space = c == ' ' || c == '\n' || c == '\t';
    words += !space && !inside ? 1 : 0;
    inside = !space;
  }
  return static_cast<double>(sentence.tokens.size()) >= kPiecesOfStrangers * static_cast<double>(std::max<std::size_t>(1, words));
}

Status add_strange_text(const Trace& trace, const StoredModel& model, const CancelToken& cancel, TraceRemarks& remarks) {
  for (std::size_t batch = 0; batch < trace.texts().size(); ++batch) {
    const Sentence& text = trace.texts()[batch];
    if (text.tokens.size() < kLeastText || !is_shattered(text)) continue;
    HL_ASSIGN(const double loss, loss_at_end(trace, static_cast<std::int64_t>(batch), cancel));
    remarks.text_loss = std::max(remarks.text_loss, loss);
  }
  if (remarks.text_loss > kStrangeText) {
    Document plain;
    use_model(plain, model);
    plain.texts = {kPlainText};
    HL_ASSIGN(const auto usual, run_anywhere(plain, cancel));
    HL_ASSIGN(remarks.usual_loss, loss_at_end(*usual, 0, cancel));
  }
  if (remarks.text_loss <= kStrangeText || remarks.text_loss < remarks.usual_loss + kStranger)
    remarks.text_loss = remarks.usual_loss = 0;
  return {};
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
  if (!document.interventions.empty() || !predicts_next(trace)) return remarks;
  if (model->task != ModelTask::encoder_decoder) {
    HL_TRY(add_strange_text(trace, *model, cancel, remarks));
    return remarks;
  }
  for (std::size_t batch = 0; batch < trace.targets().size(); ++batch) {
    if (trace.targets()[batch].tokens.size() < kLeastTarget) continue;
    HL_ASSIGN(const Predictions said, predictions(trace, static_cast<std::int64_t>(batch), 1, cancel));
    if (said.mean_loss > kUnlikelyTarget) remarks.target_loss = std::max(remarks.target_loss, said.mean_loss);
  }
  remarks.target_language = model->target_language;
  return remarks;
}

}  // namespace headlight
