#include "engine/attention/masks/mask.h"

#include <algorithm>

#include "engine/attention/masks/mask_entries.h"

namespace headlight::masks {
namespace {

// Combines two masks cell by cell, at the smallest shape that both broadcast to; an empty mask is ignored.
template <class Join>
Tensor joined(const Tensor& a, const Tensor& b, Join join) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  Shape shape(4);
  for (std::size_t axis = 0; axis < 4; ++axis) shape[axis] = std::max(a.shape()[axis], b.shape()[axis]);
  const Tensor x = a.broadcast_to(shape);
  const Tensor y = b.broadcast_to(shape);
  Tensor out(DType::u8, shape, a.axes(), true);
  auto* cell = out.data<std::uint8_t>();
  const Shape &sx = x.strides(), &sy = y.strides();
  for (std::int64_t i = 0; i < shape[0]; ++i)
    for (std::int64_t h = 0; h < shape[1]; ++h)
      for (std::int64_t q = 0; q < shape[2]; ++q) {
        const auto* row_x = x.data<std::uint8_t>() + i * sx[0] + h * sx[1] + q * sx[2];
        const auto* row_y = y.data<std::uint8_t>() + i * sy[0] + h * sy[1] + q * sy[2];
        for (std::int64_t k = 0; k < shape[3]; ++k) *cell++ = join(row_x[k * sx[3]], row_y[k * sy[3]]);
      }
  return out;
}

std::uint8_t all_of(std::uint8_t a, std::uint8_t b) { return a & b; }
std::uint8_t any_of(std::uint8_t a, std::uint8_t b) { return a | b; }

}  // namespace

bool applies(const Entry& entry, Site site) {
  switch (site) {
    case Site::encoder_self: return entry.applies_to_encoder;
    case Site::decoder_self: return entry.applies_to_decoder;
    case Site::cross: return entry.applies_to_cross;
  }
  return false;
}

const Registry<Entry>& registry() {
  static const Registry<Entry> masks("mask", {padding(), causal(), window(), dilated(), block(), global(), prefix(), custom()});
  return masks;
}

Result<Combined> combine(const std::vector<Choice>& choices, const Request& request, const Matrix* custom) {
  Combined combined;
  Tensor limits, sparse, widening;
  for (const Choice& choice : choices) {
    HL_ASSIGN(const Entry* entry, registry().get(choice.id));
    if (!applies(*entry, request.site)) continue;
    HL_ASSIGN(Tensor mask, entry->make(request, choice.values, custom));
    switch (entry->role) {
      case Role::limits: limits = joined(limits, mask, all_of); break;
      case Role::sparse: sparse = joined(sparse, mask, all_of); break;
      case Role::widens: widening = joined(widening, mask, any_of); break;
    }
    combined.parts.push_back({choice, std::move(mask), entry->role});
  }
  if (!sparse.empty()) sparse = joined(sparse, widening, any_of);
  combined.mask = joined(limits, sparse, all_of);
  if (combined.mask.empty() && !widening.empty())
    combined.mask = Tensor::of<std::uint8_t>({1}, {1, 1, 1, 1}, {"batch", "head", "query", "key"});
  return combined;
}

Result<std::vector<Choice>> parse_list(std::string_view text) {
  std::vector<Choice> choices;
  if (text == "none") return choices;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    if (part.empty()) continue;
    auto choice = parse_choice(part, [](std::string_view id) -> Result<const std::vector<Parameter>*> {
      auto entry = registry().get(id);
      if (!entry) return usage_error(entry.error().what, {}, entry.error().mend);
      return &(*entry)->parameters;
    });
    if (!choice) return choice.error();
    for (const Choice& other : choices)
      if (other.id == choice->id) return usage_error("the mask '" + choice->id + "' is given twice", {}, "give each mask once");
    choices.push_back(std::move(choice).value());
  }
  return choices;
}

std::string to_text(const std::vector<Choice>& choices) {
  std::string text;
  for (const Choice& choice : choices) text += (text.empty() ? "" : ",") + to_string(choice);
  return text;
}

}  // namespace headlight::masks
