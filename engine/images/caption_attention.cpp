#include "engine/images/caption_attention.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/rng.h"
#include "engine/images/random_layers.h"

namespace headlight::images {
namespace {

Status check(const PatchAttention& picture, const std::vector<std::string>& words, const CaptionModel& model) {
  const PatchGrid& grid = picture.grid;
  const std::int64_t d = picture.input.dim(1), most = std::min(grid.rows, grid.columns);
  if (words.empty()) return invalid("the caption has no word").mend("type one, such as \"a boat on the lake\"");
  if (static_cast<std::int64_t>(words.size()) > kMostCaptionWords)
    return failure(ErrorKind::too_large, "the caption has {} words", words.size()).mend("take at most {}", kMostCaptionWords);
  if (model.region < 1 || model.region > most)
    return invalid("regions of {} patches a side do not fit into {} x {} patches", model.region, grid.rows, grid.columns)
        .mend("take a side from 1 to {}", most);
  if (model.heads < 1 || d % model.heads != 0)
    return invalid("d_model {} cannot be divided among {} heads", d, model.heads)
        .mend("give a number of heads that divides d_model");
  return {};
}

Tensor means_of_regions(const Tensor& norm, const PatchGrid& grid, const CaptionAttention& made) {
  const std::int64_t d = norm.dim(1), k = made.region;
  Tensor regions(DType::f64, {made.rows * made.columns, d}, {"region", "d_model"});
  for (std::int64_t r = 0; r < made.rows; ++r)
    for (std::int64_t c = 0; c < made.columns; ++c) {
      const std::int64_t below = std::min(grid.rows, (r + 1) * k), right = std::min(grid.columns, (c + 1) * k);
      const auto patches = static_cast<double>((below - r * k) * (right - c * k));
      double* out = regions.data<double>() + (r * made.columns + c) * d;
      for (std::int64_t y = r * k; y < below; ++y)
        for (std::int64_t x = c * k; x < right; ++x)
          for (std::int64_t i = 0; i < d; ++i) out[i] += norm.data<double>()[(y * grid.columns + x) * d + i] / patches;
    }
  return regions;
}

Tensor vectors_of(const std::vector<std::string>& words, std::uint64_t seed, std::int64_t d) {
  const auto count = static_cast<std::int64_t>(words.size());
  Tensor vectors(DType::f64, {count, d}, {"word", "d_model"});
  for (std::int64_t t = 0; t < count; ++t) {
    const Rng rng(seed, "caption.word." + words[static_cast<std::size_t>(t)]);
    for (std::int64_t c = 0; c < d; ++c) vectors.data<double>()[t * d + c] = rng.normal(0, static_cast<std::uint64_t>(c));
  }
  return vectors;
}

Tensor places_of(std::int64_t words, std::int64_t d) {
  Tensor places(DType::f64, {words, d}, {"word", "d_model"});
  for (std::int64_t t = 0; t < words; ++t)
    for (std::int64_t c = 0; c < d; ++c) {
      const double angle = static_cast<double>(t) * std::pow(10000.0, -static_cast<double>(c - c % 2) / static_cast<double>(d));
      places.data<double>()[t * d + c] = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
  return places;
}

// Every head's weights times its columns of v.
Tensor mixed(const Tensor& weights, const Tensor& v) {
  const std::int64_t heads = weights.dim(0), words = weights.dim(1), regions = weights.dim(2), d = v.dim(1), d_k = d / heads;
  Tensor out(DType::f64, {words, d}, {"word", "d_model"});
  for (std::int64_t t = 0; t < words; ++t)
    for (std::int64_t c = 0; c < d; ++c) {
      const double* row = weights.data<double>() + (c / d_k * words + t) * regions;
      for (std::int64_t r = 0; r < regions; ++r) out.data<double>()[t * d + c] += row[r] * v.data<double>()[r * d + c];
    }
  return out;
}

}  // namespace

std::vector<std::string> caption_words(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text)
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
      words.emplace_back();
    else
      words.back() += c;
  std::erase(words, std::string());
  return words;
}

Result<CaptionAttention> attend_caption(const PatchAttention& picture, const std::vector<std::string>& words,
                                        const CaptionModel& model, const CancelToken& cancel) {
  HL_TRY(check(picture, words, model));
  const std::int64_t d = picture.input.dim(1), count = static_cast<std::int64_t>(words.size());
  CaptionAttention made;
  made.region = model.region;
  made.rows = (picture.grid.rows + model.region - 1) / model.region;
  made.columns = (picture.grid.columns + model.region - 1) / model.region;
  made.regions = means_of_regions(picture.norm, picture.grid, made);
  made.words = vectors_of(words, model.seed, d);
  made.positions = places_of(count, d);
  Tensor input(DType::f64, {count, d}, {"word", "d_model"});
  for (std::int64_t i = 0; i < count * d; ++i)
    input.data<double>()[i] = made.words.data<double>()[i] + made.positions.data<double>()[i];
  HL_ASSIGN(made.norm, layer_norm(input, cancel));
  made.wq = random_matrix(model.seed, "caption.wq", d, d);
  made.wk = random_matrix(model.seed, "caption.wk", d, d);
  made.wv = random_matrix(model.seed, "caption.wv", d, d);
  made.q = times(made.norm, made.wq, "word", cancel);
  made.k = times(made.regions, made.wk, "region", cancel);
  made.v = times(made.regions, made.wv, "region", cancel);
  Attended attended = attend(made.q, made.k, model.heads, cancel);
  if (cancel.cancelled()) return cancelled();
  made.scores = std::move(attended.scores);
  made.weights = std::move(attended.weights);
  made.output = mixed(made.weights, made.v);
  return made;
}

}  // namespace headlight::images
