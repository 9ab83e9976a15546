#include "engine/backends/cpu/bfloat16_products.h"

#include <algorithm>

#include "engine/backends/cpu/scratch.h"
#include "engine/core/parallel.h"

namespace headlight::backends::cpu {
namespace {

constexpr std::int64_t kPairs = 256;       // of a block: 512 numbers of each line
constexpr std::int64_t kBlockLines = 384;  // of a block: with that many pairs 393 KB, in the second-level cache
constexpr std::int64_t kLanes = 16;
// Below this many multiply-adds, handing work to another thread costs more than it saves.
constexpr std::int64_t kWorthHelp = std::int64_t{1} << 20;

std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::int64_t round_up(std::int64_t a, std::int64_t b) { return quotient_up(a, b) * b; }

// One side of a product: lines of `inner` numbers, in panels of `width`.
struct Side {
  const float* numbers;
  std::int64_t ld;
  bool lines_apart;  // a line's numbers lie side by side, and lines are `ld` apart
  std::int64_t lines, width;
  std::int64_t group() const { return std::max(width, kLanes); }  // lines that can be packed alone

  // Lines from `line`, numbers from `number` on.
  void pack(const Bfloat16Kernels& kernels, std::int64_t line, std::int64_t count, std::int64_t number, std::int64_t numbers_of,
            std::uint32_t* to, std::int64_t step) const {
    const float* const from = lines_apart ? numbers + line * ld + number : numbers + number * ld + line;
    kernels.pack(from, ld, !lines_apart, count, numbers_of, width, to, step);
  }
};

std::uint32_t* lanes_of(Scratch& scratch, std::int64_t count) { return reinterpret_cast<std::uint32_t*>(scratch.floats(count)); }

}  // namespace

bool multiply(const Bfloat16Kernels& kernels, const RoundedProduct& p, const CancelToken& cancel) {
  const Side a{p.a.numbers, p.a.ld, !p.a.turned, p.rows, kernels.rows};
  const Side b{p.b.numbers, p.b.ld, p.b.turned, p.columns, kernels.columns};
  const bool keeps_b = p.columns <= p.rows;
  // The side with fewer lines is packed whole, once; of the other one a thread packs a block and multiplies it with all of them.
  const Side &kept = keeps_b ? b : a, &blocks = keeps_b ? a : b;
  const std::int64_t pairs = (p.inner + 1) / 2, step = pairs * kept.width;
  thread_local Scratch whole;
  std::uint32_t* const all = lanes_of(whole, round_up(kept.lines, kept.group()) * pairs);
  const bool alone = p.rows * p.inner * p.columns < kWorthHelp;
  const std::int64_t groups = quotient_up(kept.lines, kept.group());
  const auto pack_some = [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t line = begin * kept.group(), count = std::min(kept.lines, end * kept.group()) - line;
    kept.pack(kernels, line, count, 0, p.inner, all + line * pairs, step);
  };
  if (!parallel_for(groups, alone ? groups : 1, pack_some, cancel)) return false;

  const std::int64_t share = round_up(quotient_up(blocks.lines, 4 * std::int64_t{thread_count()}), blocks.group());
  const std::int64_t lines = std::clamp(share, blocks.group(), kBlockLines);
  const std::int64_t tasks = quotient_up(blocks.lines, lines), most = std::min(pairs, kPairs);
  const auto compute = [&](std::int64_t begin, std::int64_t end) {
    thread_local Scratch block;
    std::uint32_t* const own = lanes_of(block, round_up(lines, blocks.group()) * most);
    for (std::int64_t task = begin; task < end && !cancel.cancelled(); ++task) {
      const std::int64_t line = task * lines, count = std::min(lines, blocks.lines - line);
      for (std::int64_t pair = 0; pair < pairs; pair += kPairs) {
        const std::int64_t some = std::min(kPairs, pairs - pair);
        blocks.pack(kernels, line, count, 2 * pair, std::min(2 * some, p.inner - 2 * pair), own, some * blocks.width);
        const std::int64_t row = keeps_b ? line : 0, column = keeps_b ? 0 : line;
        float* const c = p.c + row * p.ldc + column;
        const std::uint32_t* const other = all + pair * kept.width;
        const float* const start = pair > 0 ? c : p.bias ? p.bias + column : nullptr;
        kernels.multiply(keeps_b ? count : p.rows, keeps_b ? p.columns : count, some, keeps_b ? own : other,
                         keeps_b ? some * blocks.width : step, keeps_b ? other : own, keeps_b ? step : some * blocks.width, start,
                         pair > 0 ? p.ldc : 0, c, p.ldc);
      }
    }
  };
  return parallel_for(tasks, alone ? tasks : 1, compute, cancel) && !cancel.cancelled();
}

}  // namespace headlight::backends::cpu
