#include "engine/core/tensor.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>

#include "engine/core/storage_pool.h"

namespace headlight {
namespace {

Shape c_order(const Shape& shape) {
  Shape strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= shape[i];
  }
  return strides;
}

double read_as_double(const std::byte* p, DType dtype) {
  switch (dtype) {
    case DType::f32: return *reinterpret_cast<const float*>(p);
    case DType::f64: return *reinterpret_cast<const double*>(p);
    case DType::i32: return *reinterpret_cast<const std::int32_t*>(p);
    case DType::u8: return *reinterpret_cast<const std::uint8_t*>(p);
  }
  return 0;
}

void write_from_double(std::byte* p, DType dtype, double value) {
  switch (dtype) {
    case DType::f32: *reinterpret_cast<float*>(p) = static_cast<float>(value); break;
    case DType::f64: *reinterpret_cast<double*>(p) = value; break;
    case DType::i32: *reinterpret_cast<std::int32_t*>(p) = static_cast<std::int32_t>(value); break;
    case DType::u8: *reinterpret_cast<std::uint8_t*>(p) = static_cast<std::uint8_t>(value); break;
  }
}

// Calls visit(byte offset of the element) for every element, in C order of the shape.
template <class Visit>
void for_each_offset(const Shape& shape, const Shape& strides, std::size_t item, Visit visit) {
  if (element_count(shape) == 0) return;
  std::vector<std::int64_t> index(shape.size(), 0);
  std::int64_t offset = 0;
  for (;;) {
    visit(static_cast<std::size_t>(offset) * item);
    std::size_t axis = shape.size();
    for (;;) {
      if (axis == 0) return;
      --axis;
      offset += strides[axis];
      if (++index[axis] < shape[axis]) break;
      offset -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace

const Tensor::Layout Tensor::kNone{};

Tensor::Tensor() = default;
Tensor::Tensor(const Tensor& other) = default;
Tensor::Tensor(Tensor&& other) noexcept = default;
Tensor& Tensor::operator=(const Tensor& other) = default;
Tensor& Tensor::operator=(Tensor&& other) noexcept = default;
Tensor::~Tensor() = default;

std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::f32: return 4;
    case DType::f64: return 8;
    case DType::i32: return 4;
    case DType::u8: return 1;
  }
  return 0;
}

const char* name_of(DType dtype) {
  switch (dtype) {
    case DType::f32: return "float32";
    case DType::f64: return "float64";
    case DType::i32: return "int32";
    case DType::u8: return "uint8";
  }
  return "";
}

std::string to_string(const Shape& shape) {
  std::string s = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) s += (i ? ", " : "") + std::to_string(shape[i]);
  return s + "]";
}

std::int64_t element_count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

Tensor::Tensor(DType dtype, Shape shape, Axes axes, bool uninitialised) : dtype_(dtype) {
  Shape strides = c_order(shape);
  layout_ = std::make_shared<const Layout>(Layout{std::move(shape), std::move(strides), std::move(axes)});
  storage_ = allocate_storage(bytes());
  if (!uninitialised) std::memset(storage_.get(), 0, bytes());
}

Tensor Tensor::over(std::shared_ptr<std::byte> storage, DType dtype, Shape shape, Axes axes) {
  Tensor t;
  t.storage_ = std::move(storage);
  t.dtype_ = dtype;
  Shape strides = c_order(shape);
  return t.with({std::move(shape), std::move(strides), std::move(axes)});
}

Tensor Tensor::with(Layout layout) const {
  Tensor t = *this;
  t.layout_ = std::make_shared<const Layout>(std::move(layout));
  return t;
}

bool Tensor::contiguous() const {
  std::int64_t step = 1;
  for (std::size_t i = shape().size(); i-- > 0;) {
    if (shape()[i] != 1 && strides()[i] != step) return false;
    step *= shape()[i];
  }
  return true;
}

double Tensor::at(std::span<const std::int64_t> index) const {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < index.size(); ++i) offset += index[i] * strides()[i];
  return read_as_double(raw() + static_cast<std::size_t>(offset) * size_of(dtype_), dtype_);
}

double Tensor::at(std::initializer_list<std::int64_t> index) const { return at(std::span(index.begin(), index.size())); }

Tensor Tensor::named(Axes names) const {
  if (names == axes()) return *this;
  return with({shape(), strides(), std::move(names)});
}

Tensor Tensor::select(int axis, std::int64_t index) const {
  const auto a = static_cast<std::ptrdiff_t>(axis < 0 ? axis + rank() : axis);
  Layout own = layout();
  const std::int64_t step = own.strides[static_cast<std::size_t>(a)];
  own.shape.erase(own.shape.begin() + a);
  own.strides.erase(own.strides.begin() + a);
  if (!own.axes.empty()) own.axes.erase(own.axes.begin() + a);
  Tensor t = with(std::move(own));
  t.offset_ += static_cast<std::size_t>(index * step) * size_of(dtype_);
  return t;
}

Tensor Tensor::slice(int axis, std::int64_t begin, std::int64_t end) const {
  const auto a = static_cast<std::size_t>(axis < 0 ? axis + rank() : axis);
  Layout own = layout();
  own.shape[a] = end - begin;
  Tensor t = with(std::move(own));
  t.offset_ += static_cast<std::size_t>(begin * strides()[a]) * size_of(dtype_);
  return t;
}

Tensor Tensor::permuted(const std::vector<int>& order) const {
  Layout own = layout();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = static_cast<std::size_t>(order[i]);
    own.shape[i] = shape()[from];
    own.strides[i] = strides()[from];
    if (!own.axes.empty()) own.axes[i] = axes()[from];
  }
  return with(std::move(own));
}

Tensor Tensor::reshaped(Shape other, Axes names) const {
  if (other == shape() && names == axes()) return *this;
  Shape steps = c_order(other);
  return with({std::move(other), std::move(steps), std::move(names)});
}

Tensor Tensor::broadcast_to(const Shape& wanted) const {
  Layout own = layout();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (own.shape[i] == 1 && wanted[i] != 1) own.strides[i] = 0;
    own.shape[i] = wanted[i];
  }
  return with(std::move(own));
}

Tensor Tensor::compact() const {
  if (contiguous()) return *this;
  Tensor t(dtype_, shape(), axes(), true);
  const std::size_t item = size_of(dtype_);
  std::byte* to = t.raw();
  for_each_offset(shape(), strides(), item, [&](std::size_t offset) {
    std::memcpy(to, raw() + offset, item);
    to += item;
  });
  return t;
}

Tensor Tensor::as(DType dtype) const {
  if (dtype == dtype_) return *this;
  Tensor t(dtype, shape(), axes(), true);
  const std::size_t item = size_of(dtype);
  std::byte* to = t.raw();
  for_each_offset(shape(), strides(), size_of(dtype_), [&](std::size_t offset) {
    write_from_double(to, dtype, read_as_double(raw() + offset, dtype_));
    to += item;
  });
  return t;
}

Difference difference(const Tensor& a, const Tensor& b) {
  Difference d;
  if (a.shape() != b.shape()) {
    d.same_shape = false;
    return d;
  }
  const Tensor x = a.as(DType::f64).compact();
  const Tensor y = b.as(DType::f64).compact();
  const auto xs = x.values<double>();
  const auto ys = y.values<double>();
  double squared = 0;
  double energy = 0;
  double sum = 0;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (std::isnan(xs[i]) || std::isnan(ys[i])) {
      if (std::isnan(xs[i]) != std::isnan(ys[i])) d.nan_mismatch = true;
      continue;
    }
    if (std::isinf(xs[i]) || std::isinf(ys[i])) {
      if (xs[i] != ys[i]) d.nan_mismatch = true;
      continue;
    }
    const double e = std::abs(xs[i] - ys[i]);
    d.max_abs = std::max(d.max_abs, e);
    sum += e;
    squared += e * e;
    energy += ys[i] * ys[i];
  }
  d.mean_abs = xs.empty() ? 0 : sum / static_cast<double>(xs.size());
  d.nmse = energy > 0 ? squared / energy : squared;
  return d;
}

}  // namespace headlight
