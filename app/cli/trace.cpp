// headlight trace DOC: every step of the trace by name, as arrays in an .npz or as a list of shapes.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/cli/backend_option.h"
#include "app/cli/budget_option.h"
#include "app/cli/command.h"
#include "app/cli/document_options.h"
#include "app/cli/interrupt.h"
#include "app/cli/not_finite.h"
#include "app/cli/output.h"
#include "app/cli/progress.h"
#include "app/cli/remarks.h"
#include "app/cli/step_choice.h"
#include "engine/attention/masks/combined.h"
#include "engine/backends/base/checks.h"
#include "engine/core/byte_words.h"
#include "engine/core/npy.h"
#include "engine/insight/head_loop.h"
#include "engine/insight/order_effect.h"
#include "engine/pipeline/on_host.h"
#include "engine/pipeline/padding.h"
#include "engine/pipeline/run_anywhere.h"
#include "engine/train/loss_gradients.h"

namespace headlight::cli {
namespace {

struct TraceOptions {
  explicit TraceOptions(Arguments& arguments) : document(arguments) {}
  DocumentOptions document;
  std::string out, budget, file_size = "1GB";
  std::vector<std::string> kept;  // --steps; empty: all
  bool shapes = false, weights = false, gradients = false, head_loop = false, order = false, strict = false;
};

std::string list(const Axes& axes) {
  std::string text = "[";
  for (std::size_t i = 0; i < axes.size(); ++i) text += (i ? ", " : "") + axes[i];
  return text + "]";
}

// `name`, axes and shape, then what else is to be said of it.
void print_shape(const std::string& name, const Axes& axes, const Shape& shape, const std::string& more) {
  std::printf("%s %s %s%s\n", name.c_str(), list(axes).c_str(), to_string(shape).c_str(), more.c_str());
}

// A mask's line has the shape it is made at, and the one it is repeated to where that is larger. `step` has the latter.
Status print_mask_shape(const Document& document, const Step& step, const std::string& more) {
  const StepName name = split_step_name(step.name);
  masks::Request request;
  request.site = name.rest.starts_with("cross.") ? masks::Site::cross
                 : name.site == "encoder."       ? masks::Site::encoder_self
                                                 : masks::Site::decoder_self;
  request.batch = step.shape[0];
  request.queries = step.shape[2];
  request.keys = step.shape[3];
  HL_ASSIGN(const Shape own, masks::combined_shape(document.masks, request, document.custom_mask.get()));
  if (own.empty() || own == step.shape) {
    print_shape(step.name, step.axes, step.shape, more);
  } else {
    print_shape(step.name, step.axes, own, ", repeated to " + to_string(step.shape) + more);
  }
  return {};
}

// Whether --steps names the step: wholly ("layer.2.weights"), or without its layer ("weights", "decoder.cross.weights").
bool names(const std::string& wanted, const std::string& step) {
  const StepName name = split_step_name(step);
  return wanted == step || wanted == name.kind() || wanted == name.rest;
}

// The names of the steps and parameters that are written. Error (usage): --steps names one that is not there.
Result<std::vector<std::string>> names_to_write(const Outline& planned, const TraceOptions& options) {
  std::vector<std::string> all, chosen;
  for (const Step& step : planned.steps) all.push_back(step.name);
  if (options.weights)
    for (const NamedParameter& parameter : planned.parameters) all.push_back(parameter.name);
  if (options.kept.empty()) return all;
  std::vector<std::string> wanted;
  for (const std::string& list : options.kept)
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t end = std::min(list.find(',', at), list.size());
      wanted.push_back(list.substr(at, end - at));
      at = end + 1;
    }
  for (const std::string& one : wanted)
    if (std::none_of(all.begin(), all.end(), [&](const std::string& step) { return names(one, step); })) {
      HL_ASSIGN([[maybe_unused]] const Step* none, choose_step(planned.steps, one, {}, 0, "--steps"));
      return usage_error("there is no step '{}'", one).at("--steps").mend("trace --shapes lists them");
    }
  for (const std::string& step : all)
    if (std::any_of(wanted.begin(), wanted.end(), [&](const std::string& one) { return names(one, step); }))
      chosen.push_back(step);
  return chosen;
}

Status write(const Trace& trace, const std::vector<std::string>& steps, const TraceOptions& options, const std::string& out,
             const CancelToken& cancel) {
  HL_ASSIGN(NpzWriter writer, NpzWriter::create(out));
  Progress progress("writing steps");
  NotFinite not_finite;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (cancel.cancelled()) return cancelled();
    progress.show(static_cast<std::int64_t>(i), static_cast<std::int64_t>(steps.size()));
    HL_ASSIGN(const Tensor values, trace.values(steps[i], cancel));
    HL_TRY(writer.add(steps[i], values));
    not_finite.look_at_step(trace, steps[i], values);
  }
  if (options.gradients) {
    HL_ASSIGN(const std::shared_ptr<backends::Backend> backend, open_backend_or_cpu(trace.document().backend));
    HL_ASSIGN(const NamedTensors all, train::loss_gradients(trace, backend, cancel));
    for (const auto& [name, values] : all) {
      HL_TRY(writer.add(name, values));
      not_finite.look_at_step(trace, name, values);
    }
  }
  HL_TRY(not_finite.check(out, options.strict));
  not_finite.say("trace", {});
  if (attends_padding(trace)) HL_TRY(writer.add_text("notes", kPaddingAttended));
  HL_TRY(writer.add_text("document.json", to_json(trace.document())));
  return writer.close();
}

// A size for --file-size that is enough for so many bytes: "12GB".
std::string size_for(std::uint64_t bytes) {
  const std::uint64_t unit = bytes >= 1'000'000'000 ? 1'000'000'000 : 1'000'000;
  return std::to_string((bytes + unit - 1) / unit) + (unit == 1'000'000 ? "MB" : "GB");
}

// Before anything is computed: errors if an array is larger than the memory, or the file larger than --file-size.
Status check_size(const Outline& planned, const std::vector<std::string>& steps, std::uint64_t budget,
                  const TraceOptions& options) {
  std::uint64_t largest = 0, all = 0;
  const auto add = [&](const std::string& name, DType dtype, const Shape& shape) -> Status {
    HL_ASSIGN(const std::uint64_t bytes, backends::checked_bytes(dtype, shape));
    const bool is_real = dtype == DType::f32 || dtype == DType::f64;
    if (options.gradients && is_real) all += bytes;  // its gradient has the same shape
    if (std::find(steps.begin(), steps.end(), name) == steps.end()) return {};
    largest = std::max(largest, bytes);
    all += bytes;
    return {};
  };
  for (const Step& step : planned.steps) HL_TRY(add(step.name, step.dtype, step.shape));
  for (const NamedParameter& parameter : planned.parameters) HL_TRY(add(parameter.name, DType::f32, parameter.shape));
  if (largest > budget)
    return failure(ErrorKind::too_large, "its largest array would be {} and the budget is {}",
                   byte_words(static_cast<double>(largest)), byte_words(static_cast<double>(budget)))
        .at(options.out)
        .mend("use fewer tokens, raise --budget, choose fewer --steps, or give --shapes alone for the shapes");
  HL_ASSIGN(const std::uint64_t most, size_from("--file-size", options.file_size));
  const bool fits_in_memory = planned.bytes <= budget;  // else run() refuses
  if (all <= most || !fits_in_memory) return {};
  const auto weights =
      std::find_if(planned.steps.begin(), planned.steps.end(), [](const Step& step) { return step.name.ends_with(".weights"); });
  const std::string less = weights == planned.steps.end() ? planned.steps.front().name : weights->name;
  return failure(ErrorKind::too_large, "the file would have {} ({} bytes), and --file-size allows {}",
                 byte_words(static_cast<double>(all)), all, byte_words(static_cast<double>(most)))
      .at(options.out)
      .mend("keep less, as with --steps {}, use fewer tokens, or allow it with --file-size {}", less, size_for(all));
}

Status compute(const Session& session, const Outline& planned, const TraceOptions& options) {
  HL_ASSIGN(const std::string out, output_file(options.out));
  HL_ASSIGN(const std::vector<std::string> steps, names_to_write(planned, options));
  RunOptions limits;
  HL_ASSIGN(limits.budget_bytes, budget_from(options.budget));
  HL_TRY(check_size(planned, steps, limits.budget_bytes, options));
  const CancelToken cancel = interrupt_token();
  auto waiting = std::make_unique<Waiting>("trace: computing");
  HL_ASSIGN(const std::shared_ptr<const Trace> made, run_anywhere(session.document, cancel, limits));
  waiting.reset();
  if (!made->remark().empty()) std::fprintf(stderr, "headlight: computed on cpu instead: %s\n", made->remark().english().c_str());
  if (const OnHost host = on_host(*made); host.steps > 0)
    std::fprintf(stderr, "headlight: %lld %s computed by plain loops on the host, since %s has no way of its own for %s: %s\n",
                 static_cast<long long>(host.steps), host.steps == 1 ? "step was" : "steps were",
                 made->document().backend.c_str(), host.steps == 1 ? "it" : "them", host.operations.c_str());
  print_remarks(*made);
  return write(*made, steps, options, out, cancel);
}

// Every attention also as a loop over its heads, and how far the two are apart.
Status print_head_loops(const Session& session, const RunOptions& limits) {
  const CancelToken cancel = interrupt_token();
  const Waiting waiting("trace: computing");
  HL_ASSIGN(const std::shared_ptr<const Trace> made, run_anywhere(session.document, cancel, limits));
  for (const AttentionSite& site : made->sites()) {
    HL_ASSIGN(const HeadLoop loop, heads_one_by_one(*made, site, cancel));
    const std::string cut = to_string(Shape{loop.d_model, loop.d_k}),
                      whole = to_string(Shape{loop.d_model, loop.heads * loop.d_k});
    std::printf("%s %lld heads one by one, with slices %s of %s: largest difference %.1e from numbers up to %.2f\n",
                (site.prefix + "concat").c_str(), static_cast<long long>(loop.heads), cut.c_str(), whole.c_str(), loop.difference,
                loop.largest);
  }
  return {};
}

// The same tokens in two orders: how far apart each one's two last vectors are, without positions and with them.
Status print_order(const Document& document) {
  const CancelToken cancel = interrupt_token();
  HL_ASSIGN(const OrderEffect without, order_effect_with(document, "none", cancel));
  std::vector<std::string> names{"none"};
  std::vector<OrderEffect> effects{without};
  if (document.position != "none") {
    HL_ASSIGN(const OrderEffect with, order_effect_with(document, document.position, cancel));
    names.push_back(document.position);
    effects.push_back(with);
  }
  std::printf("%s of both texts, token by token: distance\n%-16s %8s", without.step.c_str(), "token", "places");
  for (const std::string& name : names) std::printf(" %14s", name.c_str());
  for (std::size_t i = 0; i < without.words.size(); ++i) {
    const OrderEffect::Word& word = without.words[i];
    const std::string places = std::to_string(word.first) + " -> " + std::to_string(word.second);
    std::printf("\n%-16s %8s", word.label.c_str(), places.c_str());
    for (const OrderEffect& effect : effects) std::printf(" %14.3g", effect.words[i].distance);
  }
  std::printf("\n%-25s", "largest");
  for (const OrderEffect& effect : effects) std::printf(" %14.3g", effect.largest);
  std::printf("\n");
  return {};
}

Status trace(const TraceOptions& options) {
  if (options.out.empty() && !options.shapes && !options.head_loop && !options.order)
    return usage_error("there is nothing to do").mend("give --out trace.npz for the arrays, --shapes for their shapes, or both");
  if (options.gradients && options.out.empty())
    return usage_error("gradients are arrays").at("--gradients").mend("give --out trace.npz");
  HL_ASSIGN(const Session session, options.document.read_batch());
  HL_ASSIGN(const Outline planned, outline(session.document));
  if (!options.out.empty()) HL_TRY(compute(session, planned, options));
  if (options.head_loop) {
    RunOptions limits;
    HL_ASSIGN(limits.budget_bytes, budget_from(options.budget));
    HL_TRY(print_head_loops(session, limits));
  }
  if (options.order) HL_TRY(print_order(session.document));
  if (!options.shapes) return {};
  HL_ASSIGN(const std::vector<std::string> shown, names_to_write(planned, options));
  const auto is_shown = [&](const std::string& name) { return std::find(shown.begin(), shown.end(), name) != shown.end(); };
  for (const Step& step : planned.steps) {
    if (!is_shown(step.name)) continue;
    const std::string remark = options.document.remark_of(step.name);
    const std::string more =
        (step.role == Role::context_transposed ? ", not contiguous" : "") + (remark.empty() ? "" : "  # " + remark);
    const bool is_mask = step.dtype == DType::u8 && step.shape.size() == 4;
    if (is_mask) {
      HL_TRY(print_mask_shape(session.document, step, more));
    } else {
      print_shape(step.name, step.axes, step.shape, more);
    }
  }
  if (options.weights)
    for (const NamedParameter& parameter : planned.parameters)
      if (is_shown(parameter.name)) print_shape(parameter.name, parameter.axes, parameter.shape, {});
  return {};
}

}  // namespace

Entry trace_command() {
  return {"trace",
          "Compute a document and write every step by name",
          {},
          "S5, S6, S9, S12, S18",
          [](Arguments& arguments) -> std::function<int()> {
            auto options = std::make_shared<TraceOptions>(arguments);
            arguments.option(
                "--out", options->out,
                "The .npz to write: one array a step, as numpy.load reads it, and the document; - for standard output");
            arguments
                .option("--steps", options->kept,
                        "Which steps are written or listed, with commas: weights (of every layer), layer.2.q, logits [all]")
                .type("NAMES")
                .one_value_each();
            add_budget_option(arguments, options->budget);
            arguments
                .option("--file-size", options->file_size,
                        "The largest file that is written without asking again, as 20GB; a larger one is refused before anything "
                        "is computed")
                .type("SIZE")
                .shows_default();
            arguments.flag("--shapes", options->shapes, "Print each step's name, axes and shape, one a line");
            arguments.flag("--head-loop", options->head_loop,
                           "Compute every attention also as a loop over its heads, with slices of the matrices, and print the "
                           "largest difference from the one reshape");
            arguments.flag("--order", options->order,
                           "Of two texts with the same tokens in another order: print how far apart each token's two last "
                           "vectors are, without positions and with them");
            arguments.flag("--strict", options->strict, "NaN or infinity in a step is an error, and nothing is written");
            arguments.flag("--weights", options->weights, "The model's matrices too, as parameters.NAME (y = x W)");
            arguments.flag("--gradients", options->gradients,
                           "How the mean loss of predicting the text depends on each step and matrix, as grad.NAME, and the loss "
                           "itself; of a trained model");
            return [options] {
              const Status status = trace(*options);
              return status ? kDone : fail("trace", status.error());
            };
          }};
}

}  // namespace headlight::cli
