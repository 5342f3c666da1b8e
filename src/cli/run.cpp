#include "cli/run.hpp"

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/usage.hpp"

#include <boxwood/version.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace boxwood::cli {
namespace {

int complain(const boxwood::Error& error, int code) {  // its text is printable
  std::cerr << "boxwood: " << error.what() << "\n";
  return code;
}
int complain(const std::string& text, int code) {
  std::cerr << "boxwood: " << visible(text) << "\n";
  return code;
}

/// Flags that people know from other tools, and the flag to use here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> other_names = {{
    {"--target", "Use --class, or --want for an outcome in words"},
    {"--desired-class", "Use --class"},
    {"--fixed", "Use --fix"},
    {"--cost", "Use --norm"},
    {"--ranges", "Use --rule \"duration in [6..36]\""},
    {"--increase", "Use --rule \"savings may only rise\""},
    {"--decrease", "Use --rule \"duration may only fall\""},
}};

/// The error for a value that is not of the flag's type.
std::string wrong_value(const CLI::App& program, const CLI::ConversionError& error) {
  const std::string text = error.what();  // "Could not convert: --k = 1.5"
  for (const CLI::App* command : program.get_subcommands()) {
    for (const CLI::Option* option : command->get_options()) {
      const std::string start = fmt::format("Could not convert: {} = ", option->get_name());
      if (!text.starts_with(start)) continue;
      const std::string type = option->get_type_name();
      return fmt::format("{}: \"{}\" is not {}", option->get_name(), text.substr(start.size()),
                         type.starts_with("UINT")  ? "a whole number ≥ 0"
                         : type.starts_with("INT") ? "a whole number"
                                                   : "a number");
    }
  }
  return text;
}

/// The error for an unknown word: the nearest flag or command, or a reference to --help.
std::string unknown_word(const CLI::App& program, const std::vector<Command>& commands,
                         const std::vector<std::string>& words) {
  const CLI::App* chosen = nullptr;
  for (const Command& command : commands) {
    if (command.app->parsed()) chosen = command.app;
  }
  const std::string& word = words.front();
  const std::string flag = word.substr(0, word.find('='));
  std::vector<std::string> known;
  if (chosen) {
    for (const CLI::Option* option : chosen->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  } else {
    for (const CLI::App* command : program.get_subcommands(nullptr)) {
      known.push_back(command->get_name());
    }
  }
  std::string near = did_you_mean(flag, known);
  for (const auto& [name, use] : other_names) {
    if (chosen && flag == name) near = use;
  }
  const std::string place = chosen ? chosen->get_name() + ": " : "";
  return fmt::format(
      "{}no {} \"{}\". {}", place,
      flag.starts_with('-') ? "flag" : (chosen ? "argument" : "command"), flag,
      near.empty() ? fmt::format("See boxwood {}--help", chosen ? chosen->get_name() + " " : "")
                   : near);
}

/// The error for a value that CLI11 accepts and Boxwood does not; nothing if the value is fine:
/// - an empty text, such as that of an unset shell variable: it would drop a schema or a proof
/// - a negative number for an unsigned flag, which would become a very large one
/// - a number such as 1e400, which is read as infinite; "inf" may be written.
std::string faulty_value(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string type = option->get_type_name();
    for (const std::string& text : option->results()) {
      if (text.empty() && option->get_name() != "--rule") {  // has an error message of its own
        return fmt::format("{}: the value is empty. Leave the flag out, or give a value",
                           option->get_name());
      }
      if (type.starts_with("UINT") && text.starts_with('-')) {
        return fmt::format("{}: \"{}\" is not a whole number ≥ 0", option->get_name(),
                           text.substr(0, 40));
      }
      if (type.find("FLOAT") == std::string::npos) continue;
      const bool digits = text.find_first_of("0123456789") != std::string::npos;
      if (digits && std::isinf(std::strtod(text.c_str(), nullptr))) {
        return fmt::format("{}: \"{}\" is outside the range of a double", option->get_name(),
                           text.substr(0, 40));
      }
    }
  }
  return {};
}

int parse_and_run(int count, char** words, Host& host) {
  CLI::App program(
      "Exact counterfactual explanations for tree ensembles: the cheapest change of an input that "
      "changes the model's prediction, with a proof that no cheaper change does.",
      "boxwood");
  program.set_version_flag("--version", std::string("boxwood ") + version);
  program.footer(
      "Start with:\n"
      "  boxwood inspect MODEL\n"
      "  boxwood explain MODEL --data rows.csv --row 0\n"
      "Each command has its own --help.");
  program.require_subcommand(1);
  const std::vector<Command> commands = {add_inspect(program, host), add_predict(program, host),
                                         add_explain(program, host), add_robustness(program, host),
                                         add_sweep(program, host),   add_best(program, host),
                                         add_reasons(program, host), add_map(program, host),
                                         add_regions(program, host), add_page(program, host)};
  try {
    program.parse(count, words);
  } catch (const CLI::Success& asked) {  // --help, --version
    const int code = program.exit(asked);
    std::cout.flush();
    if (!std::cout) throw Error("standard output", "cannot be written", "The disk may be full");
    return code;
  } catch (const CLI::ExtrasError&) {
    return complain(unknown_word(program, commands, program.remaining(true)), usage);
  } catch (const CLI::ConversionError& error) {
    return complain(wrong_value(program, error), usage);
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();  // "--row: At Most 1 required but received 2"
    const std::size_t twice = text.find(": At Most 1 required");
    return complain(
        twice == std::string::npos ? text : text.substr(0, twice) + ": it is given more than once",
        usage);
  } catch (const CLI::ParseError& error) {
    if (const auto rest = program.remaining(true); !rest.empty()) {
      return complain(unknown_word(program, commands, rest), usage);
    }
    if (count < 2) return complain("a command is required. See boxwood --help", usage);
    return complain(error.what(), usage);
  }
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    if (const std::string error = faulty_value(*command.app); !error.empty()) {
      return complain(error, usage);
    }
    return command.run();
  }
  return usage;
}

}  // namespace

int run_command(int count, char** words, Host& host) {
  try {
    return parse_and_run(count, words, host);
  } catch (const UsageError& error) {
    return complain(error, usage);
  } catch (const boxwood::Error& error) {
    return complain(error, bad_input);
  } catch (const std::bad_alloc&) {
    return complain("out of memory. Try fewer rows or --memory-limit", bad_input);
  } catch (const std::exception& error) {
    return complain(error.what(), bad_input);
  }
}

}  // namespace boxwood::cli
