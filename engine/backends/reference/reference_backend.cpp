// The backend of plain loops: hands each descriptor its arrays.
#include "engine/backends/base/attention_arrays.h"
#include "engine/backends/base/checks.h"
#include "engine/backends/base/host_backend.h"
#include "engine/backends/reference/operations.h"

namespace headlight::backends {
namespace {

struct ReferencePlan : Plan {
  explicit ReferencePlan(OpDesc d) : desc(std::move(d)) {}
  OpDesc desc;
};

using In = std::span<const Buffer>;
using Out = std::span<Buffer>;

const double* real(const Buffer& buffer) { return buffer.host.data<double>(); }
double* real(Buffer& buffer) { return buffer.host.data<double>(); }
std::span<const std::int32_t> ids(const Buffer& buffer) { return buffer.host.values<std::int32_t>(); }
Status finished(bool done) { return done ? Status{} : Status{cancelled()}; }

Status compute(const Linear& op, In in, Out out, const CancelToken& cancel) {
  return finished(reference::linear(op, real(in[0]), real(in[1]), op.bias ? real(in[2]) : nullptr, real(out[0]), cancel));
}
Status compute(const Gather& op, In in, Out out, const CancelToken& cancel) {
  HL_TRY(check_ids(ids(in[1]), op.table_rows, 0, "gather"));
  return finished(reference::gather(op, real(in[0]), ids(in[1]).data(), real(out[0]), cancel));
}
Status compute(const Add& op, In in, Out out, const CancelToken& cancel) {
  return finished(reference::add(op, real(in[0]), real(in[1]), real(out[0]), cancel));
}
Status compute(const LayerNorm& op, In in, Out out, const CancelToken& cancel) {
  return finished(reference::layer_norm(op, real(in[0]), real(in[1]), op.rms ? nullptr : real(in[2]), real(out[0]), cancel));
}
Status compute(const SplitHeads& op, In in, Out out, const CancelToken& cancel) {
  return finished(reference::split_heads(op, real(in[0]), real(out[0]), cancel));
}
Status compute(const MergeHeads& op, In in, Out out, const CancelToken& cancel) {
  return finished(reference::merge_heads(op, real(in[0]), real(out[0]), cancel));
}

Status compute(const Attention& op, In in, Out out, const CancelToken& cancel) {
  const auto a = attention_arrays<reference::AttentionArrays>(op, in, out, [](auto& buffer) { return real(buffer); });
  return finished(reference::attention(op, a, cancel));
}

Status compute(const Isdpa& op, In in, Out out, const CancelToken& cancel) {
  const Buffer& index = in[in.size() - 1];
  HL_TRY(check_ids(ids(index), op.vocabulary, op.length, "isdpa"));
  reference::IsdpaArrays a;
  const std::size_t position = op.separate_position_weights ? 5 : 2;
  a.f = real(in[0]);
  a.p = real(in[1]);
  a.wq = real(in[2]);
  a.wk = real(in[3]);
  a.wv = real(in[4]);
  a.pwq = real(in[position]);
  a.pwk = real(in[position + 1]);
  a.pwv = real(in[position + 2]);
  a.ids = ids(index).data();
  std::size_t next = 0;
  if (op.keep_q) a.q = real(out[next++]);
  if (op.keep_k) a.k = real(out[next++]);
  if (op.keep_v) a.v = real(out[next++]);
  if (op.keep_terms) {
    for (double** term : {&a.mm, &a.mp, &a.pm, &a.pp}) *term = real(out[next++]);
  }
  if (op.keep_qk) a.qk = real(out[next++]);
  if (op.keep_score) a.score = real(out[next++]);
  if (op.keep_result) a.result = real(out[next++]);
  return finished(reference::isdpa(op, a, cancel));
}

class ReferenceBackend : public HostBackend {
 public:
  ReferenceBackend() : HostBackend(DType::f64) {}
  Device device() const override { return {"reference", "Reference, 1 thread, double", true, {}}; }
  Result<std::unique_ptr<Plan>> prepare(const OpDesc& desc) override {
    HL_ASSIGN([[maybe_unused]] const Signature s, signature(desc, dtype()));
    return std::unique_ptr<Plan>(std::make_unique<ReferencePlan>(desc));
  }
  Status execute(Plan& plan, In in, Out out, const CancelToken& cancel) override {
    const OpDesc& desc = static_cast<ReferencePlan&>(plan).desc;
    HL_TRY(check_buffers(desc, in, out, dtype()));
    return std::visit([&](const auto& op) { return compute(op, in, out, cancel); }, desc);
  }
};

}  // namespace

Result<std::shared_ptr<Backend>> make_reference() { return std::shared_ptr<Backend>(std::make_shared<ReferenceBackend>()); }

}  // namespace headlight::backends
