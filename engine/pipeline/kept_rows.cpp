#include "engine/pipeline/kept_rows.h"

#include <algorithm>
#include <cstring>

#include "engine/core/parallel.h"
#include "engine/operations/ablate.h"
#include "engine/operations/activation.h"
#include "engine/operations/add.h"
#include "engine/operations/attention.h"
#include "engine/operations/layer_norm.h"
#include "engine/operations/linear.h"
#include "engine/operations/merge_heads.h"
#include "engine/operations/multiply.h"
#include "engine/operations/rms_norm.h"
#include "engine/operations/rotary.h"
#include "engine/operations/scale.h"
#include "engine/operations/soft_cap.h"
#include "engine/operations/softmax.h"
#include "engine/operations/split_heads.h"
#include "engine/operations/unit_rows.h"

namespace headlight {
namespace {

using operations::Operation;

// Numbers of one row of an array, and how often its rows follow each other before the axes behind them repeat.
struct Layout {
  std::int64_t outer = 1, rows = 1, inner = 1;
};
Layout layout_of(const Tensor& array, int axis) {
  Layout layout;
  for (int i = 0; i < array.rank(); ++i) (i < axis ? layout.outer : i == axis ? layout.rows : layout.inner) *= array.dim(i);
  return layout;
}

}  // namespace

std::int64_t common_rows(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
  return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
}

std::optional<Operation> of_some_rows(const Operation& op, std::int64_t length, std::int64_t first, std::int64_t rows) {
  using namespace operations;
  std::optional<Operation> made;
  visit<Linear, Multiply, Scale, SoftCap, Activate, LayerNorm, RmsNorm, UnitRows, Softmax>(op, [&](auto some) {
    if (some.rows % length != 0) return;
    some.rows = some.rows / length * rows;
    made = some;
  });
  if (const auto* add = op.get_if<Add>()) {
    Add some = *add;
    std::int64_t& counted = some.outer % length == 0 ? some.outer : some.inner;  // one text's positions are one long row
    if (counted % length != 0) return {};
    counted = counted / length * rows;
    made = some;
  }
  if (const auto* rotary = op.get_if<Rotary>(); rotary && rotary->length == length) {
    Rotary some = *rotary;
    some.rows = rotary->rows / length * rows;
    some.length = rows;
    some.first = rotary->first + first;
    made = some;
  }
  visit<SplitHeads, MergeHeads>(op, [&](auto some) {
    some.length = rows;
    made = some;
  });
  if (const auto* ablate = op.get_if<Ablate>(); ablate && !ablate->averages() && ablate->rows == length) {
    Ablate some = *ablate;
    some.rows = rows;
    some.lengths.clear();
    made = some;
  }
  if (const auto* attention = op.get_if<Attention>(); attention && attention->queries == length && attention->keys == length &&
                                                      !attention->has_bias && !attention->side_by_side &&
                                                      attention->dropout == 0) {
    operations::Attention some = *attention;
    some.queries = rows;
    made = some;
  }
  return made;
}

bool add_row_to(Fingerprint& key, const Operation& op, std::int64_t length) {
  std::optional<Operation> row = of_some_rows(op, length, 0, 1);
  if (!row) return false;
  if (const auto* attention = row->get_if<operations::Attention>()) {
    operations::Attention some = *attention;
    some.keys = 1;
    row = some;
  }
  operations::add_to(key, *row);
  return true;
}

int row_axis(const Axes& axes) {
  const auto at = std::find_if(axes.begin(), axes.end(), [](const std::string& a) { return a == "position" || a == "query"; });
  return at == axes.end() ? -1 : static_cast<int>(at - axes.begin());
}

bool same_rows(const Tensor& before, const Tensor& now, std::int64_t rows, bool sees_all) {
  if (before.empty() || now.empty() || before.rank() != 4 || now.rank() != 4) return false;
  if (before.dim(0) != now.dim(0) || before.dim(1) != now.dim(1)) return false;
  const auto whole = [](const Tensor& mask) {
    const std::int64_t length = std::max(mask.dim(2), mask.dim(3));
    return mask.broadcast_to({mask.dim(0), mask.dim(1), length, length}).compact();
  };
  const Tensor a = whole(before), b = whole(now);
  const std::int64_t blocks = a.dim(0) * a.dim(1), columns_a = a.dim(3), columns_b = b.dim(3);
  if (rows > columns_a || rows > columns_b) return false;
  for (std::int64_t block = 0; block < blocks; ++block)
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto row = [&](const Tensor& mask, std::int64_t columns) {
        return mask.values<std::uint8_t>().subspan(static_cast<std::size_t>((block * columns + i) * columns),
                                                   static_cast<std::size_t>(columns));
      };
      const auto kept = static_cast<std::size_t>(rows);
      const auto row_a = row(a, columns_a), row_b = row(b, columns_b);
      const auto none = [](std::span<const std::uint8_t> cells) {
        return std::all_of(cells.begin(), cells.end(), [](std::uint8_t may) { return may == 0; });
      };
      if (!none(row_a.subspan(kept)) || !none(row_b.subspan(kept))) return false;
      if (!std::equal(row_a.begin(), row_a.begin() + rows, row_b.begin())) return false;
      if (sees_all && none(row_a.first(kept))) return false;
    }
  return true;
}

void copy_rows(const Tensor& from, Tensor& to, int axis, std::int64_t first, std::int64_t rows) {
  const Layout source = layout_of(from, axis), target = layout_of(to, axis);
  const std::size_t size = size_of(from.dtype());
  const auto from_row = static_cast<std::size_t>(source.inner) * size, to_row = static_cast<std::size_t>(target.inner) * size;
  const std::size_t copied = std::min(from_row, to_row);
  constexpr std::int64_t kGrain = 128 * 1024;  // bytes; a smaller copy is not worth another thread
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, static_cast<std::int64_t>(to_row)));
  parallel_for(target.outer * rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end;) {
      const std::int64_t block = at / rows, row = at % rows;
      // Rows of equal width lie behind each other in both arrays.
      const std::int64_t count = from_row == to_row ? std::min(rows - row, end - at) : 1;
      const std::byte* source_row = from.raw() + static_cast<std::size_t>(block * source.rows + row) * from_row;
      std::byte* target_row = to.raw() + static_cast<std::size_t>(block * target.rows + first + row) * to_row;
      std::memcpy(target_row, source_row, copied * static_cast<std::size_t>(count));
      std::memset(target_row + copied * static_cast<std::size_t>(count), 0, count == 1 ? to_row - copied : 0);
      at += count;
    }
  });
}

Tensor rows_behind(const Tensor& from, int axis, std::int64_t first) {
  const Layout layout = layout_of(from, axis);
  Tensor view = from.slice(axis, first, layout.rows);
  if (layout.outer == 1) return view;
  Tensor rows(from.dtype(), view.shape(), from.axes(), true);
  const std::size_t row = static_cast<std::size_t>(layout.inner) * size_of(from.dtype());
  const auto count = static_cast<std::size_t>(layout.rows - first);
  for (std::int64_t block = 0; block < layout.outer; ++block)
    std::memcpy(rows.raw() + static_cast<std::size_t>(block) * count * row,
                from.raw() + static_cast<std::size_t>(block * layout.rows + first) * row, count * row);
  return rows;
}

}  // namespace headlight
