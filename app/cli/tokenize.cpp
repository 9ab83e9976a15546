// headlight tokenize: the tokens of a text.
#include <cstdio>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::cli {
namespace {

struct Options {
  std::string tokenizer = "bpe";
  std::vector<std::string> texts;
  bool json = false, ids = false, special = false, pair = false;
};

// The tokens of one text, or of a pair of them, with type ids where the tokenizer's post-processor gave some.
std::string as_json(const std::string& name, const tokenizers::Encoding& made) {
  Json all;
  all["tokenizer"] = name;
  all["tokens"] = Json::array();
  for (std::size_t i = 0; i < made.tokens.size(); ++i) {
    const auto& token = made.tokens[i];
    Json one = Json::object({{"id", token.id}, {"piece", token.piece}, {"start", token.start}, {"end", token.end}});
    if (!made.types.empty()) {
      one["type"] = made.types[i];
      one["sentence"] = made.sentences[i];
    }
    all["tokens"].push_back(std::move(one));
  }
  return all.dump() + "\n";
}

std::string as_ids(const tokenizers::Encoding& made) {
  std::string line;
  for (const auto& token : made.tokens) line += (line.empty() ? "" : " ") + std::to_string(token.id);
  return line + "\n";
}

std::string as_table(const tokenizers::Tokenizer& tokenizer, const tokenizers::Encoding& made) {
  std::string table;
  for (std::size_t i = 0; i < made.tokens.size(); ++i) {
    const auto& token = made.tokens[i];
    table += std::to_string(token.id) + "\t" + tokenizer.display_text(token.id) + "\t" + std::to_string(token.start) + "\t" +
             std::to_string(token.end) + (made.types.empty() ? "" : "\t" + std::to_string(made.types[i])) + "\n";
  }
  return table;
}

// The given texts, with standard input in place of "-".
Result<std::vector<std::string>> read_texts(const Options& options) {
  std::vector<std::string> texts;
  bool input_read = false;
  for (const std::string& given : options.texts) {
    texts.push_back(given);
    if (given != "-") continue;
    if (input_read) return usage_error("- stands twice, but standard input can be read once", "TEXT");
    input_read = true;
    HL_ASSIGN(texts.back(), read_standard_input());
  }
  return texts;
}

Status tokenize(const Options& options) {
  HL_ASSIGN(const auto tokenizer, tokenizers::open(options.tokenizer));
  HL_ASSIGN(const std::vector<std::string> texts, read_texts(options));
  if (options.pair && texts.size() % 2 != 0)
    return usage_error("there are " + std::to_string(texts.size()) + " texts, which are no pairs", "--pair",
                       "give two for each pair");
  std::string out;
  for (std::size_t i = 0; i < texts.size(); i += options.pair ? 2 : 1) {
    tokenizers::Encoding made;
    if (options.pair) {
      HL_ASSIGN(made, tokenizer->encode_pair(texts[i], texts[i + 1], interrupt_token()));
    } else if (options.special) {
      HL_ASSIGN(made, tokenizer->encode_single(texts[i], interrupt_token()));
    } else {
      HL_ASSIGN(made.tokens, tokenizer->encode(texts[i], interrupt_token()));
    }
    out += options.json ? as_json(options.tokenizer, made) : options.ids ? as_ids(made) : as_table(*tokenizer, made);
  }
  if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size() || std::fflush(stdout) != 0)
    return Error{ErrorKind::io, "standard output could not be written", {}, "free some space or close the pipe later"};
  return {};
}

std::function<int()> define(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments
      .option("--tokenizer", options->tokenizer, "characters, words, bpe, wordpiece, or a folder with a headlight-tokenizer.json")
      .shows_default();
  const Option json = arguments.flag("--json", options->json, "ids, pieces and byte offsets as JSON, one object a text");
  arguments.flag("--ids", options->ids, "ids only, a line a text").excludes(json);
  arguments.flag("--special", options->special,
                 "adds the special tokens of the tokenizer's post-processor, and each token's type id");
  arguments.flag("--pair", options->pair, "two texts after each other are one pair: as --special, for both at once");
  arguments.option("TEXT", options->texts, "the text, or - for standard input; may be given several times").required();
  return [options] {
    const Status done = tokenize(*options);
    return done.ok() ? kDone : fail("tokenize", done.error());
  };
}

}  // namespace

Entry tokenize_command() { return {"tokenize", "ids, pieces and byte offsets of a text", "", "S14", define}; }

}  // namespace headlight::cli
