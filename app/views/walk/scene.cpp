#include "app/views/walk/scene.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "app/figures/base/compose.h"
#include "app/text/language.h"
#include "engine/document/presets.h"

namespace headlight::views::walk {
namespace {

using figures::WalkBox;
using figures::WalkGraph;

std::string mask_caption(const AttentionSite& site) {
  if (site.mask.parts.empty()) return tr("no mask");
  std::string words;
  for (const masks::Part& part : site.mask.parts) words += (words.empty() ? "" : " + ") + part.choice.id;
  return words + " " + to_string(site.mask.mask.shape());
}

void add_chips(const Context& context, const AttentionChoice& choice, bool targets, figures::WalkInput& input) {
  const Trace& trace = *context.trace;
  const auto sentences = targets ? trace.targets() : trace.texts();
  if (choice.batch >= static_cast<std::int64_t>(sentences.size())) return;
  const Sentence& sentence = sentences[static_cast<std::size_t>(choice.batch)];
  input.text = sentence.text;
  const std::int64_t hot = targets == (choice.site && choice.site->rows_are_targets) ? input.hot_query : -1;
  constexpr std::size_t kMost = 60;  // more never fit into the box
  for (std::size_t i = 0; i < std::min(kMost, sentence.labels.size()); ++i) {
    figures::Chip chip;
    chip.text = sentence.labels[i];
    chip.hue = static_cast<int>(i % 12);
    chip.hot = static_cast<std::int64_t>(i) == hot;
    input.chips.push_back(std::move(chip));
  }
  input.tokens = sentence.labels.size();
}

std::string reductions(const figures::WalkPicture& picture) {
  if (picture.row_block == 1 && picture.column_block == 1) return {};
  const bool pattern = picture.columns == figures::WalkPicture::Side::keys;
  const std::string rows = std::to_string(picture.row_block), columns = std::to_string(picture.column_block);
  if (pattern) return fill(tr("small picture: each cell is the largest of {0} × {1}"), {rows, columns});
  // Of what is shown whole nothing is said.
  if (picture.row_block == 1) return fill(tr("small picture: one number in {} of each row"), {columns});
  if (picture.column_block == 1) return fill(tr("small picture: one row in {}"), {rows});
  return fill(tr("small picture: one row in {0}, and one number in {1} of it"), {rows, columns});
}

// The steps of the box whose last one is a loss: from the end the loss, each row's, the labels, the logits.
const std::string& loss_step(const WalkBox& box, std::size_t from_end) { return box.steps[box.steps.size() - 1 - from_end]; }

bool is_loss(const WalkBox& box) { return (box.role == Role::loss || box.role == Role::loss_shifted) && box.steps.size() >= 4; }

// "[200,8192] against [200]"
std::string compared_words(const Trace& trace, const WalkBox& box) {
  const Step *rows = trace.find(loss_step(box, 3)), *labels = trace.find(loss_step(box, 2));
  if (!rows || !labels) return {};
  // Without spaces, so that a narrow column breaks it behind a shape.
  return figures::walk_shape(rows->shape, rows->axes, figures::WalkShape::tight) + " " + tr("against") + " " +
         to_string(labels->shape);
}

double mean_loss(const Trace& trace, const WalkBox& box) {
  const Result<Tensor> mean = trace.values(loss_step(box, 0));
  return mean.ok() && mean->count() == 1 ? mean->compact().as(DType::f64).data<double>()[0] : NAN;
}

// What the box says in place of a mean's shape: "[200,8192]", and below it "against [200]".
void name_loss(const Trace& trace, const WalkBox& box, std::string& shape, std::string& caption) {
  const Step *rows = trace.find(loss_step(box, 3)), *labels = trace.find(loss_step(box, 2));
  if (!rows || !labels) return;
  shape = figures::walk_shape(rows->shape, rows->axes, figures::WalkShape::tight);
  caption = std::string(tr("against")) + " " + to_string(labels->shape);
}

// What the losses of the chosen sentence compare.
std::optional<figures::WalkLosses> losses_of(const Trace& trace, const WalkGraph& graph, std::int64_t batch, bool shifted) {
  figures::WalkLosses losses;
  losses.shifted = shifted;
  losses.own_mean = losses.next_mean = NAN;
  const auto sentences = trace.targets().empty() ? trace.texts() : trace.targets();
  if (batch >= static_cast<std::int64_t>(sentences.size())) return std::nullopt;
  const std::vector<std::string>& labels = sentences[static_cast<std::size_t>(batch)].labels;
  losses.places.resize(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) losses.places[i].read = labels[i];
  for (const WalkBox& box : graph.boxes) {
    if (!is_loss(box)) continue;
    const bool next = box.role == Role::loss_shifted;
    (next ? losses.next_mean : losses.own_mean) = mean_loss(trace, box);
    (next ? losses.next_words : losses.own_words) = compared_words(trace, box);
    const Result<Tensor> rows = trace.values(loss_step(box, 1));
    if (!rows.ok()) return std::nullopt;
    const std::int64_t each = rows->count() / static_cast<std::int64_t>(sentences.size());
    for (std::int64_t i = 0; i < std::min<std::int64_t>(each, static_cast<std::int64_t>(labels.size()) - (next ? 1 : 0)); ++i) {
      figures::WalkLosses::Place& place = losses.places[static_cast<std::size_t>(i)];
      (next ? place.next : place.own) = labels[static_cast<std::size_t>(i + (next ? 1 : 0))];
      (next ? place.next_loss : place.own_loss) = rows->at({batch * each + i});
    }
  }
  return losses;
}

// The preset's remarks on the steps of a box.
std::vector<std::string> remarks_on(const Trace& trace, const WalkBox& box) {
  std::vector<std::string> said;
  const presets::Entry* const preset = presets::preset_of(trace.document());
  if (!preset) return said;
  for (const std::string& step : box.steps)
    if (const std::string remark = presets::remark_of(*preset, step); !remark.empty())
      said.push_back(figures::walk_remark(step, remark));
  return said;
}

}  // namespace

WalkScene walk_scene(const Context& context) {
  WalkScene scene;
  if (!context.trace) return scene;
  const auto trace = context.trace;
  scene.choice = choose_attention(context);
  const AttentionSite* site = scene.choice.site;
  const std::string prefix = scene.choice.prefix();
  scene.graph = context.derived
                    .now<WalkGraph>(DerivedKey("walk/graph", {trace->generation(), prefix}),
                                    [trace, prefix](const CancelToken&) -> Result<WalkGraph> {
                                      const AttentionSite* found = nullptr;
                                      for (const AttentionSite& one : trace->sites())
                                        if (one.prefix == prefix) found = &one;
                                      return figures::walk_graph(*trace, found);
                                    })
                    .value;
  const WalkGraph& graph = *scene.graph;
  figures::WalkInput& input = scene.input;
  input.lit = nearest_box(graph, own(context).step);
  scene.stop = graph.stop_of(input.lit);
  const Hot& hot = context.hover.now;
  input.hot_query = hot.row;
  input.hot_key = hot.column;
  if (hot.byte_start >= 0) {
    input.hot_query = hovered_token(*trace, site ? site->rows_are_targets : hot.in_target, scene.choice.batch, hot);
    input.hot_key = site ? hovered_token(*trace, site->columns_are_targets, scene.choice.batch, hot) : input.hot_query;
  } else if (hot.row < 0 && hot.column < 0) {
    input.hot_query = context.view.pinned_row;
    input.hot_key = context.view.pinned_column;
  }
  input.colormap = context.view.colormap == "signed" ? "viridis" : context.view.colormap;
  input.captions.resize(graph.boxes.size());
  input.shapes.resize(graph.boxes.size());
  scene.next = walk_next(context, graph);
  for (int i = 0; i < static_cast<int>(graph.boxes.size()); ++i) {
    const WalkBox& one = graph.boxes[static_cast<std::size_t>(i)];
    input.candidates.push_back(scene.next ? walk_candidates(*scene.next, one) : nullptr);
    // Of a vocabulary the best tokens are shown, not as many cells as it has tokens.
    const bool tokens = graph.says_words() && (one.role == Role::logits || one.role == Role::probabilities);
    input.pictures.push_back(tokens ? nullptr : walk_picture(context, scene.choice, graph, i));
    if (site && graph.boxes[static_cast<std::size_t>(i)].role == Role::masked_scores)
      input.captions[static_cast<std::size_t>(i)] = mask_caption(*site);
    if (is_loss(graph.boxes[static_cast<std::size_t>(i)]))
      name_loss(*trace, graph.boxes[static_cast<std::size_t>(i)], input.shapes[static_cast<std::size_t>(i)],
                input.captions[static_cast<std::size_t>(i)]);
  }
  for (std::size_t i = 0; i < graph.boxes.size(); ++i)
    if (graph.boxes[i].role == Role::weights && context.view.range != "fixed")
      if (const auto& picture = input.pictures[i]; picture && picture->largest > 0)
        input.weight_high = static_cast<float>(picture->largest);
  add_chips(context, scene.choice, graph.boxes.front().of_targets, input);
  scene.focus = walk_focus(context, scene.choice);
  return scene;
}

figures::WalkNotes walk_notes_of(const Context& context, const WalkScene& scene, int index) {
  figures::WalkNotes notes;
  const WalkGraph& graph = *scene.graph;
  const Trace& trace = *context.trace;
  const WalkBox& box = graph.boxes[static_cast<std::size_t>(index)];
  const AttentionSite* site = scene.choice.site;
  notes.title = walk_title(graph, graph.stop_of(index));
  notes.words = walk_words(trace, site, graph, index);
  notes.formula = box.formula;
  if (!box.shape.empty()) notes.shape = figures::walk_shape(box.shape, box.axes, figures::WalkShape::named);
  notes.chain = box.chain;
  notes.said = remarks_on(trace, box);
  if (is_loss(box)) {
    const auto losses = context.derived.now<std::optional<figures::WalkLosses>>(
        DerivedKey("walk/losses", {trace.generation(), scene.choice.prefix(), scene.choice.batch, box.id}),
        [&](const CancelToken&) -> Result<std::optional<figures::WalkLosses>> {
          return losses_of(trace, graph, scene.choice.batch, box.role == Role::loss_shifted);
        });
    if (losses.value) notes.losses = *losses.value;
  } else if (box.part != WalkBox::Part::last || (box.role != Role::logits && box.role != Role::probabilities)) {
    notes.rows = walk_rows(context, scene.choice, graph, index, scene.focus);
  }
  if (scene.next) write_next(*scene.next, box, notes);
  notes.ends = walk_end(context, graph, graph.stop_of(index));
  if (box.role == Role::masked_scores && site) {
    notes.broadcast = figures::broadcast_of(site->mask, scene.choice.batch, box.shape);
    notes.broadcast->progress = scene.input.progress;
  }
  if (box.kind == WalkBox::Kind::text) {
    notes.remarks.push_back(fill(tr("{} characters (bytes), {} tokens"),
                                 {std::to_string(scene.input.text.size()), std::to_string(scene.input.tokens)}));
  }
  if (static_cast<std::size_t>(index) < scene.input.pictures.size())
    if (const auto& picture = scene.input.pictures[static_cast<std::size_t>(index)]) {
      const figures::Cells cells = walk_cells_of(graph, scene.input, index, {});
      if (cells.colormap == "signed")
        notes.remarks.push_back(
            fill(tr("blue below 0, orange above, up to ±{}"), {walk_number(static_cast<double>(cells.high))}));
      else
        notes.remarks.push_back(
            fill(tr("colours from 0 to {} ({})"), {walk_number(static_cast<double>(cells.high)), cells.colormap}));
      if (const std::string said = reductions(*picture); !said.empty()) notes.remarks.push_back(said);
    }
  if (box.random_weights) notes.remarks.push_back(fill(tr("random weights, seed {}"), {std::to_string(trace.document().seed)}));
  return notes;
}

figures::Figure walk_poster(const WalkGraph& graph, figures::WalkInput input, const figures::WalkNotes& notes, int box,
                            float progress, float width, float height, const figures::Theme& theme,
                            const figures::TextMeasure& measure) {
  constexpr float kMargin = 20, kDots = 50, kNotes = 330, kApart = 20;
  input.lit = box;
  input.progress = progress;
  input.hovered = -1;
  figures::Figure poster;
  poster.width = width;
  poster.height = height;
  poster.background = theme.background;
  poster.title = notes.title;
  const auto put = [&](const figures::Figure& part, float x, float y) {
    for (figures::Item item : part.items) {
      figures::moved(item, x, y);
      poster.items.push_back(std::move(item));
    }
  };
  const float high = height - 2 * kMargin - kDots - kApart;
  // At a smaller size if the graph has more boxes than usual.
  const float wide = width - 2 * kMargin - kNotes - kApart;
  const figures::WalkSize least = walk_least_size(graph);
  const float factor = std::min({1.0f, wide / least.width, high / least.height});
  const figures::WalkLayout layout = walk_layout(graph, wide / factor, high / factor, measure);
  put(figures::scaled(walk_figure(graph, layout, input, theme, measure), factor), kMargin, kMargin);
  const figures::Composer pen{poster, theme, measure};
  pen.box({width - kMargin - kNotes, kMargin, kNotes, high}, theme.panel, theme.line, 1, 8);
  figures::WalkNotes shown = notes;
  if (shown.broadcast) shown.broadcast->progress = progress;
  figures::Figure text = walk_notes(shown, kNotes - 32, theme, measure);
  // A very long text drops its small print before it would exceed its frame.
  if (text.height > high - 28) {
    shown.remarks.clear();
    text = walk_notes(shown, kNotes - 32, theme, measure);
  }
  if (text.height > high - 28) {
    shown.rows.clear();
    text = walk_notes(shown, kNotes - 32, theme, measure);
  }
  put(text, width - kMargin - kNotes + 16, kMargin + 14);
  put(walk_dots(graph, graph.stop_of(box), -1, width - 2 * kMargin, kDots, theme, measure), kMargin, height - kMargin - kDots);
  return poster;
}

figures::Animation walk_film(const Context& context, float width, float height) {
  constexpr int kMoving = 7, kStill = 11;
  figures::Animation film;
  film.title = tr("Walk-through");
  film.seconds_per_frame = 0.12;
  const WalkScene scene = walk_scene(context);
  if (!scene.graph) return film;
  struct Kept {
    std::shared_ptr<const WalkGraph> graph;
    figures::WalkInput input;
    std::vector<figures::WalkNotes> notes;  // by stop
    figures::Theme theme;
  };
  auto kept = std::make_shared<Kept>(Kept{scene.graph, scene.input, {}, context.theme});
  for (const figures::WalkStop& stop : scene.graph->stops)
    kept->notes.push_back(walk_notes_of(context, scene, stop.boxes.front()));
  film.frames = static_cast<int>(scene.graph->stops.size()) * (kMoving + kStill);
  film.frame = [kept, width, height](int index, const figures::TextMeasure& measure) {
    const int stop = index / (kMoving + kStill), at = index % (kMoving + kStill);
    const float progress = at >= kMoving ? 1.0f : (static_cast<float>(at) + 1) / (kMoving + 1);
    return walk_poster(*kept->graph, kept->input, kept->notes[static_cast<std::size_t>(stop)],
                       kept->graph->stops[static_cast<std::size_t>(stop)].boxes.front(), progress, width, height, kept->theme,
                       measure);
  };
  return film;
}

}  // namespace headlight::views::walk
