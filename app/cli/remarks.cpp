#include "app/cli/remarks.h"

#include <cstdio>
#include <string>

#include "app/cli/interrupt.h"
#include "engine/document/document.h"
#include "engine/insight/trace_remarks.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::cli {

void print_remarks(const Trace& trace) {
  if (trace.document().plain && trace.tokenizer() && trace.tokenizer()->added().any_special())
    std::fprintf(stderr, "headlight: special tokens are read as plain text\n");
  const auto remarks = trace_remarks(trace, interrupt_token());
  if (!remarks) return;
  for (const std::string& cells : remarks->lost_cells)
    std::fprintf(stderr, "headlight: --mask-cells %s: the text is shorter, so nothing is masked there\n", cells.c_str());
  if (!remarks->untrained.empty()) {
    std::string fields;
    for (const std::string& id : remarks->untrained) fields += (fields.empty() ? "" : ", ") + find_field(id)->parameter.label;
    std::fprintf(stderr,
                 "headlight: %s was not trained with this choice of %s: the numbers are right, but it never learnt to work so\n",
                 trace.document().model.c_str(), fields.c_str());
  }
  if (remarks->tokens > 0)
    std::fprintf(
        stderr,
        "headlight: the text has %lld tokens, and %s was trained on at most %lld: its positions go on beyond what it has "
        "seen\n",
        static_cast<long long>(remarks->tokens), trace.document().model.c_str(), static_cast<long long>(remarks->trained_length));
  if (remarks->text_loss > 0)
    std::fprintf(
        stderr,
        "headlight: %s expects this text hardly at all, %.1f nats a token where plain English sentences have %.1f: it has hardly "
        "read such text\n",
        trace.document().model.c_str(), remarks->text_loss, remarks->usual_loss);
  if (remarks->target_loss > 0)
    std::fprintf(
        stderr,
        "headlight: %s finds the target hardly possible%s, %.1f nats a token: another language, or no translation of the "
        "text?\n",
        trace.document().model.c_str(), remarks->target_language.empty() ? "" : (" as " + remarks->target_language).c_str(),
        remarks->target_loss);
}

#ifdef HEADLIGHT_APP
void print_remarks(const figures::Figure& figure) {
  for (const std::string& remark : figure.remarks) std::fprintf(stderr, "headlight: %s\n", remark.c_str());
}
#endif

}  // namespace headlight::cli
