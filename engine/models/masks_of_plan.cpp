// The masks of a plan's attentions: combined once for each kind of site and shared by its layers.
#include <algorithm>

#include "engine/models/plan.h"

namespace headlight::models {

double mask_bytes(const Document& document, const ModelPlan& plan) {
  double bytes = 0;
  bool seen[3] = {false, false, false};
  for (const SitePlan& s : plan.sites) {
    bool& done = seen[static_cast<std::size_t>(s.site.site)];
    if (done) continue;
    done = true;
    const double square = static_cast<double>(s.attention.queries) * static_cast<double>(s.attention.keys);
    bool padding = false;
    double parts = 0;
    for (const Choice& choice : document.masks) {
      const masks::Entry* entry = masks::registry().find(choice.id);
      if (!entry) continue;
      const bool applies = s.site.site == masks::Site::encoder_self   ? entry->applies_to_encoder
                           : s.site.site == masks::Site::decoder_self ? entry->applies_to_decoder
                                                                      : entry->applies_to_cross;
      if (!applies) continue;
      if (choice.id == "padding") {
        padding = true;
      } else {
        parts += square;
      }
    }
    bytes += parts;
    if (parts > square || (padding && parts > 0))
      bytes += square * static_cast<double>(padding ? s.attention.batch : 1);  // their AND
  }
  return bytes;
}

Status add_masks(ModelPlan& plan, const Document& document, const Sizes& sizes) {
  masks::Combined made[3];
  bool done[3] = {false, false, false};
  for (SitePlan& s : plan.sites) {
    const auto kind = static_cast<std::size_t>(s.site.site);
    const auto& lengths = s.site.columns_are_targets ? sizes.target_lengths : sizes.text_lengths;
    if (!done[kind]) {
      masks::Request request;
      request.site = s.site.site;
      request.batch = sizes.batch;
      request.queries = s.attention.queries;
      request.keys = s.attention.keys;
      request.key_lengths = lengths;
      HL_ASSIGN(made[kind], masks::combine(document.masks, request, document.custom_mask.get()));
      done[kind] = true;
    }
    s.site.mask = made[kind];
    s.attention.has_mask = !s.site.mask.mask.empty();
    plan.nodes[static_cast<std::size_t>(s.context)].ops = {s.attention};

    Step& mask = plan.nodes[static_cast<std::size_t>(s.mask)].step;
    std::string parts;
    bool padding = false;
    for (const masks::Part& part : s.site.mask.parts) {
      parts += (parts.empty() ? "" : " AND ") + to_string(part.choice) + " " + to_string(part.mask.shape());
      padding |= part.choice.id == "padding";
    }
    if (!parts.empty()) {
      mask.formula = "1 = may attend: " + parts;
      mask.note = "combined shape " + to_string(s.site.mask.mask.shape()) + ", broadcast over heads";
    }
    const bool padded = std::any_of(lengths.begin(), lengths.end(), [&](std::int64_t n) { return n < s.attention.keys; });
    if (padded && !padding)
      plan.nodes[static_cast<std::size_t>(s.weights)].step.note +=
          "; [PAD] keys are attended here: zeros do not keep them out (e^0 = 1), the mask 'padding' does";
  }
  return {};
}

}  // namespace headlight::models
