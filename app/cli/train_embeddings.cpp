// headlight train-embeddings: word vectors of a text, as word2vec learns them.
#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_option.h"
#include "app/cli/output.h"
#include "app/cli/progress.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/npy.h"
#include "engine/insight/embedding_space.h"
#include "engine/tokenizers/files/headlight_file.h"
#include "engine/tokenizers/training/training.h"
#include "engine/train/word_vectors.h"

namespace headlight::cli {
namespace {

struct Options {
  std::string kind = "skipgram", corpus, out;
  std::int64_t min_count = 5, vocabulary = 20000, seed = 0;
  bool keep_case = false, json = false;
  WordVectorOptions training;
};

// The words of the text that are frequent enough, as a tokenizer.
Result<std::shared_ptr<const tokenizers::Tokenizer>> words_of(const std::string& text, const Options& options,
                                                              const CancelToken& cancel) {
  const tokenizers::Entry& words = *tokenizers::registry().find("words");
  tokenizers::TrainingOptions training;
  training.vocabulary_size = options.vocabulary;
  training.min_pair_count = options.min_count;
  training.lowercase = !options.keep_case;
  training.record_steps = false;
  HL_ASSIGN(const auto counts, words.count_words(text, training, cancel));
  HL_ASSIGN(const tokenizers::Training trained, words.train(counts, training, cancel));
  if (cancel.cancelled()) return cancelled();
  return trained.tokenizer;
}

Result<std::vector<std::int32_t>> ids_of(const tokenizers::Tokenizer& tokenizer, const std::string& text,
                                         const CancelToken& cancel) {
  std::vector<std::int32_t> ids;
  HL_TRY(tokenizer.encode_parts(
      text,
      [&](const std::vector<tokenizers::Token>& tokens) {
        for (const tokenizers::Token& token : tokens) ids.push_back(token.id == tokenizer.unknown_id() ? -1 : token.id);
        return Status{};
      },
      cancel));
  return ids;
}

Status say_loss(std::int64_t epoch, double loss, bool json) {
  char line[80];
  std::snprintf(line, sizeof line, "epoch %lld: loss %.4f\n", static_cast<long long>(epoch), loss);
  return print(json ? Json::object({{"epoch", epoch}, {"loss", loss}}).dump() + "\n" : std::string(line));
}

Status train(const Options& options) {
  HL_ASSIGN(const std::string text, read_corpus(options.corpus));
  const CancelToken cancel = interrupt_token();
  HL_ASSIGN(const auto tokenizer, words_of(text, options, cancel));
  HL_ASSIGN(const std::vector<std::int32_t> ids, ids_of(*tokenizer, text, cancel));
  WordVectorOptions training = options.training;
  training.bag = options.kind == "cbow";
  training.seed = static_cast<std::uint64_t>(options.seed);
  // The folder is there before the training, so that a place that cannot be written to is said at once.
  HL_TRY(tokenizers::save(*tokenizer, options.out));
  Status said;
  Result<WordVectors> vectors = [&] {
    Progress progress("training word vectors, words read");
    WordVectorReport report;
    report.progress = [&](std::int64_t done, std::int64_t total) { progress.show(done, total); };
    report.epoch = [&](std::int64_t epoch, double loss) {
      if (said.ok()) said = say_loss(epoch, loss, options.json);
    };
    return train_word_vectors(ids, tokenizer->vocabulary_size(), training, report, cancel);
  }();
  if (!vectors) return vectors.error();
  HL_TRY(said);
  HL_ASSIGN(NpzWriter writer, NpzWriter::create(std::filesystem::path(options.out) / kWordVectorFile));
  HL_TRY(writer.add("embedding", vectors->embedding));
  HL_TRY(writer.add("context", vectors->context));
  HL_TRY(writer.add_text("kind", options.kind));
  return writer.close();
}

std::function<int()> define(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  WordVectorOptions& training = options->training;
  arguments.option("--kind", options->kind, "skipgram: a word guesses its neighbours; cbow: they guess the word")
      .one_of({"skipgram", "cbow"})
      .shows_default();
  add_corpus_option(arguments, options->corpus, "the text to learn from");
  arguments.option("--out", options->out, "the folder to write the words and vectors.npz into").required();
  arguments.option("--d-model", training.dimensions, "numbers a vector").shows_default().within(1, 4096);
  arguments.option("--window", training.window, "neighbours on each side, at most").shows_default().within(1, 1000);
  arguments.option("--negatives", training.negatives, "words that are not there, drawn beside each that is")
      .shows_default()
      .within(1, 1000);
  arguments.option("--epochs", training.epochs, "how often the text is read").shows_default().within(1, 100000);
  arguments.option("--rate", training.rate, "learning rate at the beginning").shows_default().within_reals(1e-6, 10);
  arguments
      .option("--subsample", training.subsample, "words of a larger share of the text than this are skipped at times; 0: none")
      .shows_default()
      .within_reals(0, 1);
  arguments.option("--min-count", options->min_count, "rarer words are not learnt").shows_default().within(1, 1'000'000'000);
  arguments.option("--vocab-size", options->vocabulary, "the most frequent words are kept, special tokens included")
      .shows_default()
      .within(5, 1'000'000);
  arguments.flag("--keep-case", options->keep_case, "capital letters make another word");
  arguments.option("--seed", options->seed, "draws the start and the words that are not there")
      .shows_default()
      .within(0, 9007199254740991);
  arguments.flag("--json", options->json, "each epoch's loss as a line of JSON");
  return [options] {
    const Status done = train(*options);
    return done.ok() ? kDone : fail("train-embeddings", done.error());
  };
}

}  // namespace

Entry train_embeddings_command() { return {"train-embeddings", "learn word vectors from a text", "", "S14", define}; }

}  // namespace headlight::cli
