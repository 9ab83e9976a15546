#include "app/cli/scores_step.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "engine/core/json.h"
#include "engine/core/one_nan.h"
#include "engine/insight/bahdanau_step.h"

namespace headlight::cli {
namespace {

std::vector<std::int64_t> ids_of(const Sentence& sentence) {
  std::vector<std::int64_t> ids;
  for (const auto& token : sentence.tokens) ids.push_back(token.id);
  return ids;
}

std::vector<std::string> vocabulary_labels(const BahdanauStep& step, const Sentence& target) {
  std::vector<std::string> labels;
  for (const std::int64_t id : step.vocabulary) {
    const auto at = std::find_if(target.tokens.begin(), target.tokens.end(), [&](const auto& token) { return token.id == id; });
    labels.push_back(target.labels[static_cast<std::size_t>(at - target.tokens.begin())]);
  }
  return labels;
}

std::string listed(const std::vector<double>& values) {
  std::string text;
  char number[32];
  for (const double value : values) {
    std::snprintf(number, sizeof number, "%9.4f", one_nan(value));
    text += number;
  }
  return text;
}

std::string left_aligned(const std::string& text) {
  std::size_t letters = 0;
  for (const char c : text) letters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return text + std::string(letters < 14 ? 14 - letters : 1, ' ');
}

std::string step_table(const BahdanauStep& step, const Sentence& source, const Sentence& target, std::uint64_t seed) {
  std::string text = "step " + std::to_string(step.step) + " writes " + target.labels[step.step] + "; weights are random, seed " +
                     std::to_string(seed) + "\n";
  text += left_aligned("") + "h_j" + std::string(36, ' ') + "e_ij  alpha_ij\n";
  for (std::size_t j = 0; j < step.words.size(); ++j)
    text += left_aligned(source.labels[j]) + listed(step.annotations[j]) + " " +
            listed({step.scores[j], step.weights_of_words[j]}) + "\n";
  text += left_aligned("s_i-1") + listed(step.state_before()) + "\n";
  text += left_aligned("y_i-1") + listed(step.previous_word) +
          (step.step > 0 ? "   " + target.labels[step.step - 1] : "   nothing") + "\n";
  text += left_aligned("c_i") + listed(step.context) + "   sum over j of alpha_ij h_j\n";
  text += left_aligned("s_i") + listed(step.state()) + "   tanh(W_y y_i-1 + U s_i-1 + C c_i)\n";
  text += "p(y_i) = softmax(O_y y_i-1 + O_s s_i + O_c c_i)\n";
  const std::vector<std::string> labels = vocabulary_labels(step, target);
  for (std::size_t w = 0; w < labels.size(); ++w)
    text += left_aligned(labels[w]) + listed({step.probabilities[w]}) +
            (static_cast<std::int64_t>(w) == step.right ? "   the word that follows" : "") + "\n";
  return text;
}

Json rows_as_json(const std::vector<std::vector<double>>& rows) {
  Json json = Json::array();
  for (const std::vector<double>& row : rows) json.push_back(Json(row));
  return json;
}

std::string step_json(const BahdanauStep& step, const Sentence& source, const Sentence& target, std::uint64_t seed) {
  Json weights = Json::object();
  for (const DrawnMatrix& m : step.weights) {
    Json rows = Json::array();
    for (std::size_t r = 0; r < m.rows; ++r) {
      std::vector<double> row;
      for (std::size_t c = 0; c < m.columns; ++c) row.push_back(m.at(r, c));
      rows.push_back(Json(row));
    }
    weights[m.name] = std::move(rows);
  }
  return Json::object({{"step", static_cast<std::int64_t>(step.step)},
                       {"writes", target.labels[step.step]},
                       {"seed", static_cast<std::int64_t>(seed)},
                       {"tokens", Json(source.labels)},
                       {"x", rows_as_json(step.words)},
                       {"h", rows_as_json(step.annotations)},
                       {"hidden", rows_as_json(step.hidden)},
                       {"e", Json(step.scores)},
                       {"alpha", Json(step.weights_of_words)},
                       {"c", Json(step.context)},
                       {"s_before", Json(step.state_before())},
                       {"y_before", Json(step.previous_word)},
                       {"s", Json(step.state())},
                       {"vocabulary", Json(vocabulary_labels(step, target))},
                       {"logits", Json(step.logits)},
                       {"p", Json(step.probabilities)},
                       {"right", step.right},
                       {"weights", std::move(weights)}})
             .dump() +
         "\n";
}

}  // namespace

Result<std::string> bahdanau_words(const Trace& trace, std::int64_t sentence, std::int64_t step, bool json) {
  const auto at = static_cast<std::size_t>(sentence);
  const Sentence& source = trace.texts()[at];
  const Sentence& target = at < trace.targets().size() ? trace.targets()[at] : source;
  const auto steps = static_cast<std::int64_t>(target.tokens.size());
  if (step < 0 || step >= steps)
    return usage_error("there is no step {}", step)
        .at("--step")
        .mend(steps == 1 ? Message("the only one is 0") : Message("they go from 0 to {}", steps - 1));
  const std::uint64_t seed = trace.document().seed;
  HL_ASSIGN(const BahdanauStep made, bahdanau_step({ids_of(source), ids_of(target)}, static_cast<std::size_t>(step), seed));
  return json ? step_json(made, source, target, seed) : step_table(made, source, target, seed);
}

}  // namespace headlight::cli
