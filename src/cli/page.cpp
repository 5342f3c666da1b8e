// boxwood page: the page for browsers with a model, rows and a schema inside, to send to a
// colleague.
#include "base/file.hpp"
#include "cli/batch.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/question.hpp"
#include "cli/usage.hpp"

#include <boxwood/page.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace boxwood::cli {
namespace {

struct PageFlags {
  ModelFlags model;
  std::string data;
  std::string row = "0";
  std::string title;
  std::string output;
  std::string page;
};

/// Where the page is: installed beside the command, or in the build tree.
std::string find_page() {
  std::error_code none;
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  for (const char* place : {"../share/boxwood/page.html", "../../page/index.html"}) {
    const std::filesystem::path file = folder / place;
    if (!folder.empty() && std::filesystem::is_regular_file(file, none)) return file.string();
  }
  throw UsageError("--template", "the page was not built with this command",
                   "Run make page, and give its file: --template build/page/index.html");
}

PageFile page_file(const std::string& file, const char* remedy) {
  return {std::filesystem::path(file).filename().string(), read_file(file, remedy)};
}

int run(const PageFlags& flags, Host& host) {
  refuse_input_as_output(flags.output, {{"MODEL", flags.model.model},
                                        {"--schema", flags.model.schema},
                                        {"--data", flags.data},
                                        {"--template", flags.page}});
  // Files that the page could not read are refused here, so that the author of the page sees the
  // error.
  const Model model = load_model(flags.model, host);
  const Data data = read_data(flags.data, model.ensemble, model.schema);
  PageContent content;
  content.row = chosen_rows({.rows = "all", .row = flags.row}, data.points.size()).front();
  content.model = page_file(flags.model.model, "Check the path of the model");
  content.data = page_file(flags.data, "Check the path of the data");
  if (!flags.model.schema.empty()) {
    content.schema = page_file(flags.model.schema, "Check the path of the schema");
  }
  content.title = flags.title.empty() ? content.model.name : flags.title;
  Output output(flags.output, false);
  output.write(fill_page(
      read_file(flags.page.empty() ? find_page() : flags.page, "Check the path of the template"),
      content));
  output.finish();
  return answered;
}

}  // namespace

Command add_page(CLI::App& program, Host& host) {
  CLI::App* app = program.add_subcommand(
      "page", "write a web page that answers questions about a model and rows by itself");
  auto flags = std::make_shared<PageFlags>();
  add_model_flags(*app, flags->model);
  remove_flags(*app, {"--rounds"});
  add_data_flag(*app, flags->data);
  app->add_option("--row", flags->row, "the row that is shown first, counted from 0")
      ->capture_default_str();
  app->add_option("--title", flags->title, "title of the page (default: the name of the model)");
  app->add_option("--output", flags->output, "the HTML file to write")->required();
  app->add_option("--template", flags->page,
                  "the page that make page built (default: the installed one)");
  app->footer(
      "The file holds the model, the schema and all rows of the data: send it only to people who\n"
      "may see them. It works from disk and makes no network request.\n\n"
      "Example:\n"
      "  boxwood page model.ubj --data applicants.csv --schema schema.json --output page.html");
  return {app, [flags, &host] { return run(*flags, host); }};
}

}  // namespace boxwood::cli
