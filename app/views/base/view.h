// A view: one declaration. All that the window, the command line and the tests know of it is made from this.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/export/arrange.h"
#include "app/files/figure_style.h"
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
// What the palette can do in the view besides its pages: a change of its picture, or an act on what it shows. It opens the view.
struct Command {
  const char *id, *label, *why;  // English
  void (*run)(ViewState&) = nullptr;
  bool (*possible)(const ViewState&) = nullptr;  // null: always
  void (*act)(Context&) = nullptr;
};
// `--what ID` writes this picture, or this row or column of pictures.
struct Export {
  const char *part, *id, *label;
  const char* title = "";  // English; of a row or column
};

struct View {
  const char *id, *label, *formula, *source, *group, *icon;  // as in Entry
  std::vector<Page> pages;
  std::string& (*page)(ViewState&) = nullptr;  // the field that holds the shown page's id; null: there is one page
  const char* first = "";                      // what the field holds for the page without an id
  // Where the field is not all: which page is shown, by its value, and how another is shown.
  std::string (*shown)(const Context&) = nullptr;
  void (*turn)(ViewState&, const std::string& value) = nullptr;
  bool (*has_page)(const Context&, const std::string& value) = nullptr;  // whether it is there now; null: always
  Sheet (*sheet)(const Scene&) = nullptr;
  const char* named = nullptr;  // what the names of its parts begin with; null: its id
  bool full_width = false;
  bool (*wide)(const ViewState&) = nullptr;               // hides the inspector in some states; null: in none
  ValueAddress (*subject)(const Context&) = nullptr;      // as in Entry
  float least_file = 0;                                   // a file of the whole sheet is at least this wide
  std::unique_ptr<Job> (*job)(const JobHost&) = nullptr;  // null: it has none
  std::vector<Sample> samples = {};
  std::vector<Command> commands = {};
  std::vector<Export> exports = {};
  const char* filed = nullptr;         // the part that alone makes a file of the view; null: the whole sheet
  std::vector<Picture> pictures = {};  // further names of --what
  // The matrix of the shown page, as a figure whose cells, colours and tokens can be chosen; null, or an empty function: none.
  // The function refers to the context's data, so it is valid in this frame only. `title`: of the picture if there is one.
  figures::MakeFigure (*matrix)(const Context&, const FigureStyle&, const std::string& title) = nullptr;
  std::int64_t& (*token)(ViewState&) = nullptr;  // the field that a click on a token above the view sets; null: the pinned cell
  bool (*of_head)(const ViewState&) = nullptr;   // these as in Entry
  std::vector<Control> (*controls)(Context&) = nullptr;
  HeadGrid head_grid = {};
  bool (*closes)(const ViewState&) = nullptr;  // these as in Entry
  bool uses_space = false;

  bool has_pages() const { return (page || turn) && pages.size() > 1; }
  const char* value_of(const Page& one) const { return *one.id ? one.id : first; }
  std::size_t shown_page(ViewState& state) const;  // the first where the field holds no page's id
  void show(ViewState& state, std::size_t which) const;
  void show_value(ViewState& state, const std::string& value) const;
};

const std::vector<const View*>& views();     // app/views/list.cpp
const View* find_view(std::string_view id);  // null: there is no such view

// The pages as a choice, for the view's sheet to place; as a menu where there is no room for buttons side by side.
sheet::Node page_choice(Sheet& sheet, const View& view, const char* id = "pages");
sheet::Node page_menu(Sheet& sheet, const View& view, const char* id = "pages");

// Lays the sheet out in ImGui's window and draws it.
void draw_sheet(Context& context, const View& view);
// The view in a file of this width, and of this height where one part alone makes it. `page`: one of the view's; null: the shown
// one.
figures::Figure figure_of_view(const Context& context, const View& view, float width, float height, const Page* page = nullptr);
// One part of it; without items if the sheet has no such picture now.
figures::Figure figure_of_part(const Context& context, const View& view, const Export& part, float width, float height);

// The view as the window's registry lists it.
Entry entry_of(const View& view);

}  // namespace headlight::views
