#include "engine/insight/word_groups.h"

#include <algorithm>
#include <string_view>

#include "engine/insight/predictions.h"
#include "engine/insight/word_joins.h"
#include "engine/text/display.h"

namespace headlight {
namespace {

constexpr std::string_view kSpace = "\xc2\xb7";  // as display_text() shows one

// The label of a single token, or what several stand for in the text; empty: nothing.
std::string label_of(const Sentence& sentence, const WordGroups::Word& word) {
  if (word.end - word.begin == 1) {
    const std::string& label = sentence.labels[static_cast<std::size_t>(word.begin)];
    return label.size() > kSpace.size() && label.starts_with(kSpace) ? label.substr(kSpace.size()) : label;
  }
  std::int64_t start = -1, end = -1;
  for (std::int64_t i = word.begin; i < word.end; ++i) {
    const tokenizers::Token& token = sentence.tokens[static_cast<std::size_t>(i)];
    if (token.end <= token.start) continue;
    if (start < 0) start = token.start;
    end = std::max(end, token.end);
  }
  const auto size = static_cast<std::int64_t>(sentence.text.size());
  if (start < 0 || start >= size) return {};
  const std::string_view text =
      std::string_view(sentence.text)
          .substr(static_cast<std::size_t>(start), static_cast<std::size_t>(std::min(end, size) - start));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string() : text::display_text(text.substr(first));
}

// Calls visit(row word, column word, row, column) for the cells of all words' pieces.
template <class Visit>
void for_each_cell(const WordAxes& axes, const Visit& visit) {
  for (std::int64_t r = 0; r < axes.rows.size(); ++r) {
    const WordGroups::Word& row = axes.rows.words[static_cast<std::size_t>(r)];
    for (std::int64_t i = row.begin; i < row.end; ++i)
      for (std::int64_t c = 0; c < axes.columns.size(); ++c) {
        const WordGroups::Word& column = axes.columns.words[static_cast<std::size_t>(c)];
        for (std::int64_t j = column.begin; j < column.end; ++j) visit(r, c, i, j);
      }
  }
}

template <class T>
Tensor sums(const Tensor& weights, const Tensor& mask, const WordAxes& axes) {
  const std::int64_t columns = axes.columns.size(), keys = axes.columns.tokens();
  std::vector<double> all(static_cast<std::size_t>(axes.rows.size() * columns));
  std::vector<std::int64_t> rows(static_cast<std::size_t>(axes.rows.size()));  // that may see anything
  const T* const in = weights.data<T>();
  const std::uint8_t* const may = mask.empty() ? nullptr : mask.data<std::uint8_t>();
  for_each_cell(axes, [&](std::int64_t r, std::int64_t c, std::int64_t i, std::int64_t j) {
    if (!may || may[i * keys + j]) all[static_cast<std::size_t>(r * columns + c)] += static_cast<double>(in[i * keys + j]);
  });
  for (std::int64_t r = 0; r < axes.rows.size(); ++r) {
    const WordGroups::Word& row = axes.rows.words[static_cast<std::size_t>(r)];
    for (std::int64_t i = row.begin; i < row.end; ++i)
      rows[static_cast<std::size_t>(r)] +=
          !may || std::any_of(may + i * keys, may + (i + 1) * keys, [](std::uint8_t m) { return m != 0; });
  }
  Tensor out(weights.dtype(), {axes.rows.size(), columns}, weights.axes(), true);
  for (std::int64_t i = 0; i < out.count(); ++i)
    out.data<T>()[i] = static_cast<T>(all[static_cast<std::size_t>(i)] / static_cast<double>(std::max<std::int64_t>(
                                                                             1, rows[static_cast<std::size_t>(i / columns)])));
  return out;
}

}  // namespace

std::int64_t WordGroups::at(std::int64_t token) const {
  if (token < 0 || token >= tokens()) return -1;
  const auto after = std::upper_bound(words.begin(), words.end(), token,
                                      [](std::int64_t wanted, const Word& word) { return wanted < word.end; });
  return after - words.begin();
}

std::int64_t WordGroups::last_token(std::int64_t word) const {
  return word < 0 || word >= size() ? -1 : words[static_cast<std::size_t>(word)].end - 1;
}

std::vector<std::string> WordGroups::labels() const {
  std::vector<std::string> all;
  for (const Word& word : words) all.push_back(word.label);
  return all;
}

void WordGroups::leave_out_from(std::int64_t token) {
  std::erase_if(words, [&](const Word& word) { return word.begin >= token; });
}

WordGroups word_groups(const std::vector<bool>& joins, const std::vector<std::string>& labels) {
  WordGroups groups;
  for (std::size_t i = 0; i < joins.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (i == 0 || !joins[i]) groups.words.push_back({at, at, {}});
    groups.words.back().end = at + 1;
    if (i < labels.size()) groups.words.back().label += labels[i];
  }
  return groups;
}

WordGroups word_groups(const Sentence& sentence, const tokenizers::Tokenizer* tokenizer, std::int64_t length) {
  std::vector<bool> joins = joins_to_words(sentence, tokenizer);
  joins.resize(static_cast<std::size_t>(std::max<std::int64_t>(0, length)), false);
  std::vector<std::string> labels = sentence.labels;
  labels.resize(joins.size(), "[PAD]");
  WordGroups groups = word_groups(joins, labels);
  const auto own = static_cast<std::int64_t>(sentence.tokens.size());
  for (WordGroups::Word& word : groups.words) {
    if (word.end > own) break;
    if (std::string label = label_of(sentence, word); !label.empty()) word.label = std::move(label);
  }
  return groups;
}

WordGroups written_groups(const WordGroups& read, std::int64_t own, const std::string& guess) {
  WordGroups groups;
  for (const WordGroups::Word& word : read.words) {
    if (word.begin >= own && (groups.words.empty() || groups.tokens() < own)) groups.words.push_back({own - 1, own, guess});
    if (word.begin >= own)
      groups.words.push_back(word);
    else if (word.end > 1)
      groups.words.push_back({std::max<std::int64_t>(0, word.begin - 1), word.end - 1, word.label});
  }
  if (own > 0 && groups.tokens() < own) groups.words.push_back({own - 1, own, guess});
  return groups;
}

WordAxes word_axes(const Trace& trace, const AttentionSite& site, std::int64_t batch, bool written) {
  const auto of = [&](bool targets, std::int64_t length) {
    const auto sentences = targets ? trace.targets() : trace.texts();
    const auto at = static_cast<std::size_t>(batch);
    const auto tokenizer = targets ? trace.target_tokenizer() : trace.tokenizer();
    return word_groups(at < sentences.size() ? sentences[at] : Sentence(), tokenizer.get(), length);
  };
  WordAxes axes{of(site.rows_are_targets, site.queries), of(site.columns_are_targets, site.keys)};
  if (!written || !writes_words(site)) return axes;
  const auto targets = trace.targets();
  const auto at = static_cast<std::size_t>(batch);
  const auto own = at < targets.size()
                       ? std::min<std::int64_t>(static_cast<std::int64_t>(targets[at].tokens.size()), site.queries)
                       : std::int64_t{0};
  if (own > 0) axes.rows = written_groups(axes.rows, own, best_guess(trace, batch, own - 1));
  return axes;
}

Tensor words_weights(const Tensor& weights, const Tensor& mask, const WordAxes& axes) {
  const Tensor w = weights.compact(), m = mask.empty() ? mask : mask.compact();
  if (w.dtype() == DType::f64) return sums<double>(w, m, axes);
  return sums<float>(w.as(DType::f32).compact(), m, axes);
}

Tensor words_of_heads(const Tensor& weights, const AttentionSite& site, std::int64_t batch, const WordAxes& axes) {
  Tensor out(weights.dtype() == DType::f64 ? DType::f64 : DType::f32, {weights.dim(0), axes.rows.size(), axes.columns.size()}, {},
             true);
  for (std::int64_t head = 0; head < weights.dim(0); ++head) {
    Tensor mask = site.mask.mask;
    for (const std::int64_t index : {batch, head})
      if (!mask.empty()) mask = mask.select(0, mask.dim(0) == 1 ? 0 : index);
    if (!mask.empty()) mask = mask.broadcast_to({site.queries, site.keys});
    const Tensor one = words_weights(weights.select(0, head), mask, axes);
    std::copy_n(one.raw(), one.bytes(), out.raw() + static_cast<std::size_t>(head) * one.bytes());
  }
  return out;
}

Tensor words_mask(const Tensor& mask, const WordAxes& axes) {
  if (mask.empty()) return {};
  const Tensor in = mask.compact();
  Tensor out(DType::u8, {axes.rows.size(), axes.columns.size()}, in.axes());
  for_each_cell(axes, [&](std::int64_t r, std::int64_t c, std::int64_t i, std::int64_t j) {
    if (in.data<std::uint8_t>()[i * axes.columns.tokens() + j]) out.data<std::uint8_t>()[r * axes.columns.size() + c] = 1;
  });
  return out;
}

}  // namespace headlight
