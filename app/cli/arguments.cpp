#include "app/cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <type_traits>
#include <utility>

#include "app/cli/command.h"
#include "app/cli/unexpected.h"

namespace headlight::cli {
namespace {

// CLI11 reads more into a value than its bytes: "[a, b]" becomes a list, "++" ends a command, "-," is an option, and "--text="
// takes the next argument. A value that begins with this byte is none of these, so every value has it until it is checked.
constexpr char kMark = '\1';

std::string without_mark(const std::string& text) { return text.starts_with(kMark) ? text.substr(1) : text; }

// Whether this can be meant as an option: "--name", "--name=value" or "-n". "-5", "- item" and "-- and so on" cannot.
bool names_an_option(std::string_view argument) {
  if (!argument.starts_with('-')) return false;
  argument.remove_prefix(argument.starts_with("--") ? 2 : 1);
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const std::string_view name = argument.substr(0, argument.find('='));
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; });
}

// The arguments with kMark before every value. "--", behind which everything is a value, is left out; `behind` counts these.
std::vector<std::string> with_marks(const CLI::App& program, const std::vector<std::string>& arguments, std::size_t& behind) {
  std::vector<std::string> all;
  const CLI::App* at = &program;
  bool only_values = false, is_value = false;
  behind = 0;
  for (const std::string& argument : arguments) {
    const auto commands = at->get_subcommands([&](const CLI::App* command) { return command->get_name() == argument; });
    const bool is_text = std::exchange(is_value, false) || only_values;
    if (is_text || (argument != "--" && commands.empty() && !names_an_option(argument))) {
      all.push_back(kMark + argument);
      if (only_values) ++behind;
    } else if (argument == "--") {
      only_values = true;
    } else if (!commands.empty()) {
      all.push_back(argument);
      at = commands.front();
    } else {
      const std::size_t equals = argument.find('=');
      const CLI::Option* const option = at->get_option_no_throw(argument.substr(0, equals));
      const bool takes_value = option && option->get_items_expected_max() > 0;
      all.push_back(argument);
      if (takes_value && equals != std::string::npos) all.back().insert(equals + 1, 1, kMark);
      is_value = takes_value && equals == std::string::npos && option->get_items_expected_min() > 0;
    }
  }
  return all;
}

// The arguments of an app that the parser did not recognise, as they were typed.
std::vector<std::string> not_recognised(const CLI::App& app) {
  std::vector<std::string> all = app.remaining(false);
  std::transform(all.begin(), all.end(), all.begin(), without_mark);
  return all;
}

// The sentence about arguments that the parser did not recognise. They are those of the program itself or, if it has none, of the
// chosen command.
std::string words_of_extras(const CLI::App& app) {
  const CLI::App* at = &app;
  while (at->remaining(false).empty() && !at->get_subcommands().empty()) at = at->get_subcommands().front();
  std::vector<std::string> commands;
  for (const CLI::App* command : at->get_subcommands(nullptr)) commands.push_back(command->get_name());
  // The options of the command that was chosen last.
  const CLI::App* last = at;
  while (!last->get_subcommands().empty()) last = last->get_subcommands().front();
  std::vector<std::string> options;
  for (const CLI::Option* option : last->get_options())
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  const std::vector<std::string> given = not_recognised(*at);
  const bool takes_texts = !last->get_options([](const CLI::Option* option) { return option->get_positional(); }).empty();
  return unexpected(given, commands, options) +
         (takes_texts && given.front().starts_with('-') ? "; a text that begins with - stands behind --" : "");
}

// The chosen command that itself needs one of its commands, and was given none or an unknown one; null if that is not so.
const CLI::App* without_command(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return at->get_require_subcommand_min() > 0 && !at->get_subcommands(nullptr).empty() ? at : nullptr;
}

std::string words_of_missing(const CLI::App& app) {
  std::string known;
  for (const CLI::App* command : app.get_subcommands(nullptr)) known += (known.empty() ? "" : ", ") + command->get_name();
  return "a command is missing; known are " + known;
}

// The message about a wrong use of a command, in one line like every other error of the commands.
std::string wrong_usage(const CLI::App* from, const CLI::Error& error) {
  std::string what = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) what = words_of_extras(*from);
  if (const CLI::App* app = without_command(*from); app && dynamic_cast<const CLI::RequiredError*>(&error)) {
    const bool given = !from->remaining(true).empty();
    what = given ? words_of_extras(*from) : words_of_missing(*app);
  }
  while (!what.empty() && (what.back() == '\n' || what.back() == '.')) what.pop_back();
  std::string command = from->get_name();
  for (const CLI::App* used : from->get_subcommands()) command += " " + used->get_name();
  return command + ": " + what + "; run it with --help for what there is\n";
}

}  // namespace

Option& Option::required() {
  option_->required();
  return *this;
}
Option& Option::within(std::int64_t least, std::int64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}
Option& Option::within_reals(double least, double most) {
  option_->check(CLI::Range(least, most));
  return *this;
}
Option& Option::one_of(const std::vector<std::string>& choices) {
  option_->check(CLI::IsMember(choices));
  return *this;
}
Option& Option::existing_file() {
  option_->check(CLI::ExistingFile);
  return *this;
}
Option& Option::existing_path() {
  option_->check(CLI::ExistingPath);
  return *this;
}
Option& Option::shows_default() {
  option_->capture_default_str();
  return *this;
}
Option& Option::shows_default(const std::string& text) {
  option_->default_str(text);
  return *this;
}
Option& Option::type(const std::string& name) {
  option_->type_name(name);
  return *this;
}
Option& Option::group(const std::string& heading) {
  option_->group(heading);
  return *this;
}
Option& Option::one_value_each() {
  option_->allow_extra_args(false);
  return *this;
}
Option& Option::last_counts() {
  option_->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  return *this;
}
Option& Option::value_may_be_left_out() {
  option_->expected(0, 1)->allow_extra_args(false);
  return *this;
}
Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}
std::size_t Option::count() const { return option_->count(); }

Arguments::Arguments(const std::string& description, const std::string& name)
    : app_(std::make_shared<CLI::App>(description, name)),
      texts_(std::make_shared<std::vector<TextArgument>>()),
      behind_dashes_(std::make_shared<std::size_t>(0)) {
  app_->failure_message(wrong_usage);
}
Arguments::Arguments(std::shared_ptr<CLI::App> app, const Arguments& program)
    : app_(std::move(app)), texts_(program.texts_), behind_dashes_(program.behind_dashes_) {}

template <class T>
Option Arguments::option(const std::string& name, T& value, const std::string& help) {
  CLI::Option* const option = app_->add_option(name, value, help);
  option->transform([](const std::string& text) { return without_mark(text); }, "");
  if (option->get_positional()) app_->footer("Behind -- everything is taken as it is, also what begins with -.");
  if constexpr (std::is_same_v<T, std::vector<std::string>>)
    note_text(name, [&value] { return value; });
  else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::filesystem::path>)
    note_text(name, [&value] { return std::vector<std::string>{std::filesystem::path(value).string()}; });
  return Option(option);
}
template Option Arguments::option(const std::string&, std::string&, const std::string&);
template Option Arguments::option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Arguments::option(const std::string&, std::filesystem::path&, const std::string&);
template Option Arguments::option(const std::string&, std::int64_t&, const std::string&);
template Option Arguments::option(const std::string&, int&, const std::string&);
template Option Arguments::option(const std::string&, double&, const std::string&);
template Option Arguments::option(const std::string&, float&, const std::string&);
template Option Arguments::option(const std::string&, std::optional<std::int64_t>&, const std::string&);
template Option Arguments::option(const std::string&, std::optional<double>&, const std::string&);

void Arguments::note_text(const std::string& name, std::function<std::vector<std::string>()> received) {
  TextArgument text{{}, name, std::move(received)};
  for (const CLI::App* at = app_.get(); at->get_parent(); at = at->get_parent())
    text.command.insert(text.command.begin(), at->get_name());
  texts_->push_back(std::move(text));
}
const std::vector<TextArgument>& Arguments::text_arguments() const { return *texts_; }

Option Arguments::flag(const std::string& name, bool& value, const std::string& help) {
  return Option(app_->add_flag(name, value, help));
}

Arguments Arguments::command(const std::string& name, const std::string& label) {
  return Arguments(std::shared_ptr<CLI::App>(app_, app_->add_subcommand(name, label)), *this);
}
void Arguments::when_chosen(std::function<void()> chosen) { app_->callback(std::move(chosen)); }
void Arguments::needs_a_command() { app_->require_subcommand(1); }
void Arguments::takes_at_most_a_command() { app_->require_subcommand(0, 1); }
void Arguments::footer(const std::string& text) { app_->footer(text); }
void Arguments::version(const std::string& option, const std::string& text) { app_->set_version_flag(option, text); }

void Arguments::parse(const std::vector<std::string>& arguments) {
  std::vector<std::string> marked = with_marks(*app_, arguments, *behind_dashes_);
  std::reverse(marked.begin(), marked.end());  // CLI11 reads a vector from its end
  app_->parse(marked);
}

std::optional<int> Arguments::read(int count, const char* const* arguments) {
  try {
    parse({arguments + std::min(count, 1), arguments + count});  // without the program's name
  } catch (const CLI::ParseError& error) {
    return app_->exit(error) == 0 ? kDone : kWrongUsage;
  }
  return {};
}

Status Arguments::read(const std::vector<std::string>& arguments) {
  try {
    parse(arguments);
  } catch (const CLI::ParseError& error) {
    return usage_error(Message::name(error.what()));
  }
  return {};
}

}  // namespace headlight::cli
