// headlight scores: one token of a text asks the others, and six scores answer side by side.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/attention_option.h"
#include "app/cli/backend_option.h"
#include "app/cli/command.h"
#include "app/cli/document_options.h"
#include "app/cli/interrupt.h"
#include "app/cli/not_finite.h"
#include "app/cli/output.h"
#include "app/cli/scores_step.h"
#include "app/cli/traced.h"
#include "engine/core/json.h"
#include "engine/insight/asked_scores.h"
#include "engine/insight/explain.h"
#include "engine/insight/word_in_text.h"
#include "engine/pipeline/run.h"

namespace headlight::cli {
namespace {

struct ScoresOptions {
  explicit ScoresOptions(Arguments& arguments) : document(arguments), attention(arguments) {}
  DocumentOptions document;
  AttentionOption attention;
  std::string query, relation = "separate";
  std::optional<std::int64_t> step;
  double factor = 0;
  bool masked = false, json = false, strict = false;
};

struct Asked {
  std::shared_ptr<const Trace> trace;
  const AttentionSite* site = nullptr;
  AskedOptions how;
  AskedScores scores;
  ScaleCurves curves;
  std::vector<RelatedMap> maps;
};

// "creature", or a position; without either the query of the head's strongest cell.
Result<std::int64_t> query_of(const Trace& trace, const AttentionSite& site, const ScoresOptions& options) {
  const auto sentences = site.rows_are_targets ? trace.targets() : trace.texts();
  const Sentence& sentence = sentences[static_cast<std::size_t>(options.attention.sentence)];
  if (sentence.tokens.empty()) return usage_error("the text has no token").at("--text").mend("give a sentence");
  if (options.query.empty()) {
    HL_ASSIGN(const CellAddress cell, strongest_cell(trace, site.prefix, options.attention.sentence, options.attention.head));
    return cell.query;
  }
  std::int64_t position = -1;
  const char* const end = options.query.data() + options.query.size();
  if (const auto [stop, problem] = std::from_chars(options.query.data(), end, position); problem == std::errc() && stop == end) {
    HL_TRY(check_in_range(position, static_cast<std::int64_t>(sentence.tokens.size()), "token", "--query"));
    return position;
  }
  const auto tokens = tokens_of_word(sentence, options.query);
  if (!tokens)
    return usage_error("the text has no word '{}'", options.query)
        .at("--query")
        .mend("give one of its words, or a position from 0");
  return tokens->second;
}

Result<Asked> ask(const ScoresOptions& options) {
  if (!std::isfinite(options.factor))
    return usage_error("this is no number to multiply by").at("--factor").mend("give one above 0");
  const CancelToken cancel = interrupt_token();
  Asked asked;
  HL_ASSIGN(asked.trace, traced("scores", options.document, options.strict, cancel));
  const Trace& trace = *asked.trace;
  HL_ASSIGN(asked.site, options.attention.find(trace));
  HL_ASSIGN(const std::int64_t query, query_of(trace, *asked.site, options));
  const AskedHead at{asked.site->prefix, options.attention.sentence, options.attention.head, query};
  asked.how.relation = relation_named(options.relation);
  asked.how.masked = options.masked;
  asked.how.factor = options.factor;
  HL_ASSIGN(asked.scores, asked_scores(trace, at, asked.how, cancel));
  HL_ASSIGN(asked.curves, scale_curves(trace, at, asked.how, cancel));
  HL_ASSIGN(asked.maps, related_maps(trace, at, asked.how, cancel));
  return asked;
}

std::vector<std::string> key_labels(const Asked& asked) {
  std::vector<std::string> labels;
  for (std::size_t key = 0; key < asked.scores.question.h.size(); ++key)
    labels.push_back(key_label(*asked.trace, *asked.site, asked.scores.at.batch, static_cast<std::int64_t>(key)));
  return labels;
}

double norm_at(const Asked& asked, double factor) {
  const ScoreQuestion& q = asked.scores.question;
  return jacobian_norms(asked.scores.dots, q.visible, q.temperature, {factor}).front();
}

// As many columns as the text takes on a screen: a letter of a wide script is counted as one.
std::string padded(const std::string& text, std::size_t columns) {
  std::size_t letters = 0;
  for (const char c : text) letters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return text + std::string(letters < columns ? columns - letters : 0, ' ');
}

std::string scores_as_table(const Asked& asked) {
  const AskedScores& s = asked.scores;
  const std::vector<std::string> labels = key_labels(asked);
  const std::string asker = query_label(*asked.trace, *asked.site, s.at.batch, s.at.query);
  std::string text = asker + ", token " + std::to_string(s.at.query) + ", asks " + std::to_string(labels.size()) +
                     (labels.size() == 1 ? " token: " : " tokens: ") + asked.site->prefix + " head " + std::to_string(s.at.head) +
                     " of " + asked.trace->document().model + ", d = " + std::to_string(s.question.s.size()) +
                     (asked.how.masked ? ", masked as the model does" : ", mask off") + (s.random ? ", random weights" : "") +
                     "\n";
  std::size_t widest = 12;
  for (const std::string& label : labels) widest = std::max(widest, label.size() + 2);
  widest = std::min<std::size_t>(widest, 24);
  text += padded("", widest);
  for (const ScoreRow& row : s.rows)
    text += padded((row.id == s.in_use ? ">" : " ") + compared_scores().find(row.id)->label + (row.drawn ? "*" : ""), 18);
  text += "\n" + padded("", widest);
  for (std::size_t i = 0; i < s.rows.size(); ++i) text += "    score weight  ";
  text += "\n";
  for (std::size_t key = 0; key < labels.size(); ++key) {
    text += padded(labels[key], widest);
    for (const ScoreRow& row : s.rows)
      text += s.question.sees(key) ? number_as("%9.4f", row.scores[key]) + number_as("%7.4f  ", row.weights[key])
                                   : "   masked      -  ";
    text += "\n";
  }
  text += padded("entropy, nat", widest);
  for (const ScoreRow& row : s.rows) text += number_as("%16.4f  ", row.entropy);
  text += "\n";
  for (const ComparedScore& kind : compared_scores().entries())
    text += padded(kind.id, 12) + kind.formula + "   " + kind.source + "\n";
  text += "* weights of its own, random, seed " + std::to_string(s.question.seed) +
          "; > the model's own score; s is the row of q, h the rows of " + (asked.how.relation == QkvRelation::one ? "q" : "k") +
          "\n";
  if (s.multiplied != 1) text += number_as("the model multiplies its scores by %.6g\n", s.multiplied);
  if (s.biased) text += "what the positions add to the model's scores is not counted\n";
  const double used = s.question.used_factor();
  text += "the softmax's Jacobian: norm" + number_as(" %.4f", norm_at(asked, used)) + number_as(" at factor %.4g,", used) +
          number_as(" %.4f at 1\n", norm_at(asked, 1));
  for (const RelatedMap& map : asked.maps) {
    if (!map.possible) continue;
    text += map.relation == QkvRelation::one      ? "Q = K = V: "
            : map.relation == QkvRelation::shared ? "K = V: "
                                                  : "all different: ";
    text += std::to_string(map.maps) + (map.maps == 1 ? " map, " : " maps, ") + std::to_string(map.weights) + " weights" +
            (map.scores.dim(0) == map.scores.dim(1)
                 ? number_as(map.asymmetry == 0 ? ", scores are the same both ways" : ", scores differ both ways by up to %.4f",
                             map.asymmetry)
                 : std::string()) +
            "\n";
  }
  return text;
}

std::string scores_as_json(const Asked& asked) {
  const AskedScores& s = asked.scores;
  Json rows = Json::array(), maps = Json::array();
  for (const ScoreRow& row : s.rows) {
    const ComparedScore& kind = *compared_scores().find(row.id);
    rows.push_back(Json::object({{"id", row.id},
                                 {"label", kind.label},
                                 {"formula", kind.formula},
                                 {"source", kind.source},
                                 {"random", row.drawn},
                                 {"scores", Json(row.scores)},
                                 {"weights", Json(row.weights)},
                                 {"entropy", row.entropy},
                                 {"largest", row.largest}}));
  }
  for (const RelatedMap& map : asked.maps) {
    if (!map.possible) continue;
    maps.push_back(Json::object({{"relation", name_of(map.relation)},
                                 {"maps", map.maps},
                                 {"weights", map.weights},
                                 {"asymmetry", map.asymmetry},
                                 {"given", Json(map.given)}}));
  }
  Json visible = Json::array();
  for (std::size_t key = 0; key < s.question.h.size(); ++key) visible.push_back(Json(s.question.sees(key)));
  Json keys = Json::array();
  for (const std::vector<double>& h : s.question.h) keys.push_back(Json(h));
  const double used = s.question.used_factor();
  return Json::object({{"model", asked.trace->document().model},
                       {"site", asked.site->prefix},
                       {"head", s.at.head},
                       {"sentence", s.at.batch},
                       {"query", Json::object({{"position", s.at.query},
                                               {"token", query_label(*asked.trace, *asked.site, s.at.batch, s.at.query)}})},
                       {"tokens", Json(key_labels(asked))},
                       {"visible", std::move(visible)},
                       {"relation", name_of(asked.how.relation)},
                       {"seed", static_cast<std::int64_t>(s.question.seed)},
                       {"temperature", s.question.temperature},
                       {"in_use", s.in_use.empty() ? Json() : Json(s.in_use)},
                       {"s", Json(s.question.s)},
                       {"h", std::move(keys)},
                       {"scores", std::move(rows)},
                       {"jacobian", Json::object({{"factor", used},
                                                  {"norm", norm_at(asked, used)},
                                                  {"norm_at_1", norm_at(asked, 1)},
                                                  {"factors", Json(asked.curves.factors)},
                                                  {"norms", Json(asked.curves.norms.front())}})},
                       {"relations", std::move(maps)}})
             .dump() +
         "\n";
}

// The texts alone are read of the document.
Status print_step(const ScoresOptions& options) {
  HL_ASSIGN(const Session session, options.document.read_batch());
  HL_ASSIGN(const auto backend, open_backend(session.document.backend));
  HL_ASSIGN(const std::shared_ptr<const Trace> trace, run(session.document, *backend, interrupt_token()));
  HL_TRY(check_in_range(options.attention.sentence, static_cast<std::int64_t>(trace->texts().size()), "sentence", "--sentence"));
  HL_ASSIGN(const std::string words, bahdanau_words(*trace, options.attention.sentence, *options.step, options.json));
  return print(words);
}

Status scores_of(const ScoresOptions& options) {
  if (options.step) return print_step(options);
  HL_ASSIGN(const Asked asked, ask(options));
  return print(options.json ? scores_as_json(asked) : scores_as_table(asked));
}

std::function<int()> define_scores(Arguments& arguments) {
  auto options = std::make_shared<ScoresOptions>(arguments);
  arguments
      .option("--query", options->query, "the token that asks: a word of the text, or its position from 0 [the strongest cell's]")
      .type("WORD");
  arguments
      .option("--relation", options->relation,
              "one: Q = K = V, the keys are the rows of q, too; shared: K = V; separate: all different")
      .one_of({"one", "shared", "separate"})
      .shows_default();
  arguments.option("--factor", options->factor, "what scaled dot multiplies s·h by, in place of the model's own")
      .type("X")
      .within_reals(1e-6, 1e6);
  arguments.flag("--masked", options->masked, "the model's masks count; without it every token is asked");
  arguments
      .option(
          "--step", options->step,
          "instead Bahdanau's step I, from 0, with every number: a small network of random weights reads --text and writes it "
          "again, or writes --target")
      .type("I");
  add_strict_option(arguments, options->strict);
  arguments.flag("--json", options->json, "as JSON in full precision, with s, h, and the Jacobian's norm by factor");
  return [options] {
    const Status done = scores_of(*options);
    return done.ok() ? kDone : fail("scores", done.error());
  };
}

}  // namespace

Entry scores_command() {
  return {"scores", "Score one token's query against every key, in six ways side by side", "", "S10, S11, S12", define_scores};
}

}  // namespace headlight::cli
