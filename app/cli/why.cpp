// headlight why: the routes by which information came to a predicted word, and what speaks for it over another word.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "app/cli/asked_words.h"
#include "app/cli/backend_option.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_option.h"
#include "app/cli/not_finite.h"
#include "app/cli/output.h"
#include "app/cli/progress.h"
#include "app/cli/remarks.h"
#include "engine/core/json.h"
#include "engine/core/sorting.h"
#include "engine/insight/explain.h"
#include "engine/insight/head_effects.h"
#include "engine/insight/information_routes.h"
#include "engine/insight/logit_contributions.h"
#include "engine/insight/path_patching.h"
#include "engine/pipeline/run.h"

namespace headlight::cli {
namespace {

struct WhyOptions {
  ModelOptions model;
  AskedWords asked;
  std::string text, target;
  std::optional<std::int64_t> position;
  double threshold = 0.04;
  std::int64_t removed = 3;
  bool without_first = false, json = false, strict = false;
};

// A head whose part in the difference is large, and what the model says without it.
struct Removed {
  std::size_t part = 0;  // of LogitDifference::parts
  double difference = 0;
};

struct Why {
  std::shared_ptr<const Trace> trace;
  bool predicts = false;
  std::int64_t position = 0;
  std::int32_t word = -1, over = -1;
  TokenOutlook outlook;
  InformationShares shares;
  InformationRoutes routes;
  LogitDifference difference;
  std::vector<Removed> removed;
  std::unique_ptr<PathPatching> patching;  // null: no other sentence was given
  PatchEffects patched;
};

const Sentence& asked_sentence(const Trace& trace) { return trace.targets().empty() ? trace.texts()[0] : trace.targets()[0]; }

std::string token_text(const Trace& trace, std::int32_t token) {
  return (trace.targets().empty() ? trace.tokenizer() : trace.target_tokenizer())->display_text(token);
}

std::string label_of(const Trace& trace, const InformationShares& shares, const RouteVector& at) {
  const bool source = !trace.targets().empty() && at.stack + 1 < shares.stacks.size();
  const Sentence& sentence = source || trace.targets().empty() ? trace.texts()[0] : trace.targets()[0];
  return sentence.labels[static_cast<std::size_t>(at.position)];
}

// The heads with the largest parts, taken out one by one: what really changes beside what they add directly.
Result<std::vector<Removed>> without_heads(const Why& why, const Document& document, backends::Backend& backend,
                                           std::int64_t most, const CancelToken& cancel) {
  std::vector<std::size_t> heads;
  for (std::size_t i = 0; i < why.difference.parts.size(); ++i)
    if (why.difference.parts[i].kind == LogitContributions::Kind::head) heads.push_back(i);
  sort_stably(heads, [&](std::size_t a, std::size_t b) {
    return std::abs(why.difference.parts[a].logit) > std::abs(why.difference.parts[b].logit);
  });
  heads.resize(std::min(heads.size(), static_cast<std::size_t>(most)));
  std::vector<Removed> removed;
  for (const std::size_t i : heads) {
    const LogitDifference::Part& part = why.difference.parts[i];
    HL_ASSIGN(const ModelAddress at, address_from_text(part.place + "head." + std::to_string(part.head)));
    HL_ASSIGN(const auto trace, run(without_head(document, at, false), backend, cancel));
    HL_ASSIGN(const TokenOutlook word, token_outlook(*trace, why.position, why.word));
    HL_ASSIGN(const TokenOutlook over, token_outlook(*trace, why.position, why.over));
    removed.push_back({i, word.logit - over.logit});
  }
  return removed;
}

// What every part of the changed sentence's run does when it alone is put back to what it is in the clean one. Without --over the
// other word is the one that the model says after the changed sentence.
Status patch(Why& why, const WhyOptions& options, const Document& document, backends::Backend& backend,
             const CancelToken& cancel) {
  if (!why.predicts) return usage_error("this model predicts no word").at("--patch").mend("leave --patch out");
  PatchQuestion question{options.asked.patch, why.position, why.word, why.over};
  if (options.asked.over.empty()) {
    HL_ASSIGN(why.over, word_after(*why.trace, document, options.asked.patch, why.word, options.position, backend, cancel));
    question.over = why.over;
  }
  HL_ASSIGN(why.patching, PathPatching::open(document, question, backend, cancel));
  Progress progress("patching, runs");
  HL_ASSIGN(why.patched, patch_effects(*why.patching, why.routes, why.shares, cancel,
                                       [&](std::int64_t done, std::int64_t total) { progress.show(done, total); }));
  return {};
}

Result<Why> computed(const WhyOptions& options) {
  HL_ASSIGN(const auto model, open_model(options.model));
  HL_ASSIGN(const auto backend, open_backend(options.model.backend));
  Document document;
  use_model(document, *model);
  document.texts = {options.text};
  if (model->task == ModelTask::decoder) document.add_end = false;  // the end is what is still to be predicted
  if (model->task == ModelTask::encoder_decoder) document.targets = {options.target};
  const CancelToken cancel = interrupt_token();
  Why why;
  HL_ASSIGN(why.trace, run(document, *backend, cancel));
  print_remarks(*why.trace);
  NotFinite not_finite;
  HL_TRY(not_finite.look_at(*why.trace, {}, cancel));
  HL_TRY(not_finite.look_for_cause(*why.trace, cancel));
  HL_TRY(not_finite.check(options.model.model, options.strict));
  not_finite.say("why", {});
  why.predicts = model->predicts;
  HL_ASSIGN(why.position, predicted_position(*why.trace, options.position));
  if (!why.predicts && (!options.asked.word.empty() || !options.asked.over.empty()))
    return usage_error("this model predicts no word").at("--for").mend("leave --for and --over out");
  if (why.predicts) {
    if (options.asked.word.empty()) {
      HL_ASSIGN(why.word, most_probable(*why.trace, why.position));
    } else {
      HL_ASSIGN(why.word, known_word(*why.trace, options.asked.word, "--for"));
    }
    HL_ASSIGN(why.outlook, token_outlook(*why.trace, why.position, why.word));
  }
  {
    Progress progress("sharing out the vectors, attentions");
    HL_ASSIGN(why.shares, information_shares(*why.trace, 0, *backend, cancel,
                                             [&](std::int64_t done, std::int64_t total) { progress.show(done, total); }));
  }
  why.routes = information_routes(why.shares, last_vector(why.shares, why.position), options.threshold, options.without_first);
  if (!options.asked.over.empty()) {
    HL_ASSIGN(why.over, known_word(*why.trace, options.asked.over, "--over"));
    HL_ASSIGN(why.difference, logit_difference(*why.trace, 0, why.position, why.word, why.over, cancel));
    HL_ASSIGN(why.removed, without_heads(why, document, *backend, options.removed, cancel));
  }
  if (!options.asked.patch.empty()) HL_TRY(patch(why, options, document, *backend, cancel));
  return why;
}

std::string place_of_edge(const InformationShares::Attention& attention) {
  return (attention.is_cross() ? "cross-attention of layer " : "layer ") + std::to_string(attention.layer);
}

std::string name_of_part(const LogitDifference::Part& part) {
  using enum LogitContributions::Kind;
  switch (part.kind) {
    case embedding: return "embedding";
    case head: return part.place + "head." + std::to_string(part.head);
    case attention_bias: return part.place + "attention bias";
    case feed_forward: return part.place + "feed_forward";
    case norm_shift: return "shift of the final norm";
  }
  return {};
}

// What each part does when it alone is put back, the parts that do most first.
std::string patched_text(const Why& why) {
  constexpr std::size_t kMost = 10;
  const PatchEffects& effects = why.patched;
  const auto shown = [&](double difference) {
    return number_as("%+8.2f ", difference) + number_as("%5.0f%%  ", 100 * effects.share(difference));
  };
  std::string out = "'" + token_text(*why.trace, why.word) + "' over '" + token_text(*why.trace, why.over) +
                    "': " + number_as("%+.2f after the sentence, ", effects.clean) +
                    number_as("%+.2f after the changed one", effects.changed) +
                    "\nin the changed one, with one head's output as it is in the first:\n";
  const std::vector<std::size_t> heads = effects.strongest_heads();
  const Sentence& sentence = asked_sentence(*why.trace);
  for (std::size_t i = 0; i < std::min(kMost, heads.size()); ++i) {
    const PatchEffects::Head& head = effects.heads[heads[i]];
    out += shown(head.difference) + head.prefix + "head." + std::to_string(head.head);
    if (!head.by_position.empty()) {
      const auto far = [&](double a, double b) { return std::abs(a - effects.changed) < std::abs(b - effects.changed); };
      const auto most = std::max_element(head.by_position.begin(), head.by_position.end(), far);
      const auto at = static_cast<std::size_t>(most - head.by_position.begin());
      out += "  most at '" + sentence.labels[at] + "' (" + std::to_string(at) + number_as("): %+.2f", *most);
    }
    out += "\n";
  }
  std::vector<std::size_t> edges(effects.edges.size());
  std::iota(edges.begin(), edges.end(), std::size_t{0});
  sort_stably(edges, [&](std::size_t a, std::size_t b) {
    return std::abs(effects.edges[a] - effects.changed) > std::abs(effects.edges[b] - effects.changed);
  });
  out += "with one edge of those above as it is in the first:\n";
  for (std::size_t i = 0; i < std::min(kMost, edges.size()); ++i) {
    const InformationRoutes::Edge& edge = why.routes.edges[edges[i]];
    out += shown(effects.edges[edges[i]]) + place_of_edge(why.shares.attentions[edge.attention]) + "  '" +
           label_of(*why.trace, why.shares, edge.from) + "' (" + std::to_string(edge.key) + ") to '" +
           label_of(*why.trace, why.shares, edge.to) + "' (" + std::to_string(edge.query) + ")\n";
  }
  return out;
}

std::string as_text(const Why& why, const WhyOptions& options) {
  const Trace& trace = *why.trace;
  std::string out = "behind '" + asked_sentence(trace).labels[static_cast<std::size_t>(why.position)] + "'";
  if (why.predicts)
    out += ": '" + token_text(trace, why.word) + "'" + number_as("  probability %.1f%%", 100 * why.outlook.probability);
  out += "\n" + std::to_string(why.routes.edges.size()) + " edges of at least " + number_as("%.3g%%", 100 * options.threshold) +
         ", the largest first:\n";
  for (const InformationRoutes::Edge& edge : why.routes.edges)
    out += number_as("%6.1f%%  ", 100 * static_cast<double>(edge.share)) + place_of_edge(why.shares.attentions[edge.attention]) +
           "  '" + label_of(trace, why.shares, edge.from) + "' (" + std::to_string(edge.key) + ") to '" +
           label_of(trace, why.shares, edge.to) + "' (" + std::to_string(edge.query) + ")\n";
  if (options.without_first)
    out += std::to_string(why.routes.hidden) + " edges from the first token are left out, the largest of " +
           number_as("%.1f%%", 100 * static_cast<double>(why.routes.hidden_most)) + "\n";
  if (why.patching) out += patched_text(why);
  if (options.asked.over.empty()) return out;
  out += "'" + token_text(trace, why.word) + "' over '" + token_text(trace, why.over) +
         "': " + number_as("%+.2f", why.difference.difference) +
         (why.difference.adds_up() ? "" : number_as(", from which the sum of the parts departs by %.2g", why.difference.rest)) +
         "\nby layer:\n";
  const std::vector<double> by_layer = why.difference.by_layer();
  for (std::size_t i = 0; i < by_layer.size(); ++i)
    out += number_as("%+8.2f  ", by_layer[i]) + (i == 0 ? "before the layers" : "layer " + std::to_string(i - 1)) + "\n";
  out += "by the token that a head reads:\n";
  const auto add_sources = [&](const std::vector<double>& sums, const Sentence& sentence, const char* behind) {
    for (std::size_t key = 0; key < sums.size() && key < sentence.labels.size(); ++key)
      out += number_as("%+8.2f  '", sums[key]) + sentence.labels[key] + behind;
  };
  add_sources(why.difference.by_source(true), trace.texts()[0], "' in the other text\n");
  add_sources(why.difference.by_source(), asked_sentence(trace), "'\n");
  out += number_as("%+8.2f  ", why.difference.without_heads()) + "no head: embedding, feed-forward parts, biases\n";
  out += "heads with the largest parts, and the difference without each:\n";
  for (const Removed& one : why.removed)
    out += number_as("%+8.2f  ", why.difference.parts[one.part].logit) + name_of_part(why.difference.parts[one.part]) +
           number_as("  without it %+.2f", one.difference) + number_as(" (%+.2f)", one.difference - why.difference.difference) +
           "\n";
  return out;
}

Json as_json(const std::vector<double>& numbers) { return Json(numbers); }

Json vector_as_json(const InformationShares& shares, const RouteVector& at) {
  return Json::object({{"stack", shares.stacks[at.stack].name}, {"level", at.level}, {"position", at.position}});
}

Json patched_json(const Why& why) {
  const PatchEffects& effects = why.patched;
  Json heads = Json::array();
  for (const PatchEffects::Head& head : effects.heads) {
    Json one = Json::object({{"part", head.prefix + "head." + std::to_string(head.head)},
                             {"layer", head.layer},
                             {"head", head.head},
                             {"difference", head.difference},
                             {"share", effects.share(head.difference)}});
    if (!head.by_position.empty()) one["by_position"] = as_json(head.by_position);
    heads.push_back(std::move(one));
  }
  return Json::object({{"tokens", Json(why.patching->changed_trace().texts()[0].labels)},
                       {"word", token_text(*why.trace, why.word)},
                       {"over", token_text(*why.trace, why.over)},
                       {"clean", effects.clean},
                       {"changed", effects.changed},
                       {"vectors", as_json(effects.vectors)},
                       {"edges", as_json(effects.edges)},
                       {"heads", std::move(heads)}});
}

std::string as_json(const Why& why, const WhyOptions& options) {
  const Trace& trace = *why.trace;
  Json vectors = Json::array(), edges = Json::array();
  for (const InformationRoutes::Vector& one : why.routes.vectors) {
    Json vector = vector_as_json(why.shares, one.at);
    vector["goes_down"] = one.goes_down;
    vector["before"] = one.before;
    vector["feed_forward"] = one.feed_forward;
    vectors.push_back(std::move(vector));
  }
  for (const InformationRoutes::Edge& edge : why.routes.edges)
    edges.push_back(Json::object({{"attention", why.shares.attentions[edge.attention].prefix},
                                  {"query", edge.query},
                                  {"key", edge.key},
                                  {"share", edge.share},
                                  {"from", vector_as_json(why.shares, edge.from)},
                                  {"to", vector_as_json(why.shares, edge.to)}}));
  Json made = Json::object({{"position", why.position},
                            {"tokens", Json(asked_sentence(trace).labels)},
                            {"threshold", options.threshold},
                            {"adds_up", why.shares.adds_up()},
                            {"largest_difference", why.shares.difference},
                            {"bytes", static_cast<std::int64_t>(why.shares.bytes())},
                            {"bytes_while_computed", static_cast<std::int64_t>(why.shares.computed_in)},
                            {"vectors", std::move(vectors)},
                            {"edges", std::move(edges)}});
  if (why.predicts) {
    made["word"] = token_text(trace, why.word);
    made["id"] = why.word;
    made["probability"] = why.outlook.probability;
  }
  if (options.without_first) {
    made["hidden"] = why.routes.hidden;
    made["hidden_most"] = why.routes.hidden_most;
  }
  if (why.patching) made["patched"] = patched_json(why);
  if (options.asked.over.empty()) return made.dump() + "\n";
  Json parts = Json::array();
  for (const LogitDifference::Part& part : why.difference.parts) {
    Json one = Json::object({{"part", name_of_part(part)}, {"layer", part.layer}, {"head", part.head}, {"logit", part.logit}});
    if (!part.by_source.empty()) one["by_source"] = as_json(part.by_source);
    parts.push_back(std::move(one));
  }
  Json removed = Json::array();
  for (const Removed& one : why.removed)
    removed.push_back(Json::object({{"part", name_of_part(why.difference.parts[one.part])},
                                    {"logit", why.difference.parts[one.part].logit},
                                    {"difference_without", one.difference}}));
  made["over"] = Json::object({{"word", token_text(trace, why.over)},
                               {"id", why.over},
                               {"difference", why.difference.difference},
                               {"rest", why.difference.rest},
                               {"by_layer", as_json(why.difference.by_layer())},
                               {"adds_up", why.difference.adds_up()},
                               {"by_source", as_json(why.difference.by_source())},
                               {"by_source_of_other_text", as_json(why.difference.by_source(true))},
                               {"without_heads", why.difference.without_heads()},
                               {"parts", std::move(parts)},
                               {"removed", std::move(removed)}});
  return made.dump() + "\n";
}

Status why(const WhyOptions& options) {
  HL_ASSIGN(const Why made, computed(options));
  return print(options.json ? as_json(made, options) : as_text(made, options));
}

std::function<int()> define_why(Arguments& arguments) {
  auto options = std::make_shared<WhyOptions>();
  add_model_options(arguments, options->model);
  arguments.option("--text", options->text, "the text; [MASK] in it for a model that fills in").type("TEXT").required();
  arguments.option("--target", options->target, "of a model that translates: its translation so far").type("TEXT");
  arguments.option("--position", options->position, "the position behind which the word stands, from 0; without it the last")
      .type("N")
      .within(0, 1'000'000);
  add_asked_words(arguments, options->asked);
  arguments.option("--threshold", options->threshold, "the least share of an edge that is followed")
      .type("X")
      .within_reals(0.0001, 1)
      .shows_default();
  arguments.option("--removed", options->removed, "with --over: how many heads are also taken out, one by one")
      .type("N")
      .within(0, 100'000)
      .shows_default();
  arguments.flag("--without-first", options->without_first,
                 "leaves out what the first token hands on, where heads look that look nowhere");
  add_strict_option(arguments, options->strict);
  arguments.flag("--json", options->json, "JSON in full precision");
  return [options] {
    const Status done = why(*options);
    return done.ok() ? kDone : fail("why", done.error());
  };
}

}  // namespace

Entry why_command() { return {"why", "Follow a predicted word back to the tokens it came from", "", "S23", define_why}; }

}  // namespace headlight::cli
