// Counts what the figures of a view draw that is no finite number, and leads to it: the search ends at a cell, which the view
// then treats as clicked, and which keeps a ring.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "app/figures/base/non_finite.h"

namespace headlight::gl {

class NonFiniteSearch {
 public:
  // Between begin() and end() figures are counted. Those that count their own cells in a legend are left out, except for their
  // gaps. counts_them of the result: another figure is a legend that has counted cells.
  void begin();
  figures::NonFiniteParts end();
  // Takes up the figure that is drawn as `id`. The cell that a search ends at, if it is in this figure.
  std::optional<figures::Box> look(const figures::Figure& figure, unsigned id);
  // The next figures are searched for the next cell of this kind (with `gaps`: for the next gap); behind the last one the search
  // begins anew. `id` other than 0: in that figure alone, which counts its own cells.
  // go_to_next(NonFinite::nan, false) after a click on the count of such cells.
  void go_to_next(figures::NonFinite kind, bool gaps, unsigned id = 0);
  // The cell in this figure that a search ended at, while it still holds no finite number.
  std::optional<figures::Box> found_in(const figures::Figure& figure, unsigned id) const;
  bool found() const { return found_.has_value(); }
  void forget() { found_.reset(); }
  // Whether the figure counts its own cells and draws them, so that its legend can lead to them.
  static bool leads(const figures::NonFiniteParts& parts) { return parts.counts_them && parts.cells.any(); }
  // The figure's parts; fast for figures whose cells were finite before.
  figures::NonFiniteParts parts_of(const figures::Figure& figure);

 private:
  struct Wanted {
    figures::NonFinite kind = figures::NonFinite::none;
    bool gaps = false;
    unsigned id = 0;
    std::int64_t before = 0;  // cells of this kind that are passed over
    bool operator==(const Wanted&) const = default;
  };
  struct Found {
    unsigned id = 0;
    figures::NonFinite kind = figures::NonFinite::none;
    bool gaps = false;
    std::size_t item = 0;
    std::int64_t row = 0, column = 0;
  };

  std::optional<Wanted> wanted_, last_;
  std::optional<Found> found_;
  std::int64_t passed_ = 0;  // cells of the wanted kind in the figures of this frame so far
  bool counting_ = false;
  figures::NonFiniteParts counted_;
  std::set<std::uint64_t> finite_, finite_now_;  // keys of cells that are all finite: in the last frame, in this one
};

}  // namespace headlight::gl
