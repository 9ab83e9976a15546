#include "app/cli/mask_array.h"

#include <algorithm>

namespace headlight::cli {
namespace {

// The mask with four axes that broadcast, or an empty tensor. What other reading there was, or which one was taken that NumPy
// does not know, is noted.
Tensor with_four_axes(const Tensor& mask, const operations::Attention& op, std::vector<std::string>& notes) {
  const Shape full{op.batch, op.heads, op.queries, op.keys};
  const Shape& shape = mask.shape();
  const auto fits = [&](const Shape& four) {
    for (std::size_t i = 0; i < 4; ++i)
      if (four[i] != 1 && four[i] != full[i]) return false;
    return true;
  };
  const std::string words = "the mask " + to_string(shape);
  if (shape.size() == 2 || shape.size() == 3) {
    const bool three = shape.size() == 3;
    const Shape broadcast = three ? Shape{1, shape[0], shape[1], shape[2]} : Shape{1, 1, shape[0], shape[1]};
    const Shape by_batch = three ? Shape{shape[0], 1, shape[1], shape[2]} : Shape{shape[0], 1, 1, shape[1]};
    const char* const taken = three ? "[head, query, key]" : "[query, key]";
    const char* const other = three ? "[batch, query, key]" : "[batch, key]";
    const bool either = broadcast != by_batch && shape[0] > 1 && op.batch > 1 && fits(by_batch);
    if (fits(broadcast)) {
      if (either)
        notes.push_back(words + " is read as " + taken + "; for " + other + " give it as " +
                        (three ? "[batch, 1, query, key]" : "[batch, 1, 1, key]"));
      return mask.compact().reshaped(broadcast);
    }
    if (fits(by_batch)) {
      notes.push_back(words + " is read as " + other + (three ? "" : ", the padding of each text's keys"));
      return mask.compact().reshaped(by_batch);
    }
    const Shape merged{op.batch, op.heads, three ? shape[1] : 0, shape.back()};
    if (three && shape[0] == op.batch * op.heads && fits(merged)) {
      notes.push_back(words + " is read as [batch * head, query, key]");
      return mask.compact().reshaped(merged);
    }
    return {};
  }
  Shape four = shape;
  while (four.size() < 4) four.insert(four.begin(), 1);
  return four.size() == 4 && fits(four) ? mask.compact().reshaped(four) : Tensor();
}

// Integers of 0 and 1, or of 0 and 255, as 0 and 1.
Result<Tensor> truths(const ArrayFile& file, const Tensor& mask) {
  const Tensor numbers = mask.as(DType::i32).compact();
  const auto all = numbers.values<std::int32_t>();
  const bool bytes = std::none_of(all.begin(), all.end(), [](std::int32_t n) { return n == 1; });
  Tensor keep(DType::u8, mask.shape(), {}, true);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] != 0 && all[i] != 1 && !(bytes && all[i] == 255))
      return file.wrong("mask", Message("holds the integer {} at place {}", all[i], i),
                        Message("integers say 1 = may attend, 0 = masked; give numbers that are added as float32"));
    keep.data<std::uint8_t>()[i] = all[i] != 0;
  }
  return keep;
}

Result<Tensor> causal_with(const Tensor& keep, const operations::Attention& op) {
  Shape shape{1, 1, op.queries, op.keys};
  if (!keep.empty()) shape = {keep.dim(0), keep.dim(1), op.queries, op.keys};
  HL_TRY(check_memory("the causal mask", {{DType::u8, shape}}));
  Tensor both(DType::u8, shape);
  const Tensor from = keep.empty() ? Tensor() : keep.broadcast_to(shape);
  std::uint8_t* cell = both.data<std::uint8_t>();
  for (std::int64_t b = 0; b < shape[0]; ++b)
    for (std::int64_t h = 0; h < shape[1]; ++h)
      for (std::int64_t i = 0; i < op.queries; ++i)
        for (std::int64_t j = 0; j < op.keys; ++j) *cell++ = j <= i && (from.empty() || from.at({b, h, i, j}) != 0) ? 1 : 0;
  return both;
}

}  // namespace

Result<MaskArrays> read_mask_arrays(const ArrayFile& file, const operations::Attention& op, bool causal) {
  MaskArrays masks;
  if (const Tensor* given = file.find("mask")) {
    const Tensor mask = with_four_axes(*given, op, masks.notes);
    if (mask.empty())
      return file.wrong("mask", Message("is {}", to_string(given->shape())),
                        Message("it must broadcast to {} [batch, head, query, key], or be [batch, key] or [batch, query, key]",
                                to_string(Shape{op.batch, op.heads, op.queries, op.keys})));
    if (mask.dtype() == DType::f64 && file.stores_integers("mask"))
      return file.wrong("mask", Message("holds integers beyond 32 bits"),
                        Message("integers say 1 = may attend, 0 = masked; give numbers that are added as float32"));
    if (mask.dtype() == DType::u8 || mask.dtype() == DType::i32) {
      HL_ASSIGN(masks.keep, truths(file, mask));
    } else {
      masks.added = mask;
      const Tensor numbers = mask.as(DType::f64).compact();
      const auto all = numbers.values<double>();
      if (std::all_of(all.begin(), all.end(), [](double n) { return n == 0 || n == 1; }) &&
          std::any_of(all.begin(), all.end(), [](double n) { return n == 1; }))
        masks.notes.push_back(
            "the mask holds 0 and 1 as real numbers, which are added to the scores; if 1 means may attend, save "
            "it as mask.astype(bool)");
    }
  }
  if (causal) {
    HL_ASSIGN(masks.keep, causal_with(masks.keep, op));
  }
  return masks;
}

}  // namespace headlight::cli
