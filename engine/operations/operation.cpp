#include "engine/operations/operation.h"

#include <atomic>
#include <cmath>

#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

std::atomic<std::uint64_t> plain_count{0};

}  // namespace

void Signature::input(DType type, Shape shape) {
  inputs.push_back(std::move(shape));
  input_types.push_back(type);
  broadcasts.push_back(false);
  below.push_back(0);
}
void Signature::ids(Shape shape, std::int64_t rows) {
  input(DType::i32, std::move(shape));
  below.back() = rows;
}
void Signature::mask(DType type, Shape shape) {
  input(type, std::move(shape));
  broadcasts.back() = true;
}
void Signature::output(Shape shape, Axes axes) {
  outputs.push_back(std::move(shape));
  output_axes.push_back(std::move(axes));
}

Status check_sizes(const char* operation, std::initializer_list<Size> sizes) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  for (const Size& size : sizes) {
    if (size.value < 1)
      return invalid("{} is {}", size.name, size.value).at(Message::name(operation)).mend("it must be at least 1");
    if (size.value > most)
      return failure(ErrorKind::too_large, "{} is {}", size.name, size.value)
          .at(Message::name(operation))
          .mend("it may be {} at most", most);
  }
  return {};
}

Status check_epsilon(double epsilon, const char* operation) {
  if (!(epsilon >= 0) || !std::isfinite(epsilon)) return invalid("epsilon must be a number >= 0").at(Message::name(operation));
  return {};
}

Status check_dropout(double rate, const char* operation) {
  if (!(rate >= 0 && rate < 1)) return invalid("the dropout rate must be at least 0 and below 1").at(Message::name(operation));
  return {};
}

Result<std::uint64_t> checked_bytes(DType dtype, const Shape& shape) {
  std::uint64_t count = size_of(dtype);
  for (const std::int64_t size : shape) {
    if (size < 0) return invalid("a size of {}", size).at(to_string(shape));
    if (size > 0 && count > (std::uint64_t{1} << 62) / static_cast<std::uint64_t>(size)) {
      return failure(ErrorKind::too_large, "an array of shape {} has more bytes than can be counted", to_string(shape));
    }
    count *= static_cast<std::uint64_t>(size);
  }
  return count;
}

Result<Signature> signature(const Operation& operation, DType real) {
  Signature s;
  HL_TRY(operation.kind().describe(operation.descriptor(), real, s));
  for (const Shape& shape : s.outputs) HL_TRY(checked_bytes(real, shape));
  for (std::size_t i = 0; i < s.inputs.size(); ++i)
    if (!s.broadcasts[i]) HL_TRY(checked_bytes(s.input_types[i], s.inputs[i]));
  return s;
}

void add_to(Fingerprint& key, const Operation& operation) {
  key.add(std::string_view(operation.id()));
  operation.kind().add_to(operation.descriptor(), key);
}

Cost cost_of(const Operation& operation, DType real, bool ready) {
  Cost cost;
  const auto s = signature(operation, real);
  if (!s) return cost;
  const Kind& kind = operation.kind();
  const auto bytes = [](const Shape& shape, DType type) {
    return static_cast<double>(element_count(shape)) * static_cast<double>(size_of(type));
  };
  cost.flops = kind.flops(operation.descriptor(), ready);
  for (std::size_t i = 0; i < s->inputs.size(); ++i)
    if (!s->broadcasts[i]) cost.bytes += bytes(s->inputs[i], s->input_types[i]);  // a mask is small, of a size not known here
  if (kind.untouched) cost.bytes -= kind.untouched(operation.descriptor(), ready, real);
  for (const Shape& shape : s->outputs) cost.bytes += bytes(shape, real);
  return cost;
}

std::uint64_t plain_runs() { return plain_count; }

Status compute(const Operation& operation, std::span<const Tensor> in, std::span<Tensor> out, const CancelToken& cancel) {
  ++plain_count;
  const DType real = out.empty() ? DType::f32 : out[0].dtype();
  HL_TRY(check_inputs(operation, in, real));
  HL_TRY(check_outputs(operation, out, real));
  const Kind& kind = operation.kind();
  return (real == DType::f64 ? kind.compute_f64 : kind.compute_f32)(operation.descriptor(), in, out, cancel);
}

Error mismatch(const Operation& operation, bool is_input, std::size_t i, const Message& has, const Message& wanted) {
  Failure wrong = is_input ? invalid("input {} is {}", i, has) : invalid("output {} is {}", i, has);
  return std::move(wrong).at(operation.id()).mend("it must be {}", wanted);
}

Status check_contiguous(const Operation& operation, bool is_input, std::size_t i, const Tensor& tensor) {
  if (!tensor.contiguous()) return mismatch(operation, is_input, i, Message("a strided view"), Message("contiguous"));
  return {};
}

Status check_inputs(const Operation& operation, std::span<const Tensor> in, DType real) {
  HL_ASSIGN(const Signature s, signature(operation, real));
  if (in.size() != s.inputs.size())
    return invalid("{} inputs", in.size()).at(operation.id()).mend("it takes {}", s.inputs.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (in[i].dtype() != s.input_types[i])
      return mismatch(operation, true, i, Message::name(name_of(in[i].dtype())), Message::name(name_of(s.input_types[i])));
    const Shape& shape = in[i].shape();
    const Shape& wanted = s.inputs[i];
    bool fits = shape.size() == wanted.size();
    for (std::size_t axis = 0; fits && axis < shape.size(); ++axis)
      fits = shape[axis] == wanted[axis] || (s.broadcasts[i] && shape[axis] == 1);
    if (!fits)
      return mismatch(operation, true, i, to_string(shape),
                      s.broadcasts[i] ? Message("{}, each size that or 1", to_string(wanted)) : Message(to_string(wanted)));
  }
  return {};
}

Status check_outputs(const Operation& operation, std::span<const Tensor> out, DType real) {
  HL_ASSIGN(const Signature s, signature(operation, real));
  if (out.size() != s.outputs.size())
    return invalid("{} outputs", out.size()).at(operation.id()).mend("it gives {}", s.outputs.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].dtype() != real)
      return mismatch(operation, false, i, Message::name(name_of(out[i].dtype())), Message::name(name_of(real)));
    if (out[i].shape() != s.outputs[i]) return mismatch(operation, false, i, to_string(out[i].shape()), to_string(s.outputs[i]));
  }
  return {};
}

Status check_ids(std::span<const std::int32_t> ids, std::int64_t rows, std::int64_t per_line, const char* where) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && ids[i] < rows) continue;
    const auto at = static_cast<std::int64_t>(i);
    const std::string place = per_line > 0 ? "[" + std::to_string(at / per_line) + ", " + std::to_string(at % per_line) + "]"
                                           : "[" + std::to_string(at) + "]";
    return invalid("index {} at {} is outside the table of {} rows", ids[i], place, rows)
        .at(Message::name(where))
        .mend("indices run from 0 to {}", rows - 1);
  }
  return {};
}

}  // namespace headlight::operations
