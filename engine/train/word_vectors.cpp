#include "engine/train/word_vectors.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "engine/core/rng.h"

namespace headlight {
namespace {

// -log of the logistic function of x, without overflow.
double minus_log_logistic(double x) { return x > 0 ? std::log1p(std::exp(-x)) : -x + std::log1p(std::exp(x)); }

// Sums in several lanes, so that the compiler can use vector registers.
float dot(const float* a, const float* b, std::size_t d) {
  constexpr std::size_t kLanes = 8;
  float sums[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= d; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  float sum = 0;
  for (; i < d; ++i) sum += a[i] * b[i];
  for (const float lane : sums) sum += lane;
  return sum;
}
void add_scaled(float* to, float factor, const float* from, std::size_t d) {
  for (std::size_t i = 0; i < d; ++i) to[i] += factor * from[i];
}

class WordVectorTrainer {
 public:
  WordVectorTrainer(std::span<const std::int32_t> ids, std::int64_t vocabulary, const WordVectorOptions& options)
      : options_(options),
        ids_(ids),
        d_(static_cast<std::size_t>(options.dimensions)),
        counts_(static_cast<std::size_t>(vocabulary)),
        draws_(options.seed, "word vectors: draws"),
        dh_(d_),
        mean_(d_),
        u_((static_cast<std::size_t>(options.negatives) + 1) * d_),
        du_(u_.size()),
        words_(static_cast<std::size_t>(options.negatives) + 1) {}

  Status prepare();
  Result<WordVectors> train(const WordVectorReport& report, const CancelToken& cancel);

 private:
  void start();
  bool is_read(std::int64_t epoch, std::size_t place) const;
  std::vector<std::int32_t> read_of(std::int64_t epoch) const;
  void learn_at(std::size_t place, const std::vector<std::int32_t>& text, std::int64_t epoch);
  // One guess: `h` is compared with the word and with drawn ones, whose vectors learn; the gradient by h is left in dh_.
  void guess(const float* h, std::int32_t word);
  std::int32_t drawn_word();
  // Reports the vectors where a snapshot is due.
  void take_snapshot(const WordVectorReport& report, std::int64_t done, std::int64_t all);
  float* row(Tensor& table, std::int32_t word) const { return table.data<float>() + static_cast<std::size_t>(word) * d_; }

  const WordVectorOptions& options_;
  std::span<const std::int32_t> ids_;
  std::size_t d_;
  std::vector<std::int64_t> counts_;
  std::vector<double> up_to_;  // of each word: the sum of count^0.75 up to it
  std::int64_t total_ = 0;
  Rng draws_;
  std::uint64_t drawn_ = 0;  // how many words have been drawn
  WordVectors vectors_;
  std::vector<float> dh_, mean_, u_, du_;
  std::vector<std::int32_t> words_;
  float rate_ = 0;
  double loss_ = 0;
  std::int64_t guesses_ = 0;
  double sum_ = 0, sum_before_ = 0;  // of all guesses' losses, and at the snapshot before
  std::int64_t count_ = 0, count_before_ = 0, snapshots_ = 0;
};

Status WordVectorTrainer::prepare() {
  const WordVectorOptions& o = options_;
  if (o.dimensions < 1 || o.dimensions > 4096 || o.window < 1 || o.negatives < 1 || o.epochs < 1 || !(o.rate > 0) ||
      o.subsample < 0)
    return invalid("word vectors of these sizes cannot be trained")
        .at("word vectors")
        .mend("dimensions are 1 to 4096; window, negatives, epochs and rate are greater than 0");
  for (const std::int32_t id : ids_) {
    if (id < -1 || id >= static_cast<std::int32_t>(counts_.size()))
      return invalid("id {} of {} words", id, counts_.size()).at("word vectors");
    if (id < 0) continue;
    ++counts_[static_cast<std::size_t>(id)];
    ++total_;
  }
  if (std::count_if(counts_.begin(), counts_.end(), [](std::int64_t count) { return count > 0; }) < 2)
    return invalid("the text has fewer than two words to learn")
        .at("word vectors")
        .mend("give a longer text, or a smaller --min-count");
  double sum = 0;
  for (const std::int64_t count : counts_) up_to_.push_back(sum += std::pow(static_cast<double>(count), 0.75));
  return {};
}

// Embeddings are small random numbers, context vectors zero, as in word2vec.
void WordVectorTrainer::start() {
  const auto rows = static_cast<std::int64_t>(counts_.size());
  vectors_.embedding = Tensor(DType::f32, {rows, options_.dimensions}, {"token", "d_model"}, true);
  vectors_.context = Tensor(DType::f32, {rows, options_.dimensions}, {"token", "d_model"}, true);
  std::fill_n(vectors_.context.data<float>(), vectors_.context.count(), 0.0f);
  const Rng numbers(options_.seed, "word vectors: embedding");
  for (std::size_t word = 0; word < counts_.size(); ++word)
    for (std::size_t i = 0; i < d_; ++i)
      row(vectors_.embedding, static_cast<std::int32_t>(word))[i] =
          counts_[word] == 0 ? 0.0f : static_cast<float>((numbers.uniform(word, i) - 0.5) / static_cast<double>(d_));
}

bool WordVectorTrainer::is_read(std::int64_t epoch, std::size_t place) const {
  if (options_.subsample == 0) return true;
  const double share =
      static_cast<double>(counts_[static_cast<std::size_t>(ids_[place])]) / static_cast<double>(total_) / options_.subsample;
  return draws_.uniform(static_cast<std::uint64_t>(epoch), 2 * place) < std::sqrt(1 / share) + 1 / share;
}

std::vector<std::int32_t> WordVectorTrainer::read_of(std::int64_t epoch) const {
  std::vector<std::int32_t> text;
  for (std::size_t place = 0; place < ids_.size(); ++place)
    if (ids_[place] < 0 || is_read(epoch, place)) text.push_back(ids_[place]);
  return text;
}

std::int32_t WordVectorTrainer::drawn_word() {
  // A stream of its own, apart from those of the epochs.
  const double at = draws_.uniform(1'000'000'007, drawn_++) * up_to_.back();
  const auto found = std::upper_bound(up_to_.begin(), up_to_.end(), at);
  return static_cast<std::int32_t>(std::min(found, up_to_.end() - 1) - up_to_.begin());
}

void WordVectorTrainer::guess(const float* h, std::int32_t word) {
  words_.assign(1, word);
  for (std::int64_t k = 0; k < options_.negatives; ++k)
    if (const std::int32_t drawn = drawn_word(); drawn != word) words_.push_back(drawn);
  const std::size_t numbers = words_.size() * d_;
  for (std::size_t k = 0; k < words_.size(); ++k) std::copy_n(row(vectors_.context, words_[k]), d_, u_.data() + k * d_);
  std::fill_n(dh_.begin(), d_, 0.0f);
  std::fill_n(du_.begin(), numbers, 0.0f);
  const double loss = loss_of_guess({h, d_}, {u_.data(), numbers}, dh_, {du_.data(), numbers});
  loss_ += loss;
  sum_ += loss;
  ++guesses_;
  ++count_;
  for (std::size_t k = 0; k < words_.size(); ++k) add_scaled(row(vectors_.context, words_[k]), -rate_, du_.data() + k * d_, d_);
}

void WordVectorTrainer::learn_at(std::size_t place, const std::vector<std::int32_t>& text, std::int64_t epoch) {
  const std::int32_t word = text[place];
  if (word < 0) return;
  const auto reach = static_cast<std::size_t>(1 + draws_.bits(static_cast<std::uint64_t>(epoch), 2 * place + 1) %
                                                      static_cast<std::uint64_t>(options_.window));
  const std::size_t first = place > reach ? place - reach : 0, last = std::min(text.size() - 1, place + reach);
  std::size_t around = 0;
  std::fill(mean_.begin(), mean_.end(), 0.0f);
  for (std::size_t at = first; at <= last; ++at) {
    if (at == place || text[at] < 0) continue;
    ++around;
    if (options_.bag) {
      add_scaled(mean_.data(), 1, row(vectors_.embedding, text[at]), d_);
    } else {
      guess(row(vectors_.embedding, word), text[at]);
      add_scaled(row(vectors_.embedding, word), -rate_, dh_.data(), d_);
    }
  }
  if (!options_.bag || around == 0) return;
  const float share = 1 / static_cast<float>(around);
  for (float& number : mean_) number *= share;
  guess(mean_.data(), word);
  for (std::size_t at = first; at <= last; ++at)
    if (at != place && text[at] >= 0) add_scaled(row(vectors_.embedding, text[at]), -rate_ * share, dh_.data(), d_);
}

void WordVectorTrainer::take_snapshot(const WordVectorReport& report, std::int64_t done, std::int64_t all) {
  if (!report.snapshot || snapshots_ >= report.snapshots) return;
  const std::int64_t gaps = std::max<std::int64_t>(1, report.snapshots - 1);
  if (static_cast<double>(done) < static_cast<double>(all) * static_cast<double>(snapshots_) / static_cast<double>(gaps)) return;
  const double loss = count_ > count_before_ ? (sum_ - sum_before_) / static_cast<double>(count_ - count_before_)
                                             : std::numeric_limits<double>::quiet_NaN();
  sum_before_ = sum_;
  count_before_ = count_;
  ++snapshots_;
  report.snapshot({done, all, loss, vectors_.embedding, vectors_.context});
}

Result<WordVectors> WordVectorTrainer::train(const WordVectorReport& report, const CancelToken& cancel) {
  start();
  const auto places = static_cast<std::int64_t>(ids_.size()), all = places * options_.epochs;
  for (std::int64_t epoch = 0; epoch < options_.epochs; ++epoch) {
    const std::vector<std::int32_t> text = read_of(epoch);
    loss_ = 0;
    guesses_ = 0;
    for (std::size_t place = 0; place < text.size(); ++place) {
      if (place % 256 == 0) {
        if (cancel.cancelled()) return cancelled();
        const double done = static_cast<double>(epoch) + static_cast<double>(place) / static_cast<double>(text.size());
        rate_ = static_cast<float>(options_.rate * std::max(1e-4, 1 - done / static_cast<double>(options_.epochs)));
        const std::int64_t read = std::min(all, static_cast<std::int64_t>(done * static_cast<double>(places)));
        take_snapshot(report, read, all);
        if (report.progress) report.progress(read, all);
      }
      learn_at(place, text, epoch);
    }
    vectors_.losses.push_back(guesses_ > 0 ? loss_ / static_cast<double>(guesses_) : 0);
    if (report.epoch) report.epoch(epoch + 1, vectors_.losses.back());
  }
  take_snapshot(report, all, all);
  return std::move(vectors_);
}

}  // namespace

double loss_of_guess(std::span<const float> h, std::span<const float> u, std::span<float> dh, std::span<float> du) {
  const std::size_t d = h.size();
  double loss = 0;
  for (std::size_t k = 0; k * d < u.size(); ++k) {
    const float* const row = u.data() + k * d;
    const double x = static_cast<double>(dot(h.data(), row, d));
    const bool there = k == 0;
    loss += minus_log_logistic(there ? x : -x);
    // d loss / d x: the probability that is given, less the one that is wanted.
    const auto slope = static_cast<float>(1 / (1 + std::exp(-x)) - (there ? 1 : 0));
    add_scaled(dh.data(), slope, row, d);
    add_scaled(du.data() + k * d, slope, h.data(), d);
  }
  return loss;
}

Result<WordVectors> train_word_vectors(std::span<const std::int32_t> ids, std::int64_t vocabulary,
                                       const WordVectorOptions& options, const WordVectorReport& report,
                                       const CancelToken& cancel) {
  WordVectorTrainer trainer(ids, vocabulary, options);
  HL_TRY(trainer.prepare());
  return trainer.train(report, cancel);
}

}  // namespace headlight
