// A view: one declaration. All that the window, the command line and the tests know of it is made from this.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/views/base/sheet.h"

namespace headlight::views {

// A picture of the view: a line of the palette, a turn of F7, `--what`, a picture of the tour, a case of the layout tests and of
// `bench frame`.
struct Page {
  const char* id;           // "" for the first: as the view opens
  const char *label, *why;  // English
  bool in_tour = true;
  const char *what = nullptr, *says = nullptr;  // the name and the words of --what; null: VIEW-PAGE and the label; "": none
};
// A state that is no page of its own but worth a look: in tests and benchmarks, and in the tour at least by name.
struct Sample {
  const char* id;
  void (*set)(ViewState&);
  bool in_tour = false;
};
// `--what ID` writes this picture, or this row or column of pictures.
struct Export {
  const char *part, *id, *label;
  const char* title = "";  // English; of a row or column
};

struct View {
  const char *id, *label, *formula, *source, *group, *icon;  // as in panels::Entry
  std::vector<Page> pages;
  std::string& (*page)(ViewState&) = nullptr;  // the field that holds the shown page's id; null: there is one page
  const char* first = "";                      // what the field holds for the page without an id
  Sheet (*sheet)(const Scene&) = nullptr;
  bool full_width = false;
  bool (*wide)(const ViewState&) = nullptr;                   // hides the inspector in some states; null: in none
  ValueAddress (*subject)(const panels::Context&) = nullptr;  // as in panels::Entry
  float least_file = 0;                                       // a file of the whole sheet is at least this wide
  std::unique_ptr<Job> (*job)(const JobHost&) = nullptr;      // null: it has none
  std::vector<Sample> samples = {};
  std::vector<Export> exports = {};

  bool has_pages() const { return page && pages.size() > 1; }
  const char* value_of(const Page& one) const { return *one.id ? one.id : first; }
  std::size_t shown_page(ViewState& state) const;  // the first where the field holds no page's id
  void show(ViewState& state, std::size_t which) const;
};

const std::vector<const View*>& views();  // app/views/list.cpp

// The pages as a choice, for the view's sheet to place.
sheet::Node page_choice(Sheet& sheet, const View& view);

// Lays the sheet out in ImGui's window and draws it.
void draw_sheet(panels::Context& context, const View& view);
// The sheet for a file of this width. `page`: one of the view's; null: the shown one.
figures::Figure figure_of_sheet(const panels::Context& context, const View& view, float width, const Page* page = nullptr);
// One part of it; without items if the sheet has no such picture now.
figures::Figure figure_of_part(const panels::Context& context, const View& view, const Export& part, float width, float height);

// The view as the window's registry lists it.
panels::Entry entry_of(const View& view);

}  // namespace headlight::views
