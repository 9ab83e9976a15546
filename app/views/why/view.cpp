// The view Why this word: the routes by which information came from the tokens to a predicted word, and what speaks for it over
// another one. Its pages stand in files of their own.
#include "app/views/base/view.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/why/parts.h"
#include "engine/core/byte_words.h"
#include "imgui.h"

namespace headlight::views {

const View& why_view();

namespace why {
namespace {

using figures::Font;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr double kStep = 0.15;  // seconds that a layer takes when the picture is built up

// Of the pages that there are for this model: two words are compared only where it predicts words.
Node page_of_words(Sheet& sheet, const Shared& frame) {
  const View& view = why_view();
  std::vector<std::size_t> there;
  std::vector<std::string> labels, why;
  int chosen = 0;
  for (std::size_t i = 0; i < view.pages.size(); ++i) {
    const std::string_view id = view.pages[i].id;
    if (frame->asked.over < 0 && (id == "difference" || id == "patching")) continue;
    if (view.shown_page(sheet.scene.context) == i) chosen = static_cast<int>(there.size());
    there.push_back(i);
    labels.emplace_back(tr(view.pages[i].label));
    why.emplace_back(tr(view.pages[i].why));
  }
  return sheet.choice("page", std::move(labels), chosen, std::move(why), [&state = sheet.scene.view, &view, there](int page) {
    view.show(state, there[static_cast<std::size_t>(page)]);
  });
}

// A menu of the best words; `other` is left out.
Node word_menu(Sheet& sheet, const Shared& frame, const char* id, const char* label, std::int32_t token, std::int32_t other,
               std::string& piece) {
  return sheet.menu({id, label, frame->place.word(token), tr("One of the words that the model finds most probable here"),
                     [frame, token, other, &piece] {
                       for (const TokenCandidate& one : frame->words->best) {
                         if (one.token == other) continue;
                         const std::string words = frame->place.word(one.token) + "   " + figures::percent(one.probability) +
                                                   "###" + std::to_string(one.token);
                         if (ImGui::MenuItem(words.c_str(), nullptr, one.token == token))
                           piece = frame->place.tokenizer().piece(one.token);
                       }
                     }});
}

// A quiet name at the height of the control behind it.
Node quiet_name(Sheet& sheet, const std::string& id, const std::string& text) {
  constexpr float kSize = 14;
  const float wide = std::ceil(sheet.scene.pen.measure.width(text, kSize, Font::words)) + 1;
  return sheet.by_hand({.id = id,
                        .draw =
                            [text](const ui::Look& look, Size room) {
                              const float line = look.figures.line_height(kSize, Font::words);
                              ImVec2 at = ImGui::GetCursorScreenPos();
                              at.y += std::round(look.px((room.h - line) / 2));
                              look.figures.text(*ImGui::GetWindowDrawList(), at, text, kSize, Font::words, look.theme.secondary,
                                                look.px(room.w));
                            }},
                       wide, 28);
}

void add_route_controls(Sheet& sheet, const Shared& frame, std::vector<Node>& all) {
  State& state = frame->state;
  all.push_back(Sheet::row("shares above", 8,
                           {quiet_name(sheet, "threshold name", tr("shares above")),
                            sheet.track({.id = "threshold",
                                         .value = figures::percent(state.threshold),
                                         .now = state.threshold,
                                         .least = 0.002,
                                         .most = 0.5,
                                         .set = [&state](double value) { state.threshold = value; },
                                         .why = tr("Only what has at least this share of a vector is followed"),
                                         .wide = 90,
                                         .number = 50})}));
  all.push_back(sheet.toggle("first", tr("no first token"), &state.without_first,
                             tr("Leaves out what the first token hands on: heads look there when they look nowhere")));
  const float wide = 42 + std::ceil(sheet.scene.pen.measure.width(tr("attention only"), 14, Font::words));
  all.push_back(sheet.by_hand({.id = "attention",
                               .draw =
                                   [&state](const ui::Look& look, Size) {
                                     bool alone = !state.verticals;
                                     if (ui::toggle(look, ui::labelled(tr("attention only"), "attention only").c_str(), &alone))
                                       state.verticals = !alone;
                                   },
                               .explains = tr("Leaves out the lines from layer to layer of one token")},
                              wide, 28));
  if (state.page == "patching" && frame->asked.over >= 0) return;  // its picture is not built up
  all.push_back(
      sheet.button({.id = "play", .label = tr("play"), .why = tr("Builds the picture from the words up"), .press = [frame] {
                      frame->own->playing_since = frame->context().now;
                    }}));
}

Node controls(Sheet& sheet, const Shared& frame) {
  State& state = frame->state;
  std::vector<Node> all = {page_of_words(sheet, frame)};
  if (state.page == "composition") {
    constexpr const char* kKinds[] = {"queries", "keys", "values"};
    all.push_back(sheet.choice("composes", {tr("queries"), tr("keys"), tr("values")},
                               static_cast<int>(composition_kind(frame->context())),
                               {tr("What of the later head is made from what the earlier one writes")},
                               [&state, kKinds](int chosen) { state.composes = kKinds[chosen]; }));
    return Sheet::flow("controls", 12, std::move(all));
  }
  const bool two = frame->asked.over >= 0, difference = two && state.page == "difference";
  if (two) {
    all.push_back(word_menu(sheet, frame, "word", tr("word"), frame->asked.word, -1, state.word));
    if (difference || state.page == "patching")
      all.push_back(word_menu(sheet, frame, "over", tr("over"), frame->asked.over, frame->asked.word, state.over));
  }
  all.push_back(sheet.stepper("position", fill(tr("behind {}"), {frame->place.label()}), frame->place.position,
                              static_cast<std::int64_t>(frame->place.sentence().tokens.size()),
                              tr("The token whose last vector is followed back"),
                              [&state](std::int64_t to) { state.position = to; }));
  if (!difference) add_route_controls(sheet, frame, all);
  return Sheet::flow("controls", 12, std::move(all));
}

// One layer more every step, from the embedding to the answer.
void go_on_playing(const Context& context, Own& own, std::int64_t levels) {
  if (own.playing_since < 0) return;
  const auto steps = static_cast<std::int64_t>((context.now - own.playing_since) / kStep);
  if (context.still || steps > levels) {
    own.playing_since = -1;
    return;
  }
  if (context.frame_in) context.frame_in(kStep * static_cast<double>(steps + 1) - (context.now - own.playing_since));
}

// The shares of the trace, or the last ones until those are ready, with the place that they are of.
std::shared_ptr<const InformationShares> latest_shares(const Context& context, Own& own, Place& place, std::string* error) {
  std::shared_ptr<const InformationShares> shares = shares_of(context, place, error, own.sharing);
  if (shares) {
    own.shares = shares;
    own.trace = place.trace;
  } else if (error->empty() && own.shares && own.trace) {
    shares = own.shares;
    place.trace = own.trace;
    place.batch = std::min(place.batch, static_cast<std::int64_t>(own.trace->texts().size()) - 1);
    place.position = std::min(place.position, static_cast<std::int64_t>(place.sentence().tokens.size()) - 1);
  }
  return shares;
}

Node shown_page(Sheet& sheet, const Shared& frame) {
  const std::string& page = frame->state.page;
  if (page == "composition") return composition_page(sheet, frame);
  if (page == "patching" && frame->asked.over >= 0) return patching_page(sheet, frame);
  if (page == "difference" && frame->asked.over >= 0) return difference_page(sheet, frame);
  return routes_page(sheet, frame);
}

// What the page is in a file: without items while nothing is ready.
void add_file(Sheet& sheet, const std::optional<Place>& place) {
  static constexpr float kMargins = 32, kLeast = 260;
  const Context& context = sheet.scene.context;
  (void)sheet.picture({.id = "file",
                       .on_paper =
                           [&context, place](Size s, const Pen&) {
                             const std::string& page = state_of(context).page;
                             const float w = s.w - kMargins, h = std::max(kLeast, s.h - kMargins);
                             if (!place) return figures::Figure();
                             if (page == "patching") return patching_figure(context, *place, w, h);
                             if (page == "composition") return composition_figure(context, *place, w, h);
                             return page == "difference" ? difference_figure(context, *place, w)
                                                         : routes_figure(context, *place, w, h);
                           },
                       .framed = true},
                      Span{0, 0, kAny});
}

Sheet sheet_of(const Scene& scene) {
  const Context& context = scene.context;
  Sheet sheet(scene);
  auto place = place_in(context);
  if (scene.medium == sheet::Medium::file) {
    add_file(sheet, place);
    return sheet;
  }
  if (!place) {
    const char* const words = context.error ? "" : context.computing ? tr("computing …") : tr("Nothing is computed yet.");
    sheet.root = sheet.notice(words, scene.pen.theme.secondary);
    return sheet;
  }
  const auto own = own_transient<Own>(scene);
  own->hot_edge = std::exchange(own->hot_next, -1);
  own->hot_vector = std::exchange(own->hot_vector_next, -1);
  std::string error;
  const auto shares = latest_shares(context, *own, *place, &error);
  if (!shares) {
    sheet.root = waiting(sheet, error, sharing_words(*own->sharing, sharing_bytes(*place->trace, place->batch)));
    return sheet;
  }
  const auto words = words_behind(context, *place);
  const auto frame =
      std::make_shared<const Frame>(Frame{scene, scene.state<State>(), *place, shares, shown_routes(context, *place, *shares),
                                          words, asked_in(context, *place, words.get()), own});
  std::int64_t levels = 0;
  for (const InformationShares::Stack& stack : shares->stacks) levels += stack.layers;
  go_on_playing(context, *own, levels);
  Node page = shown_page(sheet, frame);
  sheet.root = Sheet::column("why", {4, 10, 10}, {controls(sheet, frame), std::move(page)});
  return sheet;
}

std::vector<Control> strip_controls(Context& context) {
  if (state_of(context).page != "routes" || !context.transient) return {};
  auto& own = context.transient->of<Own>();
  return {
      {.id = "play", .label = tr("play"), .why = tr("Builds the picture from the words up"), .press = [&own, now = context.now] {
         own.playing_since = now;
       }}};
}

}  // namespace

Node waiting(Sheet& sheet, const std::string& error) { return waiting(sheet, error, tr("computing …")); }

Node waiting(Sheet& sheet, const std::string& error, const std::string& words) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  if (!error.empty()) return sheet.notice(error, theme.wrong);
  if (sheet.scene.context.frame_in) sheet.scene.context.frame_in(0.1);
  return sheet.notice(words, theme.secondary);
}

std::string sharing_words(const Progress& progress, std::uint64_t bytes) {
  if (progress.total == 0) return tr("computing …");
  return fill(tr("computing … {} of {} attentions, {} at a time"),
              {std::to_string(progress.done), std::to_string(progress.total), byte_words(static_cast<double>(bytes))});
}

Node bars(Sheet& sheet, Part part, figures::SignedBarsInput input, const BarsRoom& room, Span wide) {
  const std::size_t all = input.rows.size(), least = std::min(room.least, all), most = std::min(room.most, all);
  const auto data = std::make_shared<const figures::SignedBarsInput>(std::move(input));
  const auto around = [data, pen = sheet.scene.pen](float width) {
    figures::SignedBarsInput empty = *data;
    empty.rows.clear();
    return figures::signed_bars(empty, width, pen.theme, pen.measure).height;
  };
  const auto rows_of = [data](std::size_t count) { return figures::with_rows(*data, count); };
  part.picture = [rows_of, around, least, most, room](Size s, const Pen& pen) {
    const float free = std::max(0.0f, s.h - around(s.w)) + 0.1f;
    const auto fitting = static_cast<std::size_t>(free / room.low);
    figures::SignedBarsInput shown = rows_of(std::clamp(fitting, least, most));
    shown.row_height = std::clamp(free / static_cast<float>(std::max<std::size_t>(1, shown.rows.size())), room.low, room.high);
    return figures::signed_bars(shown, s.w, pen.theme, pen.measure);
  };
  part.on_paper = [rows_of, most](Size s, const Pen& pen) {
    return figures::signed_bars(rows_of(most), s.w, pen.theme, pen.measure);
  };
  part.paper = {420, 0};
  part.framed = true;
  return sheet.picture(std::move(part), wide, [around, least, most, room](float width) {
    const float high = around(width) + room.high * static_cast<float>(most);
    return Span(around(width) + room.low * static_cast<float>(least), high, high);
  });
}

}  // namespace why

const View& why_view() {
  using namespace why;
  static const View view = {
      .id = "why",
      .label = tr_later("Why this word"),
      .sees = tr_later("Which heads and tokens a predicted word came from"),
      .formula = "share(z_k) = max(0, |z|₁ − |z − z_k|₁) / Σ",
      .source = "Ferrando and Voita, Information Flow Routes, 2024; Elhage et al. 2021; Wang et al. 2022",
      .group = "meaning",
      .icon = "3,16 8,16 12,9 17,9; 3,11 6,11 9,6 13,6 17,9; 17,9 17,3",
      .pages = {{"", tr_later("routes"), tr_later("Which words, by which layers, fed the predicted word"), true, "why",
                 "the routes from a word back to the tokens it came from"},
                {"difference", tr_later("over another"),
                 tr_later("What speaks for one word over another: every layer's, head's and token's part of the difference of "
                          "their scores"),
                 true, "why-difference", "what speaks for a word over another one"},
                {"patching", tr_later("changed sentence"),
                 tr_later("Which parts bring the word back when the model reads a sentence with another answer"), false,
                 "why-patching", "what brings a word back in a changed sentence"},
                {"composition", tr_later("heads to heads"), tr_later("Which heads read what earlier heads write"), true,
                 "why-heads", "which heads read what earlier heads write"}},
      .page = [](ViewState& v) -> std::string& { return v.own.of<State>().page; },
      .first = "routes",
      .sheet = sheet_of,
      .needs = {Role::logits},
      .full_width = true,
      .job = [](const JobHost& host) -> std::unique_ptr<Job> { return std::make_unique<Patcher>(host.busy, host.wake); },
      .samples = {{"no-first", [](ViewState& v) { v.own.of<State>().without_first = true; }},
                  {"vector",
                   [](ViewState& v) {
                     v.own.of<State>().level = 1;
                     v.own.of<State>().at = 1;
                   }}},
      .filed = "file",
      .token = [](ViewState& v) -> std::int64_t& { return v.own.of<State>().position; },
      .controls = strip_controls,
      .toured = {.model = "stories"}};
  return view;
}

}  // namespace headlight::views
