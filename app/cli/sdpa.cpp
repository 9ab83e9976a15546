// headlight sdpa: scaled dot-product attention over arrays.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/arrays.h"
#include "app/cli/backend_option.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/mask_array.h"
#include "app/cli/not_finite.h"
#include "app/cli/output.h"
#include "app/cli/progress.h"
#include "engine/operations/attention.h"

namespace headlight::cli {
namespace {

using namespace backends;

const std::vector<std::string> kArrays{"q", "k", "v", "mask", "scores"};

struct SdpaOptions {
  std::string in, out, backend = "cpu";
  bool causal = false, no_weights = false, strict = false;
  std::optional<double> scale;
  std::int64_t q_heads = 1, kv_heads = 1;
};

std::int64_t at(const Tensor& t, int axis) { return t.dim(axis); }

// The call, with q, k and v as [B,H,L,D]. `rank` is the number of axes that they had in the file, and that the result gets again.
struct Problem {
  Attention op;
  std::vector<Tensor> inputs;
  Tensor scores;  // given in place of q and k: already scaled
  int rank = 0;
  Shape leading;           // of more than four axes: those before [H,L,D], which are computed as one axis of the batch
  bool has_values = true;  // false: scores alone, of which only the weights are asked for
};

// [..., B,H,L,D] -> [... * B,H,L,D]; arrays of at most four axes stay.
Tensor with_one_batch(const Tensor& t) {
  if (t.rank() <= 4 || t.count() == 0) return t;
  return t.compact().reshaped({t.count() / (at(t, -3) * at(t, -2) * at(t, -1)), at(t, -3), at(t, -2), at(t, -1)});
}
Shape leading_of(const Tensor& t) { return t.rank() <= 4 ? Shape{} : Shape(t.shape().begin(), t.shape().end() - 3); }
// The result with the axes that with_one_batch() took.
Tensor with_leading(const Tensor& t, const Shape& leading) {
  if (leading.empty()) return t;
  Shape shape = leading;
  shape.insert(shape.end(), {at(t, 1), at(t, 2), at(t, 3)});
  return t.reshaped(shape);
}

// A mask beside arrays of more than four axes: it broadcasts to their axes as NumPy's do, or is [B,M] or [B,N,M], B the last axis
// before the heads.
Status with_one_batch_of_mask(ArrayFile& file, const Shape& leading, const Attention& op) {
  const auto mask = std::find_if(file.arrays.begin(), file.arrays.end(), [](const auto& one) { return one.first == "mask"; });
  if (leading.empty() || mask == file.arrays.end()) return {};
  Tensor& t = mask->second;
  const auto is = [](std::int64_t size, std::int64_t wanted) { return size == 1 || size == wanted; };
  const bool of_queries = t.rank() == 2 && is(at(t, 0), op.queries), of_heads = t.rank() == 3 && is(at(t, 0), op.heads);
  if (t.rank() == 2 && !of_queries && at(t, 0) == leading.back()) t = t.compact().reshaped({at(t, 0), 1, 1, at(t, 1)});
  if (t.rank() == 3 && !of_heads && at(t, 0) == leading.back()) t = t.compact().reshaped({at(t, 0), 1, at(t, 1), at(t, 2)});
  if (t.rank() < 4) return {};
  Shape shape = t.shape(), full = leading;
  while (shape.size() < leading.size() + 3) shape.insert(shape.begin(), 1);
  full.insert(full.end(), shape.end() - 3, shape.end());
  for (std::size_t i = 0; i < leading.size(); ++i)
    if (shape.size() != full.size() || !is(shape[i], full[i]))
      return file.wrong("mask", Message("is {}", to_string(t.shape())),
                        Message("it must broadcast to {} and [head, query, key]", to_string(leading)));
  HL_TRY(check_memory("the mask", {{t.dtype(), full}}));
  t = with_one_batch(t.compact().reshaped(shape).broadcast_to(full));
  return {};
}

// [B,L,H*D] -> [B,H,L,D].
Result<Tensor> split_sdpa(const ArrayFile& file, const char* name, const Tensor& t, std::int64_t heads, const char* option) {
  if (at(t, 2) % heads != 0) {
    return file.wrong(name, Message("is {}, and its last size is no multiple of {} heads", to_string(t.shape()), heads),
                      Message("choose {} so that it divides {}", option, at(t, 2)));
  }
  return t.compact().reshaped({at(t, 0), at(t, 1), heads, at(t, 2) / heads}).permuted({0, 2, 1, 3}).compact();
}

// The scores times a factor; minus infinity stays what it is, a masked cell.
Tensor scaled(const Tensor& scores, double scale) {
  const Tensor from = scores.compact();
  Tensor out(from.dtype(), from.shape(), {}, true);
  const auto multiply = [&](const auto* in, auto* to, auto factor) {
    for (std::int64_t i = 0; i < from.count(); ++i) to[i] = std::isinf(in[i]) && in[i] < 0 ? in[i] : in[i] * factor;
  };
  if (from.dtype() == DType::f32)
    multiply(from.data<float>(), out.data<float>(), static_cast<float>(scale));
  else
    multiply(from.data<double>(), out.data<double>(), scale);
  return out;
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
  if (scores.rank() < 2 || scores.rank() == 3 || scores.count() == 0)
    return file.wrong("scores", Message("is {}", to_string(scores.shape())),
                      Message("give [B,H,N,M] or [N,M], queries down and keys across"));
  p.rank = scores.rank();
  p.leading = leading_of(scores);
  scores = with_one_batch(scores);
  if (p.rank == 2) scores = scores.compact().reshaped({1, 1, at(scores, 0), at(scores, 1)});
  const Shape leading{at(scores, 0), at(scores, 1)};
  const std::int64_t keys = at(scores, 3);
  Tensor values;
  p.has_values = file.find("v") != nullptr;
  if (p.has_values) {
    HL_ASSIGN(values, file.real("v"));
    if (values.rank() != p.rank)
      return file.wrong("v", Message("has {} axes and scores has {}", values.rank(), p.rank), Message("give both in one form"));
    if (leading_of(values) != p.leading)
      return file.wrong("v", Message("is {}, and scores begins with {}", to_string(values.shape()), to_string(p.leading)),
                        Message("make their first axes equal"));
    values = with_one_batch(values);
    if (p.rank == 2) values = values.compact().reshaped({1, 1, at(values, 0), at(values, 1)});
    if (values.count() == 0 || at(values, 0) != leading[0] || at(values, 1) != leading[1] || at(values, 2) != keys)
      return file.wrong("v", Message("is {} and scores is {}", to_string(values.shape()), to_string(scores.shape())),
                        Message("v has a row for each key, a column of scores"));
  } else {
    values = Tensor(DType::f32, {leading[0], leading[1], keys, 1});
  }
  // The scores are added to a product of zeros, so that an infinite one stays in its own cell.
  const auto zeros = [&](std::int64_t rows) { return Tensor(DType::f32, {leading[0], leading[1], rows, 1}); };
  p.inputs = {zeros(at(scores, 2)), zeros(keys), values};
  p.scores = options.scale ? scaled(scores, *options.scale) : scores;
  p.op = {leading[0], leading[1], at(scores, 2), keys, 1, at(values, 3)};
  p.op.keep_weights = !options.no_weights || !p.has_values;
  return p;
}

Result<Problem> read_problem_sdpa(const ArrayFile& file, const SdpaOptions& options) {
  if (file.find("scores")) return read_scores(file, options);
  Problem p;
  for (const char* name : {"q", "k", "v"}) {
    HL_ASSIGN(Tensor t, file.real(name));
    if (t.rank() < 2) {
      return file.wrong(name, Message("is {}", to_string(t.shape())), Message("give [B,H,L,D], [B,L,H*D] or [L,D]"));
    }
    if (p.rank == 0) p.rank = t.rank(), p.leading = leading_of(t);
    if (t.rank() != p.rank) {
      return file.wrong(name, Message("has {} axes and q has {}", t.rank(), p.rank), Message("give q, k and v in one form"));
    }
    if (t.count() == 0)
      return file.wrong(name, Message("is empty: {}", to_string(t.shape())), Message("every size must be at least 1"));
    if (p.rank != 3 && (options.q_heads != 1 || options.kv_heads != 1)) {
      return usage_error("--q-heads and --kv-heads are for arrays of the form [B,L,H*D]").mend("these have {} axes", p.rank);
    }
    if (leading_of(t) != p.leading)
      return file.wrong(name, Message("is {}, and q begins with {}", to_string(t.shape()), to_string(p.leading)),
                        Message("make their first axes equal"));
    t = with_one_batch(t);
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

// What of the arrays is not finite. Minus infinity in scores and in a mask means a masked cell.
NotFinite not_finite_of(const ArrayFile& file, int rank) {
  NotFinite found;
  for (const char* name : {"q", "k", "v"}) {
    const std::string place = *name == 'q' ? "query" : "key";
    const Tensor* array = file.find(name);
    if (array) found.look(name, *array, rank == 3 ? Axes{"batch", place, "column"} : Axes{"batch", "head", place, "column"});
  }
  for (const char* name : {"mask", "scores"})
    if (const Tensor* array = file.find(name)) found.look(name, *array, {"batch", "head", "query", "key"}, true);
  return found;
}

// The sum of the scores and of a mask that broadcasts to them.
Tensor added_to_scores(const Tensor& scores, const Tensor& mask) {
  const DType real = scores.dtype() == DType::f64 || mask.dtype() == DType::f64 ? DType::f64 : DType::f32;
  const Tensor a = scores.as(DType::f64).compact(), b = mask.as(DType::f64).broadcast_to(scores.shape()).compact();
  Tensor sum(DType::f64, scores.shape(), {}, true);
  for (std::int64_t i = 0; i < sum.count(); ++i) sum.data<double>()[i] = a.data<double>()[i] + b.data<double>()[i];
  return sum.as(real);
}

void say_masked_scores(const ArrayFile& file) {
  const Tensor* scores = file.find("scores");
  if (!scores || scores->dtype() == DType::i32 || scores->dtype() == DType::u8) return;
  const Tensor numbers = scores->as(DType::f64).compact();
  const auto all = numbers.values<double>();
  const auto masked = std::count(all.begin(), all.end(), -std::numeric_limits<double>::infinity());
  if (masked > 0)
    std::fprintf(stderr, "headlight sdpa: %s: %lld of %lld scores are -inf: masked cells\n", file.path.c_str(),
                 static_cast<long long>(masked), static_cast<long long>(numbers.count()));
}

Status run_sdpa(const SdpaOptions& options) {
  if (options.q_heads < 1 || options.kv_heads < 1) return usage_error("--q-heads and --kv-heads must be at least 1");
  if (options.scale && !std::isfinite(*options.scale)) return usage_error("--scale must be a finite number");
  HL_ASSIGN(const std::shared_ptr<Backend> backend, open_backend(options.backend));
  HL_ASSIGN(const std::string out_file, output_file(options.out, options.in));
  HL_ASSIGN(ArrayFile file, read_arrays("sdpa", options.in, kArrays, "scores"));
  HL_ASSIGN(Problem problem, read_problem_sdpa(file, options));
  Attention& op = problem.op;
  std::vector<std::pair<DType, Shape>> made{{backend->dtype(), {op.batch, op.heads, op.queries, op.d_v}}};
  if (op.keep_weights) made.emplace_back(backend->dtype(), Shape{op.batch, op.heads, op.queries, op.keys});
  HL_TRY(check_memory("the weights", made));
  const NotFinite not_finite = not_finite_of(file, problem.rank);
  HL_TRY(with_one_batch_of_mask(file, problem.leading, op));
  HL_ASSIGN(MaskArrays masks, read_mask_arrays(file, op, options.causal));
  if (!problem.scores.empty()) masks.added = masks.added.empty() ? problem.scores : added_to_scores(problem.scores, masks.added);
  HL_TRY(not_finite.check(options.in, options.strict));
  // After all that can be wrong with the arrays: an error is one line.
  HL_TRY(check_precision("sdpa", file, kArrays, backend->dtype()));
  not_finite.say("sdpa", options.in);
  for (const std::string& note : masks.notes) std::fprintf(stderr, "headlight sdpa: %s: %s\n", options.in.c_str(), note.c_str());
  say_masked_scores(file);
  op.has_mask = !masks.keep.empty();
  op.has_bias = !masks.added.empty();
  if (op.has_mask) problem.inputs.push_back(masks.keep);
  if (op.has_bias) problem.inputs.push_back(masks.added);
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
  if (not_finite.empty()) HL_TRY(check_finite("y", y));
  if (problem.rank == 2) y = y.reshaped({op.queries, op.d_v});
  if (problem.rank == 3) y = y.permuted({0, 2, 1, 3}).compact().reshaped({op.batch, op.queries, op.heads * op.d_v});
  if (problem.has_values) arrays.emplace_back("y", with_leading(y, problem.leading));
  if (op.keep_weights) {
    HL_ASSIGN(Tensor weights, backend->download(out[1]));
    arrays.emplace_back("weights",
                        problem.rank == 2 ? weights.reshaped({op.queries, op.keys}) : with_leading(weights, problem.leading));
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
                    ".npz with q, k, v as [B,H,L,D] (also behind further axes), [B,L,H*D] or [L,D]; optional mask (bool, "
                    "integers: 1 = may attend; float: "
                    "added) that broadcasts to [B,H,N,M], or is [B,M] or [B,N,M]; or scores [B,H,N,M] or [N,M] in place of q and "
                    "k, -inf where masked, with v or alone")
                .required();
            arguments
                .option("--out", options->out,
                        ".npz to write: y in the form of q, weights [B,H,N,M] ([N,M] for [L,D]); - for standard output")
                .required();
            arguments.flag("--no-weights", options->no_weights, "write y alone: the weights are not kept");
            arguments.flag("--strict", options->strict, "NaN or infinity in an array is an error");
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
