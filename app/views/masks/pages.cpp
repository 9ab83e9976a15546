// Two pages of the Masks view: the masks' shapes and their broadcast, and what replaces a masked score.
#include <algorithm>
#include <cmath>
#include <limits>

#include "app/figures/base/compose.h"
#include "app/figures/masks/mask_fill.h"
#include "app/figures/masks/mask_shapes.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/masks/data.h"
#include "app/views/masks/parts.h"
#include "engine/operations/attention_fill.h"

namespace headlight::views::masked {

using namespace views;

namespace {

constexpr float kLeastFill = 620;           // points that the page of -inf and -1e9 needs
constexpr std::size_t kLeastKeys = 12;      // that it shows in a low window, where it scrolls
constexpr std::size_t kLeastPresented = 3;  // ... and where nothing scrolls
// How much smaller the masks' shapes may be drawn where nothing scrolls, and their least height in points.
constexpr float kSmallest = 0.7f, kLeastShapes = 160;

using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

std::string site_word(masks::Site site) {
  return site == masks::Site::encoder_self ? tr("encoder") : site == masks::Site::cross ? tr("cross") : tr("decoder");
}

// "encoder: padding, window · decoder: causal, padding": which layers have a say where.
std::string sites_words(const Trace& trace) {
  std::string text;
  std::vector<masks::Site> said;
  for (const AttentionSite& site : trace.sites()) {
    if (std::find(said.begin(), said.end(), site.site) != said.end()) continue;
    said.push_back(site.site);
    std::string layers;
    for (const masks::Part& part : site.mask.parts)
      layers += (layers.empty() ? "" : ", ") + std::string(tr(masks::registry().find(part.choice.id)->label.c_str()));
    text += (text.empty() ? "" : "  ·  ") + site_word(site.site) + ": " + (layers.empty() ? tr("no mask") : layers);
  }
  return said.size() > 1 ? fill(tr("Where they apply: {}"), {text}) : std::string();
}

figures::MaskThumbs thumbs_of(const Context& context, const DerivedKey& key, const Tensor& mask, const Shape& scores) {
  const auto make = [mask, scores](const CancelToken&) -> Result<figures::MaskThumbs> {
    return figures::mask_thumbs(mask, scores);
  };
  const bool small = scores[2] * scores[3] <= 512 * 512;
  const auto made = small ? context.derived.now<figures::MaskThumbs>(key, make).value
                          : context.derived.later<figures::MaskThumbs>(key, make).value;
  return made ? *made : figures::MaskThumbs();
}

figures::MaskShapesInput shapes_input(const Context& context, const AttentionChoice& choice) {
  const AttentionSite& site = *choice.site;
  figures::MaskShapesInput input;
  const auto batch = static_cast<std::int64_t>(context.trace->texts().size());
  input.scores = {batch, site.heads, site.queries, site.keys};
  input.made = tr("as it is made");
  input.broadcast = tr("broadcast to the scores");
  input.batch_word = tr("sentence");
  input.heads_words = site.heads > 1 ? fill(tr("the same for all {} heads"), {std::to_string(site.heads)}) : std::string();
  const DerivedKey key("masks/shapes", {context.trace->generation(), site.prefix});
  input.key = key.hash() | 1;
  const auto count = mask_count(context, choice);
  for (const masks::Part& part : site.mask.parts) {
    const masks::Entry* entry = masks::registry().find(part.choice.id);
    figures::MaskShapesInput::Layer layer;
    layer.name = tr(entry ? entry->label.c_str() : part.choice.id.c_str());
    if (!input.layers.empty()) layer.joint = part.role == masks::Role::widens ? tr("OR") : tr("AND");
    if (count)
      for (const LayerCount& c : count->layers)
        if (c.id == part.choice.id)
          layer.words = part.role == masks::Role::widens ? fill(tr("gives back {}"), {std::to_string(c.masked)})
                                                         : fill(tr("masks {}"), {std::to_string(c.masked)});
    layer.mask = part.mask;
    layer.thumbs = thumbs_of(context, DerivedKey("masks/shape", {key, to_string(part.choice)}), part.mask, input.scores);
    input.layers.push_back(std::move(layer));
  }
  if (site.mask.parts.size() > 1) {
    figures::MaskShapesInput::Layer all;
    all.name = tr("together");
    if (count) all.words = fill(tr("masks {}"), {std::to_string(count->masked)});
    all.mask = site.mask.mask;
    all.thumbs = thumbs_of(context, key, site.mask.mask, input.scores);
    all.result = true;
    input.layers.push_back(std::move(all));
  }
  if (input.layers.empty()) input.notes.push_back(tr("No mask applies to this attention: every query sees every key."));
  if (const Step* step = context.trace->step_at(choice.prefix(), Role::mask); step && !input.layers.empty())
    input.notes.push_back(step->formula);
  if (const std::string where = sites_words(*context.trace); !where.empty()) input.notes.push_back(where);
  if (!input.layers.empty())
    input.notes.push_back(tr("Broadcasting copies nothing: along an axis of size 1 the same number is read again and again."));
  return input;
}

// The row that is looked at: hovered last, stepped to, or the first that has something masked.
std::int64_t filled_row(const Context& context, const AttentionChoice& choice) {
  if (own(context).row >= 0) return std::min(own(context).row, choice.site->queries - 1);
  const auto count = mask_count(context, choice);
  if (!count) return 0;
  if (!count->empty_rows.empty()) return count->empty_rows.front();
  return std::max<std::int64_t>(0, count->first_masked_row);
}

// What the masked keys would take of the row if their scores were 0, as those of keys of zeros are; NaN where none is masked.
double taken_by_zeros(const figures::MaskFillInput& input) {
  double largest = 0, seen = 0, masked = 0;
  for (std::size_t j = 0; j < input.scaled.size(); ++j)
    if (input.visible[j]) largest = std::max(largest, static_cast<double>(input.scaled[j]));
  for (std::size_t j = 0; j < input.scaled.size(); ++j) {
    const double score = input.visible[j] ? static_cast<double>(input.scaled[j]) : 0;
    (input.visible[j] ? seen : masked) += std::exp((score - largest) / input.temperature);
  }
  return masked > 0 ? masked / (seen + masked) : std::numeric_limits<double>::quiet_NaN();
}

figures::MaskFillInput fill_input(const Context& context, const AttentionChoice& choice, std::int64_t row) {
  const AttentionSite& site = *choice.site;
  const Trace& trace = *context.trace;
  figures::MaskFillInput input;
  input.keys = column_labels(context, choice);
  input.query = row_labels(context, choice)[static_cast<std::size_t>(row)];
  Trace::Tile tile;
  tile.batch = choice.batch;
  tile.head = choice.head;
  tile.row = row;
  tile.rows = 1;
  const DerivedKey key("masks/scores", {trace.generation(), site.prefix, choice.batch, choice.head, row});
  const auto scores = context.derived.now<Tensor>(
      key, [&](const CancelToken&) { return trace.tile(trace.name_at(choice.prefix(), Role::scaled_scores), tile); });
  const Tensor& mask = site.mask.mask;
  for (std::int64_t j = 0; scores.value && j < site.keys; ++j) {
    input.scaled.push_back(scores.value->at({0, j}));
    input.visible.push_back(mask.empty() || mask.at({mask.dim(0) == 1 ? 0 : choice.batch, 0, mask.dim(2) == 1 ? 0 : row,
                                                     mask.dim(3) == 1 ? 0 : j}) != 0);
  }
  input.temperature = trace.document().temperature;
  input.chosen = trace.document().mask_fill == operations::MaskFill::minus_infinity ? 0 : 1;
  input.key_word = tr("key");
  input.score_word = tr("scaled score");
  input.masked_word = tr("masked score");
  input.weight_word = tr("weight");
  input.sum_word = tr("sum of the weights");
  input.more = tr("… and more keys: a larger window shows them");
  const auto seen = std::count(input.visible.begin(), input.visible.end(), std::uint8_t{1});
  const std::string keys = std::to_string(site.keys);
  if (seen == site.keys) {
    input.words[0] = input.words[1] = tr("Nothing is masked in this row: there is nothing to replace.");
  } else if (seen == 0) {
    input.words[0] =
        tr("Every key is masked. e^(−∞ − (−∞)) is not a number: naive code gives NaN here. Defined as all zeros: the row "
           "attends to nothing, and its sum is 0.");
    input.words[1] =
        fill(tr("Every key is masked. All scores are the same −1e9, so softmax gives each key 1/{}: the row attends to exactly "
                "what it must not see."),
             {keys});
  } else {
    input.words[0] = tr("e^−∞ = 0: masked weights are exactly 0.");
    input.words[1] =
        tr("e^(−1e9 − largest) is smaller than any number that a computer holds: the weights come out as exactly 0 too.");
  }
  input.notes = {tr("The score is replaced, not added to: a large score could outweigh what is added.")};
  if (const double taken = taken_by_zeros(input); !std::isnan(taken))
    input.notes.push_back(
        fill(tr("Zeros alone keep no key out: e^0 = 1. With a score of 0 the masked keys would take {} % of this row."),
             {short_number(100 * taken)}));
  input.notes.push_back(random_note(trace, trace.name_at(choice.prefix(), Role::weights)));
  if (input.notes.back().empty()) input.notes.pop_back();
  return input;
}

}  // namespace

figures::Figure shapes_figure(const Context& context, float width) {
  const AttentionChoice choice = choose_attention(context);
  if (!choice.site) return {};
  figures::MaskShapesInput input = shapes_input(context, choice);
  input.title = fill(tr("the masks of {}, and how they are broadcast"), {attention_title(choice)});
  return figures::mask_shapes(input, width, context.theme, context.measure);
}

figures::Figure fill_figure(const Context& context, float width, float height) {
  const AttentionChoice choice = choose_attention(context);
  if (!choice.site) return {};
  figures::MaskFillInput input = fill_input(context, choice, filled_row(context, choice));
  input.title = fill(tr("row {} of {}: masked with −∞ and with −1e9"), {input.query, attention_title(choice)});
  return figures::mask_fill(input, width, height, context.theme, context.measure);
}

Node shapes_page(Sheet& sheet, const Shared& tab, std::vector<Node> controls) {
  const auto input = std::make_shared<figures::MaskShapesInput>(shapes_input(tab->context, tab->choice));
  input->with_data = false;
  const bool presented = sheet.scene.medium == sheet::Medium::presented;
  const auto natural = [input](float width, const Pen& pen) {
    return figures::mask_shapes(*input, width, pen.theme, pen.measure);
  };
  Part part{.id = "shapes",
            .picture =
                [natural](Size s, const Pen& pen) {
                  figures::Figure figure = natural(s.w, pen);
                  if (s.h <= 0 || figure.height <= s.h + 1) return figure;
                  // Of many masks all are seen, a little smaller.
                  const float factor = std::max(kSmallest, s.h / figure.height);
                  figure = figures::scaled(natural(s.w / factor, pen), factor);
                  return figure.height <= s.h + 1 ? figure : figures::scaled(figure, s.h / figure.height);
                },
            .paper = {1000, 0},
            .on_paper = [tab](Size s, const Pen&) { return shapes_figure(tab->context, s.w); }};
  Node picture = presented ? sheet.picture(std::move(part), {200, 600, kAny},
                                           [natural, &pen = sheet.scene.pen](float width) {
                                             const float high = natural(width, pen).height;
                                             return Span{std::min(high, kLeastShapes), high, high};
                                           })
                           : sheet.picture(std::move(part), {200, 600, kAny});
  Node column = Sheet::column("shapes page", {4, 6, 8}, {Sheet::flow("controls", 14, std::move(controls)), std::move(picture)});
  column.scrolls = !presented;
  return column;
}

namespace {

// Which replacement the document uses, the row that is shown, and a button that masks all of it.
std::vector<Node> fill_controls(Sheet& sheet, const Shared& tab, std::int64_t row) {
  const Context& context = tab->context;
  const AttentionSite& site = *tab->choice.site;
  const int chosen = context.document.mask_fill == operations::MaskFill::minus_infinity ? 0 : 1;
  std::vector<Node> all = {
      sheet.label("become", tr("masked scores become"), 15, context.theme.secondary),
      sheet.choice("fills", {"−∞", "−1e9"}, chosen,
                   {tr("Exactly nothing is left of a masked key; a row without any key is defined as zeros"),
                    tr("A very low score, as much published code does; a row without any key becomes uniform")},
                   [tab](int to) {
                     Document next = tab->context.document;
                     next.mask_fill = to == 0 ? operations::MaskFill::minus_infinity : operations::MaskFill::minus_1e9;
                     tab->context.edit(std::move(next));
                   })};
  all.push_back(sheet.stepper(
      "row", fill(tr("row {}: {}"), {std::to_string(row), row_labels(context, tab->choice)[static_cast<std::size_t>(row)]}), row,
      site.queries, tr("The row above, the row below"), [tab](std::int64_t to) { own(tab->context).row = to; }));
  if (can_paint(tab->choice))
    all.push_back(sheet.button({.id = "mask row",
                                .label = tr("mask the whole row"),
                                .why = tr("Paints every cell of this row, to see what softmax makes of nothing"),
                                .press =
                                    [tab, row] {
                                      const AttentionSite& masked = *tab->choice.site;
                                      const CellRange range{row, 0, 1, masked.keys};
                                      tab->context.edit(painted(tab->context.document, masked.queries, masked.keys,
                                                                std::span(&range, 1), false));
                                    },
                                .high = 28}));
  return all;
}

void show_presented(Node& node) {
  node.presented = true;
  for (Node& child : node.children) show_presented(child);
}

}  // namespace

Node fill_page(Sheet& sheet, const Shared& tab, std::vector<Node> controls) {
  const Context& context = tab->context;
  const bool presented = sheet.scene.medium == sheet::Medium::presented;
  const std::int64_t row = filled_row(context, tab->choice);
  const auto input = std::make_shared<figures::MaskFillInput>(fill_input(context, tab->choice, row));
  input->hot_key = context.hover.now.column;
  input->least_keys = presented ? kLeastPresented : kLeastKeys;
  // Beside each other its columns keep the width that they need, drawn a little smaller. Presented, where nothing scrolls, the
  // whole is smaller where the room is low.
  const auto at = [input](Size s, const Pen& pen, float factor) {
    return figures::scaled(figures::mask_fill(*input, s.w / factor, s.h / factor, pen.theme, pen.measure), factor);
  };
  const auto wished_factor = [](float width) {
    return width < figures::kLeastBeside ? 1.0f : std::min(1.0f, width / kLeastFill);
  };
  const auto draw = [at, wished_factor, presented](Size s, const Pen& pen) {
    figures::Figure figure = at(s, pen, wished_factor(s.w));
    for (const float factor : {0.9f, 0.8f, kSmallest})
      if (presented && s.h > 0 && figure.height > s.h + 0.5f) figure = at(s, pen, factor);
    return figure;
  };
  Node picture = sheet.picture({.id = "fill",
                                .picture = draw,
                                .hit =
                                    [tab, row](const Drawn& drawn) {
                                      if (!drawn.hit.hovered) return;
                                      tab->context.hover.next.row = row;
                                      if (drawn.hit.tag.kind == figures::Tag::column)
                                        tab->context.hover.next.column = drawn.hit.tag.a;
                                    },
                                .paper = {900, 700},
                                .on_paper = [tab](Size s, const Pen&) { return fill_figure(tab->context, s.w, s.h); }},
                               {200, 600, kAny}, [at, wished_factor, presented, &pen = sheet.scene.pen](float width) {
                                 const float high = std::max(120.0f, at({width, 120}, pen, wished_factor(width)).height);
                                 const float least = presented ? at({width, 120}, pen, kSmallest).height : high;
                                 return Span{std::min(least, high), high, kAny};
                               });
  Node own_controls = Sheet::flow("fill controls", 14, fill_controls(sheet, tab, row));
  show_presented(own_controls);
  Node column = Sheet::column("fill page", {4, 6, 8},
                              {Sheet::flow("controls", 14, std::move(controls)), std::move(own_controls), std::move(picture)});
  column.scrolls = !presented;
  return column;
}

}  // namespace headlight::views::masked
