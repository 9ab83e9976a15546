// headlight trace DOC: every step of the trace by name, as arrays in an .npz or as a list of shapes.
#include <cstdio>
#include <memory>

#include "app/cli/backend_option.h"
#include "app/cli/command.h"
#include "app/cli/document_options.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress.h"
#include "app/cli/remarks.h"
#include "app/cli/step_choice.h"
#include "engine/attention/masks/combined.h"
#include "engine/core/byte_words.h"
#include "engine/core/npy.h"
#include "engine/pipeline/on_host.h"
#include "engine/pipeline/run_anywhere.h"
#include "engine/train/loss_gradients.h"

namespace headlight::cli {
namespace {

struct Options {
  explicit Options(Arguments& arguments) : document(arguments) {}
  DocumentOptions document;
  std::string out;
  bool shapes = false, weights = false, gradients = false;
};

std::string list(const Axes& axes) {
  std::string text = "[";
  for (std::size_t i = 0; i < axes.size(); ++i) text += (i ? ", " : "") + axes[i];
  return text + "]";
}

void print_shape(const std::string& name, const Axes& axes, const Shape& shape) {
  std::printf("%s %s %s\n", name.c_str(), list(axes).c_str(), to_string(shape).c_str());
}

// A mask's line has the shape it is made at, and the one it is repeated to where that is larger. `step` has the latter.
Status print_mask_shape(const Document& document, const Step& step) {
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
    print_shape(step.name, step.axes, step.shape);
  } else {
    std::printf("%s %s %s, repeated to %s\n", step.name.c_str(), list(step.axes).c_str(), to_string(own).c_str(),
                to_string(step.shape).c_str());
  }
  return {};
}

Status write(const Trace& trace, const Options& options, const CancelToken& cancel) {
  std::vector<std::string> names;
  for (const Step& step : trace.steps()) names.push_back(step.name);
  if (options.weights)
    for (const NamedParameter& parameter : trace.parameters()) names.push_back(parameter.name);
  HL_ASSIGN(NpzWriter writer, NpzWriter::create(options.out));
  Progress progress("writing steps");
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (cancel.cancelled()) return cancelled();
    progress.show(static_cast<std::int64_t>(i), static_cast<std::int64_t>(names.size()));
    HL_ASSIGN(const Tensor values, trace.values(names[i], cancel));
    HL_TRY(writer.add(names[i], values));
  }
  if (options.gradients) {
    HL_ASSIGN(const std::shared_ptr<backends::Backend> backend, open_backend_or_cpu(trace.document().backend));
    HL_ASSIGN(const NamedTensors all, train::loss_gradients(trace, backend, cancel));
    for (const auto& [name, values] : all) HL_TRY(writer.add(name, values));
  }
  if (options.weights) {
    // The document as an array of UTF-8 bytes, so that everything in the file is an array: json.loads(bytes(z["document.json"])).
    const std::string json = to_json(trace.document());
    Tensor bytes(DType::u8, {static_cast<std::int64_t>(json.size())}, {"byte"}, true);
    std::copy(json.begin(), json.end(), bytes.data<std::uint8_t>());
    HL_TRY(writer.add("document.json", bytes));
  }
  return writer.close();
}

Status trace(const Options& options) {
  if (options.out.empty() && !options.shapes)
    return usage_error("there is nothing to do", {}, "give --out trace.npz for the arrays, --shapes for their shapes, or both");
  if (options.gradients && options.out.empty()) return usage_error("gradients are arrays", "--gradients", "give --out trace.npz");
  HL_ASSIGN(const Session session, options.document.read());
  HL_ASSIGN(const Outline planned, outline(session.document));
  if (!options.out.empty()) {
    const RunOptions budget;
    if (planned.largest_step > budget.budget_bytes)
      return Error{ErrorKind::too_large,
                   "its largest array would be " + byte_words(static_cast<double>(planned.largest_step)) + " and the budget is " +
                       byte_words(static_cast<double>(budget.budget_bytes)),
                   options.out, "use fewer tokens, or --shapes alone for the shapes"};
    const CancelToken cancel = interrupt_token();
    HL_ASSIGN(const std::shared_ptr<const Trace> made, run_anywhere(session.document, cancel, budget));
    if (!made->remark().empty()) std::fprintf(stderr, "headlight: computed on cpu instead: %s\n", made->remark().c_str());
    print_remarks(*made);
    if (const OnHost host = on_host(*made); host.steps > 0)
      std::fprintf(
          stderr, "headlight: %lld steps were computed by plain loops on the host, since %s has no way of its own for them: %s\n",
          static_cast<long long>(host.steps), made->document().backend.c_str(), host.operations.c_str());
    HL_TRY(write(*made, options, cancel));
  }
  if (options.shapes) {
    for (const Step& step : planned.steps) {
      const bool is_mask = step.dtype == DType::u8 && step.shape.size() == 4;
      if (is_mask) {
        HL_TRY(print_mask_shape(session.document, step));
      } else {
        print_shape(step.name, step.axes, step.shape);
      }
    }
    if (options.weights)
      for (const NamedParameter& parameter : planned.parameters) print_shape(parameter.name, parameter.axes, parameter.shape);
  }
  return {};
}

}  // namespace

Entry trace_command() {
  return {"trace",
          "Compute a document and write every step by name",
          {},
          "S5, S6, S9, S12, S18",
          [](Arguments& arguments) -> std::function<int()> {
            auto options = std::make_shared<Options>(arguments);
            arguments.option("--out", options->out, "The .npz to write: one array a step, as numpy.load reads it");
            arguments.flag("--shapes", options->shapes, "Print each step's name, axes and shape, one a line");
            arguments.flag("--weights", options->weights,
                           "The model's matrices too, as parameters.NAME (y = x W), and the document");
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
