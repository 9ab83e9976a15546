// The page: one HTML file with everything in it, which any browser opens without a network. Its own code is in assets/page/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/export/page/page_run.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"

namespace headlight::page {

struct PageOptions {
  std::string version;          // the program's
  std::string document;         // the session as JSON, with which Headlight opens the page again; empty: none
  std::string language = "en";  // the id of the spoken language (language.h)
  std::string theme = {};       // "dark", "light"; empty: the system's
  std::string colormap = "viridis";
  std::string numbers = {};  // "float16", "bytes"; empty: float16, of very many weights bytes
  // What is shown first; a cell of -1 is chosen by the page.
  std::size_t run = 0;
  std::string kind = {};
  std::int64_t layer = 0, head = 0, row = -1, column = -1;
  std::string picture = "map";
  bool words = false;   // the pieces of a word are taken together
  bool written = true;  // rows that write words are named by these, and not by the words that they have read
  CancelToken cancel = {};
  std::function<void(double)> progress = {};
};

// The whole file. Errors: (too_large) more weights than a page should carry; missing assets; those of reading the runs;
// cancelled. page_html({run}, {.version = "1.0"})
Result<std::string> page_html(const std::vector<Run>& runs, const PageOptions& options);
// Writes it completely or not at all. save_page("view.html", {run}, {.version = "1.0"})
Status save_page(const std::filesystem::path& path, const std::vector<Run>& runs, const PageOptions& options);

}  // namespace headlight::page
