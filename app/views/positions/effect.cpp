// The effect of the positions on a head's pattern: its weights with positions, without them, and the difference.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/attention_nodes.h"
#include "app/views/positions/parts.h"
#include "engine/document/intervention.h"
#include "engine/pipeline/run_anywhere.h"

namespace headlight::views::placed {

namespace {

// The document that is compared with the trace's own: without positions, or, where these are left out already, with them.
Document other_document(const Document& document) {
  Document other = document;
  if (document.model == "sandbox" && !leaves_out_positions(document))
    other.position = "none";
  else
    leave_out_positions(other, !leaves_out_positions(document));
  return other;
}

Result<Tensor> weights_of(const Trace& trace, const std::string& prefix, std::int64_t batch, std::int64_t head) {
  Trace::Tile tile;
  tile.batch = batch;
  tile.head = head;
  HL_ASSIGN(const Tensor weights, trace.tile(trace.name_at(prefix, Role::weights), tile));
  return weights.as(DType::f32).compact();
}

// `own`: the sentence's own queries; the rows behind them are padding.
PositionEffect compared_patterns(Tensor with, Tensor without, std::int64_t own) {
  PositionEffect effect;
  effect.difference = Tensor(DType::f32, with.shape(), {}, true);
  const std::int64_t queries = with.dim(0), keys = with.dim(1);
  const float *a = with.data<float>(), *b = without.data<float>();
  for (std::int64_t i = 0; i < queries; ++i) {
    double moved = 0;
    for (std::int64_t j = 0; j < keys; ++j) {
      const float d = a[i * keys + j] - b[i * keys + j];
      effect.difference.data<float>()[i * keys + j] = d;
      moved += std::abs(static_cast<double>(d)) / 2;
      effect.largest = std::max(effect.largest, std::abs(static_cast<double>(d)));
    }
    if (i >= own) continue;
    effect.mean_moved += moved / static_cast<double>(own);
    if (effect.most_at >= 0 && moved <= effect.most_moved) continue;
    effect.most_moved = moved;
    effect.most_at = i;
  }
  effect.with = std::move(with);
  effect.without = std::move(without);
  return effect;
}

std::string code_name(const Document& document) {
  const positions::Entry* entry = positions::registry().find(document.position);
  return entry ? tr(entry->label.c_str()) : document.position;
}

}  // namespace

std::string moved_words(const Context& context, const AttentionChoice& choice, const PositionEffect& effect) {
  if (effect.most_at < 0) return {};
  const auto percent = [](double share) { return short_number(100 * share) + " %"; };
  const std::vector<std::string> labels = row_labels(context, choice);
  return fill(tr("The positions move {} of a row's weight on average, most in {}: {}."),
              {percent(effect.mean_moved), labels[static_cast<std::size_t>(effect.most_at)], percent(effect.most_moved)});
}

figures::MaskPicturesInput effect_input(const Context& context, const AttentionChoice& choice, const PositionEffect& effect,
                                        bool all) {
  figures::MaskPicturesInput input;
  input.rows = effect.difference.dim(0);
  input.columns = effect.difference.dim(1);
  input.row_labels = row_labels(context, choice);
  input.column_labels = column_labels(context, choice);
  input.row_axis = tr("query (attends)");
  input.column_axis = tr("key (is attended to)");
  if (context.view.transposed) {
    std::swap(input.row_labels, input.column_labels);
    std::swap(input.row_axis, input.column_axis);
  }
  input.with_data = false;
  input.notes = {random_note(*context.trace, context.trace->name_at(choice.prefix(), Role::weights))};
  Tensor mask = site_mask(*choice.site, choice.batch, choice.head);
  if (context.view.transposed && !mask.empty()) mask = mask.permuted({1, 0}).compact();
  const auto add = [&](const std::string& title, const char* brief, const Tensor& values, std::uint64_t key) {
    figures::MaskPicture picture;
    picture.title = title;
    picture.brief = brief;
    picture.values = values;
    picture.mask = mask;
    picture.range_words = tr("weight 0..1");
    picture.key = key;
    input.pictures.push_back(std::move(picture));
  };
  if (all) {
    add(tr("without positions"), tr("without"), effect.without, effect.key + 1);
    add(fill(tr("with {}"), {code_name(context.document)}), tr("with"), effect.with, effect.key + 2);
  }
  add(tr("difference"), tr("difference"), effect.difference, effect.key + 3);
  figures::MaskPicture& last = input.pictures.back();
  last.colormap = "signed";
  last.range_words = tr("with − without");
  last.high = effect.largest > 0 ? static_cast<float>(effect.largest) : 1.0f;
  last.low = -last.high;
  return input;
}

std::shared_ptr<const PositionEffect> position_effect(const Context& context, const AttentionChoice& choice, std::string* error) {
  if (!context.trace || !choice.site) return nullptr;
  const bool turned = context.view.transposed;
  const DerivedKey key("positions/effect", {context.trace->generation(), choice.site->prefix, choice.batch, choice.head, turned});
  const auto answer = context.derived.later<PositionEffect>(
      key,
      [trace = context.trace, prefix = choice.site->prefix, batch = choice.batch, head = choice.head,
       of_targets = choice.site->rows_are_targets, turned, key](const CancelToken& cancel) -> Result<PositionEffect> {
        HL_ASSIGN(const std::shared_ptr<const Trace> other, run_anywhere(other_document(trace->document()), cancel));
        HL_ASSIGN(Tensor with, weights_of(*trace, prefix, batch, head));
        HL_ASSIGN(Tensor without, weights_of(*other, prefix, batch, head));
        if (leaves_out_positions(trace->document())) std::swap(with, without);
        const auto sentences = of_targets ? trace->targets() : trace->texts();
        PositionEffect effect =
            compared_patterns(std::move(with), std::move(without),
                              static_cast<std::int64_t>(sentences[static_cast<std::size_t>(batch)].tokens.size()));
        if (turned)
          for (Tensor* map : {&effect.with, &effect.without, &effect.difference}) *map = map->permuted({1, 0}).compact();
        effect.key = key.hash() | 1;
        return effect;
      });
  if (answer.error && error) *error = spoken_in_window(*answer.error);
  return answer.value;
}

figures::Figure effect_figure(const Context& context, float width, float height, bool all) {
  const AttentionChoice choice = choose_attention(context);
  const auto effect = position_effect(context, choice, nullptr);
  if (!effect) return {};
  figures::MaskPicturesInput input = effect_input(context, choice, *effect, all);
  input.with_data = true;
  input.title = attention_title(choice) + ", " + code_name(context.document);
  input.notes.insert(input.notes.begin(), moved_words(context, choice, *effect));
  return figures::mask_pictures(input, width, all ? std::min(height, 0.6f * width) : height, context.theme, context.measure);
}

namespace {

void point_at_pattern(const Frame& frame, const PositionEffect& effect, const gl::Hit& hit) {
  if (!hit.hovered || hit.tag.kind != figures::Tag::cell_area || hit.row < 0 || hit.column < 0) return;
  const Context& context = frame.context();
  const AttentionChoice& choice = frame.choice;
  const std::int64_t query = context.view.transposed ? hit.column : hit.row, key = context.view.transposed ? hit.row : hit.column;
  Hot& next = context.hover.next;
  next.row = query;
  next.column = key;
  if (!context.computing)
    next.value = {context.trace->name_at(choice.prefix(), Role::weights), {choice.batch, choice.head, query, key}};
  const std::string from = row_labels(context, choice)[static_cast<std::size_t>(query)],
                    to = column_labels(context, choice)[static_cast<std::size_t>(key)];
  const Tensor mask = site_mask(*choice.site, choice.batch, choice.head);
  const std::vector<std::int64_t> at{hit.row, hit.column};
  say_at_mouse(frame.scene, !mask.empty() && mask.at({query, key}) == 0
                                ? fill(tr("{0} → {1}: {2}"), {from, to, tr("masked")})
                                : fill(tr("{} → {}: {} with, {} without, difference {}"),
                                       {from, to, short_number(effect.with.at(at)), short_number(effect.without.at(at)),
                                        short_number(effect.difference.at(at))}));
}

}  // namespace

sheet::Node effect_picture(Sheet& sheet, const Shared& frame, sheet::Span high, bool all) {
  const Context& context = frame->context();
  const figures::Theme& theme = sheet.scene.pen.theme;
  if (std::optional<sheet::Node> none = no_attention(sheet, frame->choice)) return *none;
  std::string error;
  const auto effect = position_effect(context, frame->choice, &error);
  if (!effect) return error.empty() ? computing(sheet, "effect") : words_of(sheet, "effect", std::move(error), 14, theme.wrong);
  const auto input = std::make_shared<figures::MaskPicturesInput>(effect_input(context, frame->choice, *effect, all));
  input->notes.clear();  // the row of pickers says whose weights these are
  const Hot& hot = context.hover.now;
  input->hot_row = context.view.transposed ? hot.column : hot.row;
  input->hot_column = context.view.transposed ? hot.row : hot.column;
  const auto draw = [input](Size s, const Pen& pen) { return figures::mask_pictures(*input, s.w, s.h, pen.theme, pen.measure); };
  // Readable maps may be higher than they are asked to be, but never at the least height, which follows from them.
  const auto fitting = [draw, asked = high.least](Size s, const Pen& pen) {
    figures::Figure figure = draw(s, pen);
    for (float h = 0.85f * s.h; figure.height > s.h + 1 && h > asked; h *= 0.85f) figure = draw({s.w, h}, pen);
    return figure.height > s.h + 1 ? draw({s.w, asked}, pen) : figure;
  };
  sheet::Node maps =
      sheet.picture({.id = "effect",
                     .picture = fitting,
                     .hit = [frame, effect](const Drawn& drawn) { point_at_pattern(*frame, *effect, drawn.hit); },
                     .paper = {1000, 640},
                     .on_paper = [frame, all](Size s, const Pen&) { return effect_figure(frame->context(), s.w, s.h, all); }},
                    {240, 600, sheet::kAny}, [draw, high, pen = sheet.scene.pen](float width) {
                      const float least = std::max(high.least, draw({width, high.least}, pen).height);
                      return sheet::Span{least, std::max(least, high.wished), sheet::kAny};
                    });
  return Sheet::column(
      "pattern", 6,
      {std::move(maps), words_of(sheet, "moved", moved_words(context, frame->choice, *effect), 15, theme.secondary, 5)});
}

}  // namespace headlight::views::placed
