// The arguments of the command line: options, flags and commands, declared with the variables they are read into. Only
// arguments.cpp knows the library that reads them, so that nothing else has to compile it.
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

// An option as it is being declared. It belongs to its Arguments.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required();
  Option& within(std::int64_t least, std::int64_t most);  // both included
  Option& within_reals(double least, double most);
  Option& one_of(const std::vector<std::string>& choices);
  Option& existing_file();  // names a file that is there
  Option& existing_path();  // names a file or folder that is there
  Option& shows_default();  // the help tells the variable's present value
  Option& shows_default(const std::string& text);
  Option& type(const std::string& name);      // what the help calls the value: "N"
  Option& group(const std::string& heading);  // the heading of the help it stands under
  Option& one_value_each();                   // "--text a b" takes a alone; repeated options add up
  Option& last_counts();                      // given several times, the last one is meant
  Option& value_may_be_left_out();            // "--bias" or "--bias off"
  Option& excludes(const Option& other);      // both together are wrong usage
  std::size_t count() const;                  // how many times it was given

 private:
  CLI::Option* option_;
};

class Arguments {
 public:
  // The arguments of a whole program.
  Arguments(const std::string& description, const std::string& name);

  // "--name" or, without the dashes, a positional argument. `value` must live until the arguments are read. T is std::string,
  // std::filesystem::path, std::int64_t, int, double, float, std::vector<std::string> or std::optional of the numbers.
  template <class T>
  Option option(const std::string& name, T& value, const std::string& help);
  Option flag(const std::string& name, bool& value, const std::string& help);
  // The arguments of the command `name`. `chosen` is called when it was named and its arguments are read.
  Arguments command(const std::string& name, const std::string& label);
  void when_chosen(std::function<void()> chosen);
  void needs_a_command();  // exactly one
  void takes_at_most_a_command();
  void footer(const std::string& text);                              // the last line of the help
  void version(const std::string& option, const std::string& text);  // prints the text and ends

  // Reads the arguments. None: go on. Else the exit status: help or the version were printed, or one line on stderr says what is
  // wrong.
  std::optional<int> read(int count, const char* const* arguments);
  // The same without the program's name, as a value.
  Status read(const std::vector<std::string>& arguments);

 private:
  explicit Arguments(std::shared_ptr<CLI::App> app);
  std::shared_ptr<CLI::App> app_;  // of a command: held by the program's
};

}  // namespace headlight::cli
