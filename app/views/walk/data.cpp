#include "app/views/walk/data.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/non_finite.h"
#include "app/text/language.h"
#include "engine/insight/explain.h"

namespace headlight::views::walk {
namespace {

using figures::WalkBox;
using figures::WalkGraph;
using figures::WalkPicture;
using Side = WalkPicture::Side;

constexpr std::int64_t kAtOnce = 256 * 1024;    // values read within a frame; more go to the background lane
constexpr std::int64_t kPattern = 96;           // cells per side of a small pattern
constexpr std::int64_t kRows = 48, kWide = 30;  // cells of a small picture of vectors

DerivedKey key_of(DerivedKey::Tag tag, const Trace& trace, const AttentionChoice& choice, const std::string& step) {
  return DerivedKey(tag, {trace.generation(), step, choice.prefix(), choice.batch, choice.head});
}

bool is_pattern(const Step& step) { return step.axes.size() == 4 && step.axes[2] == "query"; }
// Hatched where the mask forbids.
bool is_masked(const Step& step) { return is_pattern(step) && (step.role == Role::masked_scores || step.role == Role::weights); }
// Rows of each head, which can stand side by side.
bool is_by_heads(const Step& step) {
  return step.axes.size() == 4 && step.axes[1] == "head" && step.axes[2] == "position" && step.shape[1] > 1;
}

Tensor mask_of(const AttentionSite& site, std::int64_t batch, std::int64_t head) {
  const Tensor& mask = site.mask.mask;
  if (mask.empty()) return {};
  const auto part = [](const Tensor& t, std::int64_t index) { return t.select(0, t.dim(0) == 1 ? 0 : index); };
  return part(part(mask, batch), head).broadcast_to({site.queries, site.keys}).compact();
}

// What background work needs, by value.
struct Wanted {
  std::shared_ptr<const Trace> trace;
  bool has_site = false;
  AttentionSite site;
  std::int64_t batch = 0, head = 0;
  std::string step;
};
Wanted wanted(const Context& context, const AttentionChoice& choice, const std::string& step) {
  Wanted w;
  w.trace = context.trace;
  w.has_site = choice.site != nullptr;
  if (choice.site) w.site = *choice.site;
  w.batch = choice.batch;
  w.head = choice.head;
  w.step = step;
  return w;
}

struct Whole {
  Tensor values;  // f32 [rows, columns]
  Tensor mask;
  double largest = 0;
};

// A copy in which masked cells are 0.
Whole visible(const Tensor& tensor, const Tensor& mask) {
  Whole whole;
  const Tensor source = tensor.as(DType::f32).compact();
  whole.values = Tensor(DType::f32, source.shape(), {}, true);
  whole.mask = mask;
  const float* in = source.data<float>();
  float* out = whole.values.data<float>();
  const std::uint8_t* may = mask.empty() ? nullptr : mask.data<std::uint8_t>();
  float largest = 0;
  for (std::int64_t i = 0; i < source.count(); ++i) {
    const bool shown = !may || may[i];
    out[i] = shown ? in[i] : 0.0f;
    if (shown && std::isfinite(in[i])) largest = std::max(largest, std::abs(in[i]));
  }
  whole.largest = largest;
  return whole;
}

// The chosen sentence's part of a step; if `all_heads`, all heads side by side as [position, head d_k].
Result<Tensor> part_of(const Wanted& w, bool all_heads, const CancelToken& cancel) {
  const Step* step = w.trace->find(w.step);
  if (!step) {
    HL_ASSIGN(Tensor t, w.trace->values(w.step, cancel));
    return t.rank() == 1 ? t.compact().reshaped({1, t.dim(0)}) : t;
  }
  if (step->shape.size() == 2) {
    HL_ASSIGN(Tensor t, w.trace->values(w.step, cancel));
    // Ids: one row per sentence.
    return step->axes.size() == 2 && step->axes[0] == "batch" ? t.slice(0, w.batch, w.batch + 1).compact() : t;
  }
  if (step->shape.size() < 2 || step->shape.size() > 4) {
    // The last two axes, at the first place of all others.
    HL_ASSIGN(Tensor t, w.trace->values(w.step, cancel));
    while (t.rank() > 2) t = t.select(0, 0);
    return t.rank() == 2 ? t.compact() : t.compact().reshaped({1, t.count()});
  }
  if (all_heads) {
    HL_ASSIGN(Tensor t, w.trace->values(w.step, cancel));
    const std::int64_t heads = t.dim(1), length = t.dim(2), size = t.dim(3);
    return t.select(0, w.batch).permuted({1, 0, 2}).compact().reshaped({length, heads * size});
  }
  const std::int64_t batch = std::min(w.batch, step->shape[0] - 1);  // a mask may be the same for all sentences
  if (const std::size_t heads = head_axis(*step); step->shape.size() == 4 && heads != 1) {
    HL_ASSIGN(Tensor t, w.trace->values(w.step, cancel));
    return t.select(0, batch).select(static_cast<int>(heads) - 1, head_among(w.site, w.head, step->shape[heads])).compact();
  }
  Trace::Tile tile;
  tile.batch = batch;
  tile.head = step->shape.size() == 4 ? head_among(w.site, w.head, step->shape[1]) : 0;
  return w.trace->tile(w.step, tile);
}

// Reduces each block to the value of largest magnitude, masked only if all of it is; or, if `first`, to its first value:
// dimensions of vectors have different meanings, and their extremes would give a meaningless picture. A block with NaN or an
// infinity is that.
void reduce(const Whole& whole, const std::vector<std::int64_t>& row_edges, const std::vector<std::int64_t>& column_edges,
            bool first, WalkPicture& picture) {
  const auto rows = static_cast<std::int64_t>(row_edges.size()) - 1, columns = static_cast<std::int64_t>(column_edges.size()) - 1;
  const std::int64_t width = whole.values.dim(1);
  picture.values = Tensor(DType::f32, {rows, columns});
  if (!whole.mask.empty()) picture.mask = Tensor(DType::u8, {rows, columns});
  const float* in = whole.values.data<float>();
  const std::uint8_t* may = whole.mask.empty() ? nullptr : whole.mask.data<std::uint8_t>();
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) {
      float best = first ? in[row_edges[static_cast<std::size_t>(r)] * width + column_edges[static_cast<std::size_t>(c)]] : 0;
      bool any = false;
      figures::NonFinite highest = figures::NonFinite::none;
      for (std::int64_t i = row_edges[static_cast<std::size_t>(r)]; i < row_edges[static_cast<std::size_t>(r) + 1]; ++i)
        for (std::int64_t j = column_edges[static_cast<std::size_t>(c)]; j < column_edges[static_cast<std::size_t>(c) + 1]; ++j) {
          const std::int64_t at = i * width + j;
          any |= !may || may[at];
          highest = std::max(highest, figures::non_finite(in[at]));
          if (!first && std::abs(in[at]) > std::abs(best)) best = in[at];
        }
      picture.values.data<float>()[r * columns + c] = highest == figures::NonFinite::none ? best : figures::value_of(highest);
      if (may && !first) picture.mask.data<std::uint8_t>()[r * columns + c] = any;
    }
}

std::vector<std::int64_t> edges(std::int64_t count, std::int64_t block) {
  std::vector<std::int64_t> out{0};
  for (std::int64_t at = block; at < count; at += block) out.push_back(at);
  if (count > 0) out.push_back(count);
  return out;
}

Side values_rows_of(const WalkBox& box) {
  return box.flow == figures::WalkFlow::k || box.flow == figures::WalkFlow::v || box.kind == WalkBox::Kind::encoder_output
             ? Side::keys
             : Side::queries;
}

// The axes that a step's matrix shows of one sentence and head: rows and columns; empty where they have no name.
struct ShownAxes {
  std::string rows, columns;
};
ShownAxes shown_axes(const Step& step) {
  Axes axes = step.axes;
  if (axes.size() == 4) axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(head_axis(step)));
  return {axes.size() >= 2 ? axes[axes.size() - 2] : std::string(), axes.empty() ? std::string() : axes.back()};
}

// What an axis counts: tokens of one side or the other, or neither.
Side side_of(const std::string& axis, const WalkBox& box) {
  return axis == "key" ? Side::keys : axis == "query" ? Side::queries : axis == "position" ? values_rows_of(box) : Side::other;
}

// A number for each place of each sentence as a line a sentence: [B L] becomes [B, L].
Tensor by_sentence(const Trace& trace, const Tensor& row) {
  const auto sentences = static_cast<std::int64_t>(trace.texts().size());
  return sentences > 0 && row.count() % sentences == 0 ? row.reshaped({sentences, row.count() / sentences}) : row;
}

Result<WalkPicture> picture_of(const Wanted& w, const WalkBox& box, const CancelToken& cancel) {
  const Step* step = w.trace->find(w.step);
  if (!step) return not_found("there is no step '{}'", w.step);
  const bool pattern = is_pattern(*step);
  const bool heads = is_by_heads(*step) && (box.part == WalkBox::Part::heads || box.part == WalkBox::Part::scored);
  HL_ASSIGN(Tensor tensor, part_of(w, heads, cancel));
  if (box.role == Role::loss || box.role == Role::loss_shifted) tensor = by_sentence(*w.trace, tensor);
  const Whole whole = visible(tensor, is_masked(*step) ? mask_of(w.site, w.batch, w.head) : Tensor());
  WalkPicture picture;
  picture.largest = whole.largest;
  figures::NonFiniteCount not_finite;
  not_finite.add(whole.values, {});
  picture.counts = not_finite;
  picture.full_rows = whole.values.dim(0);
  picture.full_columns = whole.values.dim(1);
  picture.rows = side_of(shown_axes(*step).rows, box);
  picture.columns = side_of(shown_axes(*step).columns, box);
  const auto block = [](std::int64_t count, std::int64_t limit) {
    return std::max<std::int64_t>(1, (count + limit - 1) / limit);
  };
  picture.row_block = block(picture.full_rows, pattern ? kPattern : kRows);
  std::vector<std::int64_t> column_edges;
  if (heads) {
    // Blocks end where a head ends.
    const std::int64_t size = step->shape[3], count = step->shape[1];
    const std::int64_t cells = std::clamp<std::int64_t>(kWide / count, 1, size);
    picture.column_block = block(size, cells);
    column_edges = {0};
    const std::int64_t shown = head_among(w.site, w.head, count);
    for (std::int64_t head = 0; head < count; ++head) {
      if (head == shown) picture.head_from = static_cast<std::int64_t>(column_edges.size()) - 1;
      for (const std::int64_t edge : edges(size, picture.column_block))
        if (edge > 0) column_edges.push_back(head * size + edge);
      if (head == shown) picture.head_to = static_cast<std::int64_t>(column_edges.size()) - 1;
    }
  } else {
    picture.column_block = block(picture.full_columns, pattern ? kPattern : kWide);
    column_edges = edges(picture.full_columns, picture.column_block);
  }
  reduce(whole, edges(picture.full_rows, picture.row_block), column_edges, !pattern, picture);
  return picture;
}

std::int64_t count_of(const Step& step) {
  if (is_pattern(step)) return step.shape[2] * step.shape[3] * std::max<std::int64_t>(1, step.kept ? 1 : 8);
  std::int64_t count = 1;
  for (const std::int64_t size : step.shape) count *= size;
  return count;
}

}  // namespace

std::size_t head_axis(const Step& step) {
  const auto at = std::find(step.axes.begin(), step.axes.end(), "head");
  return at == step.axes.end() ? 1 : static_cast<std::size_t>(at - step.axes.begin());
}

std::string walk_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char text[32];
  if (value != 0 && (std::abs(value) >= 1e5 || std::abs(value) < 5e-3))
    std::snprintf(text, sizeof text, "%.0e", value);
  else
    std::snprintf(text, sizeof text, std::abs(value) >= 100 ? "%.0f" : "%.2f", value);
  std::string out = text;
  // "1e-05" becomes "1e-5".
  if (const std::size_t e = out.find('e'); e != std::string::npos && e + 2 < out.size() && out[e + 2] == '0') out.erase(e + 2, 1);
  if (const std::size_t plus = out.find("e+"); plus != std::string::npos) out.erase(plus + 1, 1);
  return out;
}

std::shared_ptr<const WalkPicture> walk_picture(const Context& context, const AttentionChoice& choice, const WalkGraph& graph,
                                                int index) {
  const WalkBox& box = graph.boxes[static_cast<std::size_t>(index)];
  if (box.steps.empty() || box.role == Role::tokens) return nullptr;
  // Of a loss each row's part in it: the mean is a single number.
  const bool mean = (box.role == Role::loss || box.role == Role::loss_shifted) && box.steps.size() > 1;
  const std::string& name = mean ? box.steps[box.steps.size() - 2] : box.step();
  const Step* step = context.trace->find(name);
  if (!step || element_count(step->shape) == 0) return nullptr;
  const DerivedKey key = key_of("walk/picture", *context.trace, choice, name);
  const Wanted w = wanted(context, choice, name);
  const auto make = [w, box, key](const CancelToken& cancel) -> Result<WalkPicture> {
    HL_ASSIGN(WalkPicture picture, picture_of(w, box, cancel));
    picture.key = key.hash();
    return picture;
  };
  return count_of(*step) <= kAtOnce ? context.derived.now<WalkPicture>(key, make).value
                                    : context.derived.later<WalkPicture>(key, make).value;
}

std::shared_ptr<const WalkMatrix> walk_matrix(const Context& context, const AttentionChoice& choice, const WalkBox& box,
                                              const std::string& name, const Error** error) {
  const Step* step = context.trace->find(name);
  std::int64_t count = 0;
  if (step) count = count_of(*step);
  for (const NamedParameter& parameter : context.trace->parameters())
    if (parameter.name == name) count = 8 * element_count(parameter.shape);  // drawn again from the random stream
  const DerivedKey key = key_of("walk/matrix", *context.trace, choice, name);
  const Wanted w = wanted(context, choice, name);
  const auto make = [w, key, box](const CancelToken& cancel) -> Result<WalkMatrix> {
    const Step* of = w.trace->find(w.step);
    HL_ASSIGN(const Tensor tensor, part_of(w, false, cancel));
    Whole whole = visible(tensor, of && is_masked(*of) ? mask_of(w.site, w.batch, w.head) : Tensor());
    WalkMatrix matrix;
    matrix.values = std::move(whole.values);
    matrix.mask = std::move(whole.mask);
    matrix.largest = whole.largest;
    matrix.key = key.hash();
    if (of) {
      matrix.row_axis = shown_axes(*of).rows;
      matrix.column_axis = shown_axes(*of).columns;
      matrix.rows = side_of(matrix.row_axis, box);
      matrix.columns = side_of(matrix.column_axis, box);
    } else {
      for (const NamedParameter& parameter : w.trace->parameters())
        if (parameter.name == w.step && !parameter.axes.empty()) {
          matrix.column_axis = parameter.axes.back();
          if (parameter.axes.size() > 1) matrix.row_axis = parameter.axes.front();
        }
    }
    return matrix;
  };
  const auto answer =
      count <= kAtOnce ? context.derived.now<WalkMatrix>(key, make) : context.derived.later<WalkMatrix>(key, make);
  *error = answer.error;
  return answer.value;
}

ValueAddress walk_address(const Trace& trace, const AttentionChoice& choice, const std::string& name, std::int64_t row,
                          std::int64_t column) {
  ValueAddress address;
  const Step* step = trace.find(name);
  if (!step) {
    for (const NamedParameter& parameter : trace.parameters())
      if (parameter.name == name) {
        address.step = name;
        address.index = parameter.shape.size() == 1 ? std::vector<std::int64_t>{column} : std::vector<std::int64_t>{row, column};
      }
    return address;
  }
  address.step = name;
  const bool ids = step->shape.size() == 2 && !step->axes.empty() && step->axes.front() == "batch";
  switch (step->shape.size()) {
    case 1: address.index = {column}; break;
    case 2: address.index = {ids ? choice.batch : row, column}; break;
    case 3: address.index = {std::min(choice.batch, step->shape[0] - 1), row, column}; break;
    case 4: {
      const std::size_t heads = head_axis(*step);
      address.index = {std::min(choice.batch, step->shape[0] - 1), row, column};
      address.index.insert(address.index.begin() + static_cast<std::ptrdiff_t>(heads),
                           choice.site ? head_among(*choice.site, choice.head, step->shape[heads]) : 0);
      break;
    }
    default: address = {};
  }
  return address;
}

WalkFocus walk_focus(const Context& context, const AttentionChoice& choice) {
  WalkFocus focus;
  if (!choice.site) return focus;
  const AttentionSite& site = *choice.site;
  const auto& view = context.view;
  if (view.pinned_row >= 0 && view.pinned_column >= 0 && view.pinned_row < site.queries && view.pinned_column < site.keys)
    return {view.pinned_row, view.pinned_column};
  const auto trace = context.trace;
  const CellAddress cell{choice.prefix(), choice.batch, choice.head, 0, 0};
  const auto find = [trace, cell](const CancelToken&) { return strongest_cell(*trace, cell.prefix, cell.batch, cell.head); };
  const DerivedKey key = key_of("walk/strongest", *trace, choice, "");
  const auto strongest = site.queries * site.keys > kAtOnce ? context.derived.later<CellAddress>(key, find)
                                                            : context.derived.now<CellAddress>(key, find);
  if (strongest.value) focus = {strongest.value->query, strongest.value->key};
  return focus;
}

std::vector<std::string> walk_labels(const Trace& trace, const AttentionChoice& choice, const WalkBox& box, Side side) {
  if (side == Side::other) return {};
  if (choice.site) {
    std::vector<std::string> labels = side == Side::keys ? column_labels(trace, choice) : row_labels(trace, choice);
    return labels;
  }
  const auto sentences = box.of_targets ? trace.targets() : trace.texts();
  if (choice.batch >= static_cast<std::int64_t>(sentences.size())) return {};
  std::vector<std::string> labels = sentences[static_cast<std::size_t>(choice.batch)].labels;
  if (const Step* step = trace.find(box.step()); step && step->shape.size() >= 2) {
    const std::size_t length = static_cast<std::size_t>(
        step->shape.size() == 2 && step->axes.front() == "batch" ? step->shape[1] : step->shape[step->shape.size() - 2]);
    labels.resize(length, "[PAD]");
  }
  return labels;
}

std::vector<figures::WalkNotes::Row> walk_rows(const Context& context, const AttentionChoice& choice, const WalkGraph& graph,
                                               int index, const WalkFocus& focus) {
  using Row = figures::WalkNotes::Row;
  const WalkBox& box = graph.boxes[static_cast<std::size_t>(index)];
  if (box.steps.empty()) return {};
  DerivedKey key = key_of("walk/rows", *context.trace, choice, box.step());
  key.add(focus.query).add(focus.key).add(tr("{0} of {1}"));
  const auto trace = context.trace;
  const auto find = [&](const CancelToken&) -> Result<std::vector<Row>> {
    std::vector<Row> rows;
    const auto add = [&](const WalkBox& of, const std::string& name, bool result) -> Status {
      const Step* step = trace->find(name);
      if (!step || step->shape.empty()) return {};
      const bool vector = step->shape.size() == 1;  // it belongs to no token: "div term"
      const bool ids = step->shape.size() == 2 && step->axes.front() == "batch";
      // Its rows are no tokens: there is no row of the chosen one.
      if (!ids && !vector && side_of(shown_axes(*step).rows, of) == Side::other) return {};
      const Side side = values_rows_of(of);
      std::int64_t at = side == Side::keys ? focus.key : focus.query;
      // A mask that is repeated has one row.
      if (step->dtype == DType::u8 && step->shape.size() > 2) at = std::min(at, step->shape[step->shape.size() - 2] - 1);
      const std::vector<std::string> labels = walk_labels(*trace, choice, of, side);
      Row row;
      const std::string title = walk_step_title(of, name);
      row.name = ids || vector || at >= static_cast<std::int64_t>(labels.size())
                     ? title
                     : fill(tr("{0} of {1}"), {title, labels[static_cast<std::size_t>(at)]});
      row.shape = figures::walk_shape(step->shape, step->axes);
      row.result = result;
      constexpr std::int64_t kMost = 12;
      const std::int64_t width = step->shape.back();
      std::int64_t first = 0;
      Tensor values;
      if (vector) {
        HL_ASSIGN(const Tensor whole, trace->values(name));
        values = whole.compact().reshaped({1, width}).slice(1, 0, std::min(width, kMost));
      } else if (ids || step->shape.size() == 2) {
        HL_ASSIGN(const Tensor whole, trace->values(name));
        const std::int64_t line = ids ? choice.batch : at;
        if (line >= whole.dim(0)) return {};
        values = whole.slice(0, line, line + 1).slice(1, 0, std::min(width, kMost));
      } else {
        const bool by_position = step->shape.size() == 4 && head_axis(*step) == 2;  // [batch, position, head, d_k]
        const std::int64_t head =
            step->shape.size() == 4 && choice.site ? head_among(*choice.site, choice.head, step->shape[head_axis(*step)]) : 0;
        if (at >= step->shape[step->shape.size() - (by_position ? 3 : 2)]) return {};
        Trace::Tile tile;
        tile.batch = std::min(choice.batch, step->shape[0] - 1);
        tile.head = by_position ? at : head;
        tile.row = by_position ? head : at;
        tile.rows = 1;
        // Of a long row of keys only the part around the chosen key.
        if (is_pattern(*step) && width > kMost) first = std::clamp<std::int64_t>(focus.key - 2, 0, width - kMost);
        tile.column = first;
        tile.columns = std::min(width, kMost);
        HL_ASSIGN(values, trace->tile(name, tile));
      }
      for (std::int64_t k = 0; k < values.dim(1); ++k) {
        const double value = values.at({0, k});
        row.values.push_back(values.dtype() == DType::f32 || values.dtype() == DType::f64 ? walk_number(value)
                                                                                          : std::to_string(std::llround(value)));
      }
      row.more = first + values.dim(1) < width;
      if (first > 0) row.values.front() = "…";
      rows.push_back(std::move(row));
      return {};
    };
    for (const figures::WalkInputOf& input : box.inputs)
      if (const WalkBox& from = graph.boxes[static_cast<std::size_t>(input.box)]; !from.steps.empty() && !input.through)
        HL_TRY(add(from, from.step(), false));
    for (std::size_t k = 0; k < box.steps.size(); ++k) HL_TRY(add(box, box.steps[k], k + 1 == box.steps.size()));
    return rows;
  };
  const auto answer = context.derived.now<std::vector<Row>>(key, find);
  return answer.value ? *answer.value : std::vector<Row>{};
}

}  // namespace headlight::views::walk
