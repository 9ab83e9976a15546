// headlight sdpa: scaled dot-product attention over arrays.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/arrays.h"
#include "app/cli/backend_option.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/progress.h"
#include "engine/operations/attention.h"

namespace headlight::cli {
namespace {

using namespace backends;

const std::vector<std::string> kArrays{"q", "k", "v", "mask", "scores"};

struct SdpaOptions {
  std::string in, out, backend = "cpu";
  bool causal = false, no_weights = false;
  std::optional<double> scale;
  std::int64_t q_heads = 1, kv_heads = 1;
};

std::int64_t at(const Tensor& t, int axis) { return t.dim(axis); }

// The call, with q, k and v as [B,H,L,D]. `rank` is the number of axes that they had in the file, and that the result gets again.
struct Problem {
  Attention op;
  std::vector<Tensor> inputs;
  int rank = 0;
  bool has_values = true;  // false: scores alone, of which only the weights are asked for
};

// [B,L,H*D] -> [B,H,L,D].
Result<Tensor> split_sdpa(const ArrayFile& file, const char* name, const Tensor& t, std::int64_t heads, const char* option) {
  if (at(t, 2) % heads != 0) {
    return file.wrong(name, Message("is {}, and its last size is no multiple of {} heads", to_string(t.shape()), heads),
                      Message("choose {} so that it divides {}", option, at(t, 2)));
  }
  return t.compact().reshaped({at(t, 0), at(t, 1), heads, at(t, 2) / heads}).permuted({0, 2, 1, 3}).compact();
}

// The identity of `n` rows, for all batch items and heads: scores times it are the scores, to the last bit.
Tensor identity(const Shape& leading, std::int64_t n) {
  Tensor all(DType::f32, {leading[0], leading[1], n, n});
  std::fill_n(all.data<float>(), all.count(), 0.0f);
  for (std::int64_t at = 0; at < leading[0] * leading[1]; ++at)
    for (std::int64_t i = 0; i < n; ++i) all.data<float>()[(at * n + i) * n + i] = 1;
  return all;
}

// Scores in place of q and k, [B,H,N,M] or [N,M], with v [B,H,M,D] or [M,D] or alone. They are used as they are, unless --scale
// says otherwise.
Result<Problem> read_scores(const ArrayFile& file, const SdpaOptions& options) {
  for (const char* name : {"q", "k"})
    if (file.find(name))
      return file.wrong(name, Message("stands beside scores, which are made of q and k"), Message("give q, k and v, or scores"));
  if (options.q_heads != 1 || options.kv_heads != 1)
    return usage_error("--q-heads and --kv-heads are for arrays of the form [B,L,H*D]").mend("scores have a form of their own");
  Problem p;
  HL_ASSIGN(Tensor scores, file.real("scores"));
  if ((scores.rank() != 2 && scores.rank() != 4) || scores.count() == 0)
    return file.wrong("scores", Message("is {}", to_string(scores.shape())),
                      Message("give [B,H,N,M] or [N,M], queries down and keys across"));
  p.rank = scores.rank();
  if (p.rank == 2) scores = scores.compact().reshaped({1, 1, at(scores, 0), at(scores, 1)});
  const Tensor numbers = scores.as(DType::f64).compact();
  for (std::int64_t i = 0; i < numbers.count(); ++i)
    if (!std::isfinite(numbers.data<double>()[i])) {
      const std::int64_t column = i % at(scores, 3), row = i / at(scores, 3) % at(scores, 2);
      return file.wrong("scores", Message("holds a number that is infinite or none in row {}, column {}", row, column),
                        Message("mask a cell with the array mask"));
    }
  const Shape leading{at(scores, 0), at(scores, 1)};
  const std::int64_t keys = at(scores, 3);
  HL_TRY(check_memory("the identity that the scores are multiplied by", {{DType::f32, {leading[0], leading[1], keys, keys}}}));
  Tensor values;
  p.has_values = file.find("v") != nullptr;
  if (p.has_values) {
    HL_ASSIGN(values, file.real("v"));
    if (values.rank() != p.rank)
      return file.wrong("v", Message("has {} axes and scores has {}", values.rank(), p.rank), Message("give both in one form"));
    if (p.rank == 2) values = values.compact().reshaped({1, 1, at(values, 0), at(values, 1)});
    if (values.count() == 0 || at(values, 0) != leading[0] || at(values, 1) != leading[1] || at(values, 2) != keys)
      return file.wrong("v", Message("is {} and scores is {}", to_string(values.shape()), to_string(scores.shape())),
                        Message("v has a row for each key, a column of scores"));
  } else {
    values = Tensor(DType::f32, {leading[0], leading[1], keys, 1});
    std::fill_n(values.data<float>(), values.count(), 0.0f);
  }
  p.inputs = {scores, identity(leading, keys), values};
  p.op = {leading[0], leading[1], at(scores, 2), keys, keys, at(values, 3)};
  p.op.scale = options.scale.value_or(1);
  p.op.keep_weights = !options.no_weights || !p.has_values;
  return p;
}

Result<Problem> read_problem_sdpa(const ArrayFile& file, const SdpaOptions& options) {
  if (file.find("scores")) return read_scores(file, options);
  Problem p;
  for (const char* name : {"q", "k", "v"}) {
    HL_ASSIGN(Tensor t, file.real(name));
    if (t.rank() < 2 || t.rank() > 4) {
      return file.wrong(name, Message("is {}", to_string(t.shape())), Message("give [B,H,L,D], [B,L,H*D] or [L,D]"));
    }
    if (p.rank == 0) p.rank = t.rank();
    if (t.rank() != p.rank) {
      return file.wrong(name, Message("has {} axes and q has {}", t.rank(), p.rank), Message("give q, k and v in one form"));
    }
    if (t.count() == 0)
      return file.wrong(name, Message("is empty: {}", to_string(t.shape())), Message("every size must be at least 1"));
    if (p.rank != 3 && (options.q_heads != 1 || options.kv_heads != 1)) {
      return usage_error("--q-heads and --kv-heads are for arrays of the form [B,L,H*D]").mend("these have {} axes", p.rank);
    }
    const bool is_q = p.inputs.empty();
    if (p.rank == 2) t = t.compact().reshaped({1, 1, at(t, 0), at(t, 1)});
    if (p.rank == 3) {
      HL_ASSIGN(t, split_sdpa(file, name, t, is_q ? options.q_heads : options.kv_heads, is_q ? "--q-heads" : "--kv-heads"));
    }
    p.inputs.push_back(t);
  }
  const Tensor &q = p.inputs[0], &k = p.inputs[1], &v = p.inputs[2];
  const auto same = [&](const char* name, const Tensor& t, int axis, std::int64_t wanted, const std::string& as) -> Status {
    if (at(t, axis) == wanted) return {};
    return file.wrong(name, Message("has {} where {} has {}", at(t, axis), as, wanted), Message("make them equal"));
  };
  HL_TRY(same("k", k, 0, at(q, 0), "the batch of q"));
  HL_TRY(same("v", v, 0, at(q, 0), "the batch of q"));
  HL_TRY(same("k", k, 3, at(q, 3), "the head size of q"));
  HL_TRY(same("v", v, 1, at(k, 1), "the heads of k"));
  HL_TRY(same("v", v, 2, at(k, 2), "the length of k"));
  if (at(q, 1) % at(k, 1) != 0) {
    return file.wrong("k", Message("has {} heads and q has {}", at(k, 1), at(q, 1)),
                      Message("the heads of k and v must divide those of q"));
  }
  p.op = {at(q, 0), at(q, 1), at(q, 2), at(k, 2), at(q, 3), at(v, 3), at(k, 1)};
  p.op.scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(p.op.d_k)));
  p.op.keep_weights = !options.no_weights;
  return p;
}

// The file's mask combined with the causal one of --causal. It has four axes, [batch, head, query, key], each of size 1 or of the
// problem's size; it is empty if neither mask is given.
Result<Tensor> read_mask(const ArrayFile& file, const Attention& op, bool causal) {
  const Shape full{op.batch, op.heads, op.queries, op.keys};
  Tensor mask;
  if (const Tensor* given = file.find("mask")) {
    const Message broadcasts("it must be bool or float and broadcast to {} [batch, head, query, key]", to_string(full));
    if (given->dtype() == DType::i32) {
      std::string type = "integers";
      for (const StoredArray& one : file.stored)
        if (one.name == "mask") type = one.type;
      return file.wrong("mask", Message("holds {}", type), broadcasts);
    }
    Shape shape = given->shape();
    while (shape.size() < 4) shape.insert(shape.begin(), 1);
    bool fits = shape.size() == 4;
    for (std::size_t i = 0; fits && i < 4; ++i) fits = shape[i] == 1 || shape[i] == full[i];
    if (!fits) return file.wrong("mask", Message("is {}", to_string(given->shape())), broadcasts);
    mask = given->compact().reshaped(shape);
  }
  if (!causal) return mask;
  Shape shape{1, 1, op.queries, op.keys};
  if (!mask.empty()) shape = {at(mask, 0), at(mask, 1), op.queries, op.keys};
  const bool additive = !mask.empty() && mask.dtype() != DType::u8;
  HL_TRY(check_memory("the causal mask", {{additive ? DType::f64 : DType::u8, shape}}));
  Tensor both = mask.empty() ? Tensor(DType::u8, shape) : Tensor(additive ? DType::f64 : DType::u8, shape);
  const Tensor from = mask.empty() ? Tensor() : mask.as(both.dtype()).broadcast_to(shape);
  std::int64_t cell = 0;
  for (std::int64_t b = 0; b < shape[0]; ++b) {
    for (std::int64_t h = 0; h < shape[1]; ++h) {
      for (std::int64_t i = 0; i < op.queries; ++i) {
        for (std::int64_t j = 0; j < op.keys; ++j, ++cell) {
          if (additive) {
            both.data<double>()[cell] = j <= i ? from.at({b, h, i, j}) : -std::numeric_limits<double>::infinity();
          } else {
            both.data<std::uint8_t>()[cell] = j <= i && (from.empty() || from.at({b, h, i, j}) != 0) ? 1 : 0;
          }
        }
      }
    }
  }
  return both;
}

Status run_sdpa(const SdpaOptions& options) {
  if (options.q_heads < 1 || options.kv_heads < 1) return usage_error("--q-heads and --kv-heads must be at least 1");
  if (options.scale && !std::isfinite(*options.scale)) return usage_error("--scale must be a finite number");
  HL_ASSIGN(const std::shared_ptr<Backend> backend, open_backend(options.backend));
  HL_ASSIGN(const std::string out_file, output_file(options.out, options.in));
  HL_ASSIGN(const ArrayFile file, read_arrays("sdpa", options.in, kArrays));
  HL_ASSIGN(Problem problem, read_problem_sdpa(file, options));
  Attention& op = problem.op;
  std::vector<std::pair<DType, Shape>> made{{backend->dtype(), {op.batch, op.heads, op.queries, op.d_v}}};
  if (op.keep_weights) made.emplace_back(backend->dtype(), Shape{op.batch, op.heads, op.queries, op.keys});
  HL_TRY(check_memory("the weights", made));
  HL_ASSIGN(const Tensor mask, read_mask(file, op, options.causal));
  // After all that can be wrong with the arrays: an error is one line.
  HL_TRY(check_precision("sdpa", file, kArrays, backend->dtype()));
  if (!mask.empty()) {
    op.has_mask = mask.dtype() == DType::u8;
    op.has_bias = mask.dtype() != DType::u8;
    problem.inputs.push_back(mask);
  }
  std::vector<Buffer> in;
  for (const Tensor& t : problem.inputs) {
    HL_ASSIGN(Buffer buffer, backend->upload(t));
    in.push_back(std::move(buffer));
  }
  std::vector<Buffer> out;
  {
    const Waiting waiting("sdpa: computing");
    HL_ASSIGN(out, backend->apply(op, in, interrupt_token()));
  }
  NamedTensors arrays;
  HL_ASSIGN(Tensor y, backend->download(out[0]));
  if (mask.empty()) HL_TRY(check_finite("y", y, problem.inputs));
  if (problem.rank == 2) y = y.reshaped({op.queries, op.d_v});
  if (problem.rank == 3) y = y.permuted({0, 2, 1, 3}).compact().reshaped({op.batch, op.queries, op.heads * op.d_v});
  if (problem.has_values) arrays.emplace_back("y", std::move(y));
  if (op.keep_weights) {
    HL_ASSIGN(Tensor weights, backend->download(out[1]));
    arrays.emplace_back("weights", problem.rank == 2 ? weights.reshaped({op.queries, op.keys}) : weights);
  }
  const Waiting waiting("sdpa: writing");
  return write_npz(out_file, arrays);
}

}  // namespace

Entry sdpa_command() {
  return {"sdpa",
          "Scaled dot-product attention over the arrays q, k, v of an .npz",
          {},
          "S5, S6, S13",
          [](Arguments& arguments) -> std::function<int()> {
            auto options = std::make_shared<SdpaOptions>();
            arguments
                .option(
                    "--in", options->in,
                    ".npz with q, k, v as [B,H,L,D], [B,L,H*D] or [L,D]; optional mask (bool: true = may attend; float: added); "
                    "or scores [B,H,N,M] or [N,M] in place of q and k, with v or alone")
                .required();
            arguments
                .option("--out", options->out,
                        ".npz to write: y in the form of q, weights [B,H,N,M] ([N,M] for [L,D]); - for standard output")
                .required();
            arguments.flag("--no-weights", options->no_weights, "write y alone: the weights are not kept");
            arguments.flag("--causal", options->causal, "a query attends to no later key");
            arguments.option("--scale", options->scale, "factor of the scores (default 1/sqrt(D), of given scores 1)");
            arguments.option("--q-heads", options->q_heads, "heads of q in the form [B,L,H*D]");
            arguments.option("--kv-heads", options->kv_heads, "heads of k and v in that form; must divide those of q");
            add_backend_option(arguments, options->backend);
            return [options] {
              const Status status = run_sdpa(*options);
              return status ? kDone : fail("sdpa", status.error());
            };
          }};
}

}  // namespace headlight::cli
