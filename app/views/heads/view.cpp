// The Heads view: every head of every layer as a thumbnail, the selected head's numbers, and the chosen heads large.
#include <algorithm>

#include "app/inspector/what_if.h"
#include "app/session/role_finder.h"
#include "app/text/language.h"
#include "app/views/base/attention_nodes.h"
#include "app/views/base/view.h"
#include "app/views/heads/parts.h"
#include "imgui.h"

namespace headlight::views {
namespace heads {
namespace {

using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr float kGap = 24, kLeastPicture = 100;
constexpr float kLowColumn = 480;      // a lower column scrolls where attention and sentence are chosen above its thumbnails
constexpr float kMostForGrid = 0.45f;  // of the view's width
constexpr float kTight = 370;          // a lower view has no room for controls above and below the picture

// A low room limits the thumbnails by its height; the large picture gets the rest. Many heads get more of the width, so that
// those of a layer stand beside each other and can be read.
float width_of_thumbnails(const HeadsTab& tab) {
  const auto [width, height] = tab.scene.room;
  const float wanted = std::min(width * (width < 1000 ? 0.33f : 0.36f), std::max(280.0f, height * (height < 520 ? 0.6f : 0.9f)));
  return std::max(std::clamp(wanted, 256.0f, 620.0f), std::min(thumbnails_width(tab.context, tab.choice), kMostForGrid * width));
}

// The large pictures with their controls, which stand where the picture leaves them room: in a window of their own.
Node picture_side(Sheet& sheet, const char* id, const Shared& tab, float least) {
  Node node = sheet.by_hand(
      {.id = id,
       .draw =
           [tab](const ui::Look& look, Size room) {
             constexpr ImGuiWindowFlags kQuiet =
                 ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground;
             if (ImGui::BeginChild("head side", {look.px(room.w), look.px(room.h)}, ImGuiChildFlags_NavFlattened, kQuiet))
               draw_heads_picture(tab, room.w, room.h);
             ImGui::Dummy({0, 0});  // the last call that moved the cursor may have drawn nothing
             ImGui::EndChild();
           }},
      {kLeastPicture, kLeastPicture, kAny}, Span{least, least, kAny});
  node.presented = true;
  return node;
}

Sheet sheet_of(const Scene& scene) {
  const Context& context = scene.context;
  Sheet sheet(scene);
  const AttentionChoice choice = choose_attention(context);
  if (scene.medium == sheet::Medium::file) {
    sheet.root = sheet.picture(
        {.id = "picture", .picture = [&context](Size s, const Pen&) { return figure_of_heads(context, s.w, s.h); }}, 0, Span(0));
    return sheet;
  }
  if (auto notice = no_attention(sheet, choice)) {
    sheet.root = std::move(*notice);
    return sheet;
  }
  const auto tab = std::make_shared<const HeadsTab>(HeadsTab{scene, context, look_of(scene), choice, false});
  if (scene.medium == sheet::Medium::presented) {
    sheet.root = picture_side(sheet, "presented", tab, 0);
    return sheet;
  }
  Node left = grid_column(sheet, tab, {width_of_thumbnails(*tab), scene.room.h}, false);
  left.scrolls = scene.room.h < kLowColumn && choice.kinds.size() > 1 && context.trace->texts().size() > 1;
  const auto tight = std::make_shared<const HeadsTab>(HeadsTab{scene, context, look_of(scene), choice, true});
  sheet.root = Sheet::either({Sheet::row("heads", kGap, {std::move(left), picture_side(sheet, "large", tab, kTight)}),
                              picture_side(sheet, "tight", tight, 0)});
  return sheet;
}

// --- states that are worth a look

void several(ViewState& v) { v.chosen_heads = {{0, 0}, {1, 1}, {2, 2}}; }
void crowd(ViewState& v) {
  v.chosen_heads.clear();
  for (std::int64_t i = 0; i < 12; ++i) v.chosen_heads.push_back({i % 6, i % 8});
}
void together(ViewState& v, const char* picture, const char* how) {
  several(v);
  own(v).picture = picture;
  own(v).together = how;
}
void cross(ViewState& v) { v.site = "decoder.cross."; }
void pin(ViewState& v) {
  v.pinned_row = 2;
  v.pinned_column = 1;
}

void sort_by_cells(ViewState& v) {
  if (own(v).cells.size() < 2 && v.pinned_row >= 0 && v.pinned_column >= 0)
    own(v).cells = {text_of_cell({v.pinned_row, v.pinned_column})};
  own(v).order = "cells";
}

}  // namespace
}  // namespace heads

const View& heads_view() {
  using namespace heads;
  static const View view = {
      .id = "heads",
      .label = tr_later("Heads"),
      .sees = tr_later("Who looks at whom: every head of every layer as a map, and the chosen one large"),
      .formula = "weights = softmax(q kᵀ / √d_k + mask)",
      .source = "Vaswani et al. 2017",
      .group = "attention",
      .icon = "3,3 17,3 17,17 3,17 3,3; 3,7.7 17,7.7; 3,12.3 17,12.3; 7.7,3 7.7,17; 12.3,3 12.3,17",
      .pages = {{"", tr_later("map"), tr_later("A coloured cell for each query and key"), true, "", ""},
                {"dots", tr_later("dots"), tr_later("A grid of dots: a dot's area is the weight"), true, nullptr,
                 "the chosen heads as grids of dots"},
                {"arcs", tr_later("arcs"), tr_later("Two columns of tokens, joined by arcs as wide and strong as the weight"),
                 true, nullptr, "the chosen heads as arcs between tokens"},
                {"neuron", tr_later("q·k"),
                 tr_later("One query dimension by dimension: q, k, their products, the sum, the weight"), true, nullptr,
                 "one query of a head, dimension by dimension"}},
      .page = [](ViewState& v) -> std::string& { return own(v).picture; },
      .first = "heatmap",
      .sheet = sheet_of,
      .job = [](const JobHost& host) -> std::unique_ptr<Job> {
        return std::make_unique<RoleFinder>(host.wake, host.busy, host.measures_roles);
      },
      .samples = {{"several", several, true},
                  {"twelve", crowd},
                  {"several-dots", [](ViewState& v) { together(v, "dots", "side"); }},
                  {"several-arcs", [](ViewState& v) { together(v, "arcs", "side"); }},
                  {"overlay-heatmap", [](ViewState& v) { together(v, "heatmap", "overlay"); }},
                  {"overlay-dots", [](ViewState& v) { together(v, "dots", "overlay"); }},
                  {"overlay-arcs", [](ViewState& v) { together(v, "arcs", "overlay"); }},
                  {"mean", [](ViewState& v) { together(v, "heatmap", "mean"); }},
                  {"max", [](ViewState& v) { together(v, "heatmap", "max"); }},
                  {"rollout", [](ViewState& v) { together(v, "heatmap", "rollout"); }},
                  {"sorted", [](ViewState& v) { own(v).order = "entropy"; }},
                  {"row-scale", [](ViewState& v) { v.range = "row"; }},
                  {"transposed", [](ViewState& v) { v.transposed = true; }},
                  {"scores", [](ViewState& v) { v.shown = "scores"; }, true},
                  {"pinned", pin},
                  {"what-if", [](ViewState& v) { v.inspector.shows = "what if"; }, true}},
      .commands = {{"side", tr_later("Pinned heads: side by side"), tr_later("Each pinned head in a picture of its own"),
                    [](ViewState& v) { own(v).together = "side"; }},
                   {"overlay", tr_later("Pinned heads: overlaid"), tr_later("All pinned heads in one picture, each in its hue"),
                    [](ViewState& v) { own(v).together = "overlay"; }},
                   {"mean", tr_later("Pinned heads: mean"), tr_later("The mean of the pinned heads"),
                    [](ViewState& v) { own(v).together = "mean"; }},
                   {"max", tr_later("Pinned heads: largest"),
                    tr_later("The largest weight that one of the pinned heads has in each cell"),
                    [](ViewState& v) { own(v).together = "max"; }},
                   {"rollout", tr_later("Rollout over the layers"),
                    tr_later("How much of each token arrives through all layers up to this one (Abnar & Zuidema 2020)"),
                    [](ViewState& v) { own(v).together = "rollout"; }},
                   {"like", tr_later("Which heads look like this?"),
                    tr_later("Heads sorted by the weight they give the chosen cells of the map, or the pinned one"),
                    sort_by_cells,
                    [](const ViewState& v) { return !own(v).cells.empty() || (v.pinned_row >= 0 && v.pinned_column >= 0); }}},
      .filed = "picture",
      .pictures = {{"what-if-words", "the next words before the document's interventions and with them", what_if_words_figure},
                   {"what-if-map", "each head taken out in turn: the change of the best word's probability", what_if_map_figure}},
      .matrix = matrix_of,
      .token_commands = {{tr_later("Where it looks"),
                          [](ViewState& v, std::int64_t token, bool) {
                            v.pinned_row = token;
                            v.pinned_column = -1;
                          },
                          true}},
      .of_head = [](const ViewState&) { return true; },
      .head_grid = heads_for_strip(),
      .offers = {{Offers::one_head}},
      .toured = {.staged = {{.id = "cross", .set = cross, .two_sentences = true}}}};
  return view;
}

}  // namespace headlight::views
