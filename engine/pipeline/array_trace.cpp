#include "engine/pipeline/array_trace.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <unordered_map>
#include <utility>

#include "engine/arrays/reading.h"
#include "engine/attention/masks/combined.h"
#include "engine/core/byte_words.h"
#include "engine/document/array_source.h"
#include "engine/models/step.h"
#include "engine/operations/attention_fill.h"
#include "engine/pipeline/array_document.h"
#include "engine/pipeline/generation.h"

namespace headlight {
namespace {

using arrays::Cells;
using arrays::What;

constexpr std::uint64_t kMostMask = std::uint64_t{256} << 20;  // bytes of a mask, a byte a cell

// An attention of the trace, and what the file gives of it.
struct GivenSite {
  const arrays::Part* part = nullptr;
  std::int64_t layer = 0;
  std::size_t site = 0;
};

// Where the numbers of a step come from.
struct StepSource {
  GivenSite given;
  Role role = Role::other;
  const Cells* cells = nullptr;  // null: they follow from other steps
};

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

class ArrayTrace final : public Trace {
 public:
  const Document& document() const override { return document_; }
  std::span<const Sentence> texts() const override { return sentences_.texts; }
  std::span<const Sentence> targets() const override { return sentences_.targets; }
  std::span<const Step> steps() const override { return steps_; }
  const Step* find(std::string_view name) const override {
    const auto at = by_name_.find(name);
    return at == by_name_.end() ? nullptr : &steps_[at->second];
  }
  std::span<const AttentionSite> sites() const override { return sites_; }
  std::span<const NamedParameter> parameters() const override { return {}; }
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer() const override { return sentences_.tokenizer; }
  double seconds() const override { return seconds_; }
  std::string backend_label() const override { return file_name(source_->file); }
  std::string weights_label() const override { return file_name(source_->file); }
  std::uint64_t bytes() const override { return bytes_; }
  std::uint64_t generation() const override { return generation_; }

  Result<Tensor> values(std::string_view name, const CancelToken& cancel) const override;
  Result<Tensor> tile(std::string_view name, const Tile& tile) const override;

  Status fill(const CancelToken& cancel);

  Document document_;
  std::shared_ptr<const ArraySource> source_;
  std::shared_ptr<const arrays::File> file_;
  std::vector<arrays::Part> parts_;
  ArraySentences sentences_;
  std::uint64_t budget_ = 0, bytes_ = 0;
  double seconds_ = 0;

 private:
  Status add_site(const arrays::Part& part, std::int64_t layer);
  void add_step(const GivenSite& given, Role role, const char* name, const Cells* cells, std::vector<std::string> inputs,
                Shape shape, const char* operation, const char* formula, Computation::Way way);
  Result<masks::Combined> mask_of(const arrays::Part& part, masks::Site site) const;
  Tensor mask_as_found(const Cells& cells) const;
  void find_scale(const arrays::Part& part, std::int64_t layer, AttentionSite& site) const;

  // Rows [row, row + rows) and columns likewise of a step, as double.
  struct Block {
    std::int64_t batch = 0, head = 0, row = 0, rows = 0, column = 0, columns = 0;
  };
  Result<Tensor> block(const StepSource& source, const Block& at) const;
  Result<Tensor> block_of(const GivenSite& given, Role role, const Block& at) const;
  Result<Tensor> products(const GivenSite& given, const Block& at) const;
  Result<Tensor> masked(const GivenSite& given, const Block& at) const;
  Result<Tensor> softmax(const GivenSite& given, const Block& at) const;
  Result<Tensor> context(const GivenSite& given, const Block& at) const;
  Status affordable(const Step& step, double count) const;

  std::vector<Step> steps_;
  std::vector<StepSource> sources_;  // by step
  std::vector<AttentionSite> sites_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  Tensor ids_;  // of the step "tokens"
  std::uint64_t generation_ = next_generation();
};

Status ArrayTrace::affordable(const Step& step, double count) const {
  const double bytes = count * static_cast<double>(size_of(step.dtype));
  if (bytes <= static_cast<double>(budget_)) return {};
  return failure(ErrorKind::too_large, "this part would take {} and the budget is {}", byte_words(bytes),
                 byte_words(static_cast<double>(budget_)))
      .at(step.name)
      .mend("ask for a smaller part");
}

// --- steps

void ArrayTrace::add_step(const GivenSite& given, Role role, const char* name, const Cells* cells,
                          std::vector<std::string> inputs, Shape shape, const char* operation, const char* formula,
                          Computation::Way way) {
  const AttentionSite& site = sites_[given.site];
  Step step;
  step.name = site.prefix + name;
  step.role = role;
  step.operation = cells ? "read" : operation;
  step.formula = formula;
  step.computed_by = way;
  step.inputs = std::move(inputs);
  step.shape = std::move(shape);
  const bool vectors = role == Role::q || role == Role::k || role == Role::v || role == Role::context;
  step.axes = vectors ? Axes{"batch", "head", "position", "d_k"} : Axes{"batch", "head", "query", "key"};
  bool wide = false;
  for (const Cells& one : given.part->cells) wide = wide || one.real == DType::f64;
  step.dtype = role == Role::mask ? DType::u8 : cells ? cells->real : wide ? DType::f64 : DType::f32;
  step.origin = Origin::given;
  step.of_targets = role == Role::k || role == Role::v ? site.columns_are_targets : site.rows_are_targets;
  if (cells) step.note = "'" + cells->name + "' of " + file_name(source_->file);
  steps_.push_back(std::move(step));
  sources_.push_back({given, role, cells});
}

// Part of the file's own masks: what its masked scores leave out, in the first head of the first layer.
Tensor ArrayTrace::mask_as_found(const Cells& cells) const {
  Tensor mask(DType::u8, {cells.sentences, 1, cells.rows, cells.columns}, {"batch", "head", "query", "key"}, true);
  auto* out = mask.data<std::uint8_t>();
  for (std::int64_t b = 0; b < cells.sentences; ++b) {
    const Tensor scores = cells.tile(0, b, 0, 0, cells.rows, 0, cells.columns).as(DType::f64);
    for (const double score : scores.values<double>()) *out++ = !(std::isinf(score) && score < 0);
  }
  return mask;
}

Result<masks::Combined> ArrayTrace::mask_of(const arrays::Part& part, masks::Site site) const {
  const double bytes = static_cast<double>(part.sentences) * static_cast<double>(part.queries) * static_cast<double>(part.keys);
  const Cells *given = part.find(What::mask), *found = part.find(What::masked_scores);
  const bool any = !document_.masks.empty() || given || found;
  if (any && bytes > static_cast<double>(kMostMask))
    return failure(ErrorKind::too_large, "a mask of {} x {} cells would take {}, and at most {} are kept", part.queries,
                   part.keys, byte_words(bytes), byte_words(static_cast<double>(kMostMask)))
        .at(file_->where)
        .mend("choose no mask");
  masks::Request request;
  request.site = site;
  request.batch = part.sentences;
  request.queries = part.queries;
  request.keys = part.keys;
  const auto& of_keys = site == masks::Site::decoder_self && !sentences_.targets.empty() ? sentences_.targets : sentences_.texts;
  for (const Sentence& sentence : of_keys) request.key_lengths.push_back(static_cast<std::int64_t>(sentence.tokens.size()));
  HL_ASSIGN(masks::Combined combined, masks::combine(document_.masks, request, document_.custom_mask.get()));
  if (given) {
    Tensor mask(DType::u8, {given->sentences, given->heads, given->rows, given->columns}, {"batch", "head", "query", "key"},
                true);
    const bool truth = given->group.arrays.front()->element >= arrays::Element::i8;  // 1 = may attend; real numbers are added
    auto* out = mask.data<std::uint8_t>();
    for (std::int64_t b = 0; b < given->sentences; ++b)
      for (std::int64_t h = 0; h < given->heads; ++h) {
        const Tensor numbers = given->tile(0, b, h, 0, given->rows, 0, given->columns).as(DType::f64);
        for (const double m : numbers.values<double>()) *out++ = truth ? m != 0 : m > -1e3;
      }
    combined.parts.push_back({{"custom", {}}, std::move(mask), masks::Role::limits});
    combined.mask = masks::joined(combined.parts);
  } else if (found && document_.masks.empty()) {
    Tensor mask = mask_as_found(*found);
    const auto cells = mask.values<std::uint8_t>();
    if (std::find(cells.begin(), cells.end(), 0) != cells.end()) {
      combined.parts.push_back({{"custom", {}}, std::move(mask), masks::Role::limits});
      combined.mask = masks::joined(combined.parts);
    }
  }
  return combined;
}

// Where the file has scores before and behind the scale, the scale is their ratio, and 1/sqrt(d_k) says how wide the vectors
// were.
void ArrayTrace::find_scale(const arrays::Part& part, std::int64_t layer, AttentionSite& site) const {
  const Cells *scores = part.find(What::scores), *scaled = part.find(What::scaled_scores);
  if (!scores || !scaled) return;
  const std::int64_t columns = std::min<std::int64_t>(8, part.keys);
  const Tensor before = scores->tile(layer, 0, 0, 0, 1, 0, columns).as(DType::f64),
               after = scaled->tile(layer, 0, 0, 0, 1, 0, columns).as(DType::f64);
  double ratio = 0;
  for (std::int64_t c = 0; c < columns; ++c) {
    const double a = before.values<double>()[static_cast<std::size_t>(c)],
                 b = after.values<double>()[static_cast<std::size_t>(c)];
    if (!std::isfinite(a) || !std::isfinite(b) || std::abs(a) < 1e-6) continue;
    if (ratio != 0 && std::abs(b / a - ratio) > 1e-4 * std::abs(ratio)) {
      ratio = 0;
      break;
    }
    if (ratio == 0) ratio = b / a;
  }
  site.scale = 0;
  if (ratio <= 0) return;
  const double width = std::round(1 / (ratio * ratio));
  const bool root = site.d_k == 0 && width >= 1 && width < 65536 && std::abs(1 / std::sqrt(width) - ratio) < 1e-5 * ratio;
  if (root) site.d_k = static_cast<std::int64_t>(width);
  site.scale = root ? 1 / std::sqrt(width) : ratio;
}

Status ArrayTrace::add_site(const arrays::Part& part, std::int64_t layer) {
  const bool two = !sentences_.targets.empty();
  const std::string number = "layer." + std::to_string(layer) + ".";
  AttentionSite site;
  const bool cross = part.name == "cross" || (part.name.empty() && two);
  site.prefix = !two ? number : cross ? "decoder." + number + "cross." : part.name + "." + number;
  site.site = cross ? masks::Site::cross : part.name == "encoder" ? masks::Site::encoder_self : masks::Site::decoder_self;
  site.layer = layer;
  site.heads = part.heads;
  site.kv_heads = part.key_heads;
  site.queries = part.queries;
  site.keys = part.keys;
  site.d_k = part.d_k;
  site.rows_are_targets = two && part.name != "encoder";
  site.columns_are_targets = two && part.name == "decoder";
  const Cells *q = part.find(What::q), *k = part.find(What::k), *v = part.find(What::v);
  const bool multiplied = q && k;
  site.scale = document_.scale == "sqrt" && part.d_k == 0 ? 1.0 : scale_of(document_, std::max<std::int64_t>(1, part.d_k));
  find_scale(part, layer, site);
  // One mask serves all layers.
  if (layer > 0)
    site.mask = std::find_if(sites_.begin(), sites_.end(), [&](const AttentionSite& s) { return s.site == site.site; })->mask;
  else {
    HL_ASSIGN(site.mask, mask_of(part, site.site));
  }
  if (q) site.q = site.prefix + "q";
  if (k) site.k = site.prefix + "k";
  if (v) site.v = site.prefix + "v";
  const std::string p = site.prefix;
  const double known_scale = site.scale;
  sites_.push_back(site);
  const GivenSite given{&part, layer, sites_.size() - 1};
  const Shape square{part.sentences, part.heads, part.queries, part.keys};
  const auto vectors = [&](const Cells& cells) { return Shape{part.sentences, cells.heads, cells.rows, cells.columns}; };
  constexpr auto kRead = Computation::unknown;
  if (q) add_step(given, Role::q, "q", q, {}, vectors(*q), "", "q: as the file gives it", kRead);
  if (k) add_step(given, Role::k, "k", k, {}, vectors(*k), "", "k: as the file gives it", kRead);
  if (v) add_step(given, Role::v, "v", v, {}, vectors(*v), "", "v: as the file gives it", kRead);
  const Cells *scores = part.find(What::scores), *scaled = part.find(What::scaled_scores),
              *masked = part.find(What::masked_scores), *weights = part.find(What::weights);
  std::string last;  // the latest of the scores
  if (scores || multiplied) {
    std::vector<std::string> inputs;
    if (multiplied) inputs = {p + "q", p + "k"};
    add_step(given, Role::scores, "scores", scores, inputs, square, "q k^T",
             multiplied ? "scores[h, i, j] = sum_d q[h, i, d] k[h, j, d]" : "scores: as the file gives them",
             multiplied ? Computation::attention_scores : kRead);
    last = p + "scores";
  }
  if (scaled || !last.empty()) {
    const bool follows = !last.empty() && known_scale > 0;
    add_step(given, Role::scaled_scores, "scaled_scores", scaled, last.empty() ? std::vector<std::string>{} : std::vector{last},
             square, "scale", follows ? "scaled = scores * scale" : "scaled: as the file gives them",
             follows ? Computation::attention_scaled : kRead);
    last = p + "scaled_scores";
  }
  if (!site.mask.mask.empty())
    add_step(given, Role::mask, "mask", nullptr, {}, {site.mask.mask.dim(0), site.mask.mask.dim(1), part.queries, part.keys},
             "combine masks", "mask[i, j] = 1 where the query may attend to the key", Computation::mask);
  if (masked || !last.empty()) {
    std::vector<std::string> inputs;
    if (!last.empty()) inputs = {last};
    if (!last.empty() && !site.mask.mask.empty()) inputs.push_back(p + "mask");
    add_step(given, Role::masked_scores, "masked_scores", masked, inputs, square, "mask",
             last.empty() ? "masked: as the file gives them" : "masked = scaled where mask = 1, else -inf",
             last.empty() ? kRead : Computation::attention_masked);
    last = p + "masked_scores";
  }
  add_step(given, Role::weights, "weights", weights, last.empty() ? std::vector<std::string>{} : std::vector{last}, square,
           "softmax over keys",
           last.empty() ? "weights: as the file gives them" : "weights[h, i, j] = exp(masked[h, i, j] / T) / sum_j exp(...)",
           last.empty() ? kRead : Computation::attention_weights);
  if (v)
    add_step(given, Role::context, "context", nullptr, {p + "weights", p + "v"},
             {part.sentences, part.heads, part.queries, part.d_v}, "weights v",
             "context[h, i, c] = sum_j weights[h, i, j] v[h, j, c]", Computation::attention_context);
  return {};
}

Status ArrayTrace::fill(const CancelToken& cancel) {
  HL_ASSIGN(file_, open_arrays(*source_));
  HL_ASSIGN(parts_, arrays::parts_of(file_, source_->reading));
  HL_ASSIGN(sentences_, sentences_of(*file_, source_->reading, parts_, cancel));
  if (sentences_.has_ids && sentences_.targets.empty()) {
    std::size_t longest = 0;
    for (const Sentence& sentence : sentences_.texts) longest = std::max(longest, sentence.tokens.size());
    ids_ = Tensor(DType::i32, {static_cast<std::int64_t>(sentences_.texts.size()), static_cast<std::int64_t>(longest)},
                  {"batch", "position"});
    for (std::size_t b = 0; b < sentences_.texts.size(); ++b)
      for (std::size_t i = 0; i < sentences_.texts[b].tokens.size(); ++i)
        ids_.data<std::int32_t>()[b * longest + i] = sentences_.texts[b].tokens[i].id;
    Step step;
    step.name = "tokens";
    step.role = Role::tokens;
    step.operation = "read";
    step.computed_by = Computation::tokens;
    step.formula = "tokens[i] = number of piece i";
    step.shape = ids_.shape();
    step.axes = ids_.axes();
    step.dtype = DType::i32;
    step.kept = true;
    step.origin = Origin::given;
    steps_.push_back(std::move(step));
    sources_.emplace_back();
  }
  for (const arrays::Part& part : parts_)
    for (std::int64_t layer = 0; layer < part.layers; ++layer) HL_TRY(add_site(part, layer));
  for (std::size_t i = 0; i < steps_.size(); ++i) by_name_[steps_[i].name] = i;
  bytes_ = file_->unpacked;
  for (const AttentionSite& site : sites_)
    if (site.layer == 0 && !site.mask.mask.empty()) bytes_ += site.mask.mask.bytes();
  return {};
}

// --- numbers

Result<Tensor> ArrayTrace::block_of(const GivenSite& given, Role role, const Block& at) const {
  const Step* step = step_at(sites_[given.site].prefix, role);
  if (!step) return failure(ErrorKind::internal, "the arrays have no such step").at(sites_[given.site].prefix);
  return block(sources_[static_cast<std::size_t>(step - steps_.data())], at);
}

Result<Tensor> ArrayTrace::products(const GivenSite& given, const Block& at) const {
  const Cells &q = *given.part->find(What::q), &k = *given.part->find(What::k);
  const std::int64_t d = q.columns, key_head = at.head * given.part->key_heads / given.part->heads;
  const Tensor a = q.tile(given.layer, at.batch, at.head, at.row, at.rows, 0, d).as(DType::f64),
               b = k.tile(given.layer, at.batch, key_head, at.column, at.columns, 0, d).as(DType::f64);
  Tensor out(DType::f64, {at.rows, at.columns}, {}, true);
  for (std::int64_t r = 0; r < at.rows; ++r)
    for (std::int64_t c = 0; c < at.columns; ++c) {
      const double *x = a.data<double>() + r * d, *y = b.data<double>() + c * d;
      double sum = 0;
      for (std::int64_t i = 0; i < d; ++i) sum += x[i] * y[i];
      out.data<double>()[r * at.columns + c] = sum;
    }
  return out;
}

Result<Tensor> ArrayTrace::masked(const GivenSite& given, const Block& at) const {
  HL_ASSIGN(Tensor scores, block_of(given, Role::scaled_scores, at));
  scores = scores.as(DType::f64).compact();
  const Tensor& mask = sites_[given.site].mask.mask;
  if (mask.empty()) return scores;
  const double fill =
      document_.mask_fill == operations::MaskFill::minus_infinity ? -std::numeric_limits<double>::infinity() : -1e9;
  Tensor out(DType::f64, {at.rows, at.columns}, {}, true);
  for (std::int64_t r = 0; r < at.rows; ++r)
    for (std::int64_t c = 0; c < at.columns; ++c)
      out.data<double>()[r * at.columns + c] =
          masks::allows(mask, at.batch, at.head, at.row + r, at.column + c) ? scores.data<double>()[r * at.columns + c] : fill;
  return out;
}

// A row of only masked scores is defined as all zeros, as in the engine's own softmax.
Result<Tensor> ArrayTrace::softmax(const GivenSite& given, const Block& at) const {
  const std::int64_t keys = given.part->keys;
  HL_ASSIGN(Tensor scores, block_of(given, Role::masked_scores, {at.batch, at.head, at.row, at.rows, 0, keys}));
  scores = scores.as(DType::f64).compact();
  Tensor out(DType::f64, {at.rows, at.columns}, {}, true);
  std::vector<double> row(static_cast<std::size_t>(keys));
  for (std::int64_t r = 0; r < at.rows; ++r) {
    const double* from = scores.data<double>() + r * keys;
    const double largest = *std::max_element(from, from + keys);
    double sum = 0;
    for (std::int64_t c = 0; c < keys; ++c) {
      const double term = std::isinf(largest) && largest < 0 ? 0.0 : std::exp((from[c] - largest) / document_.temperature);
      row[static_cast<std::size_t>(c)] = term;
      sum += term;
    }
    for (std::int64_t c = 0; c < at.columns; ++c) {
      const double term = row[static_cast<std::size_t>(at.column + c)];
      out.data<double>()[r * at.columns + c] = sum == 0 ? 0.0 : term / sum;
    }
  }
  return out;
}

Result<Tensor> ArrayTrace::context(const GivenSite& given, const Block& at) const {
  const Cells& v = *given.part->find(What::v);
  const std::int64_t keys = given.part->keys, key_head = at.head * given.part->key_heads / given.part->heads;
  HL_ASSIGN(Tensor weights, block_of(given, Role::weights, {at.batch, at.head, at.row, at.rows, 0, keys}));
  weights = weights.as(DType::f64).compact();
  const Tensor values = v.tile(given.layer, at.batch, key_head, 0, keys, at.column, at.columns).as(DType::f64);
  Tensor out(DType::f64, {at.rows, at.columns});
  for (std::int64_t r = 0; r < at.rows; ++r)
    for (std::int64_t j = 0; j < keys; ++j) {
      const double w = weights.data<double>()[r * keys + j];
      if (w == 0) continue;
      for (std::int64_t c = 0; c < at.columns; ++c)
        out.data<double>()[r * at.columns + c] += w * values.data<double>()[j * at.columns + c];
    }
  return out;
}

Result<Tensor> ArrayTrace::block(const StepSource& source, const Block& at) const {
  const GivenSite& given = source.given;
  if (source.cells) return source.cells->tile(given.layer, at.batch, at.head, at.row, at.rows, at.column, at.columns);
  const AttentionSite& site = sites_[given.site];
  switch (source.role) {
    case Role::scores: return products(given, at);
    case Role::scaled_scores: {
      HL_ASSIGN(const Tensor scores, block_of(given, Role::scores, at));
      const Tensor before = scores.as(DType::f64).compact();
      Tensor out(DType::f64, {at.rows, at.columns}, {}, true);
      for (std::int64_t i = 0; i < out.count(); ++i) out.data<double>()[i] = before.data<double>()[i] * site.scale;
      return out;
    }
    case Role::mask: {
      const Tensor& mask = site.mask.mask;
      Tensor out(DType::u8, {at.rows, at.columns}, {}, true);
      for (std::int64_t r = 0; r < at.rows; ++r)
        for (std::int64_t c = 0; c < at.columns; ++c)
          out.data<std::uint8_t>()[r * at.columns + c] = masks::allows(mask, at.batch, at.head, at.row + r, at.column + c);
      return out;
    }
    case Role::masked_scores: return masked(given, at);
    case Role::weights: return softmax(given, at);
    case Role::context: return context(given, at);
    default: return failure(ErrorKind::internal, "a step of arrays that nothing computes").at(site.prefix);
  }
}

Result<Tensor> ArrayTrace::tile(std::string_view name, const Tile& tile) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return not_found("there is no step '{}'", name).mend("{} has none", backend_label());
  const Step& step = steps_[found->second];
  if (step.shape.size() != 4)
    return invalid("a tile of a step of shape {}", to_string(step.shape)).at(step.name).mend("read it whole");
  const std::int64_t batch = step.shape[0] == 1 ? 0 : tile.batch, head = step.shape[1] == 1 ? 0 : tile.head;
  const Block at{batch,       head,
                 tile.row,    tile.rows < 0 ? step.shape[2] - tile.row : tile.rows,
                 tile.column, tile.columns < 0 ? step.shape[3] - tile.column : tile.columns};
  const auto inside = [](std::int64_t begin, std::int64_t count, std::int64_t size) {
    return begin >= 0 && count >= 0 && begin <= size - count;
  };
  if (batch < 0 || batch >= step.shape[0] || head < 0 || head >= step.shape[1] || !inside(at.row, at.rows, step.shape[2]) ||
      !inside(at.column, at.columns, step.shape[3]))
    return not_found("there is no part at batch {}, head {}, rows {}..{}, columns {}..{}", batch, head, at.row, at.row + at.rows,
                     at.column, at.column + at.columns)
        .at(step.name)
        .mend("its shape is {}", to_string(step.shape));
  const Axes axes{step.axes[2], step.axes[3]};
  HL_TRY(affordable(step, static_cast<double>(at.rows) * static_cast<double>(at.columns)));
  if (at.rows == 0 || at.columns == 0) return Tensor(step.dtype, {at.rows, at.columns}, axes);
  try {
    HL_ASSIGN(const Tensor numbers, block(sources_[found->second], at));
    if (!file_->intact())
      return failure(ErrorKind::io, "the file changed while it was read").at(file_->where).mend("open it again");
    return numbers.as(step.dtype).named(axes);
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "no memory for this part").at(step.name).mend("ask for a smaller one");
  }
}

Result<Tensor> ArrayTrace::values(std::string_view name, const CancelToken& cancel) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return not_found("there is no step '{}'", name).mend("{} has none", backend_label());
  const Step& step = steps_[found->second];
  if (step.role == Role::tokens) return ids_;
  double count = 1;
  for (const std::int64_t size : step.shape) count *= static_cast<double>(size);
  HL_TRY(affordable(step, count));
  Tensor all(step.dtype, step.shape, step.axes, true);
  const std::int64_t maps = step.shape[0] * step.shape[1];
  for (std::int64_t m = 0; m < maps; ++m) {
    if (cancel.cancelled()) return cancelled();
    Tile one;
    one.batch = m / step.shape[1];
    one.head = m % step.shape[1];
    HL_ASSIGN(const Tensor map, tile(name, one));
    std::memcpy(all.raw() + static_cast<std::size_t>(m) * map.bytes(), map.raw(), map.bytes());
  }
  return all;
}

}  // namespace

Result<std::shared_ptr<const Trace>> read_arrays(const Document& document, const CancelToken& cancel, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto trace = std::make_shared<ArrayTrace>();
  trace->document_ = document;
  trace->source_ = arrays_of(document);
  trace->budget_ = options.budget_bytes;
  HL_TRY(trace->fill(cancel));
  trace->seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::shared_ptr<const Trace>(trace);
}

}  // namespace headlight
