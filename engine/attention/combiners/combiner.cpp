#include "engine/attention/combiners/combiner.h"

#include <memory>
#include <string>

#include "engine/operations/linear.h"
#include "engine/operations/merge_heads.h"
#include "engine/operations/split_heads.h"

namespace headlight::combiners {
namespace {

using namespace backends;

Buffer shaped(const Buffer& buffer, Shape shape) { return {buffer.host.reshaped(std::move(shape)), buffer.device}; }

// A chain of operations; each has buffers of its own.
class Chain : public Combiner {
 public:
  explicit Chain(Backend& backend) : backend_(backend) {}
  Status add(const OpDesc& desc) {
    HL_ASSIGN(std::unique_ptr<Plan> plan, backend_.prepare(desc));
    HL_ASSIGN(const Signature s, signature(desc, backend_.dtype()));
    HL_ASSIGN(Buffer out, backend_.allocate(backend_.dtype(), s.outputs[0], s.output_axes[0]));
    links_.push_back({std::move(plan), {std::move(out)}});
    return {};
  }

 protected:
  Result<Buffer> execute(std::size_t i, const std::vector<Buffer>& in, const CancelToken& cancel) {
    HL_TRY(backend_.execute(*links_[i].plan, in, links_[i].out, cancel));
    return links_[i].out[0];
  }

 private:
  struct Link {
    std::unique_ptr<Plan> plan;
    std::vector<Buffer> out;
  };
  Backend& backend_;
  std::vector<Link> links_;
};

// Concat(head_1, ..., head_h) W_O, W_O [h d, d].
class Concat final : public Chain {
 public:
  using Chain::Chain;
  Sizes sizes;
  Result<Buffer> combine(const Buffer& heads, const std::vector<Buffer>& weights, const CancelToken& cancel) override {
    HL_ASSIGN(const Buffer merged, execute(0, {shaped(heads, {1, sizes.heads, sizes.words, sizes.d})}, cancel));
    return execute(1, {shaped(merged, {sizes.words, sizes.heads * sizes.d}), weights[0]}, cancel);
  }
};

// Tanh(Tanh(Stack(head_1, ..., head_h) W_H) W_O). Stack [W, d, h] is never built: the heads are stored as [h, W d], so both
// products multiply from the left, (W_H^T [n_hidden, h]) heads and (W_O^T [n_output, n_hidden]) hidden. Only their result is
// transposed.
class Stack2d final : public Chain {
 public:
  using Chain::Chain;
  Sizes sizes;
  Result<Buffer> combine(const Buffer& heads, const std::vector<Buffer>& weights, const CancelToken& cancel) override {
    const Sizes& s = sizes;
    HL_ASSIGN(const Buffer wh, execute(0, {shaped(weights[0], {1, s.heads, s.hidden})}, cancel));
    HL_ASSIGN(const Buffer wo, execute(1, {shaped(weights[1], {1, s.hidden, s.outputs})}, cancel));
    HL_ASSIGN(const Buffer hidden,
              execute(2, {shaped(wh, {s.hidden, s.heads}), shaped(heads, {s.heads, s.words * s.d})}, cancel));
    HL_ASSIGN(Buffer out, execute(3, {shaped(wo, {s.outputs, s.hidden}), hidden}, cancel));
    if (s.outputs == 1) return shaped(out, {s.words, s.d});
    HL_ASSIGN(const Buffer turned, execute(4, {shaped(out, {1, s.outputs, s.words * s.d})}, cancel));
    return shaped(turned, {s.words, s.d * s.outputs});
  }
};

// Transposes [rows, columns] to [columns, rows]: this is SplitHeads with heads of width 1.
OpDesc transpose(std::int64_t rows, std::int64_t columns) { return SplitHeads{1, rows, columns, 1}; }

Result<std::unique_ptr<Combiner>> make_concat(const Sizes& s, Backend& backend) {
  auto made = std::make_unique<Concat>(backend);
  made->sizes = s;
  HL_TRY(made->add(MergeHeads{1, s.words, s.heads, s.d}));
  HL_TRY(made->add(Linear{s.words, s.heads * s.d, s.d}));
  return std::unique_ptr<Combiner>(std::move(made));
}

Result<std::unique_ptr<Combiner>> make_stack2d(const Sizes& s, Backend& backend) {
  auto made = std::make_unique<Stack2d>(backend);
  made->sizes = s;
  HL_TRY(made->add(transpose(s.heads, s.hidden)));
  HL_TRY(made->add(transpose(s.hidden, s.outputs)));
  HL_TRY(made->add(Linear{s.hidden, s.heads, s.words * s.d, false, ActivationKind::tanh}));
  HL_TRY(made->add(Linear{s.outputs, s.hidden, s.words * s.d, false, ActivationKind::tanh}));
  if (s.outputs > 1) HL_TRY(made->add(transpose(s.outputs, s.words * s.d)));
  return std::unique_ptr<Combiner>(std::move(made));
}

}  // namespace

const Registry<Entry>& registry() {
  static const Registry<Entry> combiners(
      "combiner",
      {
          {"concat", "Concatenate", "Concat(head_1, ..., head_h) W_O, W_O [h d, d]", "Vaswani et al. 2017, 3.2.2",
           [](const Sizes& s) {
             return std::vector<Shape>{{s.heads * s.d, s.d}};
           },
           [](const Sizes& s) { return s.d; }},
          {"stack2d", "2-D stack",
           "tanh(tanh(Stack(head_1, ..., head_h) W_H) W_O), Stack [W, d, h], W_H [h, n_hidden], W_O [n_hidden, n_output]", "S4",
           [](const Sizes& s) {
             return std::vector<Shape>{{s.heads, s.hidden}, {s.hidden, s.outputs}};
           },
           [](const Sizes& s) { return s.d * s.outputs; }, true},
      });
  return combiners;
}

std::int64_t parameter_count(const Entry& entry, const Sizes& sizes) {
  std::int64_t count = 0;
  for (const Shape& shape : entry.weights(sizes)) count += element_count(shape);
  return count;
}

Result<std::unique_ptr<Combiner>> prepare(std::string_view id, const Sizes& sizes, Backend& backend) {
  for (const std::int64_t size : {sizes.words, sizes.d, sizes.heads, sizes.hidden, sizes.outputs}) {
    if (size < 1) return invalid("a size of {}", size).at("combiner").mend("it must be at least 1");
  }
  if (id == "concat") return make_concat(sizes, backend);
  if (id == "stack2d") return make_stack2d(sizes, backend);
  return failure(ErrorKind::not_found, "there is no combiner '{}'", id).mend("known are concat, stack2d");
}

}  // namespace headlight::combiners
