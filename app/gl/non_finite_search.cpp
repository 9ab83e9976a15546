#include "app/gl/non_finite_search.h"

#include <cmath>

namespace headlight::gl {

using figures::NonFinite;
using figures::NonFiniteParts;

void NonFiniteSearch::begin() {
  counting_ = true;
  counted_ = {};
  passed_ = 0;
  finite_ = std::move(finite_now_);
  finite_now_.clear();
}

NonFiniteParts NonFiniteSearch::end() {
  counting_ = false;
  if (wanted_) {  // no figure had so many
    if (wanted_->before == 0)
      wanted_.reset();
    else
      wanted_->before = 0;
  }
  return counted_;
}

NonFiniteParts NonFiniteSearch::parts_of(const figures::Figure& figure) {
  bool finite = true;
  for (const figures::Item& item : figure.items) {
    if (const auto* cells = std::get_if<figures::Cells>(&item)) {
      if (cells->key != 0 && finite_.contains(cells->key)) {
        finite_now_.insert(cells->key);
        continue;
      }
      if (cells->values.empty()) continue;
      figures::NonFiniteCount whole;
      whole.add(cells->values, {});
      if (whole.any())
        finite = false;
      else if (cells->key != 0)
        finite_now_.insert(cells->key);
    }
    if (const auto* mark = std::get_if<figures::Rectangle>(&item)) finite = finite && mark->tag.kind != figures::Tag::gap;
  }
  return finite ? NonFiniteParts() : figures::non_finite_in(figure);
}

std::optional<figures::Box> NonFiniteSearch::look(const figures::Figure& figure, unsigned id) {
  if (!counting_) return {};
  NonFiniteParts parts = parts_of(figure);
  counted_.counts_them |= parts.counts_them && !parts.cells.any();
  if (!parts.any()) return {};
  const bool here = wanted_ && (wanted_->id == 0 ? wanted_->gaps || !parts.counts_them : wanted_->id == id);
  if (parts.counts_them) parts.cells = {};
  counted_.cells.add(parts.cells);
  counted_.gaps.add(parts.gaps);
  if (!here) return {};
  std::int64_t left = wanted_->before - passed_;
  const auto place = figures::non_finite_place(figure, wanted_->kind, wanted_->gaps, left);
  if (!place) {
    passed_ = wanted_->before - left;
    return {};
  }
  last_ = wanted_;
  found_ = Found{id, wanted_->kind, wanted_->gaps, place->item, place->row, place->column};
  wanted_.reset();
  return place->box;
}

void NonFiniteSearch::go_to_next(NonFinite kind, bool gaps, unsigned id) {
  Wanted next{kind, gaps, id, 0};
  if (last_ && last_->kind == kind && last_->gaps == gaps && last_->id == id && found_) next.before = last_->before + 1;
  wanted_ = next;
}

std::optional<figures::Box> NonFiniteSearch::found_in(const figures::Figure& figure, unsigned id) const {
  if (!found_ || found_->id != id || found_->item >= figure.items.size()) return {};
  const figures::Item& item = figure.items[found_->item];
  if (const auto* mark = std::get_if<figures::Rectangle>(&item))
    return found_->gaps && mark->tag.kind == figures::Tag::gap ? std::optional(mark->box) : std::nullopt;
  const auto* cells = std::get_if<figures::Cells>(&item);
  if (!cells || found_->gaps || found_->row >= cells->rows || found_->column >= cells->columns) return {};
  if (figures::non_finite(cells->values.at({cells->from_row + found_->row, cells->from_column + found_->column})) != found_->kind)
    return {};
  const float w = cells->box.w / static_cast<float>(cells->columns), h = cells->box.h / static_cast<float>(cells->rows);
  return figures::Box{cells->box.x + static_cast<float>(found_->column) * w, cells->box.y + static_cast<float>(found_->row) * h,
                      w, h};
}

}  // namespace headlight::gl
