#include "command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <sstream>

namespace pilfer::cli {
namespace {

// "pilfer bench queues"
std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_name().empty()) names.push_back(option->get_name());  // hidden ones have none
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* sub : command.get_subcommands(nullptr)) names.push_back(sub->get_name());
  return names;
}

class examples_first : public CLI::Formatter {
 public:
  std::string make_subcommand(const CLI::App* sub) const override {
    const std::string all = sub->get_description();
    std::stringstream out;
    CLI::detail::format_help(out, sub->get_name(), all.substr(0, all.find('\n')), column_width_);
    return out.str();
  }
};

}  // namespace

void refuse(const std::string& message) { throw CLI::ValidationError(message, CLI::ExitCodes::ValidationError); }

std::uint64_t whole_number(const std::string& name, const std::string& text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end || value < least || value > most)
    refuse(fmt::format("{}: '{}' is not a whole number from {} to {}", name, text, least, most));
  return value;
}

CLI::Option* add_number(CLI::App& command, const std::string& name, std::uint64_t least, std::uint64_t most,
                        const std::function<void(std::uint64_t)>& set, const std::string& description) {
  const auto parse = [=](const std::string& text) { set(whole_number(name, text, least, most)); };
  return command.add_option_function<std::string>(name, parse, description)->type_name("N");
}

std::string listed(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

std::string listed_in_lines(const std::vector<std::string>& names, std::size_t indent, std::size_t width) {
  std::string text;
  std::size_t column = indent;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string word = names[i] + (i + 1 < names.size() ? "," : "");
    if (i > 0 && column + 1 + word.size() > width) {
      text += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (i > 0) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
  return text;
}

std::shared_ptr<CLI::Formatter> help_formatter() { return std::make_shared<examples_first>(); }

const CLI::App& deepest(const CLI::App& root) {
  const CLI::App* command = &root;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

std::string explain(const CLI::ParseError& error, const CLI::App& root) {
  const CLI::App& command = deepest(root);
  const std::string name = full_name(command);
  std::string text = fmt::format("pilfer: {}\n", error.what());
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    const std::string extra = command.remaining().empty() ? error.what() : command.remaining().front();
    const bool option = extra.starts_with('-');
    const std::vector<std::string> commands = command_names(command);
    if (!option && !commands.empty()) {
      text = fmt::format("pilfer: there is no command '{} {}'; the commands are: {}\n", name, extra, listed(commands));
    } else {
      text = fmt::format("pilfer: '{}' does not take '{}'; its options are: {}\n", name, extra,
                         listed(option_names(command)));
    }
  }
  return text + fmt::format("Try '{} --help'.\n", name);
}

}  // namespace pilfer::cli
