// The Positions view: the code that tells a token its position, as a table, as curves, by distance, and what is lost without it.
#include "app/views/base/view.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/attention_nodes.h"
#include "app/views/positions/parts.h"
#include "engine/document/intervention.h"
#include "imgui.h"

namespace headlight::views {

const View& positions_view();

namespace placed {
namespace {

using figures::Font;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr float kGap = 24, kLeastTwo = 714, kScrollBar = 14, kLow = 240;

// --- controls

// The codes that have no room in the first line stand in a second one.
void add_codes(Sheet& sheet, const Shared& frame, std::vector<Node>& all) {
  const auto& entries = positions::registry().entries();
  const std::string& now = frame->context().document.position;
  const float room = sheet.scene.room.w - kScrollBar;
  std::vector<std::string> labels;
  std::size_t first = 0;
  float wide = 0;
  int chosen = -1;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    labels.emplace_back(tr(entries[i].label.c_str()));
    if (entries[i].id == now) chosen = static_cast<int>(i);
    wide += 28 + std::ceil(sheet.scene.pen.measure.width(labels.back(), 14, Font::words));
    if (wide <= room) first = i + 1;
  }
  first = std::max<std::size_t>(first, 1);
  const auto choose_from = [&](const char* id, std::size_t from, std::size_t to) {
    if (from == to) return;
    std::vector<std::string> some(labels.begin() + static_cast<std::ptrdiff_t>(from),
                                  labels.begin() + static_cast<std::ptrdiff_t>(to));
    all.push_back(sheet.choice(id, std::move(some), chosen - static_cast<int>(from),
                               {tr("What is added to the embeddings to say where a token stands")}, [frame, from](int code) {
                                 Document document = frame->context().document;
                                 document.position = positions::registry().entries()[from + static_cast<std::size_t>(code)].id;
                                 frame->context().edit(std::move(document));
                               }));
  };
  choose_from("code", 0, first);
  choose_from("more codes", first, labels.size());
}

// A trained model has its own; they can be left out.
void add_leaving_out(Sheet& sheet, const Shared& frame, std::vector<Node>& all) {
  const Document& document = frame->context().document;
  if (const positions::Entry* entry = positions::registry().find(document.position))
    all.push_back(sheet.label("trained with", fill(tr("trained with: {}"), {tr(entry->label.c_str())}), 14,
                              sheet.scene.pen.theme.secondary));
  if (document.position == "none") return;
  const float wide = 42 + std::ceil(sheet.scene.pen.measure.width(tr("without positions"), 14, Font::words));
  all.push_back(sheet.by_hand(
      {.id = "left out",
       .draw =
           [frame](const ui::Look& look, Size) {
             bool out = leaves_out_positions(frame->context().document);
             if (!ui::toggle(look, ui::labelled(tr("without positions"), "without positions").c_str(), &out)) return;
             Document next = frame->context().document;
             leave_out_positions(next, out);
             frame->context().edit(std::move(next));
           },
       .explains = tr("The model was trained with these positions; another kind would be another model. They can be left out, to "
                      "see what order means to it.")},
      wide, 28));
}

// Of the pictures that these positions have.
Node picture_choice(Sheet& sheet, const Shared& frame) {
  const std::vector<std::string> pictures = position_pictures(frame->context().document);
  std::vector<std::string> labels, why;
  for (const std::string& picture : pictures)
    for (const Page& page : positions_view().pages) {
      if (positions_view().value_of(page) != picture) continue;
      labels.emplace_back(tr(page.label));
      why.emplace_back(tr(page.why));
    }
  const auto shown = std::ranges::find(pictures, large_picture(frame->context()));
  return sheet.choice("picture", std::move(labels), static_cast<int>(shown - pictures.begin()), std::move(why),
                      [frame, pictures](int chosen) { frame->state.picture = pictures[static_cast<std::size_t>(chosen)]; });
}

Node clip_stepper(Sheet& sheet, const Shared& frame) {
  constexpr std::int64_t kMostClip = 1024;
  const std::int64_t clip = frame->context().document.relative_clip;
  return sheet.stepper("clip", fill(tr("clip k = {}"), {std::to_string(clip)}), clip, kMostClip + 1,
                       tr("Distances beyond k share the row of the farthest: the tables have 2 k + 1 rows"),
                       [frame](std::int64_t to) {
                         Document document = frame->context().document;
                         document.relative_clip = to;
                         frame->context().edit(std::move(document));
                       });
}

// How many positions are shown, and which dimension the last curve is of; a bias has no dimensions.
void add_extent(Sheet& sheet, const Shared& frame, std::vector<Node>& all) {
  const Context& context = frame->context();
  State& state = frame->state;
  std::string text = fill(tr("{} positions"), {std::to_string(position_count(context))});
  const float number = std::ceil(context.measure.width(text, 15, Font::mono)) + 1;
  all.push_back(sheet.track(
      {.id = "count",
       .value = std::move(text),
       .now = static_cast<double>(position_count(context)),
       .least = 2,
       .most = static_cast<double>(kMostPositions),
       .set = [&state](double count) { state.count = std::lround(count); },
       .why = tr("How many positions are shown, up to 256; the sentence need not be that long, the code is known anywhere"),
       .wide = 180,
       .number = number,
       .log = false}));
  if (has_bias(context.document)) return;
  const std::vector<std::int64_t> dims = position_dims(context);
  all.push_back(sheet.stepper(
      "dimension", fill(tr("dimension {}"), {std::to_string(dims.back())}), dims.back(), code_width(context),
      tr("Moves the last curve to another dimension; a click on a column of the heatmap adds or takes away a curve"),
      [&state, dims](std::int64_t to) {
        state.dimensions = dims;
        state.dimensions.back() = to;
      }));
}

Node controls(Sheet& sheet, const Shared& frame) {
  const Context& context = frame->context();
  std::vector<Node> all;
  if (context.document.model == "sandbox")
    add_codes(sheet, frame, all);
  else
    add_leaving_out(sheet, frame, all);
  if (position_entry(context.document)) {
    const bool relative = has_relative_positions(context.document), effect = large_picture(context) == "effect";
    all.push_back(picture_choice(sheet, frame));
    if (relative) all.push_back(clip_stepper(sheet, frame));
    if (frame->choice.site && (relative || effect || turns_pairs(context.document) || has_bias(context.document)))
      for (Node& node : attention_nodes(sheet, frame->choice)) all.push_back(std::move(node));
    if (!effect && !relative) add_extent(sheet, frame, all);  // those show the sentence's own positions
  }
  return Sheet::flow("controls", 24, std::move(all));
}

// --- the page

// What positions do where no table is added to the vectors; empty: one is.
std::string words_without_table(const Document& document) {
  const positions::Entry* entry = position_entry(document);
  if (entry && entry->make) return {};
  if (entry && entry->where == positions::Where::rotates)
    return tr(
        "Nothing is added to the vectors. In every self-attention q and k turn by the place of their token, so that a score "
        "depends on how far apart two tokens stand.");
  if (entry && entry->where == positions::Where::relative)
    return tr(
        "Nothing is added to the vectors. In every self-attention the distance of query and key, up to a clip, chooses a row of "
        "two tables: one joins the key in the score, the other the value in the sum.");
  if (entry && entry->where == positions::Where::scores)
    return tr(
        "Nothing is added to the vectors. Every self-attention adds a number to its scores that depends on how far apart query "
        "and key stand.");
  return tr(
      "No positions are added: each token's vector is the same wherever it stands. Attention compares vectors and nothing else, "
      "so it sees a bag of words: the same words in another order give the same vectors in that order, unless a mask tells "
      "before from after.");
}

// The token under the mouse, else the pinned one, else the second one, whose place is not the first.
std::int64_t token_of_sum(const Context& context) {
  if (!context.trace) return 0;
  const std::int64_t hot = hovered_token(*context.trace, false, context.view.batch, context.hover.now);
  return hot >= 0 ? hot : context.view.pinned_row >= 0 ? context.view.pinned_row : 1;
}

// Four numbers of the word and four of its place, added; in a low room in one line. None where nothing is added.
std::optional<Node> sum_of(Sheet& sheet, const Shared& frame) {
  const Context& context = frame->context();
  const auto input = std::make_shared<const figures::NumberSumInput>(added_numbers(context, token_of_sum(context)));
  if (input->parts.empty()) return std::nullopt;
  const auto draw = [input](Size s, const Pen& pen) {
    return figures::number_sum(*input, s.w, s.h > 0 ? s.h : figures::kNumberSum, pen.theme, pen.measure);
  };
  const Span wide{0, 600, kAny};
  Node node =
      sheet.picture({.id = "added",
                     .picture = draw,
                     .explains = tr("Point at another token of the sentence: its word changes, the numbers of a place do not"),
                     .paper = {900, 0},
                     .on_paper = draw},
                    wide, Span(figures::kNumberSum));
  if (figures::number_sum_line(*input, context.measure) <= sheet.scene.room.w - kScrollBar)
    node.forms.push_back({wide, [](float) { return Span(figures::kNumberSumLine); }});
  node.rank = 2;
  node.stays = true;
  return node;
}

// What stands on the page, from top to bottom; the small pictures at the right if there is room.
struct Stands {
  std::vector<Node> above;
  std::optional<Node> sum, order;
  bool answered = false;  // the question about order has just been asked: its answer stands where it is seen at once
  Node large;
  std::vector<Node> small;
};

// A page that scrolls has its large picture and its sum in full.
Node laid_out(const Stands& stands, const Columns& columns, bool scrolls) {
  std::vector<Node> all = stands.above, left = {stands.large}, small = stands.small;
  if (stands.sum) all.push_back(*stands.sum);
  if (scrolls && stands.sum) all.back().forms.resize(1);
  if (Node& large = left.front(); !scrolls && !large.forms.empty())
    large.forms[0].high = [high = large.forms[0].high](float w) {
      const Span span = high(w);
      return Span{std::min(span.least, kLow), span.wished, span.most};
    };
  if (stands.order) left.insert(stands.answered ? left.begin() : left.end(), *stands.order);
  const bool two = !small.empty() && columns.right > 0;
  if (!two) left.insert(left.end(), small.begin(), small.end());
  Node column = Sheet::column("left", 8, std::move(left));
  if (two) {
    Node beside = Sheet::column("right", 16, std::move(small));
    beside.wide = columns.right;
    all.push_back(Sheet::row("both", kGap, {std::move(column), std::move(beside)}));
  } else {
    all.push_back(std::move(column));
  }
  Node page = Sheet::column("positions", {4, 8, 8}, std::move(all));
  page.scrolls = scrolls;
  return page;
}

std::vector<Node> small_pictures(Sheet& sheet, const Shared& frame, const std::string& large) {
  std::vector<Node> small;
  for (const std::string& which : position_pictures(frame->context().document))
    if (which != large && small.size() < 2) small.push_back(picture_of(sheet, frame, which, false));
  // A low room has the first of them alone, whole; the others are a click away.
  if (small.size() == 2) small.back().rank = 4;
  return small;
}

Node page_of(Sheet& sheet, const Shared& frame) {
  const Context& context = frame->context();
  const figures::Theme& theme = context.theme;
  const bool presented = sheet.scene.medium == sheet::Medium::presented;  // one picture; F7 goes to the others
  const std::string large = large_picture(context);
  Stands stands;
  stands.above.push_back(controls(sheet, frame));
  if (leaves_out_positions(context.document))
    stands.above.push_back(words_of(sheet, "out",
                                    tr("The model was not trained so. No vector says any more where its token stands: but for "
                                       "a mask the model reads a bag of words."),
                                    14, theme.selected));
  if (large.empty()) {
    stands.large = words_of(sheet, "none", words_without_table(context.document), 16, theme.text);
    stands.order = order_question(sheet, frame);
    return laid_out(stands, {}, true);
  }
  stands.large = picture_of(sheet, frame, large, true);
  if (presented || large != "effect") stands.sum = sum_of(sheet, frame);
  if (!presented && large != "effect") {  // whose three maps take the whole width
    if (std::string words = words_without_table(context.document); !words.empty())
      stands.above.push_back(sheet.words("kind", std::move(words), 15, theme.secondary));
    stands.small = small_pictures(sheet, frame, large);
    stands.order = order_question(sheet, frame);
    // Four pictures take a low room; the question about order is asked where there is more, or where it is answered.
    stands.answered = context.trace && is_reordered(*context.trace);
    if (has_relative_positions(context.document) && !stands.answered) stands.order->rank = 3;
  }
  const Columns columns = columns_of(sheet.scene);
  if (presented) return laid_out(stands, columns, false);
  return Sheet::either({laid_out(stands, columns, false), laid_out(stands, columns, true)});
}

Sheet sheet_of(const Scene& scene) {
  Sheet sheet(scene);
  const Context& context = scene.context;
  if (scene.medium == sheet::Medium::file) {
    (void)sheet.picture(
        {.id = "file",
         .on_paper = [&context](Size s, const Pen&) { return figure_of_picture(context, large_picture(context), s.w, s.h); }},
        Span{0, 0, kAny});
    return sheet;
  }
  const auto frame = std::make_shared<const Frame>(Frame{scene, scene.state<State>(), choose_attention(context)});
  sheet.root = page_of(sheet, frame);
  return sheet;
}

// One that this kind of positions has.
template <const char* which>
figures::Figure named_picture(const Context& context, float width, float height) {
  const std::vector<std::string> all = position_pictures(context.document);
  if (std::ranges::find(all, which) == all.end()) return {};
  return figure_of_picture(context, which, width, height);
}
constexpr char kTable[] = "heatmap", kCurves[] = "curves", kDistance[] = "distance", kTurning[] = "turning",
               kDistances[] = "distances", kRows[] = "rows", kScores[] = "scores";

}  // namespace

Columns columns_of(const Scene& scene) {
  if (scene.medium == sheet::Medium::presented) return {scene.room.w, 0};
  const float width = scene.room.w - kScrollBar;
  if (scene.room.w < kLeastTwo) return {width, 0};
  const float right = std::clamp(std::round(width * 0.4f), 316.0f, 620.0f);
  return {width - right - kGap, right};
}

sheet::Node picture_of(Sheet& sheet, const Shared& frame, const std::string& which, bool large) {
  const Document& document = frame->context().document;
  const Span high = high_of(large);
  if (which == "turning") return turned_picture(sheet, frame, {high.least, 460, kAny});
  if (which == "effect") return effect_picture(sheet, frame, large ? Span{210, 460, kAny} : high, large);
  if (has_relative_positions(document)) return relative_picture(sheet, frame, which, large);
  if (has_bias(document)) return bias_picture(sheet, frame, which, high);
  return code_picture(sheet, frame, which, large);
}

// A number of the code: that of the second position, the first at which the dimension of the last curve tells anything.
ValueAddress subject_of(const Context& context) {
  const Document& document = context.document;
  if (!position_entry(document)) return {};
  if (has_relative_positions(document) || has_bias(document)) {
    if (!context.trace) return {};
    const AttentionChoice choice = choose_attention(context);
    if (!choice.site || choice.site->queries == 0) return {};
    const std::int64_t last = choice.site->queries - 1;
    return has_bias(document) ? bias_address(context, last, 0) : relative_address(context, last, 0);
  }
  if (ValueAddress turned = turned_number(context); !turned.step.empty()) return turned;
  const std::int64_t dim = position_dims(context).back();
  const ValueAddress second = code_address(context, 1, dim);
  return second.step.empty() ? code_address(context, 0, dim) : second;
}

}  // namespace placed

const View& positions_view() {
  using namespace placed;
  static const View view = {
      .id = "positions",
      .label = tr_later("Positions"),
      .sees = tr_later("How the model knows where a token stands"),
      .formula = "input = embedding + position",
      .source = "Vaswani et al. 2017, 3.5",
      .group = "attention",
      .icon = "2,10 4,5.5 6,4 8,5.5 10,10 12,14.5 14,16 16,14.5 18,10",
      .pages = {{"turning", tr_later("Turning"),
                 tr_later("Rotary positions: a pair of dimensions of a query and a key as they turn"), false, ""},
                {"heatmap", tr_later("Heatmap"), tr_later("The code of each position as a row of colours"), true, ""},
                {"curves", tr_later("Curves"), tr_later("Chosen dimensions over the position"), true, ""},
                {"distance", tr_later("Distance"), tr_later("Dot products of positions, by how far apart they stand"), true, ""},
                {"distances", tr_later("Distances"), tr_later("The clipped distance of every query and key"), false, ""},
                {"rows", tr_later("Tables"), tr_later("The two tables of relative positions"), false, ""},
                {"scores", tr_later("Scores"), tr_later("What relative positions add to the scores"), false, ""},
                {"effect", tr_later("Pattern"), tr_later("A head's pattern without positions, with them, and the difference"),
                 true, ""}},
      .page = [](ViewState& v) -> std::string& { return v.own.of<State>().picture; },
      .shown = large_picture,
      .has_page =
          [](const Context& context, const std::string& value) {
            const std::vector<std::string> pictures = position_pictures(context.document);
            return std::ranges::find(pictures, value) != pictures.end();
          },
      .sheet = sheet_of,
      .needs = {Role::input},
      .subject = subject_of,
      .samples = {{"", [](ViewState& v) { v.own.of<State>().picture.clear(); }, true}},  // as it opens
      .filed = "file",
      .pictures =
          {{"positions-effect", "one head's pattern without positions, with them, and the difference",
            [](const Context& context, float width, float height) { return effect_figure(context, width, height, true); }},
           {"positions-heatmap", "the code of every position, or what is added to the scores", named_picture<kTable>},
           {"positions-curves", "some dimensions over the position, or what is added by distance", named_picture<kCurves>},
           {"positions-distance", "dot products of positions, and by distance", named_picture<kDistance>},
           {"positions-turning", "a pair of dimensions of a query and a key as they turn", named_picture<kTurning>},
           {"positions-distances", "the clipped distance of every query and key: a Toeplitz matrix", named_picture<kDistances>},
           {"positions-rows", "the two tables of relative positions", named_picture<kRows>},
           {"positions-scores", "what relative positions add to the scores", named_picture<kScores>},
           {"positions-order", "how far apart a word's two vectors end in two orders of the same words", order_figure}},
      .of_head = [](const ViewState& v) { return v.own.of<State>().picture == "effect"; }};
  return view;
}

}  // namespace headlight::views
