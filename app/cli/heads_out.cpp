#include "app/cli/heads_out.h"

#include <cstdio>

#include "app/cli/backend_option.h"
#include "app/cli/interrupt.h"
#include "app/cli/not_finite.h"
#include "app/cli/progress.h"
#include "engine/core/json.h"
#include "engine/core/one_nan.h"
#include "engine/insight/head_effects.h"
#include "engine/pipeline/run.h"

namespace headlight::cli {
namespace {

// The kind of attention, as heads scored for patterns are listed.
std::string site_of(const std::string& prefix, ModelTask task) {
  if (prefix.find("cross.") != std::string::npos) return "cross";
  if (prefix.starts_with("encoder.") || task == ModelTask::encoder) return "encoder";
  return "decoder";
}

std::optional<double> loss_change(const HeadEffects& effects, const HeadEffects::Head& head) {
  if (!effects.with.loss || !head.without.loss) return {};
  return *head.without.loss - *effects.with.loss;
}

std::string heads_out_as_json(const HeadEffects& effects, ModelTask task) {
  const auto optional = [](const std::optional<double>& x) { return x ? Json(*x) : Json(nullptr); };
  Json heads = Json::array();
  for (const HeadEffects::Head& head : effects.heads)
    heads.push_back(Json::object({{"site", site_of(head.prefix, task)},
                                  {"layer", head.layer},
                                  {"head", head.head},
                                  {"logit", head.without.logit - effects.with.logit},
                                  {"probability", head.without.probability - effects.with.probability},
                                  {"loss", optional(loss_change(effects, head))}}));
  return Json::object({{"position", effects.position},
                       {"token", effects.label},
                       {"id", effects.token},
                       {"logit", effects.with.logit},
                       {"probability", effects.with.probability},
                       {"loss", optional(effects.with.loss)},
                       {"heads", std::move(heads)}})
             .dump() +
         "\n";
}

std::string heads_out_as_table(const HeadEffects& effects, ModelTask task) {
  char text[160];
  std::snprintf(text, sizeof text, "behind position %lld: '%s'  score %.3f  probability %.2f%%\n",
                static_cast<long long>(effects.position), effects.label.c_str(), effects.with.logit,
                100 * effects.with.probability);
  std::string table = text;
  if (effects.with.loss) {
    std::snprintf(text, sizeof text, "mean loss of the text %.4f nats\n", one_nan(*effects.with.loss));
    table += text;
  }
  table += "change of its score without the head:\n";
  std::string site;
  for (std::size_t i = 0; i < effects.heads.size(); ++i) {
    const HeadEffects::Head& head = effects.heads[i];
    if (const std::string here = site_of(head.prefix, task); here != site) {
      site = here;
      table += site + "\nlayer";
      for (std::size_t j = i; j < effects.heads.size() && effects.heads[j].prefix == head.prefix; ++j) {
        std::snprintf(text, sizeof text, "  head %-2lld", static_cast<long long>(effects.heads[j].head));
        table += text;
      }
      table += "\n";
    }
    if (head.head == 0) {
      std::snprintf(text, sizeof text, "%5lld", static_cast<long long>(head.layer));
      table += text;
    }
    std::snprintf(text, sizeof text, "  %+7.3f", head.without.logit - effects.with.logit);
    table += text;
    if (i + 1 == effects.heads.size() || effects.heads[i + 1].prefix != head.prefix) table += "\n";
  }
  return table;
}

}  // namespace

void add_heads_out_options(Arguments& arguments, HeadsOutOptions& options) {
  const char* group = "With --matter, and --text and --target with --cell";
  arguments.option("--text", options.text, "the text whose next token is predicted; [MASK] in it for a model that fills in")
      .type("TEXT")
      .group(group);
  arguments.option("--target", options.target, "of a model that translates: its translation so far").type("TEXT").group(group);
  arguments.option("--word", options.word, "the word whose score is followed; without it the most probable token")
      .type("W")
      .group(group);
  arguments.option("--position", options.position, "the position behind which it is predicted, from 0; without it the last")
      .type("N")
      .within(0, 1'000'000)
      .group(group);
  arguments.option("--replaced-by", options.replaced, "what stands in a head's place: zero, or its mean over the positions")
      .type("zero|mean")
      .one_of({"zero", "mean"})
      .group(group)
      .shows_default();
}

Status heads_out(const ModelOptions& chosen, const HeadsOutOptions& options, bool json, bool strict) {
  if (options.text.empty())
    return usage_error("there is no text to take heads out of").at("--text").mend("give --text with --matter");
  HL_ASSIGN(const auto model, open_model(chosen));
  HL_ASSIGN(const auto backend, open_backend(chosen.backend));
  const Document document = document_of_heads(*model, options.text, options.target);
  const CancelToken cancel = interrupt_token();
  HeadEffectsQuestion question;
  question.position = options.position;
  question.mean = options.replaced == "mean";
  HL_ASSIGN(const auto trace, run(document, *backend, cancel));
  NotFinite not_finite;
  HL_TRY(not_finite.look_at(*trace, {}, cancel));
  HL_TRY(not_finite.look_for_cause(*trace, cancel));
  HL_TRY(not_finite.check(chosen.model, strict));
  not_finite.say("heads", {});
  if (!options.word.empty()) {
    HL_ASSIGN(question.token, token_of_word(*trace, options.word));
  }
  HeadEffects effects;
  {
    Progress progress("taking heads out");
    HL_ASSIGN(effects, head_effects(document, *backend, question, cancel,
                                    [&](std::int64_t done, std::int64_t total) { progress.show(done, total); }));
  }
  return print(json ? heads_out_as_json(effects, model->task) : heads_out_as_table(effects, model->task));
}

}  // namespace headlight::cli
