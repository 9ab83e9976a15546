// The arguments of the command line: options, flags and commands, declared with the variables that receive their values. Only
// arguments.cpp includes the library that reads them, so that nothing else has to compile it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/status.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace headlight::cli {

// An option while it is declared. It belongs to its Arguments.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required();
  Option& within(std::int64_t least, std::int64_t most);  // both bounds are allowed: within(1, 8) accepts 1 and 8
  Option& within_reals(double least, double most);
  Option& one_of(const std::vector<std::string>& choices);
  Option& existing_file();  // the value names an existing file
  Option& existing_path();  // the value names an existing file or folder
  Option& shows_default();  // the help shows the variable's present value
  Option& shows_default(const std::string& text);
  Option& type(const std::string& name);      // the help's name for the value: "N"
  Option& group(const std::string& heading);  // the option's heading in the help
  Option& one_value_each();                   // "--text a b" takes only a; repeated options add up
  Option& last_counts();                      // the last one counts if the option is repeated
  Option& value_may_be_left_out();            // "--bias" or "--bias off"
  Option& excludes(const Option& other);      // both together are wrong usage
  std::size_t count() const;                  // how many times the option was given

 private:
  CLI::Option* option_;
};

// An option or argument whose value is a text or a file's name. A test sends texts to all of them.
struct TextArgument {
  std::vector<std::string> command;                    // {"bench", "isdpa"}; empty for those of the program itself
  std::string name;                                    // "--text"; "TEXT" of an argument without dashes
  std::function<std::vector<std::string>()> received;  // what its variable holds now
};

class Arguments {
 public:
  // The arguments of a whole program: Arguments("Shows attention", "headlight").
  Arguments(const std::string& description, const std::string& name);

  // An option "--name" or, without dashes, a positional argument. `value` must live until the arguments are read. T is
  // std::string, std::filesystem::path, std::int64_t, int, double, float, std::vector<std::string>, or std::optional of a number.
  // A text arrives byte for byte, whatever it looks like; behind "--" all arguments are values.
  // option("--layer", layer, "the layer, from 0").within(0, 96) reads "--layer 3" into `layer`.
  template <class T>
  Option option(const std::string& name, T& value, const std::string& help);
  // flag("--json", json, "as JSON") sets `json` to true if it is given.
  Option flag(const std::string& name, bool& value, const std::string& help);
  // The arguments of the command `name`. `chosen` is called once the command was named and its arguments are read.
  // command("trace", "Prints the steps of a document").when_chosen(run);
  Arguments command(const std::string& name, const std::string& label);
  void when_chosen(std::function<void()> chosen);
  void needs_a_command();  // requires exactly one command
  void takes_at_most_a_command();
  void footer(const std::string& text);  // the last line of the help
  // version("--version", "1.0") declares an option that prints "1.0" and ends the program.
  void version(const std::string& option, const std::string& text);

  // Reads the arguments. None: the program goes on. Else the exit status: help or the version were printed, or one line on stderr
  // says what is wrong.
  // read(argc, argv)
  std::optional<int> read(int count, const char* const* arguments);
  // Reads the arguments, given without the program's name, and returns errors as a value: read({"trace", "--json"}).
  Status read(const std::vector<std::string>& arguments);
  // How many values stood behind "--", once the arguments are read: the last ones of a command's texts. "-" among them is a text.
  std::shared_ptr<const std::size_t> behind_dashes() const { return behind_dashes_; }
  // The text arguments of the program and all its commands.
  const std::vector<TextArgument>& text_arguments() const;

 private:
  Arguments(std::shared_ptr<CLI::App> app, const Arguments& program);
  void note_text(const std::string& name, std::function<std::vector<std::string>()> received);
  void parse(const std::vector<std::string>& arguments);  // throws the library's errors
  std::shared_ptr<CLI::App> app_;                         // a command's app is held by the program's
  std::shared_ptr<std::vector<TextArgument>> texts_;      // of the whole program
  std::shared_ptr<std::size_t> behind_dashes_;            // the same
};

}  // namespace headlight::cli
