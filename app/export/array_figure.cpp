#include "app/export/array_figure.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/figures/base/labels.h"
#include "app/figures/base/non_finite.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr std::int64_t kMostGridNumbers = std::int64_t{400} << 20;

Message range_of(std::int64_t size) {
  return size == 1 ? Message("the only one is 0") : Message("they go from 0 to {}", size - 1);
}

// Finite numbers and what bounds them.
struct Range {
  double least = 0, most = 0;
  bool other = false;  // NaN or +∞ is among them
  explicit Range(const Tensor& array) {
    const Tensor values = array.as(array.dtype() == DType::f64 ? DType::f64 : DType::f32).compact();
    for (std::int64_t i = 0; i < values.count(); ++i) {
      const double v = values.dtype() == DType::f64 ? values.data<double>()[i] : static_cast<double>(values.data<float>()[i]);
      if (!std::isfinite(v)) {
        other |= std::isnan(v) || v > 0;
        continue;
      }
      least = std::min(least, v);
      most = std::max(most, v);
    }
  }
  double size() const { return std::max(-least, most); }
  // A power of ten by which numbers are divided that f32 cannot hold; else 1.
  double unit() const {
    constexpr double kLeast = 1e-30, kMost = 1e30;
    return size() == 0 || (size() >= kLeast && size() <= kMost) ? 1 : std::pow(10.0, std::floor(std::log10(size())));
  }
};

Status check_rank(const Tensor& array, const ArrayView& view, int most) {
  if (array.rank() < 2 || array.rank() > most)
    return usage_error("'{}' is {}, which is no picture", view.name, to_string(array.shape()))
        .at("--array")
        .mend("give [rows, columns], with up to three axes before them: layer, sentence, head");
  if (array.count() == 0)
    return usage_error("'{}' is empty: {}", view.name, to_string(array.shape()))
        .at("--array")
        .mend("every size must be at least 1");
  return {};
}

// Whether -∞ is what a mask left of a score: the name says so, or the numbers cannot be weights and none of them is wrong.
bool minus_is_masked(const Range& range, const std::string& name) {
  std::string low = name;
  std::transform(low.begin(), low.end(), low.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* word : {"score", "logit", "mask"})
    if (low.find(word) != std::string::npos) return true;
  const bool weights = range.least >= 0 && range.most > 0 && range.most <= 1;
  return !weights && !range.other;
}

std::string masked_words_of(const std::vector<Tensor>& masks, std::int64_t cells) {
  std::int64_t masked = 0;
  for (const Tensor& mask : masks)
    if (!mask.empty())
      for (const std::uint8_t may : mask.values<std::uint8_t>()) masked += may ? 0 : 1;
  return masked == 0 ? std::string() : fill(tr("−∞, taken as masked: {0} of {1} cells"), {grouped(masked), grouped(cells)});
}

Tensor mask_of(const Tensor& values) {
  const auto is_masked = [](float v) { return std::isinf(v) && v < 0; };
  const auto all = values.values<float>();
  if (std::none_of(all.begin(), all.end(), is_masked)) return {};
  Tensor mask(DType::u8, values.shape(), {}, true);
  for (std::size_t i = 0; i < all.size(); ++i) mask.data<std::uint8_t>()[i] = is_masked(all[i]) ? 0 : 1;
  return mask;
}

// One matrix, of the numbers `first` (of four axes) and `head` on the axes before it.
Tensor matrix_of(const Tensor& array, std::int64_t first, std::int64_t head, bool transposed) {
  Tensor one = array.rank() == 4 ? array.select(0, first) : array;
  if (one.rank() == 3) one = one.select(0, head);
  if (transposed) one = one.permuted({1, 0});
  return one.compact();
}

template <class Input>
void set_range(Input& input, const Range& range, const ArrayView& view) {
  input.quantity = view.name;
  input.unit = range.unit();
  input.colormap = !view.colormap.empty() ? view.colormap : range.least < 0 ? "signed" : "viridis";
  const Colormap* map = colormaps().find(input.colormap);
  double low = range.least, high = range.most > range.least ? range.most : range.least + 1;
  if (map && map->is_signed) {
    high = range.size() > 0 ? range.size() : 1;
    low = -high;
    input.range_words = view.name + ", symmetric about 0";
  } else {
    if (range.least >= 0 && range.most <= 1 + 1e-5 && input.unit == 1) high = 1;  // shares
    char ends[64];
    std::snprintf(ends, sizeof ends, ", %.3g to %.3g, ", low, high);
    input.range_words = view.name + ends + input.colormap;
  }
  input.low = static_cast<float>(low / input.unit);
  input.high = static_cast<float>(high / input.unit);
  if (input.unit == 1) return;
  input.low_words = range_number(low);
  input.high_words = range_number(high);
}

Status check_labels(const std::vector<std::string>& labels, std::int64_t size, const Message& of_what) {
  if (labels.empty() || static_cast<std::int64_t>(labels.size()) == size) return {};
  return usage_error("there are {} labels and {} {}", labels.size(), size, of_what)
      .at("--labels")
      .mend("give a file with a line for each");
}

}  // namespace

MatrixNature nature_of(const Tensor& array, const ArrayView& view) {
  MatrixNature nature;
  nature.kind = Range(array).least < 0 ? MatrixNature::numbers : MatrixNature::weights;
  nature.words = view.name;
  return nature;
}

Result<std::vector<HeatmapInput>> array_inputs(const Tensor& array, const ArrayView& view) {
  HL_TRY(check_rank(array, view, 3));
  const std::int64_t heads = array.rank() >= 3 ? array.dim(array.rank() - 3) : 0;
  std::vector<std::int64_t> chosen = view.heads;
  if (chosen.empty()) chosen = {0};
  if (heads == 0 && !view.heads.empty())
    return usage_error("'{}' is {}, without heads", view.name, to_string(array.shape())).at("--head").mend("leave it out");
  std::vector<HeatmapInput> inputs;
  for (const std::int64_t head : chosen) {
    if (heads > 0 && (head < 0 || head >= heads))
      return usage_error("there is no head {}", head).at("--head").mend(range_of(heads));
    HeatmapInput input;
    const Tensor numbers = matrix_of(array, 0, head, view.transposed);
    const Range range(numbers);
    set_range(input, range, view);
    input.values = in_units(numbers, input.unit);
    if (numbers.dtype() == DType::f64) input.numbers = numbers;
    if (minus_is_masked(range, view.name)) input.mask = mask_of(input.values);
    input.masked_words = masked_words_of({input.mask}, input.values.count());
    input.row_labels = numbered(view.transposed ? view.column_labels : view.row_labels);
    input.column_labels = numbered(view.transposed ? view.row_labels : view.column_labels);
    HL_TRY(check_labels(input.row_labels, input.values.dim(0), view.transposed ? Message("columns") : Message("rows")));
    HL_TRY(check_labels(input.column_labels, input.values.dim(1), view.transposed ? Message("rows") : Message("columns")));
    input.row_axis = view.transposed ? view.column_axis : view.row_axis;
    input.column_axis = view.transposed ? view.row_axis : view.column_axis;
    input.row_name = view.transposed ? "column" : "row";
    input.column_name = view.transposed ? "row" : "column";
    input.data_name = view.name;
    input.title = view.title.empty() ? view.name : view.title;
    if (heads > 1) input.title += ", head " + std::to_string(head);
    input.note = view.note;
    input.key = 1;
    inputs.push_back(std::move(input));
  }
  return inputs;
}

Result<GridInput> array_grid(const Tensor& array, const ArrayView& view) {
  HL_TRY(check_rank(array, view, 4));
  if (array.rank() < 3)
    return usage_error("'{}' is {}, one matrix and no grid", view.name, to_string(array.shape()))
        .at("--view")
        .mend("use heatmap");
  if (array.count() > kMostGridNumbers)
    return failure(ErrorKind::too_large, "the pictures of all matrices would take more than 2 GB")
        .at("--view grid")
        .mend("give one --head");
  GridInput input;
  const Range range(array);
  set_range(input, range, view);
  const bool masked = minus_is_masked(range, view.name);
  input.layers = array.rank() == 4 ? array.dim(0) : 1;
  input.heads = array.dim(array.rank() - 3);
  for (std::int64_t layer = 0; layer < input.layers; ++layer)
    for (std::int64_t head = 0; head < input.heads; ++head) {
      input.values.push_back(in_units(matrix_of(array, layer, head, view.transposed), input.unit));
      input.masks.push_back(masked ? mask_of(input.values.back()) : Tensor());
      input.keys.push_back(input.keys.size() + 1);
    }
  input.row_axis = array.rank() == 4 ? view.first_axis : "";
  input.column_axis = "head";
  input.title = view.title.empty() ? view.name : view.title;
  input.data_name = view.name;
  input.note = view.note;
  input.masked_words = masked_words_of(input.masks, input.layers * input.heads * input.values.front().count());
  return input;
}

}  // namespace headlight::figures
