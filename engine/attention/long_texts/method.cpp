#include "engine/attention/long_texts/method.h"

#include <algorithm>

#include "engine/attention/long_texts/method_entries.h"

namespace headlight::long_texts {

const char* name_of(Group group) { return group == Group::exact ? "exact" : group == Group::sparse ? "sparse" : "low rank"; }

const Registry<Entry>& registry() {
  static const Registry<Entry> all("long-text method", {full(), blockwise(), ring(), window(), dilated(), block(), global(),
                                                        adaptive(), reformer(), linformer(), linear()});
  return all;
}

std::int64_t whole(const Values& values, const char* name) {
  const auto at = values.find(name);
  const auto* number = at == values.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
  return number ? *number : 0;
}

Result<Values> checked(const Entry& entry, const Values& given, const Task& task) {
  Values values;
  for (const Parameter& parameter : entry.parameters) values[parameter.id] = parameter.fallback;
  for (const auto& [name, value] : given) {
    const auto at = std::find_if(entry.parameters.begin(), entry.parameters.end(),
                                 [&, &name = name](const Parameter& parameter) { return parameter.id == name; });
    if (at == entry.parameters.end()) {
      std::string known;
      for (const Parameter& parameter : entry.parameters) known += (known.empty() ? "" : ", ") + parameter.id;
      return usage_error("{} has no parameter '{}'", entry.id, name)
          .at(entry.id)
          .mend(known.empty() ? Message("it has none") : Message("it has {}", known));
    }
    HL_TRY(check_value(*at, value));
    values[name] = value;
  }
  if (entry.check) HL_TRY(entry.check(values, task));
  return values;
}

Result<std::unique_ptr<Method>> prepare(const Entry& entry, backends::Backend& backend, const Values& values, const Task& task) {
  if (backend.computes_later())
    return failure(ErrorKind::unavailable, "methods for long texts are computed on the CPU")
        .at(backend.device().id)
        .mend("use --backend cpu");
  HL_ASSIGN(const Values all, checked(entry, values, task));
  return entry.prepare(backend, all, task);
}

Result<Pattern> pattern(const Entry& entry, const Values& values, const Task& task, const Rows& rows) {
  HL_ASSIGN(const Values all, checked(entry, values, task));
  const Rows wide{rows.q.as(DType::f64).compact(), rows.k.as(DType::f64).compact(), rows.v.as(DType::f64).compact()};
  return entry.pattern(all, task, wide);
}

Tensor output_of(const Pattern& pattern, const Tensor& v) {
  const Tensor wide = v.as(DType::f64).compact();
  const std::int64_t n = pattern.weights.dim(0), d = wide.dim(1);
  Tensor out(DType::f64, {n, d}, {"position", "d_k"});
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const double weight = pattern.weights.data<double>()[i * n + j];
      if (weight == 0) continue;
      for (std::int64_t c = 0; c < d; ++c) out.data<double>()[i * d + c] += weight * wide.data<double>()[j * d + c];
    }
  return out;
}

Parameter count_of(const char* id, const char* label, std::int64_t fallback, std::int64_t least, std::int64_t most,
                   const char* help) {
  Parameter parameter;
  parameter.id = id;
  parameter.label = label;
  parameter.help = help;
  parameter.fallback = fallback;
  parameter.least = static_cast<double>(least);
  parameter.most = static_cast<double>(most);
  return parameter;
}

Pattern softmax_pattern(const Task& task, const Rows& rows, const std::function<bool(std::int64_t, std::int64_t)>& allowed,
                        const std::function<double(std::int64_t, std::int64_t)>& bias) {
  const std::int64_t n = task.tokens, d = task.d;
  const double *q = rows.q.data<double>(), *k = rows.k.data<double>();
  Pattern pattern{Tensor(DType::f64, {n, n}, {"query", "key"}), Tensor(DType::u8, {n, n}, {"query", "key"}), {}};
  for (std::int64_t i = 0; i < n; ++i) {
    double* weights = pattern.weights.data<double>() + i * n;
    std::uint8_t* computed = pattern.computed.data<std::uint8_t>() + i * n;
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      if ((task.causal && j > i) || !allowed(i, j)) continue;
      double score = 0;
      for (std::int64_t c = 0; c < d; ++c) score += q[i * d + c] * k[j * d + c];
      weights[j] = score * task.scale + (bias ? bias(i, j) : 0);
      computed[j] = 1;
      largest = std::max(largest, weights[j]);
    }
    for (std::int64_t j = 0; j < n; ++j)
      if (computed[j]) sum += weights[j] = std::exp(weights[j] - largest);
    for (std::int64_t j = 0; j < n; ++j)
      if (computed[j]) weights[j] /= sum;
  }
  return pattern;
}

Result<Call> Call::make(backends::Backend& backend, const backends::OpDesc& desc) {
  Call call;
  call.backend_ = &backend;
  HL_ASSIGN(call.plan_, backend.prepare(desc));
  HL_ASSIGN(const operations::Signature s, operations::signature(desc, backend.dtype()));
  for (std::size_t i = 0; i < s.outputs.size(); ++i) {
    HL_ASSIGN(backends::Buffer buffer, backend.allocate(backend.dtype(), s.outputs[i], s.output_axes[i]));
    call.out_.push_back(std::move(buffer));
  }
  call.cost_ = operations::cost_of(desc, backend.dtype());
  return call;
}

Status Call::run(const std::vector<Tensor>& in, const CancelToken& cancel) {
  std::vector<backends::Buffer> buffers;
  for (const Tensor& tensor : in) buffers.push_back({tensor, nullptr});
  return backend_->execute(*plan_, buffers, out_, cancel);
}

}  // namespace headlight::long_texts
