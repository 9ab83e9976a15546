#include "engine/insight/word_context.h"

#include <cmath>
#include <optional>
#include <string_view>

#include "engine/insight/residual_stream.h"
#include "engine/pipeline/run.h"

namespace headlight {
namespace {

using Vector = std::vector<double>;

bool is_word_byte(char c) {  // bytes of other scripts' letters are beyond ASCII
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (byte >= '0' && byte <= '9') || ((byte | 32) >= 'a' && (byte | 32) <= 'z');
}

// Where the word stands in the text, with no letter on either side.
std::optional<std::size_t> place_in(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_byte(text[at - 1])) && (end == text.size() || !is_word_byte(text[end]))) return at;
  }
  return {};
}

// The row of the last token that stands for bytes [begin, end) of the sentence.
std::int64_t last_token(const Sentence& sentence, std::size_t begin, std::size_t end) {
  std::int64_t row = 0;
  for (std::size_t i = 0; i < sentence.tokens.size(); ++i) {
    const tokenizers::Token& token = sentence.tokens[i];
    if (token.start < static_cast<std::int64_t>(end) && token.end > static_cast<std::int64_t>(begin))
      row = static_cast<std::int64_t>(i);
  }
  return row;
}

// The stream's steps: the input, then the last step of each layer.
std::vector<std::string> stream_of(const Trace& trace, const std::string& stack, std::int64_t layers) {
  std::vector<std::string> names = {trace.name_at(stack, Role::input)};
  for (std::int64_t n = 0; n < layers; ++n) {
    const std::string place = stack + "layer." + std::to_string(n) + ".";
    std::string last;
    for (const Step& step : trace.steps())
      if (place_of(step.name) == place && step.shape.size() == 3) last = step.name;
    names.push_back(last);
  }
  return names;
}

// The word's vector of every layer in one text.
Result<std::vector<Vector>> vectors_in(const StoredModel& model, backends::Backend& backend, const std::string& word,
                                       const std::string& text, std::size_t number, const CancelToken& cancel) {
  const auto at = place_in(text, word);
  if (!at)
    return usage_error("the text has no word '" + word + "'", "text " + std::to_string(number + 1),
                       "give texts in which it stands");
  Document document;
  use_model(document, model);
  document.texts = {text};
  const bool two = model.task == ModelTask::encoder_decoder;
  if (two) document.targets = {std::string()};
  HL_ASSIGN(const auto trace, run(document, backend, cancel));
  const std::int64_t row = last_token(trace->texts()[0], *at, *at + word.size());
  std::vector<Vector> vectors;
  for (const std::string& name : stream_of(*trace, two ? "encoder." : "", model.document.layers)) {
    Trace::Tile tile;
    tile.row = row;
    tile.rows = 1;
    HL_ASSIGN(const Tensor values, trace->tile(name, tile));
    vectors.push_back(as_doubles(values));
  }
  return vectors;
}

// A probe's row of the embedding table.
Result<Vector> probe_vector(const StoredModel& model, backends::Backend& backend, const std::string& probe,
                            const CancelToken& cancel) {
  Document document;
  use_model(document, model);
  document.texts = {" " + probe};  // as it stands within a sentence
  const bool two = model.task == ModelTask::encoder_decoder;
  if (two) document.targets = {std::string()};
  HL_ASSIGN(const auto trace, run(document, backend, cancel));
  Trace::Tile tile;
  tile.row = last_token(trace->texts()[0], 0, document.texts[0].size());
  tile.rows = 1;
  HL_ASSIGN(const Tensor row, trace->tile(two ? "encoder.embedding" : "embedding", tile));
  return as_doubles(row);
}

double distance_of(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

}  // namespace

Result<WordContext> word_context(const StoredModel& model, backends::Backend& backend, const std::string& word,
                                 const std::vector<std::string>& texts, const std::vector<std::string>& probes,
                                 const CancelToken& cancel) {
  if (word.empty()) return usage_error("the word is empty", "--word", "give a word that stands in every text");
  if (texts.size() < 2) return usage_error("there are no two texts to compare", "TEXT", "give at least two");
  std::vector<std::vector<Vector>> of_texts;  // by text, then by layer
  for (std::size_t i = 0; i < texts.size(); ++i) {
    HL_ASSIGN(std::vector<Vector> vectors, vectors_in(model, backend, word, texts[i], i, cancel));
    of_texts.push_back(std::move(vectors));
  }
  std::vector<Vector> of_probes;
  for (const std::string& probe : probes) {
    HL_ASSIGN(Vector vector, probe_vector(model, backend, probe, cancel));
    of_probes.push_back(std::move(vector));
  }
  WordContext out;
  for (std::size_t n = 0; n < of_texts.front().size(); ++n) {
    WordContext::Layer layer;
    layer.layer = static_cast<std::int64_t>(n);
    for (const auto& a : of_texts) {
      Vector& cosine = layer.cosine.emplace_back();
      Vector& distance = layer.distance.emplace_back();
      for (const auto& b : of_texts) {
        cosine.push_back(cosine_of(a[n], b[n]));
        distance.push_back(distance_of(a[n], b[n]));
      }
    }
    for (std::size_t p = 0; p < probes.size(); ++p) {
      auto& [name, cosines] = layer.probes.emplace_back(probes[p], Vector());
      for (const auto& text : of_texts) cosines.push_back(cosine_of(text[n], of_probes[p]));
    }
    out.layers.push_back(std::move(layer));
  }
  return out;
}

}  // namespace headlight
