#include "engine/attention/long_texts/method_entries.h"
#include "engine/operations/attention.h"

namespace headlight::long_texts {
namespace {

class Full final : public Method {
 public:
  explicit Full(Call call, double cells) : call_(std::move(call)), cells_(cells) {}
  static Result<std::unique_ptr<Method>> make(backends::Backend& backend, const Values&, const Task& task) {
    operations::Attention op;
    op.batch = op.heads = 1;
    op.queries = op.keys = task.tokens;
    op.d_k = op.d_v = task.d;
    op.scale = task.scale;
    op.has_mask = task.causal;
    HL_ASSIGN(Call call, Call::make(backend, op));
    const auto n = static_cast<double>(task.tokens);
    auto made = std::make_unique<Full>(std::move(call), n * n);
    if (task.causal) {
      made->mask_ = Tensor(DType::u8, {1, 1, task.tokens, task.tokens});
      for (std::int64_t i = 0; i < task.tokens; ++i)
        std::fill_n(made->mask_.data<std::uint8_t>() + i * task.tokens, i + 1, std::uint8_t{1});
    }
    return std::unique_ptr<Method>(std::move(made));
  }
  Status run(const Rows& rows, Tensor& out, const CancelToken& cancel) override {
    const Shape shape{1, 1, rows.q.dim(0), rows.q.dim(1)};
    std::vector<Tensor> in{rows.q.reshaped(shape), rows.k.reshaped(shape), rows.v.reshaped(shape)};
    if (!mask_.empty()) in.push_back(mask_);
    HL_TRY(call_.run(in, cancel));
    std::copy_n(call_.out().raw(), out.bytes(), out.raw());
    return {};
  }
  double cells() const override { return cells_; }
  operations::Cost cost() const override { return call_.cost(); }

 private:
  Call call_;
  Tensor mask_;
  double cells_;
};

}  // namespace

Entry full() {
  Entry e;
  e.id = "full";
  e.label = "full";
  e.formula = "softmax(q k^T scale) v";
  e.source = "Vaswani et al. 2017, 3.2.1";
  e.group = Group::exact;
  e.says = "Every query sees every key: the work grows with the square of the length.";
  e.prepare = Full::make;
  e.pattern = [](const Values&, const Task& task, const Rows& rows) -> Result<Pattern> {
    return softmax_pattern(task, rows, [](std::int64_t, std::int64_t) { return true; });
  };
  e.for_length = [](std::int64_t) { return Values{}; };
  return e;
}

}  // namespace headlight::long_texts
