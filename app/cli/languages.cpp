// headlight languages: how many tokens the same sentences need in many languages.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>

#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "engine/core/json.h"
#include "engine/tokenizers/by_language.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::cli {
namespace {

struct LanguagesOptions {
  std::vector<std::string> tokenizers;
  std::string table;
  bool json = false;
};

using tokenizers::LanguageCount;
using tokenizers::LanguageTable;
using CountsOfAll = std::vector<std::vector<LanguageCount>>;  // of each tokenizer

std::string as_json(const LanguagesOptions& options, const LanguageTable& table, const CountsOfAll& counts) {
  Json rows = Json::array();
  for (std::size_t l = 0; l < table.languages.size(); ++l) {
    const auto& language = table.languages[l];
    Json of = Json::object();
    for (std::size_t t = 0; t < counts.size(); ++t) {
      const LanguageCount& count = counts[t][l];
      of[options.tokenizers[t]] = Json::object(
          {{"tokens", count.tokens}, {"unknown", count.unknown}, {"times", tokenizers::times_base(table, counts[t], l)}});
    }
    rows.push_back(Json::object({{"language", language.name},
                                 {"key", language.key},
                                 {"script", language.script},
                                 {"texts", static_cast<std::int64_t>(language.texts.size())},
                                 {"bytes", language.bytes},
                                 {"characters", language.characters},
                                 {"words", language.words},
                                 {"tokenizers", std::move(of)}}));
  }
  return rows.dump() + "\n";
}

// A row a language, sorted by the first tokenizer; two columns a tokenizer: tokens, and how many times the base's.
std::string as_table(const LanguagesOptions& options, const LanguageTable& table, const CountsOfAll& counts) {
  std::string out = "language\tscript\tbytes";
  for (const std::string& name : options.tokenizers) out += "\t" + tokenizers::short_name(name) + "\ttimes\tunknown";
  out += "\n";
  std::vector<std::size_t> order(table.languages.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t l) { return counts.front()[l].tokens; });
  for (const std::size_t l : order) {
    const auto& language = table.languages[l];
    out += language.name + "\t" + language.script + "\t" + std::to_string(language.bytes);
    for (const auto& count : counts) {
      char numbers[96];
      std::snprintf(numbers, sizeof numbers, "\t%lld\t%.2f\t%.1f%%", static_cast<long long>(count[l].tokens),
                    tokenizers::times_base(table, count, l), 100 * count[l].unknown_share());
      out += numbers;
    }
    out += "\n";
  }
  return out;
}

Status count(LanguagesOptions options) {
  if (options.tokenizers.empty()) options.tokenizers = {"bpe"};
  HL_ASSIGN(const LanguageTable table, tokenizers::read_languages(options.table));
  CountsOfAll counts;
  for (const std::string& name : options.tokenizers) {
    HL_ASSIGN(const auto tokenizer, tokenizers::open(name));
    HL_ASSIGN(auto one, tokenizers::count_languages(table, *tokenizer, interrupt_token()));
    counts.push_back(std::move(one));
  }
  return print(options.json ? as_json(options, table, counts) : as_table(options, table, counts));
}

std::function<int()> define_languages(Arguments& arguments) {
  auto options = std::make_shared<LanguagesOptions>();
  arguments
      .option(
          "--tokenizer", options->tokenizers,
          "characters, words, bpe, wordpiece, or the folder or file of one that was trained here or published; may be repeated "
          "[bpe]")
      .one_value_each()
      .type("NAME");
  arguments
      .option("--table", options->table,
              "A table of your own, a line a text: language, tab, text; a heading may name the columns name and text [the "
              "program's sentences]")
      .type("FILE");
  arguments.flag("--json", options->json, "as JSON");
  return [options] {
    const Status done = count(*options);
    return done.ok() ? kDone : fail("languages", done.error());
  };
}

}  // namespace

Entry languages_command() {
  return {"languages", "how many tokens the same sentences need in many languages", "", "S14", define_languages};
}

}  // namespace headlight::cli
