// headlight train-tokenizer: trains one of the kinds on a text or a list of word counts.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/text_file.h"
#include "engine/tokenizers/files/headlight_file.h"
#include "engine/tokenizers/files/hugging_face_writer.h"
#include "engine/tokenizers/training/training.h"

namespace headlight::cli {
namespace {

struct TrainTokenizerOptions {
  std::string kind, corpus, out, steps;
  tokenizers::TrainingOptions training;
};

Json json_of(const tokenizers::PruningRound::Piece& piece) {
  constexpr const char* kWhy[] = {"rare", "unused", "cut", "missed", "surplus"};
  return Json::object({{"piece", piece.piece},
                       {"score", piece.score},
                       {"count", piece.count},
                       {"loss", piece.loss},
                       {"instead", Json(piece.instead)},
                       {"why", kWhy[static_cast<std::size_t>(piece.why)]}});
}

Json json_of(const std::vector<tokenizers::PruningRound>& rounds) {
  Json list = Json::array();
  for (const auto& round : rounds) {
    Json taken = Json::array(), spared = Json::array();
    for (const auto& piece : round.taken) taken.push_back(json_of(piece));
    for (const auto& piece : round.spared) spared.push_back(json_of(piece));
    const auto& counts = round.taken_for;
    list.push_back(Json::object({{"pieces_before", round.pieces_before},
                                 {"pieces_after", round.pieces_after},
                                 {"log_likelihood", round.log_likelihood},
                                 {"tokens_per_word", round.tokens_per_word},
                                 {"rare", counts[0]},
                                 {"unused", counts[1]},
                                 {"cut", counts[2]},
                                 {"missed", counts[3]},
                                 {"surplus", counts[4]},
                                 {"taken", std::move(taken)},
                                 {"spared", std::move(spared)}}));
  }
  return list;
}

std::string steps_json(const tokenizers::Training& training) {
  if (!training.rounds.empty()) return Json::object({{"rounds", json_of(training.rounds)}}).dump(1) + "\n";
  Json list = Json::array();
  for (const auto& step : training.steps) {
    Json candidates = Json::array();
    for (const auto& c : step.candidates)
      candidates.push_back(Json::object({{"pair", Json::array({c.left, c.right})}, {"count", c.count}, {"score", c.score}}));
    list.push_back(Json::object({{"step", step.step},
                                 {"pair", Json::array({step.left, step.right})},
                                 {"token", step.token},
                                 {"count", step.count},
                                 {"score", step.score},
                                 {"candidates", std::move(candidates)}}));
  }
  return Json::object({{"steps", std::move(list)}}).dump(1) + "\n";
}

// Reports before training, not after it, that the result could not be written.
Status check_writable(const std::filesystem::path& target, bool folder) {
  std::error_code none;
  std::filesystem::path here = std::filesystem::absolute(target, none);
  if (!folder) here = here.parent_path();
  while (!std::filesystem::exists(here, none) && here.has_relative_path()) here = here.parent_path();
  if (!std::filesystem::is_directory(here, none))
    return failure(ErrorKind::io, "this is a file, not a folder").at(here.string()).mend("choose another place");
  if (access(here.c_str(), W_OK | X_OK) != 0)
    return failure(ErrorKind::io, "this folder cannot be written to").at(here.string()).mend("choose one that you may write to");
  return {};
}

Status train_from_corpus(TrainTokenizerOptions& options) {
  const auto kind = tokenizers::trainers().get(options.kind);
  if (!kind) return usage_error(kind.error().what).at("KIND").mend(kind.error().mend);
  const tokenizers::Entry& entry = **kind;
  HL_TRY(check_writable(options.out, true));
  if (!options.steps.empty() && options.steps != "/dev/stdout") HL_TRY(check_writable(options.steps, false));
  HL_ASSIGN(const std::string text, read_text_input(options.corpus));
  const CancelToken cancel = interrupt_token();  // only here: before, Ctrl+C must end the wait for standard input
  const std::string where = options.corpus == "-" ? "standard input" : options.corpus;
  if (text.empty()) return invalid("the corpus is empty").at(where).mend("give a text to train on");
  options.training.record_steps = !options.steps.empty();
  std::vector<tokenizers::WordCount> words;
  if (options.training.word_counts) {
    HL_ASSIGN(words, tokenizers::parse_word_counts(text, where));
  } else {
    Progress progress("counting words, bytes read");
    options.training.progress = [&](std::int64_t done, std::int64_t total) { progress.show(done, total); };
    HL_ASSIGN(words, entry.count_words(text, options.training, cancel));
  }
  if (words.empty()) return invalid("the corpus has no words").at(where).mend("give a text with at least one word");
  {
    Progress progress("training " + entry.label + (options.kind == "unigram" ? ", thousandths done" : ", pieces added"));
    options.training.progress = [&](std::int64_t done, std::int64_t total) { progress.show(done, total); };
    HL_ASSIGN(const tokenizers::Training training, entry.train(words, options.training, cancel));
    if (cancel.cancelled()) return cancelled();
    HL_TRY(tokenizers::save(*training.tokenizer, options.out));
    HL_TRY(tokenizers::save_hugging_face(*training.tokenizer, options.out));
    if (!options.steps.empty()) HL_TRY(write_file(options.steps, steps_json(training)));
  }
  return {};
}

std::function<int()> define_train_tokenizer(Arguments& arguments) {
  auto options = std::make_shared<TrainTokenizerOptions>();
  auto& training = options->training;
  arguments.option("KIND", options->kind, "characters, words, bpe, wordpiece or unigram").required();
  arguments.option("--corpus", options->corpus, "the text to train on, or - for standard input").required();
  arguments.option("--vocab-size", training.vocabulary_size, "pieces in all, special tokens and alphabet included")
      .required()
      .within(5, 1'000'000);
  arguments
      .option("--out", options->out, "the folder to write headlight-tokenizer.json into, and tokenizer.json for other programs")
      .required();
  arguments.option(
      "--steps", options->steps,
      "write every step with its candidate pairs into this JSON file; unigram: every round with the pieces taken out");
  arguments.flag("--word-counts", training.word_counts, "the corpus is lines of a word, a tab and its count");
  arguments.option("--alphabet", training.alphabet, "BPE starts from the corpus's characters or from bytes")
      .one_of({"corpus", "bytes"});
  arguments.flag("--lowercase", training.lowercase,
                 "words, WordPiece and unigram: make letters small, before training and encoding");
  arguments.option("--coverage", training.coverage, "unigram: the share of the corpus that the characters known must make up")
      .shows_default()
      .within_reals(0.5, 1);
  arguments.option("--min-count", training.min_pair_count, "merge no pair (take no word, no character) that is rarer than this")
      .shows_default()
      .within(1, 1'000'000'000);
  arguments.flag(
      "--as-library", training.as_library,
      "BPE and WordPiece: as Hugging Face tokenizers trains; of equally frequent pairs that of the lower ids is merged");
  arguments.option("--candidates", training.keep_candidates, "candidate pairs written a step")
      .shows_default()
      .within(1, 1'000'000);
  return [options] {
    const Status done = train_from_corpus(*options);
    return done.ok() ? kDone : fail("train-tokenizer", done.error());
  };
}

}  // namespace

Entry train_tokenizer_command() { return {"train-tokenizer", "train a tokenizer on a text", "", "S14", define_train_tokenizer}; }

}  // namespace headlight::cli
