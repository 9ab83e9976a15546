// Rotary positions: one pair of dimensions of a query and a key of the shown head, before and after their rotation.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "app/figures/base/compose.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/positions/parts.h"
#include "engine/operations/rotary.h"

namespace headlight::views::placed {

namespace {

constexpr std::int64_t kMostShown = 64;  // positions on a circle

struct Cell {
  std::int64_t query = 0, key = 0;
};

// The cell under the mouse, else the pinned one, else one of the last token's.
std::optional<Cell> cell_of(const Context& context, const AttentionChoice& choice) {
  const auto inside = [&](std::int64_t row, std::int64_t column) {
    return row >= 0 && column >= 0 && row < choice.site->queries && column < choice.site->keys;
  };
  const Hot& hot = context.hover.now;
  if (hot.byte_start < 0 && inside(hot.row, hot.column)) return Cell{hot.row, hot.column};
  if (inside(context.view.pinned_row, context.view.pinned_column))
    return Cell{context.view.pinned_row, context.view.pinned_column};
  // The last token, and what it looks at most besides itself.
  const std::int64_t query = choice.site->queries - 1;
  const auto trace = context.trace;
  const auto found = context.derived.later<std::int64_t>(
      DerivedKey("positions/looked at", {trace->generation(), choice.prefix(), choice.batch, choice.head}),
      [trace, name = trace->name_at(choice.prefix(), Role::weights), batch = choice.batch, head = choice.head,
       query](const CancelToken&) -> Result<std::int64_t> {
        Trace::Tile tile;
        tile.batch = batch;
        tile.head = head;
        tile.row = query;
        tile.rows = 1;
        HL_ASSIGN(const Tensor weights, trace->tile(name, tile));
        std::int64_t most = 0;
        double largest = -1;
        for (std::int64_t j = 0; j < weights.dim(1); ++j)
          if (const double weight = weights.at({0, j}); j != query && weight > largest) {
            largest = weight;
            most = j;
          }
        return most;
      });
  if (!found.value) return std::nullopt;
  return Cell{query, *found.value};
}

// The step whose rows are q or k turned; null: the model turns none.
const Step* turned_step(const Context& context, const AttentionChoice& choice, const char* which) {
  const Step* step = context.trace->find(choice.prefix() + which + "_rotated");
  return step && step->computed_by.is<operations::Rotary>() && !step->inputs.empty() ? step : nullptr;
}

// One row of q or k before it turns; grouped queries share a key's head.
std::vector<double> row_of(const Context& context, const AttentionChoice& choice, const char* which, std::int64_t row) {
  const Step* const turned = turned_step(context, choice, which);
  const Step* const step = turned ? context.trace->find(turned->inputs.front()) : nullptr;
  if (!step || step->shape.size() != 4 || step->shape[1] < 1) return {};
  Trace::Tile tile;
  tile.batch = choice.batch;
  tile.head = choice.head * step->shape[1] / std::max<std::int64_t>(1, choice.site->heads);
  tile.row = row;
  tile.rows = 1;
  const DerivedKey key("positions/row", {step->name, context.trace->generation(), tile.batch, tile.head, row});
  const auto values = context.derived.now<Tensor>(key, [&](const CancelToken&) { return context.trace->tile(step->name, tile); });
  std::vector<double> out;
  if (values.value)
    for (std::int64_t i = 0; i < values.value->dim(1); ++i) out.push_back(values.value->at({0, i}));
  return out;
}

std::string name_at(const std::vector<std::string>& names, std::int64_t at) {
  return at < static_cast<std::int64_t>(names.size()) ? names[static_cast<std::size_t>(at)] : std::string();
}

}  // namespace

bool turns(const Context& context, const AttentionChoice& choice) {
  return context.trace && choice.site && turned_step(context, choice, "q") && choice.site->queries > 0 && choice.site->keys > 0;
}

std::optional<figures::TurnedPairInput> turned_input(const Context& context, const AttentionChoice& choice) {
  const std::optional<Cell> cell = cell_of(context, choice);
  if (!cell) return std::nullopt;
  const std::vector<double> q = row_of(context, choice, "q", cell->query), k = row_of(context, choice, "k", cell->key);
  const auto pair = static_cast<std::size_t>(position_dims(context).back() / 2);
  const operations::Rotary op = rotation_of(context);
  const auto pairs = static_cast<std::size_t>(op.pairs());
  if (q.size() != k.size() || pair >= pairs || 2 * pairs > q.size()) return std::nullopt;
  figures::TurnedPairInput input;
  input.pair = static_cast<std::int64_t>(pair);
  input.query = cell->query;
  input.key = cell->key;
  input.query_name = name_at(row_labels(context, choice), cell->query);
  input.key_name = name_at(column_labels(context, choice), cell->key);
  // A pair as it turns: a model may lengthen what it turns.
  const auto pair_of = [&](const std::vector<double>& x, std::size_t i) {
    const std::array<double, 2> both = op.halves ? std::array{x[i], x[i + pairs]} : std::array{x[2 * i], x[2 * i + 1]};
    return std::array{op.magnitude * both[0], op.magnitude * both[1]};
  };
  input.first = static_cast<std::int64_t>(op.halves ? pair : 2 * pair);
  input.second = static_cast<std::int64_t>(op.halves ? pair + pairs : 2 * pair + 1);
  input.q = pair_of(q, pair);
  input.k = pair_of(k, pair);
  const auto angle_of = [&](std::size_t i) { return operations::angle_of(op, 1, static_cast<std::int64_t>(i)); };
  input.angle = angle_of(pair);
  input.positions = std::clamp<std::int64_t>(std::max(choice.site->queries, choice.site->keys), 1, kMostShown);
  input.positions = std::max({input.positions, cell->query + 1, cell->key + 1});
  for (std::size_t i = 2 * pairs; i < q.size(); ++i) input.all_pairs += q[i] * k[i];  // dimensions that stay as they are
  for (std::size_t i = 0; i < pairs; ++i) {
    const auto a = figures::turned(pair_of(q, i), static_cast<double>(cell->query) * angle_of(i)),
               b = figures::turned(pair_of(k, i), static_cast<double>(cell->key) * angle_of(i));
    input.all_pairs += a[0] * b[0] + a[1] * b[1];
  }
  input.title = fill(tr("q and k turn: pair {}, {}"), {std::to_string(pair), attention_title(choice)});
  input.note = random_note(*context.trace, context.trace->name_at(choice.prefix(), Role::q));
  return input;
}

ValueAddress turned_number(const Context& context) {
  if (!context.trace || context.computing) return {};
  const AttentionChoice choice = choose_attention(context);
  if (!turns(context, choice)) return {};
  const std::optional<Cell> cell = cell_of(context, choice);
  if (!cell) return {};
  return {turned_step(context, choice, "q")->name,
          {choice.batch, choice.head, cell->query,
           splits_pairs(context.document) ? position_dims(context).back() / 2 : position_dims(context).back() / 2 * 2}};
}

sheet::Node turned_picture(Sheet& sheet, const Shared& frame, sheet::Span high) {
  const Context& context = frame->context();
  if (context.trace && !turns(context, frame->choice))
    return words_of(sheet, "turning", tr("This attention turns nothing: positions turn q and k in self-attention alone."), 14,
                    sheet.scene.pen.theme.secondary);
  auto input = context.trace ? turned_input(context, frame->choice) : std::nullopt;
  if (!input) return computing(sheet, "turning");
  const auto shared = std::make_shared<const figures::TurnedPairInput>(std::move(*input));
  return sheet.picture(
      {.id = "turning",
       .picture = [shared](Size s, const Pen& pen) { return figures::turned_pair(*shared, s.w, s.h, pen.theme, pen.measure); },
       .paper = {900, 520},
       .on_paper = [frame](Size s, const Pen&) { return turned_figure(frame->context(), s.w, s.h); }},
      {240, 400, sheet::kAny}, high);
}

figures::Figure turned_figure(const Context& context, float width, float height) {
  const AttentionChoice choice = choose_attention(context);
  if (!turns(context, choice)) return {};
  const auto input = turned_input(context, choice);
  return input ? figures::framed(figures::turned_pair(*input, width - 32, height - 32, context.theme, context.measure), "", 16,
                                 context.theme)
               : figures::Figure();
}

}  // namespace headlight::views::placed
