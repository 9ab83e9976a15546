// The pictures of the Context view, which share the layers passed, the selected sentence and the lit pair.
#include <algorithm>
#include <cmath>
#include <map>

#include "app/figures/base/compose.h"
#include "app/figures/base/stack.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/view.h"
#include "app/views/context/data.h"

namespace headlight::views {

const View& context_view();

namespace contexts {
namespace {

using figures::Font;
using figures::Tag;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr std::size_t kAllHeads = 96;

std::string with_sign(double value, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// What a picture of the comparison is made of.
template <class Picture>
std::shared_ptr<const void> of(const Frame& frame) {
  return frame.scene.made_of<Picture>(frame.shown.compared, frame.choice);
}

// What a file shows of a picture: nothing that the mouse lights.
figures::ContextChoice quiet(const Frame& frame) {
  figures::ContextChoice choice = frame.choice;
  choice.lit = {};
  choice.hot_source = choice.hot_head = -1;
  return choice;
}

// A picture for a file of this width; its height, in the file's room and by its own width.
figures::Figure on_paper(const figures::Figure& figure) {
  return figure.items.empty() ? figure : figures::stacked({figure}, 0, 16);
}
float inner(Size paper) { return std::max(420.0f, paper.w - 32); }
float inner_height(Size paper, float share) { return std::min(paper.h - 32, inner(paper) * share); }

// A line of words that goes rather than that it is cut.
Node whole(Node node) {
  node.forms[0].wide = node.forms[0].wide.wished;
  return node;
}

// A name above a picture, and quiet words behind it where there is room for them.
Node part_heading(Sheet& sheet, const std::string& id, const std::string& words, const std::string& quiet = {}) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  std::vector<Node> all = {whole(sheet.label(id, words, ui::kHeading, theme.text, {}, Font::words_bold))};
  if (!quiet.empty()) {
    all.push_back(
        quiet_line(sheet, id + " of", quiet, sheet.scene.pen.measure.line_height(ui::kHeading, Font::words_bold), true));
    all.back().rank = 3;
  }
  for (Node& node : all) node.presented = true;
  return Sheet::row(id + " row", 12, std::move(all));
}

Node quiet_words(Sheet& sheet, std::string id, std::string words) {
  Node node = sheet.words(std::move(id), std::move(words), 14, sheet.scene.pen.theme.secondary);
  node.presented = true;
  return node;
}

// Lights a pair in all pictures and says both of its numbers.
void light_pair(const Frame& frame, std::int64_t a, std::int64_t b) {
  if (a > b) std::swap(a, b);
  const auto count = static_cast<std::int64_t>(frame.compared().texts.size());
  if (a < 0 || a == b || b >= count) return;
  frame.held->lit_next = {a, b};
  const WordContext::Layer& at = frame.compared().layers[static_cast<std::size_t>(frame.choice.layer)];
  const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
  say_at_mouse(frame.scene,
               fill(tr("sentences {} and {} after {} layers: distance {}, cosine {}"),
                    {std::to_string(figures::typed_number(frame.choice.numbers, i) + 1),
                     std::to_string(figures::typed_number(frame.choice.numbers, j) + 1), std::to_string(frame.choice.layer),
                     short_number(at.distance[i][j]), with_sign(at.cosine[i][j], "%.3f")}));
}

// --- the plane

void follow_paths(const Frame& frame, const gl::Hit& hit) {
  if (!hit.hovered) return;
  if (hit.tag.kind == Tag::cell) light_pair(frame, hit.tag.a, hit.tag.b);
  if (hit.tag.kind != Tag::bar) return;
  if (hit.clicked) {
    choose_layer(frame, hit.tag.b);
    frame.state.sentence = hit.tag.a;
  }
  say_at_mouse(frame.scene,
               fill(tr("sentence {} after {} layers; a click goes there"),
                    {std::to_string(figures::typed_number(frame.choice.numbers, static_cast<std::size_t>(hit.tag.a)) + 1),
                     std::to_string(hit.tag.b)}));
}

Part paths_part(const Shared& frame) {
  const auto draw = [frame](const figures::ContextChoice& choice, float width, float height, const Pen& pen) {
    return figures::context_paths(figures::paths_of(frame->compared(), choice), width, height, pen.theme, pen.measure);
  };
  return {
      .id = "paths",
      .picture = [frame, draw](Size s, const Pen& pen) { return draw(frame->choice, s.w, s.h, pen); },
      .of = of<struct PathsOf>(*frame),
      .hit = [frame](const Drawn& drawn) { follow_paths(*frame, drawn.hit); },
      .paper = {792, 792},
      .on_paper = [frame, draw](Size s,
                                const Pen& pen) { return on_paper(draw(quiet(*frame), inner(s), inner_height(s, 0.62f), pen)); }};
}

void follow_space(const Frame& frame, const figures::QueryKeyInput& input, const gl::Hit& hit) {
  if (!hit.hovered || (hit.tag.kind != Tag::row && hit.tag.kind != Tag::column)) return;
  frame.held->hot_source_next = hit.tag.a;
  const auto j = static_cast<std::size_t>(hit.tag.a);
  const std::string& selected = input.names[static_cast<std::size_t>(input.query)];
  if (hit.tag.kind == Tag::row) {
    if (hit.clicked) frame.state.query = hit.tag.a;
    say_at_mouse(frame.scene, fill(tr("the query of {}; a click shows its strongest keys"), {input.names[j]}));
  } else {
    say_at_mouse(frame.scene, j < input.hidden.size() && input.hidden[j]
                                  ? fill(tr("the key of {}: masked for {}"), {input.names[j], selected})
                                  : fill(tr("the key of {}: {} of the weight of {}"),
                                         {input.names[j], short_number(input.weights[j]), selected}));
  }
}

Part space_part(const Shared& frame, const std::shared_ptr<const QueryKeySpace>& space) {
  const auto draw = [frame, space](const figures::ContextChoice& choice, float width, float height, const Pen& pen) {
    return figures::query_key_plane(figures::query_key_of(frame->compared(), *space, choice), width, height, pen.theme,
                                    pen.measure);
  };
  return {
      .id = "space",
      .picture = [frame, draw](Size s, const Pen& pen) { return draw(frame->choice, s.w, s.h, pen); },
      .of = frame->scene.made_of<struct SpaceOf>(frame->shown.compared, space, frame->choice),
      .hit =
          [frame, space](const Drawn& drawn) {
            follow_space(*frame, figures::query_key_of(frame->compared(), *space, frame->choice), drawn.hit);
          },
      .paper = {792, 792},
      .on_paper = [frame, draw](Size s,
                                const Pen& pen) { return on_paper(draw(quiet(*frame), inner(s), inner_height(s, 0.62f), pen)); }};
}

Node space_node(Sheet& sheet, const Shared& frame, Span wide, Span high) {
  if (frame->choice.layer < 1)
    return quiet_words(sheet, "no space",
                       tr("0 is the embedding: no head has asked or answered yet. Pass a layer to see its queries and keys."));
  std::string error;
  const auto space = context_space(frame->context(), frame->shown, frame->choice, &error);
  if (!space) return quiet_words(sheet, "no space", error.empty() ? tr("computing …") : error);
  return sheet.picture(space_part(frame, space), wide, high);
}

// --- the pairs

void follow_curves(const Frame& frame, const gl::Hit& hit) {
  if (hit.hovered && hit.tag.kind == Tag::cell) light_pair(frame, hit.tag.a, hit.tag.b);
  if (hit.hovered && hit.tag.kind == Tag::column && (hit.clicked || hit.dragging)) choose_layer(frame, hit.tag.a);
}

figures::Figure curves_figure(const Frame& frame, const figures::ContextChoice& choice, Size s, const Pen& pen) {
  return figures::pair_curves(figures::curves_of(frame.compared(), choice), s.w, s.h, pen.theme, pen.measure);
}
Part curves_part(const Shared& frame) {
  return {.id = "curves",
          .picture = [frame](Size s, const Pen& pen) { return curves_figure(*frame, frame->choice, s, pen); },
          .of = of<struct CurvesOf>(*frame),
          .hit = [frame](const Drawn& drawn) { follow_curves(*frame, drawn.hit); },
          .paper = {672, 0},
          .on_paper =
              [frame](Size s, const Pen& pen) {
                return on_paper(curves_figure(*frame, quiet(*frame), {inner(s), std::round(inner(s) * 0.5625f)}, pen));
              }};
}

void follow_matrix(const Frame& frame, const gl::Hit& hit) {
  if (hit.tag.kind != Tag::cell_area) return;
  if (hit.hovered) light_pair(frame, hit.row, hit.column);
  if (hit.clicked && hit.row >= 0) frame.state.sentence = hit.row;
}

figures::Figure matrix_figure(const Frame& frame, const figures::ContextChoice& choice, Size s, const Pen& pen) {
  return figures::pair_matrix(figures::matrix_of(frame.compared(), choice), s.w, s.h, pen.theme, pen.measure);
}
Part matrix_part(const Shared& frame) {
  return {.id = "matrix",
          .picture = [frame](Size s, const Pen& pen) { return matrix_figure(*frame, frame->choice, s, pen); },
          .of = of<struct MatrixOf>(*frame),
          .hit = [frame](const Drawn& drawn) { follow_matrix(*frame, drawn.hit); },
          .paper = {512, 460},
          .on_paper =
              [frame](Size s, const Pen& pen) {
                return on_paper(matrix_figure(*frame, quiet(*frame), {s.w - 32, s.h}, pen));
              }};
}

// --- what attention added

// The sentence becomes the typed one; once it is computed, the head is shown with the word's row.
void open_head(const Frame& frame, std::int64_t head) {
  const WordInText& text = frame.selected();
  const Context& context = frame.context();
  frame.held->opening = {text.sentence().text, text.stack, frame.choice.layer - 1, head, text.row};
  Document document = context.document;
  document.texts = {text.sentence().text};
  if (document.targets.size() > 1) document.targets.resize(1);
  if (!(document == context.document)) context.edit(std::move(document));
}

void follow_added(const Frame& frame, const AttentionAdded& added, const gl::Hit& hit) {
  if (!hit.hovered || (hit.tag.kind != Tag::token && hit.tag.kind != Tag::row)) return;
  const std::int64_t head = hit.tag.kind == Tag::row ? hit.tag.a : hit.tag.b;
  if (hit.tag.kind == Tag::token) frame.held->hot_source_next = hit.tag.a;
  frame.held->hot_head_next = head;
  if (head < 0) {
    if (hit.tag.a < 0) return;
    const auto source = static_cast<std::size_t>(hit.tag.a);
    say_at_mouse(frame.scene,
                 fill(tr("{} gave {} of {}"), {frame.selected().sentence().labels[source],
                                               with_sign(added.by_source[source], "%+.3g"), short_number(added.length)}));
    return;
  }
  const AttentionAdded::Head& one = added.heads[static_cast<std::size_t>(head)];
  say_at_mouse(frame.scene, fill(tr("head {} adds a vector of length {}, {} of it along the sum; a click opens it in Heads"),
                                 {std::to_string(head), short_number(one.length), with_sign(one.along, "%+.3g")}));
  if (hit.clicked) open_head(frame, head);
}

// How much of what was added stands in a room: so many heads, with the probe words' cosines, with the note below.
struct Extent {
  std::size_t heads = 0;
  bool probes = true, note = true;
};
// From the most to the least. On a projector nothing scrolls, so that it may come to less there.
std::vector<Extent> extents_of(const Frame& frame, std::size_t heads) {
  const std::size_t most = std::min<std::size_t>(heads, frame.presented() ? 12 : 16);
  std::vector<Extent> all;
  const auto add = [&](std::size_t least, bool probes, bool note) {
    for (std::size_t n = most; n + 1 > std::min(most, least); --n) all.push_back({n, probes, note});
  };
  add(4, true, true);
  if (!frame.presented()) return all;
  add(3, false, true);
  add(2, false, false);
  return all;
}

using Added = std::shared_ptr<const AttentionAdded>;

figures::Figure added_figure(const Frame& frame, const AttentionAdded& added, const Extent& extent, float width, const Pen& pen) {
  figures::ContextChoice choice = frame.choice;
  choice.most_heads = extent.heads;
  figures::AddedInput input = figures::added_of(frame.compared(), added, choice);
  if (!extent.probes) input.probes.clear();
  if (!extent.note) input.note.clear();
  return figures::attention_added_bars(input, width, pen.theme, pen.measure);
}

// The heights of all extents, by width.
struct AddedHeights {
  mutable std::map<float, std::vector<float>> known;
};

Node added_picture(Sheet& sheet, const Shared& frame, const Added& added) {
  const Scene& scene = sheet.scene;
  const auto extents = std::make_shared<const std::vector<Extent>>(extents_of(*frame, added->heads.size()));
  const auto kept = scene.data<AddedHeights>(
      std::tuple(added, quiet(*frame), frame->shown.compared, frame->presented(), scene.context.scale, spoken_language()),
      [] { return AddedHeights(); });
  const auto heights = [frame, added, extents, kept, &pen = scene.pen](float width) -> const std::vector<float>& {
    const auto [found, fresh] = kept->known.try_emplace(width);
    if (fresh)
      for (const Extent& extent : *extents) found->second.push_back(added_figure(*frame, *added, extent, width, pen).height);
    return found->second;
  };
  const auto draw = [frame, added, extents, heights](Size s, const Pen& pen) {
    const std::vector<float>& high = heights(s.w);
    std::size_t at = 0;
    while (at + 1 < extents->size() && high[at] > s.h + 0.5f) ++at;
    return added_figure(*frame, *added, (*extents)[at], s.w, pen);
  };
  const auto paper = [frame, added](Size s, const Pen& pen) {
    figures::ContextChoice choice = quiet(*frame);
    choice.most_heads = kAllHeads;
    return on_paper(figures::attention_added_bars(figures::titled_added_of(frame->compared(), *added, choice), inner(s),
                                                  pen.theme, pen.measure));
  };
  return sheet.picture({.id = "added",
                        .picture = draw,
                        .of = scene.made_of<struct AddedOf>(added, frame->shown.compared, frame->choice, frame->presented()),
                        .hit = [frame, added](const Drawn& drawn) { follow_added(*frame, *added, drawn.hit); },
                        .paper = {792, 0},
                        .on_paper = paper},
                       {300, 440, kAny}, [heights](float width) {
                         const std::vector<float>& high = heights(width);
                         const float least = *std::min_element(high.begin(), high.end());
                         return Span{least, high.front(), high.front()};
                       });
}

// --- the probe words

Part probes_part(const Shared& frame) {
  const auto draw = [frame](Size s, const Pen& pen) {
    return figures::probe_bars(figures::probes_of(frame->compared(), frame->shown.probes, frame->choice), s.w, s.h, pen.theme,
                               pen.measure);
  };
  return {.id = "probe-bars",
          .picture = draw,
          .of = frame->scene.made_of<struct ProbesOf>(frame->shown.compared, frame->shown.probes, frame->choice),
          .hit =
              [frame](const Drawn& drawn) {
                const gl::Hit& hit = drawn.hit;
                if (hit.hovered && hit.tag.kind == Tag::column && (hit.clicked || hit.dragging)) choose_layer(*frame, hit.tag.a);
              },
          .paper = {792, 0},
          .on_paper =
              [draw](Size s, const Pen& pen) {
                return on_paper(figures::framed(draw({inner(s), 220}, pen), tr("Cosine with probe words"), 0, pen.theme));
              }};
}

}  // namespace

std::vector<sheet::Node> plane_nodes(Sheet& sheet, const Shared& frame) {
  const bool space = frame->state.plane == "queries";
  std::vector<Node> choices = {page_choice(sheet, context_view(), "plane")};
  const AttentionSite* const site = space ? figures::site_of(frame->selected(), frame->choice.layer) : nullptr;
  if (site)
    choices.push_back(sheet.stepper("head", fill(tr("head {}"), {std::to_string(frame->choice.head)}), frame->choice.head,
                                    site->heads, tr("Whose queries and keys are shown"),
                                    [frame](std::int64_t to) { frame->state.head = to; }));
  for (Node& node : choices) node.presented = true;
  const Span wide{300, 640, kAny}, high = frame->presented() ? Span{110, 420, 620} : Span{190, 420, 620};
  std::vector<Node> all = {Sheet::flow("plane choices", 12, std::move(choices))};
  all.push_back(space ? space_node(sheet, frame, wide, high) : sheet.picture(paths_part(frame), wide, high));
  return all;
}

std::vector<sheet::Node> probe_nodes(Sheet& sheet, const Shared& frame) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  std::string typed = frame->state.probes;
  for (std::size_t i = 0; frame->state.probes.empty() && i < frame->typed.words.probes.size(); ++i)
    typed += (i > 0 ? ", " : "") + frame->typed.words.probes[i];
  Node field = live_field(
      sheet,
      {.id = "probes",
       .text = typed,
       .hint = tr("probe words"),
       .why = tr("Words divided by commas, six at most. The cosine is with their rows of the embedding table; where the model "
                 "also predicts with that table, it shows which word it expects behind this one."),
       .set = [frame](std::string words) { frame->state.probes = std::move(words); }},
      {120, 260, 260}, 30);
  std::vector<Node> both = {
      whole(sheet.label("probes name", tr("Cosine with probe words"), ui::kHeading, theme.text, {}, Font::words_bold)),
      std::move(field)};
  both[0].forms[0].high = [](float) { return Span(21, 30, 30); };
  Node title = Sheet::row("probes title", {12, 12, kAny}, std::move(both));
  Node below = frame->typed.probe_error.empty() ? sheet.picture(probes_part(frame), {300, 640, kAny}, Span{92, 116, 160})
                                                : sheet.words("probe error", frame->typed.probe_error, 14, theme.wrong);
  std::vector<Node> all = {std::move(title), std::move(below)};
  for (Node& node : all) node.presented = false;
  return all;
}

std::vector<sheet::Node> pair_nodes(Sheet& sheet, const Shared& frame) {
  const auto count = frame->compared().texts.size();
  Node measure = sheet.choice("measure", {tr("distance"), tr("cosine")}, frame->choice.cosine ? 1 : 0,
                              {tr("The length of the difference of two vectors"),
                               tr("The cosine of their angle: 1 where they point the same way, whatever their lengths")},
                              [frame](int chosen) { frame->state.measure = chosen == 1 ? "cosine" : "distance"; });
  measure.presented = true;
  const Span high = frame->presented() ? Span{136, 176, 220} : Span{190, 230, 230};
  return {part_heading(sheet, "alike", fill(tr("How alike the {} vectors are"), {std::to_string(count)})), std::move(measure),
          Sheet::row("pairs", 16,
                     {sheet.picture(curves_part(frame), {190, 300, kAny}, high),
                      sheet.picture(matrix_part(frame), {110, 180, 230}, high)})};
}

std::vector<sheet::Node> added_nodes(Sheet& sheet, const Shared& frame) {
  if (frame->choice.layer < 1)
    return {part_heading(sheet, "added name", tr("What attention added")),
            quiet_words(sheet, "nothing added",
                        tr("Nothing yet: 0 is the embedding, before any layer. Pass a layer to see what its attention adds."))};
  std::string error;
  const Added added = context_added(frame->context(), frame->shown, frame->choice, &error);
  if (!added) return {quiet_words(sheet, "not added", error.empty() ? tr("computing …") : error)};
  const auto sentence = static_cast<std::size_t>(frame->choice.sentence);
  return {part_heading(sheet, "added name",
                       fill(tr("What attention added, {} → {}"),
                            {std::to_string(frame->choice.layer - 1), std::to_string(frame->choice.layer)}),
                       fill(tr("sentence {}"), {std::to_string(figures::typed_number(frame->choice.numbers, sentence) + 1)})),
          added_picture(sheet, frame, added)};
}

void fill_file(Sheet& sheet, const Shared& frame) {
  const Context& context = frame->context();
  const auto added = context_added(context, frame->shown, frame->choice, nullptr);
  const auto space = context_space(context, frame->shown, frame->choice, nullptr);
  const auto page = [frame, added, space](Size s, const Pen& pen) {
    return figures::context_figure(frame->compared(), frame->shown.probes, added.get(),
                                   frame->state.plane == "queries" ? space.get() : nullptr, frame->choice,
                                   std::max(560.0f, s.w - 32), pen.theme, pen.measure);
  };
  std::vector<Node> all = {sheet.picture({.id = "page", .picture = page}, {0, 900, kAny}),
                           sheet.picture(paths_part(frame), {0, 900, kAny}, 400)};
  if (space) all.push_back(sheet.picture(space_part(frame, space), {0, 900, kAny}, 400));
  if (added) all.push_back(added_picture(sheet, frame, added));
  if (!frame->shown.probes.empty()) all.push_back(sheet.picture(probes_part(frame), {0, 900, kAny}, 220));
  for (const bool cosine : {false, true}) {
    const std::string name = cosine ? "cosine" : "distance";
    const auto alone = [frame, cosine](auto draw) {
      return [frame, cosine, draw](Size s, const Pen& pen) {
        figures::ContextChoice choice = frame->choice;
        choice.cosine = cosine;
        return on_paper(draw(*frame, choice, s, pen));
      };
    };
    Part curves = curves_part(frame), matrix = matrix_part(frame);
    curves.id = name + "s";
    curves.on_paper = alone([](const Frame& f, const figures::ContextChoice& choice, Size s, const Pen& pen) {
      return curves_figure(f, choice, {inner(s), inner(s) * 0.5f}, pen);
    });
    matrix.id = name + "-matrix";
    matrix.paper = {1, 1};
    matrix.on_paper = alone([](const Frame& f, const figures::ContextChoice& choice, Size s, const Pen& pen) {
      return matrix_figure(f, choice, {std::min(inner(s), 560.0f), std::min(s.h, 560.0f)}, pen);
    });
    all.push_back(sheet.picture(std::move(curves), {0, 900, kAny}, 400));
    all.push_back(sheet.picture(std::move(matrix), {0, 560, kAny}, 460));
  }
  sheet.root = Sheet::column("context", 20, std::move(all));
}

}  // namespace contexts
}  // namespace headlight::views
