// headlight isdpa: index-based attention over arrays.
#include <memory>

#include "app/cli/arrays.h"
#include "app/cli/backend_option.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/not_finite.h"
#include "app/cli/output.h"
#include "app/cli/progress.h"
#include "engine/operations/isdpa.h"

namespace headlight::cli {
namespace {

using namespace backends;

struct IsdpaOptions {
  std::string in, out, method = "index", backend = "cpu";
  std::int64_t pad_index = -1, heads = 1;
  bool terms = false, unpooled = false, strict = false;
};

struct IsdpaProblem {
  Isdpa op;
  std::vector<Tensor> inputs;
};

Result<Tensor> shaped(const ArrayFile& file, const char* name, const Shape& shape, const char* symbols) {
  HL_ASSIGN(Tensor t, file.real(name));
  if (t.shape() != shape)
    return file.wrong(name, Message("is {}", to_string(t.shape())), Message("it must be {} {}", to_string(shape), symbols));
  return t;
}

Result<IsdpaProblem> read_problem(const ArrayFile& file, const IsdpaOptions& options) {
  HL_ASSIGN(const Tensor f, file.real("F"));
  if (f.rank() != 2 || f.count() == 0)
    return file.wrong("F", Message("is {}", to_string(f.shape())), Message("it must be [n, d], both at least 1"));
  HL_ASSIGN(Tensor ids, file.get("IC"));
  if (ids.rank() != 2 || ids.count() == 0)
    return file.wrong("IC", Message("is {}", to_string(ids.shape())), Message("it must be [W, l], both at least 1"));
  if (ids.dtype() != DType::i32 && ids.dtype() != DType::u8) {
    return file.wrong(
        "IC", file.stores_integers("IC") ? Message("holds integers beyond 32 bits") : Message("holds {}", name_of(ids.dtype())),
        Message("give integers, which choose rows of F"));
  }
  ids = ids.as(DType::i32).compact();

  IsdpaProblem p;
  p.op.words = ids.dim(0);
  p.op.length = ids.dim(1);
  p.op.vocabulary = f.dim(0);
  p.op.d = f.dim(1);
  p.op.method = options.method == "index" ? Isdpa::Method::index : Isdpa::Method::direct;
  p.op.pad_index = options.pad_index;
  p.op.heads = options.heads;
  p.op.pooled = !options.unpooled;
  p.op.keep_q = p.op.keep_k = p.op.keep_v = p.op.keep_qk = p.op.keep_score = p.op.keep_result = true;
  p.op.keep_terms = options.terms;
  p.inputs.push_back(f);
  HL_ASSIGN(Tensor position, shaped(file, "P", {p.op.length, p.op.d}, "[l, d]"));
  p.inputs.push_back(std::move(position));
  for (const char* name : {"WQ", "WK", "WV"}) {
    HL_ASSIGN(Tensor w, shaped(file, name, {p.op.d, p.op.d}, "[d, d]"));
    p.inputs.push_back(std::move(w));
  }
  p.op.separate_position_weights = file.find("PWQ") || file.find("PWK") || file.find("PWV");
  if (p.op.separate_position_weights) {
    for (const char* name : {"PWQ", "PWK", "PWV"}) {
      HL_ASSIGN(Tensor w, shaped(file, name, {p.op.d, p.op.d}, "[d, d]; separate position weights come as all three"));
      p.inputs.push_back(std::move(w));
    }
  }
  for (std::int64_t w = 0; w < p.op.words; ++w) {
    for (std::int64_t i = 0; i < p.op.length; ++i) {
      const std::int32_t id = ids.data<std::int32_t>()[w * p.op.length + i];
      if (id >= 0 && id < p.op.vocabulary) continue;
      return file.wrong("IC", Message("has {} at [{}, {}]", id, w, i),
                        Message("indices run from 0 to {}, the rows of F", p.op.vocabulary - 1));
    }
  }
  p.inputs.push_back(std::move(ids));
  return p;
}

Status run_isdpa(const IsdpaOptions& options) {
  if (options.method != "index" && options.method != "direct") {
    return usage_error("there is no method '{}'", options.method).at("--method").mend("give index or direct");
  }
  if (options.heads < 1)
    return usage_error("it is {}", options.heads).at("--heads").mend("give 1 or more, a number that divides d");
  if (options.pad_index < -1)
    return usage_error("the padding index is {}", options.pad_index).at("--pad-index").mend("give 0 or more");
  HL_ASSIGN(const std::shared_ptr<Backend> backend, open_backend(options.backend));
  HL_ASSIGN(const std::string out_file, output_file(options.out, options.in));
  const std::vector<std::string> reals{"F", "P", "WQ", "WK", "WV", "PWQ", "PWK", "PWV"};
  std::vector<std::string> known = reals;
  known.emplace_back("IC");
  HL_ASSIGN(const ArrayFile file, read_arrays("isdpa", options.in, known, "F"));
  HL_ASSIGN(const IsdpaProblem problem, read_problem(file, options));
  if (options.pad_index >= problem.op.vocabulary) {
    return usage_error("the padding index is {}", options.pad_index)
        .at("--pad-index")
        .mend("F has rows 0 to {}", problem.op.vocabulary - 1);
  }
  HL_ASSIGN(const Signature s, signature(problem.op, backend->dtype()));
  std::vector<std::pair<DType, Shape>> made;
  for (const Shape& shape : s.outputs) made.emplace_back(backend->dtype(), shape);
  HL_TRY(check_memory("the outputs", made));
  NotFinite not_finite;
  for (const std::string& name : reals)
    if (const Tensor* array = file.find(name))
      not_finite.look(name, *array,
                      name == "F"   ? Axes{"symbol", "column"}
                      : name == "P" ? Axes{"position", "column"}
                                    : Axes{"row", "column"});
  HL_TRY(not_finite.check(options.in, options.strict));
  // Last of the checks: its note says how the arrays are computed, and nothing is computed of what is refused.
  HL_TRY(check_precision("isdpa", file, reals, backend->dtype()));
  not_finite.say("isdpa", options.in);
  std::vector<Buffer> in;
  for (const Tensor& t : problem.inputs) {
    HL_ASSIGN(Buffer buffer, backend->upload(t));
    in.push_back(std::move(buffer));
  }
  std::vector<Buffer> out;
  {
    const Waiting waiting("isdpa: computing");
    HL_ASSIGN(out, backend->apply(problem.op, in, interrupt_token()));
  }
  std::vector<std::string> names{"Q", "K", "V"};
  if (options.terms) names.insert(names.end(), {"mm", "mp", "pm", "pp"});
  names.insert(names.end(), {"QK", "score", "result"});
  NamedTensors arrays;
  for (std::size_t i = 0; i < out.size(); ++i) {
    HL_ASSIGN(Tensor t, backend->download(out[i]));
    if (not_finite.empty()) HL_TRY(check_finite(names[i], t));
    arrays.emplace_back(names[i], std::move(t));
  }
  const Waiting waiting("isdpa: writing");
  return write_npz(out_file, arrays);
}

}  // namespace

Entry isdpa_command() {
  return {
      "isdpa",
      "Index-based attention over the arrays of an .npz",
      {},
      "S1, S2, S3",
      [](Arguments& arguments) -> std::function<int()> {
        auto options = std::make_shared<IsdpaOptions>();
        arguments
            .option("--in", options->in,
                    ".npz with F [n,d], P [l,d], WQ, WK, WV [d,d], IC integers [W,l]; optional PWQ, PWK, PWV (weights for P)")
            .required();
        arguments
            .option("--out", options->out,
                    ".npz to write: Q, K, V [W,l,d], QK [W,l,l], score [W,l], result [W,d]; - for standard output")
            .required();
        arguments.option("--method", options->method, "index: multiply first, then look up; direct: as the layer is written")
            .shows_default();
        arguments.option("--pad-index", options->pad_index, "symbol that is masked as a key and left out of the mean as a query");
        arguments.flag("--terms", options->terms, "also write mm, mp, pm, pp [W,l,l], the four terms of QK");
        arguments.flag("--strict", options->strict, "NaN or infinity in an array is an error");
        arguments.option("--heads", options->heads, "heads that share d; QK and score then have a head axis: [W,h,l,l], [W,h,l]")
            .shows_default();
        arguments.flag("--unpooled", options->unpooled,
                       "the ordinary layer, no mean over queries: score [W,l,l] is the softmax, result [W,l,d]");
        add_backend_option(arguments, options->backend);
        return [options] {
          const Status status = run_isdpa(*options);
          if (status) return kDone;
          // The operation's own errors name it, which the line on stderr does already.
          Error error = status.error();
          if (error.where == "isdpa") error.where = {};
          return fail("isdpa", error);
        };
      }};
}

}  // namespace headlight::cli
