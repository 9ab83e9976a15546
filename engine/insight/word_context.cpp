#include "engine/insight/word_context.h"

#include <algorithm>
#include <cmath>

#include "engine/insight/projection.h"
#include "engine/insight/residual_stream.h"

namespace headlight {
namespace {

using Vector = std::vector<double>;

double distance_of(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

void add_paths(WordContext& out) {
  out.from_before_positions =
      std::all_of(out.texts.begin(), out.texts.end(), [](const auto& text) { return !text->before_positions.empty(); });
  std::vector<Vector> all;
  for (const auto& text : out.texts) {
    if (out.from_before_positions) all.push_back(text->before_positions);
    all.insert(all.end(), text->vectors.begin(), text->vectors.end());
  }
  const Projection plane = principal_plane(all);
  out.share = plane.share;
  const std::size_t each = out.texts.empty() ? 0 : all.size() / out.texts.size();
  for (std::size_t i = 0; i < out.texts.size(); ++i) {
    const auto begin = plane.points.begin() + static_cast<std::ptrdiff_t>(i * each);
    out.paths.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(each));
  }
}

}  // namespace

WordContext compare_words(std::vector<std::shared_ptr<const WordInText>> texts,
                          const std::vector<std::shared_ptr<const ProbeWord>>& probes) {
  WordContext out;
  out.texts = std::move(texts);
  for (std::size_t n = 0; !out.texts.empty() && n < out.texts.front()->vectors.size(); ++n) {
    WordContext::Layer layer;
    layer.layer = static_cast<std::int64_t>(n);
    for (const auto& a : out.texts) {
      Vector& cosine = layer.cosine.emplace_back();
      Vector& distance = layer.distance.emplace_back();
      for (const auto& b : out.texts) {
        cosine.push_back(cosine_of(a->vectors[n], b->vectors[n]));
        distance.push_back(distance_of(a->vectors[n], b->vectors[n]));
      }
    }
    for (const auto& probe : probes) {
      auto& [name, cosines] = layer.probes.emplace_back(probe->word, Vector());
      for (const auto& text : out.texts) cosines.push_back(cosine_of(text->vectors[n], probe->vector));
    }
    out.layers.push_back(std::move(layer));
  }
  add_paths(out);
  return out;
}

Result<WordContext> word_context(const Document& model, backends::Backend& backend, const std::string& word,
                                 const std::vector<std::string>& texts, const std::vector<std::string>& probes,
                                 const CancelToken& cancel) {
  if (word.empty()) return usage_error("the word is empty").at("--word").mend("give a word that stands in every text");
  if (texts.size() < 2) return usage_error("there are no two texts to compare").at("TEXT").mend("give at least two");
  std::vector<std::shared_ptr<const WordInText>> found;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    HL_ASSIGN(WordInText one, word_in_text(model, backend, word, texts[i], i, 0, cancel));
    found.push_back(std::make_shared<const WordInText>(std::move(one)));
  }
  std::vector<std::shared_ptr<const ProbeWord>> compared;
  for (const std::string& probe : probes) {
    HL_ASSIGN(ProbeWord one, probe_word(model, backend, probe, cancel));
    compared.push_back(std::make_shared<const ProbeWord>(std::move(one)));
  }
  return compare_words(std::move(found), compared);
}

Result<WordContext> word_context(const StoredModel& model, backends::Backend& backend, const std::string& word,
                                 const std::vector<std::string>& texts, const std::vector<std::string>& probes,
                                 const CancelToken& cancel) {
  Document document;
  use_model(document, model);
  if (model.task == ModelTask::encoder_decoder) document.targets = {std::string()};
  return word_context(document, backend, word, texts, probes, cancel);
}

}  // namespace headlight
