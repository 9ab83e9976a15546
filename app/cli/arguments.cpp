#include "app/cli/arguments.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "app/cli/command.h"
#include "app/cli/unexpected.h"

namespace headlight::cli {
namespace {

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
  return unexpected(at->remaining(false), commands, options);
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
    : app_(std::make_shared<CLI::App>(description, name)) {
  app_->failure_message(wrong_usage);
}
Arguments::Arguments(std::shared_ptr<CLI::App> app) : app_(std::move(app)) {}

template <class T>
Option Arguments::option(const std::string& name, T& value, const std::string& help) {
  return Option(app_->add_option(name, value, help));
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
template Option Arguments::option(const std::string&, std::optional<std::string>&, const std::string&);

Option Arguments::flag(const std::string& name, bool& value, const std::string& help) {
  return Option(app_->add_flag(name, value, help));
}

Arguments Arguments::command(const std::string& name, const std::string& label) {
  return Arguments(std::shared_ptr<CLI::App>(app_, app_->add_subcommand(name, label)));
}
void Arguments::when_chosen(std::function<void()> chosen) { app_->callback(std::move(chosen)); }
void Arguments::needs_a_command() { app_->require_subcommand(1); }
void Arguments::takes_at_most_a_command() { app_->require_subcommand(0, 1); }
void Arguments::footer(const std::string& text) { app_->footer(text); }
void Arguments::version(const std::string& option, const std::string& text) { app_->set_version_flag(option, text); }

std::optional<int> Arguments::read(int count, const char* const* arguments) {
  try {
    app_->parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    return app_->exit(error) == 0 ? kDone : kWrongUsage;
  }
  return {};
}

Status Arguments::read(const std::vector<std::string>& arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // CLI11 reads a vector from its end
  try {
    app_->parse(reversed);
  } catch (const CLI::ParseError& error) {
    return usage_error(Message::name(error.what()));
  }
  return {};
}

}  // namespace headlight::cli
