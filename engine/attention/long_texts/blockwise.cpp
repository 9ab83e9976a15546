#include <algorithm>

#include "engine/attention/long_texts/partial.h"

namespace headlight::long_texts {
namespace {

// The rows of all tokens, and zeros up to a whole number of blocks.
Tensor padded(const Tensor& rows, std::int64_t to) {
  Tensor out(rows.dtype(), {to, rows.dim(1)});
  std::copy_n(rows.raw(), rows.bytes(), out.raw());
  return out;
}

// Writes the mask [parts, 1, rows, keys] of `parts` groups of queries, part p against the keys of block `block_of(p)`. It is
// written anew for every step: the masks of all steps would be as large as the L x L matrix that these methods avoid.
template <class BlockOf>
void set_mask(const Task& task, Tensor& mask, const BlockOf& block_of) {
  const std::int64_t parts = mask.dim(0), rows = mask.dim(2), keys = mask.dim(3);
  for (std::int64_t p = 0; p < parts; ++p) {
    const std::int64_t first = block_of(p) * keys;
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t end = task.causal ? std::min(task.tokens, p * rows + r + 1) : task.tokens;
      const std::int64_t seen = std::clamp<std::int64_t>(end - first, 0, keys);
      std::uint8_t* const row = mask.data<std::uint8_t>() + (p * rows + r) * keys;
      std::fill_n(row, seen, std::uint8_t{1});
      std::fill_n(row + seen, keys - seen, std::uint8_t{0});
    }
  }
}

// All queries against one block of keys at a time.
class Blockwise final : public Method {
 public:
  static Result<std::unique_ptr<Method>> make(backends::Backend& backend, const Values& values, const Task& task) {
    const std::int64_t size = std::min(whole(values, "block"), task.tokens), count = (task.tokens + size - 1) / size;
    HL_ASSIGN(Pieces pieces, Pieces::make(backend, task, 1, count * size, size));
    return std::unique_ptr<Method>(new Blockwise(std::move(pieces), task, size, count));
  }
  Status run(const Rows& rows, Tensor& out, const CancelToken& cancel) override {
    const std::int64_t all = count_ * size_;
    const Tensor q = padded(rows.q, all).reshaped({1, 1, all, task_.d}), k = padded(rows.k, all), v = padded(rows.v, all);
    pieces_.begin();
    for (std::int64_t b = 0; b < count_; ++b) {
      const Shape shape{1, 1, size_, task_.d};
      set_mask(task_, mask_, [b](std::int64_t) { return b; });
      HL_TRY(pieces_.add(q, k.slice(0, b * size_, (b + 1) * size_).reshaped(shape),
                         v.slice(0, b * size_, (b + 1) * size_).reshaped(shape), mask_, cancel));
    }
    pieces_.end(out);
    return {};
  }
  double cells() const override { return static_cast<double>(count_ * size_) * static_cast<double>(count_ * size_); }
  operations::Cost cost() const override {
    return {pieces_.cost().flops * static_cast<double>(count_), pieces_.cost().bytes * static_cast<double>(count_)};
  }

 private:
  Blockwise(Pieces pieces, const Task& task, std::int64_t size, std::int64_t count)
      : pieces_(std::move(pieces)), task_(task), size_(size), count_(count), mask_(DType::u8, {1, 1, count * size, size}) {}
  Pieces pieces_;
  Task task_;
  std::int64_t size_, count_;
  Tensor mask_;
};

// Every device holds the queries of its part, and the blocks of keys and values go round: at step t device p has block p - t.
class Ring final : public Method {
 public:
  static Result<std::unique_ptr<Method>> make(backends::Backend& backend, const Values& values, const Task& task) {
    const std::int64_t devices = whole(values, "devices"), size = (task.tokens + devices - 1) / devices;
    HL_ASSIGN(Pieces pieces, Pieces::make(backend, task, devices, size, size));
    return std::unique_ptr<Method>(new Ring(std::move(pieces), task, size, devices));
  }
  Status run(const Rows& rows, Tensor& out, const CancelToken& cancel) override {
    const std::int64_t all = devices_ * size_;
    const Shape shape{devices_, 1, size_, task_.d};
    const Tensor q = padded(rows.q, all).reshaped(shape);
    Tensor k = padded(rows.k, all), v = padded(rows.v, all);
    pieces_.begin();
    for (std::int64_t t = 0; t < devices_; ++t) {
      set_mask(task_, mask_, [t, n = devices_](std::int64_t p) { return (p - t + n) % n; });
      HL_TRY(pieces_.add(q, k.reshaped(shape), v.reshaped(shape), mask_, cancel));
      if (t + 1 == devices_) break;
      k = passed_on(k);
      v = passed_on(v);
    }
    pieces_.end(out);
    return {};
  }
  double cells() const override { return static_cast<double>(devices_ * size_) * static_cast<double>(devices_ * size_); }
  operations::Cost cost() const override {
    return {pieces_.cost().flops * static_cast<double>(devices_), pieces_.cost().bytes * static_cast<double>(devices_)};
  }

 private:
  Ring(Pieces pieces, const Task& task, std::int64_t size, std::int64_t devices)
      : pieces_(std::move(pieces)), task_(task), size_(size), devices_(devices), mask_(DType::u8, {devices, 1, size, size}) {}
  // Every device's block to the next one.
  Tensor passed_on(const Tensor& blocks) const {
    Tensor out(blocks.dtype(), blocks.shape(), {}, true);
    const std::size_t last = blocks.bytes() / static_cast<std::size_t>(devices_) * static_cast<std::size_t>(devices_ - 1),
                      one = blocks.bytes() - last;
    std::copy_n(blocks.raw(), last, out.raw() + one);
    std::copy_n(blocks.raw() + last, one, out.raw());
    return out;
  }
  Pieces pieces_;
  Task task_;
  std::int64_t size_, devices_;
  Tensor mask_;
};

Result<Pattern> every_cell(const Task& task, const Rows& rows) {
  return softmax_pattern(task, rows, [](std::int64_t, std::int64_t) { return true; });
}

}  // namespace

Entry blockwise() {
  Entry e;
  e.id = "blockwise";
  e.label = "blockwise";
  e.formula = "softmax over all keys, a block of them at a time: sums are put together by log-sum-exp";
  e.source = "Rabe and Staats 2021; Dao et al. 2022 (FlashAttention)";
  e.group = Group::exact;
  e.says = "Exact: the same cells, block by block, so that no L x L matrix is ever in memory.";
  e.parameters = {count_of("block", "block", 8, 1, 1 << 20, "How many keys are looked at at a time.")};
  e.prepare = Blockwise::make;
  e.pattern = [](const Values&, const Task& task, const Rows& rows) { return every_cell(task, rows); };
  e.for_length = [](std::int64_t) { return Values{{"block", std::int64_t{256}}}; };
  return e;
}

Entry ring() {
  Entry e;
  e.id = "ring";
  e.label = "ring";
  e.formula = "at step t device p has its own queries and the keys of device p - t: sums are put together by log-sum-exp";
  e.source = "Liu et al. 2023 (Ring Attention)";
  e.group = Group::exact;
  e.says = "Exact: each device keeps its part of the queries, and keys and values go round.";
  e.parameters = {count_of("devices", "devices", 4, 1, 64, "How many devices share the text; here they are simulated.")};
  e.check = [](const Values& values, const Task& task) -> Status {
    if (whole(values, "devices") <= task.tokens) return {};
    return usage_error("{} devices for {} tokens", whole(values, "devices"), task.tokens)
        .at("ring")
        .mend("give at most as many devices as there are tokens");
  };
  e.prepare = Ring::make;
  e.pattern = [](const Values& values, const Task& task, const Rows& rows) -> Result<Pattern> {
    HL_ASSIGN(Pattern pattern, every_cell(task, rows));
    const std::int64_t size = (task.tokens + whole(values, "devices") - 1) / whole(values, "devices");
    for (std::int64_t i = 0; i < task.tokens; ++i) pattern.part_of.push_back(i / size);
    return pattern;
  };
  e.for_length = [](std::int64_t) { return Values{{"devices", std::int64_t{4}}}; };
  return e;
}

}  // namespace headlight::long_texts
