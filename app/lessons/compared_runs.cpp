#include "app/lessons/compared_runs.h"

#include <algorithm>
#include <string_view>

#include "app/session/translator.h"
#include "engine/pipeline/run_anywhere.h"

namespace headlight::lessons {
namespace {

struct Before {
  std::shared_ptr<const Trace> trace;
  std::uint64_t bytes() const { return trace->bytes(); }
};
struct BothWritten {
  std::shared_ptr<const std::vector<std::string>> now, before;
};

bool in_any(const Texts& texts, std::string_view what) {
  return std::any_of(texts.begin(), texts.end(), [&](const auto& text) { return text.second.find(what) != std::string::npos; });
}

// Whether a text of the step has this function in a place.
bool says(const Step& step, std::string_view what) {
  if (in_any(step.text, what)) return true;
  if (step.exercise && (in_any(step.exercise->text, what) ||
                        std::any_of(step.exercise->goal.begin(), step.exercise->goal.end(), [&](const Condition& one) {
                          return one.that.find(what) != std::string::npos || in_any(one.what, what);
                        })))
    return true;
  if (!step.question) return false;
  const Question& question = *step.question;
  return in_any(question.text, what) || in_any(question.why, what) ||
         std::any_of(question.choices.begin(), question.choices.end(), [&](const Texts& choice) { return in_any(choice, what); });
}

Document untouched(Document document) {
  document.interventions.clear();
  return document;
}

}  // namespace

ComparedRuns compared_runs(Derived& derived, const std::shared_ptr<const Trace>& trace, const Step& step) {
  ComparedRuns runs;
  if (!trace) return runs;
  const bool changed = !trace->document().interventions.empty();

  if (changed && says(step, "before(")) {
    const auto found = derived.later<Before>(DerivedKey("lesson/before", {trace->generation()}),
                                             [trace](const CancelToken& cancel) -> Result<Before> {
                                               HL_ASSIGN(auto before, run_anywhere(untouched(trace->document()), cancel));
                                               return Before{std::move(before)};
                                             });
    if (found) runs.before = found.value->trace;
  }
  if (translates(trace->document()) && says(step, "written(")) {
    const auto found = derived.later<BothWritten>(
        DerivedKey("lesson/written", {trace->generation()}), [trace, changed](const CancelToken& cancel) -> Result<BothWritten> {
          BothWritten both;
          HL_ASSIGN(auto now, translated(trace->document(), cancel));
          both.now = both.before = std::make_shared<const std::vector<std::string>>(std::move(now));
          if (changed) {
            HL_ASSIGN(auto before, translated(untouched(trace->document()), cancel));
            both.before = std::make_shared<const std::vector<std::string>>(std::move(before));
          }
          return both;
        });
    if (found) {
      runs.written = found.value->now;
      runs.written_before = found.value->before;
    }
  }
  return runs;
}

}  // namespace headlight::lessons
