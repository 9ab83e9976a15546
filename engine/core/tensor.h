// Tensor: a strided array with named axes. Copying a Tensor shares its storage, and views share it too. Values are written once,
// by the operation that makes them, and only read afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

enum class DType { f32, f64, i32, u8 };

std::size_t size_of(DType dtype);
const char* name_of(DType dtype);  // "float32", "float64", "int32", "uint8"

template <class T>
inline constexpr DType dtype_of = DType::f32;
template <>
inline constexpr DType dtype_of<double> = DType::f64;
template <>
inline constexpr DType dtype_of<std::int32_t> = DType::i32;
template <>
inline constexpr DType dtype_of<std::uint8_t> = DType::u8;

using Shape = std::vector<std::int64_t>;
using Axes = std::vector<std::string>;  // "batch", "head", "query", "key", "position", "d_model", "d_k", ...

std::string to_string(const Shape& shape);  // "[2, 4, 10, 10]"
std::int64_t element_count(const Shape& shape);

class Tensor {
 public:
  Tensor();
  Tensor(const Tensor& other);
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(const Tensor& other);
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor();
  // Owns its memory, C order, zero-filled unless `uninitialised`. Axes are empty or have one name per axis.
  Tensor(DType dtype, Shape shape, Axes axes = {}, bool uninitialised = false);
  // of<float>({1, 2, 3, 4, 5, 6}, {2, 3}) has the rows 1 2 3 and 4 5 6.
  template <class T>
  static Tensor of(const std::vector<T>& values, Shape shape, Axes axes = {}) {
    Tensor t(dtype_of<T>, std::move(shape), std::move(axes), true);
    std::copy(values.begin(), values.end(), t.data<T>());
    return t;
  }

  // A tensor over memory that `storage` keeps alive, in C order from the first byte on.
  // over(storage, DType::f32, {2, 3}) reads the first 6 floats.
  static Tensor over(std::shared_ptr<std::byte> storage, DType dtype, Shape shape, Axes axes = {});

  bool empty() const { return !storage_; }
  DType dtype() const { return dtype_; }
  int rank() const { return static_cast<int>(shape().size()); }
  const Shape& shape() const { return layout().shape; }
  const Shape& strides() const { return layout().strides; }  // in elements
  const Axes& axes() const { return layout().axes; }
  std::int64_t dim(int axis) const { return shape()[static_cast<std::size_t>(axis < 0 ? axis + rank() : axis)]; }
  std::int64_t count() const { return element_count(shape()); }
  std::size_t bytes() const { return static_cast<std::size_t>(count()) * size_of(dtype_); }
  bool contiguous() const;

  // The first element. T must be the stored type; elements lie in C order only if contiguous().
  template <class T>
  T* data() {
    return reinterpret_cast<T*>(raw());
  }
  template <class T>
  const T* data() const {
    return reinterpret_cast<const T*>(raw());
  }
  template <class T>
  std::span<const T> values() const {  // contiguous tensors only
    return {data<T>(), static_cast<std::size_t>(count())};
  }
  std::byte* raw() { return storage_ ? storage_.get() + offset_ : nullptr; }
  const std::byte* raw() const { return storage_ ? storage_.get() + offset_ : nullptr; }
  // The memory that holds the values. It expires when no tensor uses the memory any more, so a cache can know that its tensor is
  // still the same.
  std::weak_ptr<const std::byte> storage() const { return storage_; }

  // One element as double, whatever the stored type.
  double at(std::initializer_list<std::int64_t> index) const;
  double at(std::span<const std::int64_t> index) const;

  // Views, which share the storage. A negative axis counts from the end. Examples are of a tensor x [4, 5].
  Tensor named(Axes axes) const;
  Tensor select(int axis, std::int64_t index) const;                   // x.select(0, 2): row 2, [5]
  Tensor slice(int axis, std::int64_t begin, std::int64_t end) const;  // x.slice(0, 1, 3): rows 1 and 2, [2, 5]
  Tensor permuted(const std::vector<int>& order) const;                // axis i of the result is axis order[i]
  Tensor reshaped(Shape shape, Axes axes = {}) const;                  // contiguous tensors only, same count; x.reshaped({2, 10})
  Tensor broadcast_to(const Shape& shape) const;                       // same rank; an axis of size 1 is repeated (stride 0)

  // Copies.
  Tensor compact() const;        // itself if contiguous, else a C-order copy
  Tensor as(DType dtype) const;  // itself if already of this type, else a converted C-order copy

 private:
  // Copies share it as they share the storage: a run copies tensors a hundred times more often than it makes views.
  struct Layout {
    Shape shape, strides;
    Axes axes;
  };
  static const Layout kNone;
  const Layout& layout() const { return layout_ ? *layout_ : kNone; }
  Tensor with(Layout layout) const;  // over the same memory

  std::shared_ptr<std::byte> storage_;
  std::size_t offset_ = 0;  // bytes
  DType dtype_ = DType::f32;
  std::shared_ptr<const Layout> layout_;  // null: no axes
};

// How much two tensors of equal shapes differ. NaN or the same infinity at the same place in both counts as equal.
// difference([1, 2], [1, 4]) has max_abs 2, mean_abs 1 and nmse 4 / 17.
struct Difference {
  double max_abs = 0;         // largest |a - b|
  double mean_abs = 0;        // mean |a - b|
  double nmse = 0;            // sum (a - b)^2 / sum b^2; the numerator alone if b is 0 everywhere
  bool same_shape = true;     // false: nothing else was compared
  bool nan_mismatch = false;  // NaN or an infinity stands in one alone
};
Difference difference(const Tensor& a, const Tensor& b);

}  // namespace headlight
