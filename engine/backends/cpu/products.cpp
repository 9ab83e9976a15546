#include "engine/backends/cpu/products.h"

#include <algorithm>
#include <vector>

#include "engine/backends/base/stored_matrix.h"
#include "engine/backends/cpu/scratch.h"
#include "engine/backends/cpu/split_kernels.h"
#include "engine/checkpoints/stored_type.h"
#include "engine/core/parallel.h"

namespace headlight::backends::cpu {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Rows of A per tile, all multiplied with one panel: enough that packing the panel is a small part of the work, and no more than
// half a megabyte of A in each of the blocks of 512 columns that the kernel goes by, so that it stays in the second-level cache.
std::int64_t products_rows_of_tile(const Kernels& kernels, const Product& p) {
  const std::int64_t most =
      std::clamp<std::int64_t>((std::int64_t{1} << 17) / std::clamp<std::int64_t>(p.inner, 1, 512), 64, 512);
  const std::int64_t tiles = ceil_div(p.rows, most);
  return ceil_div(ceil_div(p.rows, tiles), kernels.row_multiple) * kernels.row_multiple;
}

// One product's part of the flat list of tasks; consecutive tasks take the panels of one row tile.
struct Grid {
  std::int64_t first = 0, panels = 0, tile_rows = 0;
};

// Below this many multiply-adds, handing work to another thread costs more than it saves.
constexpr std::int64_t kWorthAThread = std::int64_t{1} << 19;

// Rows of A a multiple of 4 KiB apart all want the same eight places of the first-level cache, which are fewer than a tile has
// rows. Where many panels are multiplied with such an A, it is copied first, to rows a cache line further apart.
bool worth_a_copy(const Kernels& kernels, const Product& p) {
  return p.lda % 1024 == 0 && p.rows >= 4 * kernels.row_multiple && p.columns >= 16 * kernels.panel;
}
bool copy_apart(const Product& p, float* to, std::int64_t step, const CancelToken& cancel) {
  const auto copy = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) std::copy_n(p.a + row * p.lda, p.inner, to + row * step);
  };
  return parallel_for(p.rows, std::max<std::int64_t>(1, kWorthAThread / 8 / p.inner), copy, cancel);
}

bool reads_stored(const Kernels& kernels, const Product& p) {
  return !p.packed && p.stored && kernels.stored_rows > 0 && p.stored->starts();
}
StoredColumns stored_columns(const StoredMatrix& matrix, std::int64_t first, std::int64_t count) {
  return {matrix.type(), matrix.inner(), count, matrix.starts() + first};
}

// A few rows with a stored matrix: each number of it is read once, so that its bytes and their widening are most of the work.
bool multiply_few(const Kernels& kernels, const Product& p, const CancelToken& cancel) {
  constexpr std::int64_t kWorthAHandover = std::int64_t{1} << 17;
  const std::int64_t groups = ceil_div(p.columns, kernels.panel);
  const auto body = [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t first = begin * kernels.panel, last = std::min(end * kernels.panel, p.columns);
    kernels.multiply_stored(p.rows, stored_columns(*p.stored, first, last - first), p.a, p.lda, p.bias ? p.bias + first : nullptr,
                            p.activation, p.c + first, p.ldc);
  };
  const std::int64_t grain = std::max<std::int64_t>(1, kWorthAHandover / (p.inner * kernels.panel));
  return parallel_for(groups, grain, body, cancel) && !cancel.cancelled();
}

struct Range {
  std::int64_t first, count;
};
// A tile of rows with a panel of columns of a stored matrix, which is widened part by part: a part stays in the first-level cache
// until it has been multiplied.
void multiply_widened(const Kernels& kernels, const Product& p, Range rows, Range columns, Scratch& scratch) {
  const checkpoints::StoredTypeEntry& entry = checkpoints::entry_of(p.stored->type());
  // Numbers of a column, whole blocks.
  const std::int64_t part = std::max<std::int64_t>(rows.count > 64 ? 256 : 128, entry.block);
  float* const panel = scratch.floats(part * kernels.panel);
  StoredColumns w = stored_columns(*p.stored, columns.first, columns.count);
  for (std::int64_t k = 0; k < p.inner; k += part) {
    w.inner = std::min(part, p.inner - k);
    w.skipped = k / entry.block * entry.bytes;
    kernels.pack_stored(w, panel);
    const bool ends = k + part >= p.inner;
    kernels.multiply(rows.count, w.inner, columns.count, p.a + rows.first * p.lda + k, p.lda, panel,
                     p.bias ? p.bias + columns.first : nullptr, k > 0, ends ? p.activation : Activation::none,
                     p.c + rows.first * p.ldc + columns.first, p.ldc);
  }
}

std::uint16_t* halves(Scratch& scratch, std::int64_t count) {
  return reinterpret_cast<std::uint16_t*>(scratch.floats((count + 1) / 2));
}

// Equal shares of `all` that are at most `most`, in multiples of `multiple`.
std::int64_t equal_share(std::int64_t all, std::int64_t most, std::int64_t multiple) {
  return ceil_div(ceil_div(all, ceil_div(all, most)), multiple) * multiple;
}

// Many rows with a stored matrix, where numbers can be split. Each panel is packed once for a tile of rows. A part of all rows of
// the tile, which stays in the second-level cache, is multiplied with all panels of a thread before the next part.
bool multiply_split(const Kernels& kernels, const Product& p, const CancelToken& cancel) {
  constexpr std::int64_t kRows = 256, kPart = 576;  // split, 885 KB
  const SplitKernels& split = *kernels.split;
  const checkpoints::StoredTypeEntry& entry = checkpoints::entry_of(p.stored->type());
  const bool whole = split.are_whole(entry.type);
  const std::int64_t panels = ceil_div(p.columns, kernels.panel), all_steps = ceil_div(p.inner, split.step);
  const std::int64_t part = equal_share(p.inner, kPart, std::max<std::int64_t>(split.step, entry.block));
  const std::int64_t tile_rows = equal_share(p.rows, kRows, 2 * split.rows);
  thread_local Scratch of_parts, of_sums;
  for (std::int64_t first = 0; first < p.rows; first += tile_rows) {
    const std::int64_t rows = std::min(tile_rows, p.rows - first), blocks = ceil_div(rows, split.rows);
    const auto steps_of = [&](std::int64_t k) { return ceil_div(std::min(part, p.inner - k), split.step); };
    // Part by part, block by block, and the sums of their steps likewise.
    std::uint16_t* const all_parts = halves(of_parts, blocks * all_steps * split.block_step);
    float* const all_sums = whole ? of_sums.floats(blocks * all_steps * split.rows) : nullptr;
    const auto parts_at = [&](std::int64_t k) { return all_parts + k / split.step * split.block_step * blocks; };
    const auto sums_at = [&](std::int64_t k) { return all_sums + k / split.step * split.rows * blocks; };
    const auto split_blocks = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        for (std::int64_t k = 0; k < p.inner; k += part)
          split.split_rows(p.a + (first + i * split.rows) * p.lda + k, p.lda, rows - i * split.rows, std::min(part, p.inner - k),
                           parts_at(k) + i * steps_of(k) * split.block_step,
                           whole ? sums_at(k) + i * steps_of(k) * split.rows : nullptr);
    };
    if (!parallel_for(blocks, std::max<std::int64_t>(1, kWorthAThread / 8 / (split.rows * p.inner)), split_blocks, cancel))
      return false;
    const auto body = [&](std::int64_t begin, std::int64_t end) {
      thread_local Scratch of_numbers, of_panel;
      for (std::int64_t k = 0; k < p.inner; k += part) {
        const std::int64_t steps = steps_of(k), a_step = steps * split.block_step;
        float* const numbers = of_numbers.floats(steps * split.step * kernels.panel);  // widened ones, or factors
        std::uint16_t* const panel = halves(of_panel, steps * std::max(split.panel_step, split.whole_step));
        const Activation activation = k + part >= p.inner ? p.activation : Activation::none;
        for (std::int64_t i = begin; i < end && !cancel.cancelled(); ++i) {
          const std::int64_t column = i * kernels.panel;
          StoredColumns w = stored_columns(*p.stored, column, std::min(kernels.panel, p.columns - column));
          w.inner = std::min(part, p.inner - k);
          w.skipped = k / entry.block * entry.bytes;
          const float* const bias = p.bias ? p.bias + column : nullptr;
          float* const c = p.c + first * p.ldc + column;
          if (whole) {
            split.pack_whole(w, panel, numbers);
            split.multiply_whole(rows, steps, w.count, parts_at(k), a_step, sums_at(k), panel, numbers, bias, k > 0, activation,
                                 c, p.ldc);
          } else {
            kernels.pack_stored(w, numbers);
            split.split_panel(numbers, w.inner, panel);
            split.multiply(rows, steps, w.count, parts_at(k), a_step, panel, bias, k > 0, activation, c, p.ldc);
          }
        }
      }
    };
    // A thread's share is cut into few pieces, because each of them reads all rows again.
    if (!parallel_for(panels, ceil_div(panels, 4 * std::int64_t{thread_count()}), body, cancel) || cancel.cancelled())
      return false;
  }
  return true;
}
bool worth_splitting(const Kernels& kernels, const Product& p) {
  return kernels.split && reads_stored(kernels, p) &&
         (p.rows >= kernels.split->least_rows || kernels.split->are_whole(p.stored->type()));
}

}  // namespace

bool multiply(const Kernels& kernels, std::span<const Product> products, const CancelToken& cancel) {
  if (products.size() == 1 && products.front().rows <= kernels.stored_rows && reads_stored(kernels, products.front()))
    return multiply_few(kernels, products.front(), cancel);
  if (products.size() == 1 && worth_splitting(kernels, products.front()))
    return multiply_split(kernels, products.front(), cancel);
  if (products.size() == 1 && worth_a_copy(kernels, products.front())) {
    thread_local Scratch copied;
    Product apart = products.front();
    apart.lda += 16;
    float* const to = copied.floats(apart.rows * apart.lda);
    if (!copy_apart(products.front(), to, apart.lda, cancel)) return false;
    apart.a = to;
    return multiply(kernels, std::span(&apart, 1), cancel);
  }
  std::vector<Grid> grids;
  std::int64_t tasks = 0;
  std::int64_t work = 0;
  for (const Product& p : products) {
    Grid grid{tasks, ceil_div(p.columns, kernels.panel), products_rows_of_tile(kernels, p)};
    tasks += grid.panels * ceil_div(p.rows, grid.tile_rows);
    work += p.rows * p.inner * p.columns;
    grids.push_back(grid);
  }
  const auto body = [&](std::int64_t begin, std::int64_t end) {
    thread_local Scratch scratch;
    for (std::int64_t task = begin; task < end; ++task) {
      if (cancel.cancelled()) return;
      std::size_t which = grids.size() - 1;
      while (grids[which].first > task) --which;
      const Product& p = products[which];
      const Grid& grid = grids[which];
      const std::int64_t row = (task - grid.first) / grid.panels * grid.tile_rows;
      const std::int64_t column = (task - grid.first) % grid.panels * kernels.panel;
      const std::int64_t rows = std::min(grid.tile_rows, p.rows - row);
      const std::int64_t columns = std::min(kernels.panel, p.columns - column);
      const float* packed = p.packed ? p.packed + column * p.inner : nullptr;
      if (reads_stored(kernels, p)) {
        multiply_widened(kernels, p, {row, rows}, {column, columns}, scratch);
        continue;
      }
      if (!packed && p.stored) {
        float* const panel = scratch.floats(2 * p.inner * kernels.panel);
        float* const widened = panel + p.inner * kernels.panel;
        p.stored->widen(column, columns, widened);
        kernels.pack(widened, p.inner, true, p.inner, columns, panel);
        packed = panel;
      } else if (!packed) {
        float* const panel = scratch.floats(p.inner * kernels.panel);
        kernels.pack(p.b_transposed ? p.b + column * p.ldb : p.b + column, p.ldb, p.b_transposed, p.inner, columns, panel);
        packed = panel;
      }
      kernels.multiply(rows, p.inner, columns, p.a + row * p.lda, p.lda, packed, p.bias ? p.bias + column : nullptr, false,
                       p.activation, p.c + row * p.ldc + column, p.ldc);
    }
  };
  const std::int64_t grain =
      work < kWorthAThread ? tasks : std::max<std::int64_t>(1, kWorthAThread / 4 / std::max<std::int64_t>(1, work / tasks));
  return parallel_for(tasks, grain, body, cancel) && !cancel.cancelled();
}

std::int64_t packed_size(const Kernels& kernels, std::int64_t inner, std::int64_t columns) {
  return ceil_div(columns, kernels.panel) * kernels.panel * inner;
}

void pack(const Kernels& kernels, const float* b, std::int64_t ldb, bool transposed, std::int64_t inner, std::int64_t columns,
          float* packed) {
  for (std::int64_t column = 0; column < columns; column += kernels.panel) {
    kernels.pack(transposed ? b + column * ldb : b + column, ldb, transposed, inner, std::min(kernels.panel, columns - column),
                 packed + column * inner);
  }
}

bool pack(const Kernels& kernels, const float* b, std::int64_t ldb, bool transposed, std::int64_t inner, std::int64_t columns,
          float* packed, const CancelToken& cancel) {
  const std::int64_t panels = ceil_div(columns, kernels.panel);
  const auto body = [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t first = begin * kernels.panel, last = std::min(end * kernels.panel, columns);
    pack(kernels, transposed ? b + first * ldb : b + first, ldb, transposed, inner, last - first, packed + first * inner);
  };
  return parallel_for(panels, std::max<std::int64_t>(1, kWorthAThread / 4 / (inner * kernels.panel)), body, cancel);
}

void multiply_packed_rows(const Kernels& kernels, std::int64_t rows, std::int64_t first, std::int64_t inner,
                          std::int64_t packed_rows, std::int64_t columns, const float* a, std::int64_t lda, const float* packed,
                          float* c, std::int64_t ldc) {
  for (std::int64_t column = 0; column < columns; column += kernels.panel) {
    kernels.multiply(rows, inner, std::min(kernels.panel, columns - column), a, lda,
                     packed + column * packed_rows + first * kernels.panel, nullptr, false, Activation::none, c + column, ldc);
  }
}

void multiply_packed(const Kernels& kernels, std::int64_t rows, std::int64_t inner, std::int64_t columns, const float* a,
                     std::int64_t lda, const float* packed, float* c, std::int64_t ldc) {
  multiply_packed_rows(kernels, rows, 0, inner, inner, columns, a, lda, packed, c, ldc);
}

}  // namespace headlight::backends::cpu
