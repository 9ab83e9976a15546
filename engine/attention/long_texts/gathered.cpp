#include "engine/attention/long_texts/gathered.h"

#include <algorithm>
#include <cstring>

#include "engine/core/parallel.h"
#include "engine/operations/attention.h"

namespace headlight::long_texts {
namespace {

// The rows `ids` of `from` [tokens, d], one behind the other; -1 gives zeros.
void gather(const Tensor& from, const std::vector<std::int32_t>& ids, Tensor& to, const CancelToken& cancel) {
  const std::size_t width = static_cast<std::size_t>(from.dim(1)) * size_of(from.dtype());
  parallel_for(
      static_cast<std::int64_t>(ids.size()), 256,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const auto at = static_cast<std::size_t>(i);
          std::byte* row = to.raw() + at * width;
          if (ids[at] < 0)
            std::memset(row, 0, width);
          else
            std::memcpy(row, from.raw() + static_cast<std::size_t>(ids[at]) * width, width);
        }
      },
      cancel);
}

class OneSet final : public Method {
 public:
  OneSet(Blocks blocks, Gathered gathered) : blocks_(std::move(blocks)), gathered_(std::move(gathered)) {}
  Status run(const Rows& rows, Tensor& out, const CancelToken& cancel) override {
    return gathered_.run(blocks_, rows, out, cancel);
  }
  double cells() const override { return gathered_.cells(); }
  operations::Cost cost() const override { return gathered_.cost(); }

 private:
  Blocks blocks_;
  Gathered gathered_;
};

}  // namespace

Blocks::Blocks(std::int64_t count_of, std::int64_t rows_of, std::int64_t keys_of)
    : count(count_of),
      rows(rows_of),
      keys(keys_of),
      queries(static_cast<std::size_t>(count_of * rows_of), -1),
      of_keys(static_cast<std::size_t>(count_of * keys_of), -1),
      mask(DType::u8, {count_of, 1, rows_of, keys_of}) {}

void Blocks::allow(const std::function<bool(std::int64_t, std::int64_t)>& allowed,
                   const std::function<double(std::int64_t, std::int64_t)>& of_bias, DType real) {
  if (of_bias) bias = Tensor(real, {count, 1, rows, keys});
  for (std::int64_t b = 0; b < count; ++b)
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < keys; ++c) {
        const std::int64_t query = queries[static_cast<std::size_t>(b * rows + r)],
                           key = of_keys[static_cast<std::size_t>(b * keys + c)], at = (b * rows + r) * keys + c;
        const bool may = query >= 0 && key >= 0 && allowed(query, key);
        mask.data<std::uint8_t>()[at] = may ? 1 : 0;
        if (!of_bias || !may) continue;
        if (real == DType::f64)
          bias.data<double>()[at] = of_bias(query, key);
        else
          bias.data<float>()[at] = static_cast<float>(of_bias(query, key));
      }
}

Result<Gathered> Gathered::make(backends::Backend& backend, const Task& task, const Blocks& shape, bool biased) {
  Gathered made;
  operations::Attention op;
  op.batch = shape.count;
  op.heads = 1;
  op.queries = shape.rows;
  op.keys = shape.keys;
  op.d_k = op.d_v = task.d;
  op.scale = task.scale;
  op.has_mask = true;
  op.has_bias = biased;
  HL_ASSIGN(Call call, Call::make(backend, op));
  made.call_ = std::move(call);
  made.q_ = Tensor(backend.dtype(), {shape.count, 1, shape.rows, task.d});
  made.k_ = Tensor(backend.dtype(), {shape.count, 1, shape.keys, task.d});
  made.v_ = Tensor(backend.dtype(), {shape.count, 1, shape.keys, task.d});
  made.cells_ = static_cast<double>(shape.count * shape.rows) * static_cast<double>(shape.keys);
  return made;
}

Status Gathered::run(const Blocks& blocks, const Rows& rows, Tensor& out, const CancelToken& cancel) {
  gather(rows.q, blocks.queries, q_, cancel);
  gather(rows.k, blocks.of_keys, k_, cancel);
  gather(rows.v, blocks.of_keys, v_, cancel);
  std::vector<Tensor> in{q_, k_, v_, blocks.mask};
  if (!blocks.bias.empty()) in.push_back(blocks.bias);
  HL_TRY(call_->run(in, cancel));
  const std::size_t width = static_cast<std::size_t>(out.dim(1)) * size_of(out.dtype());
  for (std::size_t i = 0; i < blocks.queries.size(); ++i)
    if (blocks.queries[i] >= 0)
      std::memcpy(out.raw() + static_cast<std::size_t>(blocks.queries[i]) * width, call_->out().raw() + i * width, width);
  return {};
}

Blocks window_blocks(const Task& task, std::int64_t asked, std::int64_t step, std::int64_t first) {
  const std::int64_t n = task.tokens, classes = std::min(step, n), longest = (n + step - 1) / step,
                     size = std::min(asked, longest);
  const std::int64_t rows = std::min(std::clamp<std::int64_t>(size, 16, 128), longest), of_class = (longest + rows - 1) / rows;
  const std::int64_t around = rows + size + (task.causal ? 0 : size), keys = first + around;
  Blocks blocks(classes * of_class, rows, keys);
  for (std::int64_t c = 0; c < classes; ++c)
    for (std::int64_t b = 0; b < of_class; ++b) {
      const std::int64_t at = c * of_class + b;
      for (std::int64_t r = 0; r < rows; ++r)
        if (const std::int64_t token = c + (b * rows + r) * step; token < n)
          blocks.queries[static_cast<std::size_t>(at * rows + r)] = static_cast<std::int32_t>(token);
      for (std::int64_t g = 0; g < first; ++g)
        blocks.of_keys[static_cast<std::size_t>(at * keys + g)] = static_cast<std::int32_t>(g);
      for (std::int64_t r = 0; r < around; ++r) {
        const std::int64_t place = b * rows - size + r, token = c + place * step;
        // The first tokens stand there already.
        if (place >= 0 && token < n && token >= first)
          blocks.of_keys[static_cast<std::size_t>(at * keys + first + r)] = static_cast<std::int32_t>(token);
      }
    }
  return blocks;
}

Result<std::unique_ptr<Method>> blocks_method(backends::Backend& backend, const Task& task, Blocks blocks, bool biased) {
  HL_ASSIGN(Gathered gathered, Gathered::make(backend, task, blocks, biased));
  return std::unique_ptr<Method>(std::make_unique<OneSet>(std::move(blocks), std::move(gathered)));
}

}  // namespace headlight::long_texts
