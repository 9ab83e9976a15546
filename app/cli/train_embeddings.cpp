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
#include "engine/core/one_nan.h"
#include "engine/insight/embedding_space.h"
#include "engine/tokenizers/files/headlight_file.h"
#include "engine/train/word_text.h"
#include "engine/train/word_vectors.h"

namespace headlight::cli {
namespace {

struct TrainEmbeddingsOptions {
  std::string kind = "skipgram", corpus, out;
  std::int64_t seed = 0;
  bool json = false;
  WordTextOptions words;
  WordVectorOptions training;
};

Status say_loss(std::int64_t epoch, double loss, bool json) {
  char line[80];
  std::snprintf(line, sizeof line, "epoch %lld: loss %.4f\n", static_cast<long long>(epoch), one_nan(loss));
  return print(json ? Json::object({{"epoch", epoch}, {"loss", loss}}).dump() + "\n" : std::string(line));
}

Status train_vectors(const TrainEmbeddingsOptions& options) {
  HL_ASSIGN(const std::string text, read_corpus(options.corpus));
  const CancelToken cancel = interrupt_token();
  HL_ASSIGN(const WordText words, word_text(text, options.words, cancel));
  WordVectorOptions training = options.training;
  training.bag = options.kind == "cbow";
  training.seed = static_cast<std::uint64_t>(options.seed);
  // A new folder is there before the training, so that a place that cannot be written to is said at once; it goes again with a
  // training that ends before its time.
  const bool is_new = !std::filesystem::exists(options.out);
  if (is_new) HL_TRY(tokenizers::save(*words.tokenizer, options.out));
  Status said;
  Result<WordVectors> vectors = [&] {
    Progress progress("training word vectors, words read");
    WordVectorReport report;
    report.progress = [&](std::int64_t done, std::int64_t total) { progress.show(done, total); };
    report.epoch = [&](std::int64_t epoch, double loss) {
      if (said.ok()) said = say_loss(epoch, loss, options.json);
    };
    return train_word_vectors(words.ids, words.tokenizer->vocabulary_size(), training, report, cancel);
  }();
  if (!vectors || !said.ok()) {
    std::error_code ignored;
    if (is_new) std::filesystem::remove_all(options.out, ignored);
    return vectors ? said : Status(vectors.error());
  }
  return save_word_vectors(options.out, *words.tokenizer, vectors->embedding, vectors->context, options.kind);
}

std::function<int()> define_train_embeddings(Arguments& arguments) {
  auto options = std::make_shared<TrainEmbeddingsOptions>();
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
  arguments.option("--min-count", options->words.min_count, "rarer words are not learnt")
      .shows_default()
      .within(1, 1'000'000'000);
  arguments.option("--vocab-size", options->words.vocabulary, "the most frequent words are kept, special tokens included")
      .shows_default()
      .within(5, 1'000'000);
  arguments.flag("--keep-case", options->words.keep_case, "capital letters make another word");
  arguments.option("--seed", options->seed, "draws the start and the words that are not there")
      .shows_default()
      .within(0, 9007199254740991);
  arguments.flag("--json", options->json, "each epoch's loss as a line of JSON");
  return [options] {
    const Status done = train_vectors(*options);
    return done.ok() ? kDone : fail("train-embeddings", done.error());
  };
}

}  // namespace

Entry train_embeddings_command() {
  return {"train-embeddings", "learn word vectors from a text", "", "S14", define_train_embeddings};
}

}  // namespace headlight::cli
