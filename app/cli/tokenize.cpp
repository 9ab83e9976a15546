// headlight tokenize: the tokens of a text.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_option.h"
#include "app/cli/output.h"
#include "engine/core/json.h"
#include "engine/core/text_file.h"
#include "engine/tokenizers/files/chat_frame.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::cli {
namespace {

struct TokenizeOptions {
  std::string tokenizer = "bpe", file;
  std::vector<std::string> texts;
  bool json = false, ids = false, special = false, pair = false, plain = false, chat = false;
  std::shared_ptr<const std::size_t> behind_dashes;
};

// What is printed of one text or pair: begin(), its tokens in parts, end(). A long text's output is never held whole.
class Output {
 public:
  Output(const TokenizeOptions& options, const tokenizers::Tokenizer& tokenizer) : options_(options), tokenizer_(tokenizer) {}

  Status begin() {
    first_ = true;
    if (!options_.json) return {};
    const std::string object = Json::object({{"tokenizer", options_.tokenizer}, {"tokens", Json::array()}}).dump();
    tail_ = "]}";
    return print(object.substr(0, object.size() - tail_.size()));
  }

  // `made` has type ids where the tokenizer's post-processor gave some.
  Status add(const std::vector<tokenizers::Token>& tokens, const tokenizers::Encoding* made) {
    std::string out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool typed = made && !made->types.empty();
      if (options_.json) {
        out += (first_ ? "" : ",") + as_json(tokens[i], typed ? made : nullptr, i);
      } else if (options_.ids) {
        out += (first_ ? "" : " ") + std::to_string(tokens[i].id);
      } else {
        out += as_row(tokens[i]) + (typed ? "\t" + std::to_string(made->types[i]) : "") + "\n";
      }
      first_ = false;
    }
    return print(out);
  }

  Status end() { return print(options_.json ? tail_ + "\n" : options_.ids ? "\n" : ""); }

 private:
  static std::string as_json(const tokenizers::Token& token, const tokenizers::Encoding* made, std::size_t i) {
    Json one = Json::object({{"id", token.id}, {"piece", token.piece}, {"start", token.start}, {"end", token.end}});
    if (token.added) one["added"] = true;
    if (made) {
      one["type"] = made->types[i];
      one["sentence"] = made->sentences[i];
    }
    return one.dump();
  }
  std::string as_row(const tokenizers::Token& token) const {
    return std::to_string(token.id) + "\t" + tokenizer_.display_text(token.id) + "\t" + std::to_string(token.start) + "\t" +
           std::to_string(token.end);
  }

  const TokenizeOptions& options_;
  const tokenizers::Tokenizer& tokenizer_;
  std::string tail_;
  bool first_ = true;
};

// The given texts, with standard input in place of a "-" that does not stand behind "--".
Result<std::vector<std::string>> read_texts(const TokenizeOptions& options) {
  if (!options.file.empty()) {
    HL_ASSIGN(const std::string bytes, read_text_input(options.file));
    std::vector<std::string> lines = lines_of_text(bytes);
    if (!options.file.ends_with(".jsonl")) return lines;
    for (std::string& line : lines) {
      HL_ASSIGN(const Json text, Json::parse(line, options.file));
      if (!text.is_string()) return invalid("a line is no text in quotes").at(options.file).mend("write each text as JSON does");
      line = text.string();
    }
    return lines;
  }
  if (options.texts.empty())
    return usage_error("there is no text").at("TEXT").mend("give one, - for standard input, or --text-file with one a line");
  std::vector<std::string> texts;
  bool input_read = false;
  const std::size_t literal_from = options.texts.size() - std::min(options.texts.size(), *options.behind_dashes);
  for (const std::string& given : options.texts) {
    texts.push_back(given);
    if (given != "-" || texts.size() > literal_from) continue;
    if (input_read) return usage_error("- stands twice, but standard input can be read once").at("TEXT");
    input_read = true;
    HL_ASSIGN(texts.back(), read_text_input("-"));
  }
  return texts;
}

Status tokenize(const TokenizeOptions& options) {
  HL_ASSIGN(const auto opened, tokenizers::open(options.tokenizer));
  for (const Message& note : opened->notes())
    std::fprintf(stderr, "headlight: %s: %s\n", options.tokenizer.c_str(), note.english().c_str());
  const auto frame = options.chat ? tokenizers::chat_frame_of(tokenizers::chat_template_of(options.tokenizer)) : std::nullopt;
  if (options.chat && !frame)
    return usage_error("the tokenizer '{}' has no chat frame that is known here", options.tokenizer)
        .at("--chat")
        .mend("leave it out, or choose that of a model that was tuned to answer, such as smollm2");
  const auto tokenizer = options.plain ? opened->as_plain() : opened;
  if (tokenizer != opened) std::fprintf(stderr, "headlight: special tokens are read as plain text\n");
  HL_ASSIGN(const std::vector<std::string> texts, read_texts(options));
  if (options.pair && texts.size() % 2 != 0)
    return usage_error("there are {} texts, which are no pairs", texts.size()).at("--pair").mend("give two for each pair");
  Output output(options, *tokenizer);
  const CancelToken cancel = interrupt_token();
  for (std::size_t i = 0; i < texts.size(); i += options.pair ? 2 : 1) {
    HL_TRY(output.begin());
    if (frame) {
      HL_ASSIGN(const auto tokens, tokenizers::encode_in_frame(*tokenizer, *frame, texts[i], cancel));
      HL_TRY(output.add(tokens, nullptr));
    } else if (options.pair || options.special) {
      HL_ASSIGN(const tokenizers::Encoding made, options.pair ? tokenizer->encode_pair(texts[i], texts[i + 1], cancel)
                                                              : tokenizer->encode_single(texts[i], cancel));
      HL_TRY(output.add(made.tokens, &made));
    } else {
      HL_TRY(tokenizer->encode_parts(
          texts[i], [&](const std::vector<tokenizers::Token>& tokens) { return output.add(tokens, nullptr); }, cancel));
    }
    HL_TRY(output.end());
  }
  return {};
}

std::function<int()> define_tokenize(Arguments& arguments) {
  auto options = std::make_shared<TokenizeOptions>();
  options->behind_dashes = arguments.behind_dashes();
  arguments
      .option("--tokenizer", options->tokenizer,
              "characters, words, bpe, wordpiece, or the folder or file of one that was trained here or published")
      .shows_default();
  const Option json = arguments.flag("--json", options->json, "ids, pieces and byte offsets as JSON, one object a text");
  arguments.flag("--ids", options->ids, "ids only, a line a text").excludes(json);
  arguments.flag("--special", options->special,
                 "adds the special tokens of the tokenizer's post-processor, and each token's type id");
  arguments.flag("--pair", options->pair, "two texts after each other are one pair: as --special, for both at once");
  arguments.flag("--plain", options->plain,
                 "reads special tokens that the text names, such as [MASK] or <|endoftext|>, as plain text");
  arguments.flag("--chat", options->chat, "puts each text into the chat frame of the model that the tokenizer comes with");
  const Option texts = arguments.option("TEXT", options->texts, "the text, or - for standard input; may be given several times");
  arguments.option("--text-file", options->file, "the texts, one a line, in a .jsonl each in quotes; - for standard input")
      .type("FILE|-")
      .excludes(texts);
  return [options] {
    const Status done = tokenize(*options);
    return done.ok() ? kDone : fail("tokenize", done.error());
  };
}

}  // namespace

Entry tokenize_command() { return {"tokenize", "ids, pieces and byte offsets of a text", "", "S14", define_tokenize}; }

}  // namespace headlight::cli
