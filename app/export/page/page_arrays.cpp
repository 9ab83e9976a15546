#include "app/export/page/page_arrays.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "app/text/language.h"
#include "engine/core/sorting.h"
#include "engine/insight/word_groups.h"
#include "engine/insight/word_joins.h"
#include "engine/text/display.h"

namespace headlight::page {
namespace {

// [layer, sentence, head, row, column].
struct Given {
  std::string name;
  Tensor values;
};

Result<Given> with_five_axes(const std::pair<std::string, Tensor>& array, const std::string& where) {
  Tensor values = array.second.as(DType::f32).compact();
  Shape shape = values.shape();
  while (shape.size() > 5 && shape.front() == 1) shape.erase(shape.begin());
  if (shape.size() == 4) shape.insert(shape.begin() + 1, 1);  // of one sentence
  while (shape.size() >= 2 && shape.size() < 5) shape.insert(shape.begin(), 1);
  if (shape.size() != 5 || values.count() == 0)
    return usage_error("'{}' is {}, and attention is [row, column] behind up to three axes: layer, sentence, head", array.first,
                       to_string(array.second.shape()))
        .at(where)
        .mend("give such an array");
  return Given{array.first, values.reshaped(shape)};
}

// "encoder" of "encoder" and "encoder_attentions"; empty: none of the three.
std::string part_of_model(std::string name) {
  if (name.ends_with("_attentions")) name.resize(name.size() - 11);
  if (name.ends_with("_attention")) name.resize(name.size() - 10);
  return name == "encoder" || name == "decoder" || name == "cross" ? name : "";
}

// Which pieces continue a word can be seen where they have marks.
Text text_of_labels(const std::vector<std::string>& labels) {
  Text text;
  text.joins = joins_by_marks(labels);
  std::vector<std::string> bare;
  for (const std::string& label : labels) {
    text.pieces.push_back(text::display_text(label.starts_with("\xc4\xa0") ? " " + label.substr(2) : label));
    bare.push_back(text::display_text(without_word_mark(label)));
  }
  text.words = word_groups(text.joins, bare).labels();
  return text;
}
Text numbers_as_text(std::int64_t count) {
  Text text;
  for (std::int64_t i = 0; i < count; ++i) text.pieces.push_back(std::to_string(i));
  text.joins.assign(text.pieces.size(), false);
  text.words = text.pieces;
  return text;
}

// Where all maps of all sentences are 0 above the diagonal, nobody looked there.
bool looks_causal(const Tensor& values) {
  const std::int64_t rows = values.dim(3), columns = values.dim(4);
  if (rows != columns || rows < 2) return false;
  const auto all = values.values<float>();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto cell = static_cast<std::int64_t>(i) % (rows * columns);
    if (cell % columns > cell / columns && all[i] != 0) return false;
  }
  return true;
}

// The list of a sentence; one list is for all of them.
const std::vector<std::string>& list_of(const std::vector<std::vector<std::string>>& lists, std::size_t sentence) {
  static const std::vector<std::string> none;
  return lists.size() == 1 ? lists.front() : sentence < lists.size() ? lists[sentence] : none;
}

std::string words_of_texts(const std::vector<Text>& texts) {
  std::string sentence;
  for (auto text = texts.rbegin(); text != texts.rend(); ++text) {
    if (text->pieces.empty()) continue;
    if (!sentence.empty()) sentence += " → ";
    for (std::size_t i = 0; i < text->pieces.size(); ++i) {
      std::string_view piece = text->pieces[i];
      if (piece.starts_with("·") && piece.size() > 2)
        piece.remove_prefix(std::string_view("·").size());  // its space stands already
      if (i > 0 && !text->joins[i]) sentence += " ";
      sentence += piece;
    }
  }
  return sentence;
}

}  // namespace

Result<std::vector<Run>> runs_of_arrays(const GivenArrays& given) {
  std::vector<Given> arrays;
  for (const auto& array : given.arrays) {
    HL_ASSIGN(Given one, with_five_axes(array, given.where));
    arrays.push_back(std::move(one));
  }
  if (arrays.empty()) return usage_error("there is no array of attention").at(given.where).mend("give one named weights");
  const std::int64_t sentences = arrays.front().values.dim(1);
  std::vector<Run> runs(static_cast<std::size_t>(sentences));
  for (Run& run : runs) run.model = given.model;

  // The rows' tokens are text 0; the columns' own ones are text 1.
  const bool has_source = !given.source_tokens.empty() && given.source_tokens != given.tokens;
  for (const Given& array : arrays) {
    const std::string part = part_of_model(array.name);
    if (array.values.dim(1) != sentences)
      return usage_error("'{}' has {} sentences, and '{}' has {}", array.name, array.values.dim(1), arrays.front().name,
                         sentences)
          .at(given.where)
          .mend("give arrays of the same sentences");
    Attention attention;
    attention.name = part.empty() ? tr("attention") : tr(part.c_str());
    attention.kind = part == "encoder" ? "encoder." : part == "decoder" ? "decoder." : part == "cross" ? "decoder.cross." : "";
    attention.layers = array.values.dim(0);
    attention.heads = attention.key_heads = array.values.dim(2);
    attention.rows = array.values.dim(3);
    attention.columns = array.values.dim(4);
    const bool self =
        part == "encoder" || part == "decoder" || (part.empty() && !has_source && attention.rows == attention.columns);
    attention.rows_of = part == "encoder" && has_source ? 1 : 0;
    attention.columns_of = self ? attention.rows_of : 1;
    attention.weights = rows_sum_to_one(array.values);
    const bool causal = looks_causal(array.values);
    for (std::size_t s = 0; s < runs.size(); ++s) {
      Run& run = runs[s];
      Attention own = attention;
      for (const auto& [of, size] : {std::pair(own.rows_of, &own.rows), std::pair(own.columns_of, &own.columns)}) {
        const std::vector<std::string>& tokens = list_of(of == 1 && has_source ? given.source_tokens : given.tokens, s);
        if (run.texts.size() <= of) run.texts.resize(of + 1);
        if (run.texts[of].pieces.empty())
          run.texts[of] = tokens.empty() || (of == 1 && !has_source) ? numbers_as_text(*size) : text_of_labels(tokens);
        const auto its = static_cast<std::int64_t>(run.texts[of].pieces.size());
        if (its > *size || (its < *size && sentences == 1))
          return usage_error("'{}' is {}, and there are {} tokens for its {}", array.name, to_string(array.values.shape()), its,
                             Message(size == &own.rows ? Message("rows") : Message("columns")))
              .at(given.where)
              .mend("give a token for each");
        *size = its;
      }
      own.map = [values = array.values.select(1, static_cast<std::int64_t>(s)), causal, rows = own.rows, columns = own.columns](
                    std::int64_t layer, std::int64_t head) -> Result<Map> {
        Map map{values.select(0, layer).select(0, head).slice(0, 0, rows).slice(1, 0, columns).compact(), {}};
        if (!causal) return map;
        map.mask = Tensor(DType::u8, map.values.shape());
        for (std::int64_t r = 0; r < rows; ++r) std::fill_n(map.mask.data<std::uint8_t>() + r * columns, r + 1, std::uint8_t{1});
        return map;
      };
      run.attentions.push_back(std::move(own));
      if (causal) run.facts.push_back(tr("cells above the diagonal are 0 in every head and count as masked"));
      if (!attention.weights) run.facts.push_back(rows_do_not_sum());
    }
  }
  for (Run& run : runs) {
    sort_stably(run.facts);
    run.facts.erase(std::unique(run.facts.begin(), run.facts.end()), run.facts.end());
    run.title = words_of_texts(run.texts);
  }
  return runs;
}

}  // namespace headlight::page
