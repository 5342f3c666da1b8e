// The page for browsers (docs/page.md) with a model, rows and a schema inside: a report that
// answers questions by itself.
//
//   boxwood::PageContent content{.title = "Credit", .model = …, .data = …};
//   write(file, boxwood::fill_page(template_text, content));
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace boxwood {

/// A file inside of the page: its name for people, and its bytes.
struct PageFile {
  std::string name;
  std::string bytes;
};

struct PageContent {
  std::string title;
  PageFile model;
  PageFile data;  ///< CSV
  std::optional<PageFile> schema{};
  std::size_t row = 0;     ///< the row that is shown first
  std::string question{};  ///< a question file, asked first in place of the row's; empty: none
};

/// The page that `make page` builds, with other contents. Throws Error if the text is not that
/// page.
std::string fill_page(std::string_view page, const PageContent& content);

}  // namespace boxwood
