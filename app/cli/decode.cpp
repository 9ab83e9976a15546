// headlight decode: the text of token ids, the inverse of `tokenize --ids`.
#include <charconv>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/model_option.h"
#include "app/cli/output.h"
#include "engine/core/json.h"
#include "engine/core/text_file.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::cli {
namespace {

struct DecodeOptions {
  std::string tokenizer = "bpe";
  std::vector<std::string> ids;
  bool json = false, special = false;
};

// The ids of one line, divided by spaces, tabs or commas; brackets around them, as a list in Python has, are passed over.
Result<std::vector<std::int32_t>> ids_from(std::string_view line, const tokenizers::Tokenizer& tokenizer) {
  std::vector<std::int32_t> ids;
  constexpr std::string_view kBetween = " \t\r,[]";
  for (std::size_t at = line.find_first_not_of(kBetween); at != std::string_view::npos;
       at = line.find_first_not_of(kBetween, at)) {
    const std::size_t end = std::min(line.find_first_of(kBetween, at), line.size());
    const std::string word(line.substr(at, end - at));
    std::int32_t id = 0;
    const auto [stop, problem] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (problem != std::errc() || stop != word.data() + word.size() || id < 0 || id >= tokenizer.vocabulary_size())
      return invalid("'{}' is no id of this tokenizer", word)
          .mend("give numbers from 0 to {}, as tokenize --ids prints them", tokenizer.vocabulary_size() - 1);
    ids.push_back(id);
    at = end;
  }
  return ids;
}

// The lines to decode: all arguments together are one; "-" alone stands for those of standard input.
Result<std::vector<std::string>> read_lines(const DecodeOptions& options) {
  if (options.ids == std::vector<std::string>{"-"}) {
    HL_ASSIGN(const std::string bytes, read_text_input("-"));
    return lines_of_text(bytes);
  }
  std::string line;
  for (const std::string& id : options.ids) line += id + " ";
  return std::vector<std::string>{line};
}

Status decode(const DecodeOptions& options) {
  HL_ASSIGN(const auto tokenizer, tokenizers::open(options.tokenizer));
  HL_ASSIGN(const std::vector<std::string> lines, read_lines(options));
  for (const std::string& line : lines) {
    HL_ASSIGN(const std::vector<std::int32_t> ids, ids_from(line, *tokenizer));
    const std::string text = tokenizer->decode(ids, options.special);
    HL_TRY(print((options.json ? Json(text).dump() : text) + "\n"));
  }
  return {};
}

std::function<int()> define_decode(Arguments& arguments) {
  auto options = std::make_shared<DecodeOptions>();
  arguments
      .option("--tokenizer", options->tokenizer,
              "characters, words, bpe, wordpiece, or the folder or file of one that was trained here or published")
      .shows_default();
  arguments.flag("--json", options->json, "each text as a JSON string, so that a line stays a line");
  arguments.flag("--special", options->special, "special tokens are shown, too, and not left out");
  arguments.option("IDS", options->ids, "token ids; - for standard input, a text a line").required();
  return [options] {
    const Status done = decode(*options);
    return done.ok() ? kDone : fail("decode", done.error());
  };
}

}  // namespace

Entry decode_command() { return {"decode", "the text of token ids", "", "S14", define_decode}; }

}  // namespace headlight::cli
