// A view: one declaration. All that the window, the command line and the tests know of it is made from this.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/export/arrange.h"
#include "app/figures/base/cover.h"
#include "app/files/figure_style.h"
#include "app/views/base/sheet.h"
#include "engine/core/registry.h"
#include "engine/models/step.h"

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

// A picture of a view that `headlight export --what ID` writes.
struct Picture {
  std::string id, label;
  // A figure without items: the trace has nothing to show.
  std::function<figures::Figure(const Context&, float width, float height)> figure;
};

// What the strip at the lower edge offers besides the pages: a button; with a `count` a stepper; with a `most` a slider.
struct Control {
  std::string id, label, why;
  std::function<void()> press = {};
  bool on = false, enabled = true;
  std::string value = {};   // of a stepper or slider, in words
  std::string widest = {};  // the longest that the value, or a button's label, may become: what stands behind it never moves
  std::int64_t at = 0, count = 0;
  std::function<void(std::int64_t)> step = {};
  double now = 0, least = 0, most = 0;  // on a logarithmic scale
  std::function<void(double)> slide = {};
};
// All heads as small pictures, for the strip. Sizes in points.
struct HeadGrid {
  float (*width)(const Context&) = nullptr;  // in which all heads of a layer stand beside each other; 0: there are none
  void (*draw)(Context&, float width, float height) = nullptr;  // at ImGui's cursor; a click chooses a head
};

// A line in the menu of a token above the view: it opens the view on this token.
struct TokenCommand {
  const char* label;  // English
  void (*run)(ViewState&, std::int64_t token, bool in_target);
  bool of_query = false;  // only for tokens that are queries of the shown attention
};
// Of a view that computes with a network of its own instead of the document's model.
enum class OwnWeights { random, learnt };

// What other views and the window open a view for. One view declares each of them, and nobody else knows which.
enum class Offers { one_head, masks, ledger, tokenizer_training, comparison };
struct Offer {
  Offers what;
  void (*open)(ViewState&) = nullptr;  // shows what is offered, in the view; null: it shows it as it is
};

// A picture that the tour takes of a view besides its pages and samples, since it is more than a way of looking.
struct Staged {
  const char* id;
  void (*set)(ViewState&) = nullptr;
  bool (*ready)(Job& job) = nullptr;  // asked in every frame until it is true, and goes on with the view's job; null: at once
  bool two_sentences = false;         // of a model that reads two
};
// How the tour shows a view.
struct Toured {
  const char* model = nullptr;  // a trained model, where the document's is one that the tour chose itself
  bool masked = false;          // with a mask
  std::vector<Staged> staged = {};
};

// `group` is a group's id. `formula` is a line at the end of its tooltip, `sees` what one sees in it. `icon` stands for the view
// where the rail is folded: lines in a square of 20 x 20, such as "x,y x,y; x,y x,y x,y". Words are English.
struct View {
  std::string id, label, sees, formula, source, group, icon;
  std::vector<Page> pages;
  std::string& (*page)(ViewState&) = nullptr;  // the field that holds the shown page's id; null: there is one page
  const char* first = "";                      // what the field holds for the page without an id
  // Where the field is not all: which page is shown, by its value, and how another is shown.
  std::string (*shown)(const Context&) = nullptr;
  void (*turn)(ViewState&, const std::string& value) = nullptr;
  bool (*has_page)(const Context&, const std::string& value) = nullptr;  // whether it is there now; null: always
  Sheet (*sheet)(const Scene&) = nullptr;
  const char* named = nullptr;  // what the names of its parts begin with; null: its id
  // The roles of the steps that it needs: of attention that was read from arrays, a view that finds none of one of them says so
  // in a sentence in place of its drawing.
  std::vector<Role> needs = {};
  bool full_width = false;                   // hides the inspector beside this view
  bool (*wide)(const ViewState&) = nullptr;  // hides the inspector in some states; null: in none
  // The number that the inspector explains while the mouse points at nothing in the view and nothing is pinned. An empty address:
  // the inspector says how to choose a number. Null function: the strongest cell of the shown head.
  ValueAddress (*subject)(const Context&) = nullptr;
  float least_file = 0;                                   // a file of the whole sheet is at least this wide
  std::unique_ptr<Job> (*job)(const JobHost&) = nullptr;  // makes its job, or null where there can be none; null: it has none
  std::vector<Sample> samples = {};
  std::vector<Command> commands = {};
  std::vector<Export> exports = {};
  const char* filed = nullptr;         // the part that alone makes a file of the view; null: the whole sheet
  std::vector<Picture> pictures = {};  // further names of --what
  // The matrix of the shown page, as a figure whose cells, colours and tokens can be chosen; null, or an empty function: none.
  // The function refers to the context's data, so it is valid in this frame only. `title`: of the picture if there is one.
  figures::MakeFigure (*matrix)(const Context&, const FigureStyle&, const std::string& title) = nullptr;
  std::int64_t& (*token)(ViewState&) = nullptr;  // the field that a click on a token above the view sets; null: the pinned cell
  bool& (*target)(ViewState&) = nullptr;  // the field of whether that token is the second sentence's; null: only the first has it
  std::vector<TokenCommand> token_commands = {};
  figures::Hides hides = figures::Hides::picture;        // what a guess in this view covers
  bool (*of_head)(const ViewState&) = nullptr;           // whether it shows one layer and head; null: never
  std::vector<Control> (*controls)(Context&) = nullptr;  // for the strip, valid in this frame; null: none
  HeadGrid head_grid = {};                               // the one view that has it draws it for all that show a head
  bool (*closes)(const ViewState&) = nullptr;  // whether Escape closes something in the view, which does it itself; null: never
  bool uses_space = false;                     // Space has a meaning of the view's own
  OwnWeights (*own_weights)(const ViewState&) = nullptr;                // null: it shows the document's model
  void (*open_picture)(ViewState&, const std::string& path) = nullptr;  // shows a PNG of the person's; null: it shows none

  std::vector<Offer> offers = {};
  Toured toured = {};

  bool has_pages() const { return (page || turn) && pages.size() > 1; }
  const char* value_of(const Page& one) const { return *one.id ? one.id : first; }
  std::size_t shown_page(const Context& context) const;              // an index of `pages`; the first where none is shown
  std::vector<std::size_t> pages_now(const Context& context) const;  // those that there are now; empty: the view has one page
  void show(ViewState& state, std::size_t which) const;
  void show_value(ViewState& state, const std::string& value) const;
  // Every picture that has a name of --what: pages, exports, and the further ones.
  std::vector<Picture> all_pictures() const;
};

const Registry<View>& registry();  // the views, in the rail's order; app/views/list.cpp

const View& view_that(Offers what);
// open_for(state, Offers::masks) opens the view in which masks are edited.
void open_for(ViewState& state, Offers what);

// A group of the rail. A group that has no view is not shown.
struct Group {
  std::string id, label;
};
const std::vector<Group>& groups();

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

}  // namespace headlight::views
