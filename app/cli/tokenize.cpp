// headlight tokenize: what a tokenizer makes of a text.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "engine/core/files.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::cli {
namespace {

struct Options {
  std::string tokenizer = "bpe";
  std::vector<std::string> texts;
  bool json = false, ids = false;
};

std::string as_json(const std::string& name, const std::vector<tokenizers::Token>& tokens) {
  nlohmann::ordered_json all;
  all["tokenizer"] = name;
  all["tokens"] = nlohmann::json::array();
  for (const auto& token : tokens)
    all["tokens"].push_back({{"id", token.id}, {"piece", token.piece}, {"start", token.start}, {"end", token.end}});
  // The name comes from the command line and may be any bytes.
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string as_ids(const std::vector<tokenizers::Token>& tokens) {
  std::string line;
  for (const auto& token : tokens) line += (line.empty() ? "" : " ") + std::to_string(token.id);
  return line + "\n";
}

std::string as_table(const tokenizers::Tokenizer& tokenizer, const std::vector<tokenizers::Token>& tokens) {
  std::string table;
  for (const auto& token : tokens)
    table += std::to_string(token.id) + "\t" + tokenizer.display_text(token.id) + "\t" + std::to_string(token.start) + "\t" +
             std::to_string(token.end) + "\n";
  return table;
}

Status tokenize(const Options& options) {
  HL_ASSIGN(const auto tokenizer, tokenizers::open(options.tokenizer));
  std::string out;
  bool input_read = false;
  for (const std::string& given : options.texts) {
    std::string text = given;
    if (given == "-") {
      if (input_read) return usage_error("- stands twice, but standard input can be read once", "TEXT");
      input_read = true;
      HL_ASSIGN(text, read_standard_input());
    }
    HL_ASSIGN(const auto tokens, tokenizer->encode(text, interrupt_token()));
    out += options.json ? as_json(options.tokenizer, tokens) : options.ids ? as_ids(tokens) : as_table(*tokenizer, tokens);
  }
  if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size() || std::fflush(stdout) != 0)
    return Error{ErrorKind::io, "standard output could not be written", {}, "free some space or close the pipe later"};
  return {};
}

std::function<int()> define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("--tokenizer", options->tokenizer, "characters, words, bpe, wordpiece, or a folder with a tokenizer.json")
      ->capture_default_str();
  auto* json = app.add_flag("--json", options->json, "ids, pieces and byte offsets as JSON, one object a text");
  app.add_flag("--ids", options->ids, "ids only, a line a text")->excludes(json);
  app.add_option("TEXT", options->texts, "the text, or - for standard input; may be given several times")->required();
  return [options] {
    const Status done = tokenize(*options);
    return done.ok() ? kDone : fail("tokenize", done.error());
  };
}

}  // namespace

Entry tokenize_command() { return {"tokenize", "ids, pieces and byte offsets of a text", "", "S14", define}; }

}  // namespace headlight::cli
