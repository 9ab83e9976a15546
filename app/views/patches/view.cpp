// The Patches view: a picture under its grid, and by page the way from pixels to a token, positions in two dimensions, attention
// among patches, and where the words of a caption look.
#include "app/views/base/view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/text/language.h"
#include "app/views/patches/parts.h"

namespace headlight::views {

const View& patches_view();

namespace vision {
namespace {

using Node = Sheet::Node;
using sheet::kAny;

constexpr float kPatchesBeside = 720, kTokenBeside = 760, kGap = 24, kScrollBar = 14, kLow = 300;
constexpr std::int64_t kMostSeed = 1000;

// --- controls

Node pages(Sheet& sheet) {
  Node choice = page_choice(sheet, patches_view(), "page");
  return choice.forms[0].wide.wished <= sheet.scene.room.w ? choice : page_menu(sheet, patches_view(), "page");
}

void add_picture_buttons(Sheet& sheet, const Shared& frame, std::vector<Node>& all) {
  State& state = frame->state;
  if (frame->context().ask_picture)
    all.push_back(sheet.button({.id = "open",
                                .label = tr("Open a picture…"),
                                .why = tr("Any PNG; or drop it on the window"),
                                .press = frame->context().ask_picture,
                                .high = 28}));
  if (state.picture.empty()) return;
  all.push_back(sheet.button({.id = "bundled",
                              .label = tr("the bundled one"),
                              .why = tr("The lake that comes with the program"),
                              .press =
                                  [&state] {
                                    state.picture.clear();
                                    state.patch = state.key = -1;
                                  },
                              .high = 28}));
}

// "name 16" with arrows, through `steps`; a value that is none of them stands where it belongs.
Node number_stepper(Sheet& sheet, std::string id, const char* words, std::vector<std::int64_t> steps, std::int64_t& value,
                    const char* why) {
  if (std::ranges::find(steps, value) == steps.end()) steps.push_back(value);
  std::ranges::sort(steps);
  const std::int64_t at = std::ranges::find(steps, value) - steps.begin(), count = static_cast<std::int64_t>(steps.size());
  return sheet.stepper(std::move(id), fill(words, {std::to_string(value)}), at, count, why,
                       [&value, steps = std::move(steps)](std::int64_t to) { value = steps[static_cast<std::size_t>(to)]; });
}

void add_sizes(Sheet& sheet, State& state, std::vector<Node>& all) {
  all.push_back(number_stepper(sheet, "side", tr("patch {} px"),
                               {4, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 256, 512}, state.side,
                               tr("Pixels a side of a patch")));
  all.push_back(number_stepper(sheet, "d_model", tr("d {}"), {8, 16, 32, 64, 128, 256, 512}, state.d_model,
                               tr("Numbers of a token: a multiple of 4 and of the heads")));
  all.push_back(number_stepper(sheet, "heads", tr("{} heads"), {1, 2, 4, 8, 16}, state.heads, tr("Heads of the attention")));
  all.push_back(sheet.stepper("seed", fill(tr("seed {}"), {std::to_string(state.seed)}), state.seed,
                              std::max(kMostSeed, state.seed) + 1, tr("Of the random weights"),
                              [&state](std::int64_t to) { state.seed = to; }));
  all.push_back(sheet.toggle("positions", tr("positions"), &state.positions,
                             tr("Without them two patches of equal pixels have equal tokens, wherever they are")));
}

// What is chosen among what there is: a head, a size of regions, a word.
void add_choices(Sheet& sheet, const Shared& frame, std::vector<Node>& all) {
  const Seen& seen = frame->seen;
  State& state = frame->state;
  const Topic topic = topic_of(state);
  if (!seen.shown || topic == Topic::token || topic == Topic::positions) return;
  if (const std::int64_t heads = seen.attention().weights.dim(0); heads > 1)
    all.push_back(sheet.stepper("head", fill(tr("head {}"), {std::to_string(seen.head)}), seen.head, heads,
                                tr("The head that is shown large"), [&state](std::int64_t to) { state.head = to; }));
  if (topic != Topic::caption) return;
  std::vector<std::int64_t> regions;
  const std::int64_t most = std::min({seen.grid().rows, seen.grid().columns, std::int64_t{32}});
  for (std::int64_t i = 1; i <= std::max<std::int64_t>(1, most); ++i) regions.push_back(i);
  all.push_back(number_stepper(sheet, "region", tr("regions of {} patches a side"), std::move(regions), state.region,
                               tr("A region is one key: the mean of its patches")));
  if (!seen.caption || seen.caption->words.empty()) return;
  const std::vector<std::string>& words = seen.caption->words;
  all.push_back(sheet.stepper("word", words[static_cast<std::size_t>(seen.word)], seen.word,
                              static_cast<std::int64_t>(words.size()), tr("The word that is shown large"),
                              [&state](std::int64_t to) { state.word = to; }));
}

std::vector<Node> controls(Sheet& sheet, const Shared& frame) {
  std::vector<Node> all = {pages(sheet)};
  if (sheet.scene.medium != sheet::Medium::presented) {
    add_picture_buttons(sheet, frame, all);
    add_sizes(sheet, frame->state, all);
  }
  add_choices(sheet, frame, all);
  return all;
}

// --- the sheet

// What is seen; while it is being computed the last complete one, pale.
Frame frame_of(const Scene& scene) {
  Frame frame{begin_frame<State, Held>(scene), {}};
  Held& held = *frame.held;
  held.hot = std::exchange(held.hot_next, -1);
  held.region = std::exchange(held.region_next, -1);
  const bool caption = frame.of_caption();
  frame.seen = seen_of(scene.context, caption);
  const auto complete = [caption](const Seen& seen) { return seen.shown && (!caption || seen.caption); };
  if (complete(frame.seen)) {
    held.seen = frame.seen;
  } else if (!frame.seen.failed() && complete(held.seen)) {
    frame.seen = held.seen;
    frame.old = true;
  }
  if (frame.seen.shown) held.dimension = std::clamp<std::int64_t>(held.dimension, 0, frame.seen.attention().tokens.dim(1) - 1);
  return frame;
}

// What cannot be computed is said; the picture stays.
void add_errors(Sheet& sheet, const Seen& seen, std::vector<Node>& all) {
  std::string id = "error";
  for (const std::string* error : {&seen.picture_error, &seen.error, &seen.caption_error}) {
    if (error->empty()) continue;
    all.push_back(sheet.words(id, *error, 15, sheet.scene.pen.theme.wrong));
    all.back().presented = true;
    id += " too";
  }
}

// The picture, and beside it what the page shows; where that is too narrow, one of them.
Node columns(Sheet& sheet, const Shared& frame, float room) {
  const Topic topic = topic_of(frame->state);
  const float width = sheet.scene.room.w - kScrollBar;
  const bool token = topic == Topic::token && frame->seen.shown;
  // In a low room a column scrolls.
  const bool low = sheet.scene.room.h < kLow;
  if (width < (topic == Topic::token ? kTokenBeside : kPatchesBeside)) {
    Node only = token ? token_column(sheet, frame) : picture_column(sheet, frame);
    only.scrolls = low;
    return only;
  }
  Node left = picture_column(sheet, frame);
  left.scrolls = low;
  left.wide = std::round((topic == Topic::caption ? 0.54f : 0.5f) * width);
  if (!frame->seen.shown || (topic == Topic::caption && !frame->seen.caption)) return left;
  Node right = page_column(sheet, frame, room);
  // Of heads or words and their map, the first alone stay in a low room.
  right.scrolls = low && (topic == Topic::token || topic == Topic::positions);
  right.wide = width - left.wide.wished - kGap;
  return Sheet::row("both", kGap, {std::move(left), std::move(right)});
}

// The height of a flow of these nodes, in points.
float height_of_flow(const std::vector<Node>& nodes, float gap, float width) {
  constexpr float kLine = 28;
  float x = 0, lines = 1;
  for (const Node& node : nodes) {
    const float wide = node.forms[0].wide.wished;
    if (x > 0 && x + wide > width) x = 0, ++lines;
    x += wide + gap;
  }
  return lines * kLine + (lines - 1) * std::min(gap, 8.0f);
}

figures::Figure figure_of_page(const Context& context, float width) {
  switch (topic_of(state_of(context))) {
    case Topic::token: return figure_of_token(context, width, 0);
    case Topic::positions: return figure_of_positions(context, width, 0);
    case Topic::caption: return figure_of_caption(context, width, 0);
    case Topic::attention: break;
  }
  return figure_of_attention(context, width, 0);
}

Sheet sheet_of(const Scene& scene) {
  constexpr float kFlowGap = 12, kBelow = 8;
  Sheet sheet(scene);
  if (scene.medium == sheet::Medium::file) {
    sheet.root = sheet.picture(
        {.id = "all", .picture = [&context = scene.context](Size s, const Pen&) { return figure_of_page(context, s.w); }},
        {0, 1000, kAny});
    return sheet;
  }
  const auto frame = std::make_shared<const Frame>(frame_of(scene));
  const Seen& seen = frame->seen;
  std::vector<Node> above = controls(sheet, frame);
  const float room = scene.room.h - height_of_flow(above, kFlowGap, scene.room.w) - kBelow;
  std::vector<Node> all = {shown_everywhere(Sheet::flow("controls", kFlowGap, std::move(above)))};
  add_errors(sheet, seen, all);
  if (seen.opened && (seen.shown || seen.failed()))
    all.push_back(columns(sheet, frame, room));
  else if (seen.picture_error.empty())
    all.push_back(sheet.notice(tr("computing …"), scene.pen.theme.secondary));
  sheet.root = Sheet::column("patches", kBelow, std::move(all));
  return sheet;
}

}  // namespace
}  // namespace vision

const View& patches_view() {
  using namespace vision;
  static const View view = {
      .id = "patches",
      .label = tr_later("Patches"),
      .sees = tr_later("A picture cut into patches that look at each other as words do"),
      .formula = "token = patch W_E + position",
      .source = "Dosovitskiy et al. 2021",
      .group = "beyond",
      .icon = "3,3 17,3 17,17 3,17 3,3; 10,3 10,17; 3,10 17,10; 3,15 7,11 10,14",
      .pages = {{"token", tr_later("pixels to token"),
                 tr_later("A patch as pixels, as a vector, through the linear layer, as a token"), true, ""},
                {"positions", tr_later("positions"),
                 tr_later("Sines and cosines of row and column, and how alike two places are"), false, ""},
                {"", tr_later("attention"), tr_later("Which patches a patch looks at"), true, ""},
                {"caption", tr_later("caption"), tr_later("Which regions each word of your sentence looks at"), true, ""}},
      .page = [](ViewState& v) -> std::string& { return v.own.of<State>().page; },
      .first = "attention",
      .sheet = sheet_of,
      .full_width = true,
      .filed = "all",
      .pictures = {{"patches", "a picture cut into patches, and how one becomes a token", figure_of_token},
                   {"patch-positions", "the code of row and column, and how alike one place is to all others",
                    figure_of_positions},
                   {"patch-attention", "where one patch looks, in every head, and all patches by all patches",
                    figure_of_attention},
                   {"patch-caption", "where each word of a sentence looks", figure_of_caption}},
      .own_weights = [](const ViewState&) { return OwnWeights::random; },
      .open_picture =
          [](ViewState& v, const std::string& path) {
            State& state = v.own.of<State>();
            state.picture = path;
            state.patch = state.key = -1;
          }};
  return view;
}

}  // namespace headlight::views
