#include "engine/attention/masks/mask.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "engine/attention/masks/combined.h"
#include "engine/attention/masks/mask_entries.h"

namespace headlight::masks {
namespace {

// Combines two masks cell by cell, at the smallest shape that both broadcast to; an empty mask is ignored.
template <class Join>
Tensor cell_by_cell(const Tensor& a, const Tensor& b, Join join) {
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
#define MASK(name) name(),
  static const Registry<Entry> masks("mask", {
#include "engine/attention/masks/mask_list.inc"
                                             });
#undef MASK
  return masks;
}

std::string help() {
  std::string limits, sparse, widening;
  const auto add = [](std::string& list, const std::string& one) { list += (list.empty() ? "" : ", ") + one; };
  for (const Entry& entry : registry().entries()) {
    std::string said = entry.id;
    for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
      said += i == 0 ? ":" : "/";
      for (const char letter : entry.parameters[i].id)
        said += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    }
    add(entry.role == Role::widens ? widening : limits, said);
    if (entry.role == Role::sparse) add(sparse, entry.id);
  }
  return "Which keys a query may attend to, combined by AND: " + limits + "; what " + sparse + " forbid is taken back by " +
         widening + " (positions as 0+3); none for no mask.";
}

Tensor joined(const std::vector<Part>& parts) {
  Tensor limits, sparse, widening;
  for (const Part& part : parts) switch (part.role) {
      case Role::limits: limits = cell_by_cell(limits, part.mask, all_of); break;
      case Role::sparse: sparse = cell_by_cell(sparse, part.mask, all_of); break;
      case Role::widens: widening = cell_by_cell(widening, part.mask, any_of); break;
    }
  if (!sparse.empty()) sparse = cell_by_cell(sparse, widening, any_of);
  Tensor all = cell_by_cell(limits, sparse, all_of);
  if (all.empty() && !widening.empty()) return Tensor::of<std::uint8_t>({1}, {1, 1, 1, 1}, {"batch", "head", "query", "key"});
  return all;
}

bool allows(const Tensor& mask, std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t key) {
  if (mask.empty()) return true;
  const auto within = [&](int axis, std::int64_t index) { return mask.dim(axis) == 1 ? 0 : index; };
  return mask.at({within(0, batch), within(1, head), within(2, query), within(3, key)}) != 0;
}

Result<Combined> combine(const std::vector<Choice>& choices, const Request& request, const Matrix* custom) {
  Combined combined;
  for (const Choice& choice : choices) {
    HL_ASSIGN(const Entry* entry, registry().get(choice.id));
    if (!applies(*entry, request.site)) continue;
    HL_ASSIGN(Tensor mask, entry->make(request, choice.values, custom));
    combined.parts.push_back({choice, std::move(mask), entry->role});
  }
  combined.mask = joined(combined.parts);
  return combined;
}

Result<Shape> combined_shape(const std::vector<Choice>& choices, const Request& request, const Matrix* custom) {
  // Which axes a kind has does not depend on how long they are: two of each are enough to see.
  Request small = request;
  small.batch = std::min<std::int64_t>(request.batch, 2);
  small.queries = std::min<std::int64_t>(request.queries, 2);
  small.keys = std::min<std::int64_t>(request.keys, 2);
  small.key_lengths.clear();
  HL_ASSIGN(const Combined made, combine(choices, small, custom));
  if (made.mask.empty()) return Shape{};
  Shape shape = made.mask.shape();
  for (const auto& [axis, size] : {std::pair{0, request.batch}, {2, request.queries}, {3, request.keys}})
    if (shape[static_cast<std::size_t>(axis)] > 1) shape[static_cast<std::size_t>(axis)] = size;
  return shape;
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
      if (!entry) return usage_error(entry.error().what).mend(entry.error().mend);
      return &(*entry)->parameters;
    });
    if (!choice) return choice.error();
    for (const Choice& other : choices)
      if (other.id == choice->id) return usage_error("the mask '{}' is given twice", choice->id).mend("give each mask once");
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
