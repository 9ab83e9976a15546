#include "app/views/compare/data.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/figures/attention/word_axes.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/head_switches.h"
#include "engine/attention/masks/mask.h"
#include "engine/attention/positions/position.h"
#include "engine/document/array_source.h"
#include "engine/insight/explain.h"
#include "engine/insight/predictions.h"
#include "engine/tokenizers/training/training.h"

namespace headlight::views::comparing {

namespace {

constexpr std::int64_t kAtOnce = 128 * 128;  // cells compared within a frame; more are compared in the background

const Sentence* sentence_of(const Trace& trace, bool targets, std::int64_t batch) {
  const auto sentences = targets ? trace.targets() : trace.texts();
  return batch < static_cast<std::int64_t>(sentences.size()) ? &sentences[static_cast<std::size_t>(batch)] : nullptr;
}

// The matrix in the view's orientation; a large one is transposed in the background and empty until then.
Tensor turned(DerivedKey::Tag tag, const Context& context, const Tensor& matrix, std::uint64_t key) {
  if (matrix.empty() || !context.view.transposed) return matrix;
  const DerivedKey name(tag, {key});
  const std::function<Result<Tensor>(const CancelToken&)> make = [matrix](const CancelToken&) -> Result<Tensor> {
    return matrix.permuted({1, 0}).compact();
  };
  const auto made =
      matrix.count() <= kAtOnce ? context.derived.now<Tensor>(name, make).value : context.derived.later<Tensor>(name, make).value;
  return made ? *made : Tensor();
}

// The sentence with a word in place of its tokens.
Sentence in_words(const Sentence& sentence, const WordGroups& words) {
  Sentence out;
  out.text = sentence.text;
  for (const WordGroups::Word& word : words.words) {
    if (word.end > static_cast<std::int64_t>(sentence.tokens.size())) break;  // padding
    const auto *first = &sentence.tokens[static_cast<std::size_t>(word.begin)],
               *last = &sentence.tokens[static_cast<std::size_t>(word.end - 1)];
    out.tokens.push_back({first->id, word.label, first->start, last->end, first->added});
    out.labels.push_back(word.label);
  }
  return out;
}

std::vector<std::string> labels_of(const Alignment& alignment) {
  std::vector<std::string> labels;
  labels.reserve(alignment.groups.size());
  for (const auto& group : alignment.groups) labels.push_back(group.label);
  return figures::numbered(std::move(labels));
}

void orient(figures::HeatmapInput& input, bool transposed) {
  if (!transposed) return;
  std::swap(input.row_labels, input.column_labels);
  std::swap(input.row_axis, input.column_axis);
  std::swap(input.row_name, input.column_name);
}

std::shared_ptr<const SidePicture> picture_of(const Context& context, const AttentionChoice& choice, Role role) {
  const auto trace = context.trace;
  const AttentionSite& site = *choice.site;
  const auto words = choice.words;
  const DerivedKey key("compare/side", {trace->generation(), site.prefix, role, choice.batch, choice.head, words != nullptr});
  const std::function<Result<SidePicture>(const CancelToken&)> make =
      [trace, site, batch = choice.batch, head = choice.head, role, words, key](const CancelToken&) -> Result<SidePicture> {
    Trace::Tile tile;
    tile.batch = batch;
    tile.head = head;
    HL_ASSIGN(const Tensor source, trace->tile(trace->name_at(site.prefix, role), tile));
    Tensor in = source.as(DType::f32).compact();
    SidePicture out;
    if (role != Role::scores) out.mask = site_mask(site, batch, head);  // raw scores are not masked
    if (words) {
      in = words_weights(in, out.mask, *words);
      out.mask = words_mask(out.mask, *words);
    }
    out.values = Tensor(DType::f32, in.shape(), {}, true);
    const std::uint8_t* may = out.mask.empty() ? nullptr : out.mask.data<std::uint8_t>();
    for (std::int64_t i = 0; i < in.count(); ++i) {
      const float value = in.data<float>()[i];
      const bool shown = !may || may[i];
      out.values.data<float>()[i] = shown ? value : 0.0f;
      if (shown && std::isfinite(value)) out.largest = std::max(out.largest, static_cast<double>(std::abs(value)));
    }
    out.key = key.hash();
    return out;
  };
  return site.queries * site.keys <= kAtOnce ? context.derived.now<SidePicture>(key, make).value
                                             : context.derived.later<SidePicture>(key, make).value;
}

std::string cell(double value, bool weights) { return weights ? figures::cell_number(value) : short_number(value); }

// A registry's label for an id, with the parameters behind it: "window:size=4" is "sliding window:size=4".
template <class Registry>
std::string named(const Registry& registry, const std::string& value) {
  const std::size_t colon = value.find(':');
  const auto* entry = registry.find(value.substr(0, colon));
  return entry ? tr(entry->label.c_str()) + (colon == std::string::npos ? std::string() : value.substr(colon)) : value;
}

bool is_of_interventions(const Field& field) {
  const std::string& id = field.parameter.id;
  return id == "without" || id == "mean" || id == "uniform" || id == "scale_head" || id == "pattern_from" || id == "mask_cells";
}

// Interventions of one kind: where each is, and what it does there beyond what the field's name says.
std::string interventions_in_words(const Field& field, const std::vector<std::string>& texts) {
  Document document;
  if (!field.set(document, texts).ok() || document.interventions.empty()) return tr("none");
  const std::vector<std::string> whole = intervention_words(document);
  std::string out;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const Intervention& one = document.interventions[i];
    using Kind = Intervention::Kind;
    const bool named = one.kind == Kind::zero || one.kind == Kind::mean || one.kind == Kind::uniform;
    out += (i > 0 ? "; " : "") + (named ? place_words(one.at) : whole[i]);
  }
  return out;
}

// A field's value in the window's words.
std::string value_words(const Field& field, const std::vector<std::string>& texts) {
  if (is_of_interventions(field)) return interventions_in_words(field, texts);
  if (field.parameter.id == "matrices" && !texts.empty()) return fill(tr("{} given"), {std::to_string(texts.size())});
  std::string out;
  for (const std::string& text : texts) {
    std::string said = text;
    if (field.parameter.id == "model" && text.starts_with(kArraysPrefix))
      if (const auto source = array_source_from_name(text)) said = std::filesystem::path(source->file).filename().string();
    if (field.parameter.id == "masks") said = named(masks::registry(), text);
    if (field.parameter.id == "tokenizer" || (field.parameter.id == "target_tokenizer" && !text.empty()))
      said = named(tokenizers::registry(), text);
    if (field.parameter.id == "position") said = named(positions::registry(), text);
    if (field.parameter.kind == Parameter::Kind::choice) said = tr(said.c_str());
    if (field.parameter.kind == Parameter::Kind::boolean) said = text == "true" ? tr("on") : tr("off");
    out += (out.empty() ? "" : ", ") + said;
  }
  return out.empty() ? std::string(tr("none")) : out;
}

}  // namespace

Context context_of_a(const Context& context) {
  Context a = context;
  a.trace = context.pinned ? context.pinned->trace : nullptr;
  return a;
}

Sides sides_of(const Context& context) {
  Sides sides;
  sides.role = shown_role(context.view);
  sides.b = choose_attention(context);
  // Rows have the names of what their queries have read.
  const bool words = context.view.words_together && sides.role == Role::weights;
  sides.b.words = words ? words_of(context, sides.b, false) : nullptr;
  if (sides.b.site) sides.right = picture_of(context, sides.b, sides.role);
  const Context a = context_of_a(context);
  sides.a = choose_attention(a);
  sides.a.words = words ? words_of(a, sides.a, false) : nullptr;
  if (sides.a.site) sides.left = picture_of(a, sides.a, sides.role);
  return sides;
}

std::shared_ptr<const Compared> compared(const Context& context, const Sides& sides, const Error** error) {
  if (error) *error = nullptr;
  if (!sides.left || !sides.right || !context.pinned) return nullptr;
  const auto a = context.pinned->trace, b = context.trace;
  const auto side = [](const Trace& trace, const AttentionChoice& choice) {
    return DerivedKey("compare/one", {trace.generation(), choice.prefix(), choice.batch, choice.head, choice.words != nullptr});
  };
  const DerivedKey key("compare/both", {sides.role, side(*a, sides.a), side(*b, sides.b)});
  const std::function<Result<Compared>(const CancelToken&)> make =
      [a, b, left = sides.left, right = sides.right, key, weights = sides.role == Role::weights,
       a_rows = sides.a.site->rows_are_targets, a_columns = sides.a.site->columns_are_targets,
       b_rows = sides.b.site->rows_are_targets, b_columns = sides.b.site->columns_are_targets, a_batch = sides.a.batch,
       b_batch = sides.b.batch, a_words = sides.a.words, b_words = sides.b.words](const CancelToken&) -> Result<Compared> {
    const Sentence *row_a = sentence_of(*a, a_rows, a_batch), *row_b = sentence_of(*b, b_rows, b_batch);
    const Sentence *column_a = sentence_of(*a, a_columns, a_batch), *column_b = sentence_of(*b, b_columns, b_batch);
    if (!row_a || !row_b || !column_a || !column_b) return not_found("one of the two has no such sentence");
    Compared out;
    const auto shown = [](const Sentence& sentence, const AttentionWords* words, WordGroups WordAxes::*axis) {
      return words ? in_words(sentence, words->*axis) : sentence;
    };
    out.rows = align(shown(*row_a, a_words.get(), &WordAxes::rows), shown(*row_b, b_words.get(), &WordAxes::rows));
    out.columns = align(shown(*column_a, a_words.get(), &WordAxes::columns), shown(*column_b, b_words.get(), &WordAxes::columns));
    out.row_names = labels_of(out.rows);
    out.column_names = labels_of(out.columns);
    out.key = key.hash();
    HL_ASSIGN(out.difference, compare({left->values, left->mask}, {right->values, right->mask}, out.rows, out.columns,
                                      weights ? Quantity::weights : Quantity::scores));
    return out;
  };
  const bool small = sides.left->values.count() <= kAtOnce && sides.right->values.count() <= kAtOnce;
  const auto found = small ? context.derived.now<Compared>(key, make) : context.derived.later<Compared>(key, make);
  if (error) *error = found.error;
  return found.value;
}

figures::HeatmapInput side_input(const Context& context, const Sides& sides, bool a) {
  const AttentionChoice& choice = a ? sides.a : sides.b;
  const SidePicture& picture = a ? *sides.left : *sides.right;
  const Trace& trace = a ? *context.pinned->trace : *context.trace;
  const bool transposed = context.view.transposed;
  figures::HeatmapInput input;
  input.values = turned("compare/values", context, picture.values, picture.key);
  input.mask = turned("compare/mask", context, picture.mask, picture.key);
  if (input.mask.empty() != picture.mask.empty()) input.values = Tensor();  // both or none
  input.key = picture.key ^ (transposed ? 0x9e3779b97f4a7c15ull : 0);
  const Context side = a ? context_of_a(context) : context;
  // What differs is found between the words that were read, so these name the rows.
  input.row_labels = choice.words ? choice.words->row_labels : row_labels(trace, choice);
  if (writes_words(*choice.site)) input.row_axis = tr("query (word read)");
  input.column_labels = choice.words ? choice.words->column_labels : column_labels(side, choice);
  if (sides.a.words || sides.b.words) {
    input.row_axis = figures::query_words_axis(false);
    input.column_axis = figures::key_words_axis();
  }
  orient(input, transposed);
  input.data_name = own_name(trace.name_at(choice.prefix(), sides.role)) + (a ? "_a" : "_b");
  input.title = a ? tr("A: pinned") : tr("B: now");
  input.note = random_note(trace, trace.name_at(choice.prefix(), sides.role));
  if (sides.role == Role::weights) {
    input.colormap = context.view.colormap == "signed" ? "viridis" : context.view.colormap;
    input.range_words = tr("weight, fixed 0..1");
  } else {
    // One range for both, so that their colours can be compared.
    const double largest = std::max({sides.left ? sides.left->largest : 0.0, sides.right ? sides.right->largest : 0.0, 1e-6});
    input.colormap = "signed";
    input.high = static_cast<float>(largest);
    input.low = -input.high;
    input.range_words = tr("score, one range for A and B");
  }
  return input;
}

namespace {

// The largest number of A and B.
double compared_size(const Compared& compared) {
  double most = 0;
  for (const Tensor* side : {&compared.difference.a, &compared.difference.b}) {
    if (side->empty()) continue;
    const Tensor numbers = side->as(DType::f32).compact();
    for (const float x : numbers.values<float>())
      if (std::isfinite(x)) most = std::max(most, std::abs(static_cast<double>(x)));
  }
  return most;
}
// As float32 sums of some hundred terms differ.
bool within_rounding(const Compared& compared) { return compared.difference.largest <= 1e-5 * compared_size(compared); }

}  // namespace

figures::HeatmapInput difference_input(const Context& context, const Sides& sides, const Compared& compared) {
  const bool transposed = context.view.transposed;
  figures::HeatmapInput input;
  input.values = turned("compare/difference", context, compared.difference.difference, compared.key);
  input.mask = turned("compare/difference mask", context, compared.difference.mask, compared.key);
  if (input.mask.empty()) input.values = Tensor();
  input.key = compared.key ^ (transposed ? 0x9e3779b97f4a7c15ull : 0);
  input.row_labels = compared.row_names;
  if (writes_words(*sides.b.site)) input.row_axis = tr("query (word read)");
  input.column_labels = compared.column_names;
  if (sides.a.words || sides.b.words) {
    input.row_axis = figures::query_words_axis(false);
    input.column_axis = figures::key_words_axis();
  }
  orient(input, transposed);
  input.data_name = own_name(context.trace->name_at(sides.b.prefix(), sides.role)) + "_difference";
  input.title = "A − B";
  input.colormap = "signed";
  const double most = compared.difference.largest, of_both = compared_size(compared);
  // A difference within rounding has the scale of what is compared: on a scale of its own it would look large.
  const bool equal = within_rounding(compared);
  input.high = static_cast<float>(most > 0 && !equal ? most : of_both > 0 ? of_both : 1);
  input.low = -input.high;
  input.range_words = tr("orange: more in A, blue: more in B");
  if (equal && most > 0) input.range_words += "; " + fill(tr("equal to {}"), {short_number(most)});
  return input;
}

figures::TableInput changes_input(const Compared& compared, std::size_t most) {
  using Tone = figures::TableInput::Tone;
  figures::TableInput input;
  input.title = tr("Largest changes");
  input.columns = {
      {tr("query"), true, false}, {tr("key"), true, false}, {"A", false, true}, {"B", false, true}, {"A − B", false, true}};
  for (const auto& change : compared.difference.changes) {
    if (input.rows.size() >= most) break;
    const double difference = change.a - change.b;
    const bool share = std::abs(change.a) <= 1 && std::abs(change.b) <= 1;
    input.rows.push_back({{compared.row_names[static_cast<std::size_t>(change.row)], Tone::plain, 0, 0},
                          {compared.column_names[static_cast<std::size_t>(change.column)], Tone::plain, 0, 0},
                          {cell(change.a, share), Tone::quiet, 0, change.a},
                          {cell(change.b, share), Tone::quiet, 0, change.b},
                          {(difference > 0 ? "+" : "") + cell(difference, share), Tone::plain,
                           compared.difference.largest > 0 ? difference / compared.difference.largest : 0, difference}});
  }
  return input;
}

std::string alignment_words(const Compared& compared) {
  const auto words = [](const Alignment& side) -> std::string {
    const std::string left = std::to_string(side.left_a), right = std::to_string(side.left_b);
    switch (side.kind) {
      case Alignment::Kind::same: return tr("The tokens are the same.");
      case Alignment::Kind::by_bytes:
        return fill(
            tr("The tokens differ: compared by {} stretches of the same text. Weights to a stretch's tokens are added, its "
               "rows averaged."),
            {std::to_string(side.groups.size())});
      case Alignment::Kind::by_token:
        return fill(
            tr("The sentences differ: {} tokens stand in both in this order and are compared; {} of A and {} of B are left "
               "out."),
            {std::to_string(side.groups.size()), left, right});
      default:
        return tr(
            "The two sentences share no token: there is no difference to show. Give both the same sentence, or the same words.");
    }
  };
  const std::string rows = words(compared.rows), columns = words(compared.columns);
  return rows == columns ? rows : fill(tr("Queries: {} Keys: {}"), {rows, columns});
}

std::string moved_words(const Compared& compared, const Sides& sides) {
  const HeadDifference& d = compared.difference;
  if (compared.rows.groups.empty() || compared.columns.groups.empty()) return {};
  if (d.largest == 0) return tr("A and B are equal here, to the last digit.");
  if (within_rounding(compared)) return fill(tr("A and B are equal here, to {}."), {short_number(d.largest)});
  if (sides.role == Role::weights)
    return fill(tr("{} % of each row's weight went elsewhere on average; the largest change is {}."),
                {short_number(100 * d.moved), short_number(d.largest)});
  return fill(tr("The scores differ by {} on average, by {} at most."), {short_number(d.mean), short_number(d.largest)});
}

std::vector<FieldDifference> differing_fields(const Document& a, const Document& b) {
  std::vector<FieldDifference> out;
  for (const Field& field : document_schema()) {
    const auto x = field.get(a), y = field.get(b);
    if (x == y) continue;
    const std::string& label = field.parameter.label.empty() ? field.parameter.id : field.parameter.label;
    out.push_back({field.parameter.id, tr(label.c_str()), value_words(field, x), value_words(field, y)});
  }
  const bool same_paint = (!a.custom_mask && !b.custom_mask) || (a.custom_mask && b.custom_mask && [&] {
                            Document other = b;
                            other.custom_mask = a.custom_mask;
                            return other == b;
                          }());
  if (!same_paint)
    out.push_back(
        {"custom_mask", tr("painted mask"), a.custom_mask ? tr("one") : tr("none"), b.custom_mask ? tr("another") : tr("none")});
  return out;
}

Result<Document> with_field_of(const Document& a, Document b, const std::string& id) {
  if (id == "custom_mask") {
    b.custom_mask = a.custom_mask;
    return b;
  }
  const Field* field = find_field(id);
  if (!field) return not_found("a document has no field '{}'", id);
  // A painted mask is copied together with the choice to use it.
  if (id == "masks" && a.custom_mask) b.custom_mask = a.custom_mask;
  if (id == "tokenizer" || id == "target_tokenizer") b.trained.insert(b.trained.begin(), a.trained.begin(), a.trained.end());
  HL_TRY(field->set(b, field->get(a)));
  HL_TRY(validate(b));
  return b;
}

}  // namespace headlight::views::comparing
