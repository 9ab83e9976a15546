// One word in the Index lab: its four terms that add up to QKᵀ, and the table that they are looked up in.
#include <algorithm>
#include <functional>

#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/index/data.h"
#include "engine/backends/backends.h"
#include "engine/text/utf8.h"

namespace headlight::views::lab {
namespace {

std::int64_t pictured_length(const State& state) {
  return std::clamp<std::int64_t>(text::count_code_points(state.word), kLeastPictured, kMostPictured);
}

std::int64_t pictured_width(const State& state) { return std::min<std::int64_t>(state.d, 1024); }

// The address of the stored values: unique, because no other values are at this address while they exist.
std::uint64_t address_of(const std::shared_ptr<const bench::WordTerms>& terms) {
  return static_cast<std::uint64_t>(std::hash<const void*>()(terms.get())) ^ 0x1ab0000000000000ULL;
}

}  // namespace

std::shared_ptr<const bench::WordTerms> terms_of(const Context& context) {
  const State& state = state_of(context);
  const std::int64_t length = pictured_length(state), d = pictured_width(state);
  const DerivedKey key("lab/word", {length, d, state.own_positions, state.word});
  const auto made = context.derived.later<bench::WordTerms>(
      key, [word = state.word, length, d, own = state.own_positions](const CancelToken& cancel) -> Result<bench::WordTerms> {
        HL_ASSIGN(const std::shared_ptr<backends::Backend> cpu, backends::open("cpu"));
        return bench::word_terms(*cpu, word, length, d, cancel, own);
      });
  return made.value;
}

figures::IndexTermsInput terms_input(const State& state, const std::shared_ptr<const bench::WordTerms>& terms, std::int64_t hot) {
  figures::IndexTermsInput input;
  input.terms[0] = terms->mm;
  input.terms[1] = terms->mp;
  input.terms[2] = terms->pm;
  input.terms[3] = terms->pp;
  input.sum = terms->qk;
  input.labels = terms->word.labels;
  input.key = address_of(terms);
  input.mask_padding = state.padding;
  for (const std::int32_t id : terms->word.ids) input.padding.push_back(id == 0 ? 1 : 0);
  const bench::WordWeights weights = bench::word_weights(*terms, pictured_width(state), state.padding);
  input.weights = weights.weights;
  input.pooled = weights.pooled;
  input.note = tr("mean: over the queries, what the layer pools; random weights, seed 1");
  if (const auto length = static_cast<std::int64_t>(terms->word.ids.size()); hot > 0 && hot <= length * length) {
    input.hot_row = (hot - 1) / length;
    input.hot_column = (hot - 1) % length;
  }
  return input;
}

std::string cell_words(const bench::WordTerms& t, std::int64_t i, std::int64_t j) {
  const auto l = static_cast<std::int64_t>(t.word.ids.size());
  const auto at = [&](const Tensor& values) { return short_number(static_cast<double>(values.data<float>()[i * l + j])); };
  const auto label = [&](std::int64_t k) { return t.word.labels[static_cast<std::size_t>(k)]; };
  return fill(tr("query {} at place {}, key {} at place {}: {} + {} + {} + {} = {}"),
              {label(i), std::to_string(i), label(j), std::to_string(j), at(t.mm), at(t.mp), at(t.pm), at(t.pp), at(t.qk)});
}

figures::LookupTableInput table_input(const std::shared_ptr<const bench::WordTerms>& terms, std::int64_t hot) {
  figures::LookupTableInput input;
  input.table = terms->table;
  input.symbols = bench::kAlphabet;
  input.positions = static_cast<std::int64_t>(terms->word.ids.size());
  input.ids = terms->word.ids;
  input.labels = terms->word.labels;
  input.key = address_of(terms) + 7;
  if (hot > 0 && hot <= input.positions * input.positions) {
    input.hot_row = (hot - 1) / input.positions;
    input.hot_column = (hot - 1) % input.positions;
  }
  input.note =
      tr("row = query, column = key; amber bands: what this word looks up, bright where they cross. Hover one: four numbers are "
         "added up");
  return input;
}

figures::Figure word_figure(const Context& context, float width, float height) {
  const auto terms = terms_of(context);
  if (!terms) return {};
  return figures::index_terms(terms_input(state_of(context), terms, 0), width, height, context.theme, context.measure);
}

figures::Figure table_figure(const Context& context, float width, float height) {
  const auto terms = terms_of(context);
  return terms ? figures::lookup_table(table_input(terms, 0), width, height, context.theme, context.measure) : figures::Figure{};
}

}  // namespace headlight::views::lab
