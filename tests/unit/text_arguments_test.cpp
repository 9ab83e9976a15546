// What a person types as an argument arrives byte for byte, in every option and argument of every command that takes a text.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/cli/command.h"
#include "support/nasty_texts.h"

namespace headlight {
namespace {

using Words = std::vector<std::string>;

// A command as the program declares it.
struct Declared {
  explicit Declared(const cli::Entry& entry) : program("test", "headlight") {
    cli::Arguments own = program.command(entry.id, entry.label);
    run = entry.define(own);  // holds the variables
  }
  // What the argument has received of these; nothing if they were refused, but for something else that is missing.
  std::optional<Words> received(const cli::TextArgument& argument, Words arguments) {
    arguments.insert(arguments.begin(), argument.command.begin(), argument.command.end());
    const Status read = program.read(arguments);
    if (!read.ok() && read.error().sentence().find("required") == std::string::npos) return std::nullopt;
    return argument.received();
  }

  cli::Arguments program;
  std::function<int()> run;
};

bool has_dashes(const std::string& name) { return name.starts_with("-"); }

// Whether a bare text may be meant as an option.
bool like_an_option(const std::string& text) {
  const std::size_t letter = text.find_first_not_of('-');
  return (letter == 1 || letter == 2) && std::isalpha(static_cast<unsigned char>(text[letter])) != 0 &&
         text.substr(0, text.find('=')).find_first_not_of("-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") ==
             std::string::npos;
}

TEST(TextArguments, ArriveByteForByteInEveryCommand) {
  const Words texts = nasty_texts();
  std::set<std::string> sent;
  for (const cli::Entry& entry : cli::registry().entries()) {
    Declared declared(entry);
    for (const cli::TextArgument& argument : declared.program.text_arguments()) {
      const bool option = has_dashes(argument.name);
      // Options that take a choice or an existing file refuse this text; they hold no text of a person.
      const Words one{"w"};
      if (declared.received(argument, option ? Words{argument.name, "w"} : one) != one) continue;
      // "--bias" alone is a value, too: what begins with a dash is the next option there.
      const bool may_stand_alone = option && declared.received(argument, {argument.name, "--"}) != Words{"--"};
      sent.insert(entry.id + " " + argument.name);
      for (const std::string& text : texts) {
        const Words expected{text};
        const std::string where = entry.id + " " + argument.name + " <" + text + ">";
        if (option) {
          if (!may_stand_alone) {
            ASSERT_EQ(declared.received(argument, {argument.name, text}), expected) << where;
          }
          ASSERT_EQ(declared.received(argument, {argument.name + "=" + text}), expected) << where;
        } else {
          ASSERT_EQ(declared.received(argument, {"--", text}), expected) << where;
          if (!like_an_option(text) && text != "--") {
            ASSERT_EQ(declared.received(argument, {text}), expected) << where;
          }
        }
      }
    }
  }
  for (const char* known : {"tokenize TEXT",  "tokenize --text-file",    "decode IDS",       "context TEXT",
                            "context --word", "context --probe",         "embeddings SUM",   "generate --text",
                            "heads --text",   "heads --target",          "heads --word",     "trace --text",
                            "trace --target", "export --text",           "export --word",    "export --probe",
                            "scores --text",  "scores --query",          "value-map --text", "patches --caption",
                            "by-hand --in",   "train-tokenizer --corpus"})
    EXPECT_TRUE(sent.contains(known)) << known;
}

TEST(TextArguments, SeveralStayApart) {
  const Words texts = nasty_texts();
  const cli::Entry& trace = *cli::registry().find("trace");
  Declared declared(trace);
  const auto& all = declared.program.text_arguments();
  const auto text = std::find_if(all.begin(), all.end(), [](const cli::TextArgument& a) { return a.name == "--text"; });
  ASSERT_NE(text, all.end());
  Words options;
  for (const std::string& one : texts) options.insert(options.end(), {"--text", one});
  EXPECT_EQ(declared.received(*text, options), texts);

  Declared tokenize(*cli::registry().find("tokenize"));
  const auto& its = tokenize.program.text_arguments();
  const auto words = std::find_if(its.begin(), its.end(), [](const cli::TextArgument& a) { return a.name == "TEXT"; });
  Words behind{"--ids", "--"};
  behind.insert(behind.end(), texts.begin(), texts.end());
  EXPECT_EQ(tokenize.received(*words, behind), texts);
  EXPECT_EQ(tokenize.received(*words, {"a", "--", "-b", "--ids", "--"}), (Words{"a", "-b", "--ids", "--"}));
  EXPECT_EQ(tokenize.received(*words, {"- a", "--ids", "-5"}), (Words{"- a", "-5"}));
}

TEST(TextArguments, WhatMayBeAnOptionIsNoTextUnasked) {
  Declared tokenize(*cli::registry().find("tokenize"));
  for (const char* text : {"-x", "--no-such-option", "--jsn", "--text=a"})
    EXPECT_FALSE(tokenize.program.read({"tokenize", text}).ok()) << text;
}

}  // namespace
}  // namespace headlight
