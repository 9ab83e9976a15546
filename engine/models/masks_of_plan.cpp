// The masks of a plan's attentions: combined once for each kind of site and shared by its layers.
#include <algorithm>

#include "engine/models/plan.h"
#include "engine/operations/attention.h"

namespace headlight::models {
namespace {

std::string joined(const masks::Combined& mask, masks::Role role, const char* by) {
  std::string words;
  for (const masks::Part& part : mask.parts)
    if (part.role == role) words += (words.empty() ? "" : by) + to_string(part.choice) + " " + to_string(part.mask.shape());
  return words;
}

// "causal [1, 1, 8, 8] AND (window:size=1 [1, 1, 8, 8] OR global:positions=0 [1, 1, 8, 8])"
std::string formula_of(const masks::Combined& mask) {
  std::string limits = joined(mask, masks::Role::limits, " AND ");
  const std::string sparse = joined(mask, masks::Role::sparse, " AND "), widens = joined(mask, masks::Role::widens, " OR ");
  if (sparse.empty()) return limits;  // nothing to widen
  if (!limits.empty()) limits += " AND ";
  if (widens.empty()) return limits + sparse;
  const bool several = sparse.find(" AND ") != std::string::npos;
  return limits + "(" + (several ? "(" + sparse + ")" : sparse) + " OR " + widens + ")";
}

// The first site that is like this one in `same`; an equal one before it has been found already.
template <class Same>
std::size_t first_of(const ModelPlan& plan, std::size_t site, Same same) {
  for (std::size_t i = 0; i < site; ++i)
    if (same(plan.sites[i], plan.sites[site])) return i;
  return site;
}

bool same_sizes(const SitePlan& a, const SitePlan& b) {
  return a.attention->queries == b.attention->queries && a.attention->keys == b.attention->keys;
}

}  // namespace

std::size_t mask_of(const ModelPlan& plan, std::size_t site) {
  return first_of(plan, site, [](const SitePlan& a, const SitePlan& b) {
    return a.site.site == b.site.site && a.site.columns_are_targets == b.site.columns_are_targets && same_sizes(a, b) &&
           a.masks == b.masks;
  });
}

std::size_t bias_of(const ModelPlan& plan, std::size_t site) {
  return first_of(plan, site, [](const SitePlan& a, const SitePlan& b) {
    return a.position == b.position && a.site.relative_keys.empty() && a.attention->heads == b.attention->heads &&
           same_sizes(a, b);
  });
}

double mask_bytes(const ModelPlan& plan) {
  double bytes = 0;
  for (std::size_t i = 0; i < plan.sites.size(); ++i) {
    if (mask_of(plan, i) != i) continue;
    const SitePlan& s = plan.sites[i];
    const double square = static_cast<double>(s.attention->queries) * static_cast<double>(s.attention->keys);
    bool padding = false, sparse = false, widening = false;
    double parts = 0;
    for (const Choice& choice : s.masks) {
      const masks::Entry& entry = *masks::registry().find(choice.id);
      sparse |= entry.role == masks::Role::sparse;
      widening |= entry.role == masks::Role::widens;
      if (entry.by_sentence) {
        padding = true;
      } else {
        parts += square;
      }
    }
    bytes += parts;
    if (sparse && widening) bytes += square;  // the patterns as they are widened
    if (parts > square || (padding && parts > 0))
      bytes += square * static_cast<double>(padding ? s.attention->batch : 1);  // their AND
  }
  return bytes;
}

Status add_masks(ModelPlan& plan, const Document& document, const Sizes& sizes) {
  for (std::size_t i = 0; i < plan.sites.size(); ++i) {
    SitePlan& s = plan.sites[i];
    const auto& lengths = s.site.columns_are_targets ? sizes.target_lengths : sizes.text_lengths;
    if (const std::size_t made = mask_of(plan, i); made != i) {
      s.site.mask = plan.sites[made].site.mask;
    } else {
      masks::Request request;
      request.site = s.site.site;
      request.batch = sizes.batch;
      request.queries = s.attention->queries;
      request.keys = s.attention->keys;
      request.key_lengths = lengths;
      HL_ASSIGN(s.site.mask, masks::combine(s.masks, request, document.custom_mask.get()));
    }
    s.attention->has_mask = !s.site.mask.mask.empty();
    plan.nodes[static_cast<std::size_t>(s.context)].ops = {*s.attention};
    tell_mask(plan, s);

    Step& mask = plan.nodes[static_cast<std::size_t>(s.mask)].step;
    std::string parts;
    bool padding = false;
    parts = formula_of(s.site.mask);
    for (const masks::Part& part : s.site.mask.parts) padding |= part.choice.id == "padding";
    if (!parts.empty()) {
      mask.formula = "1 = may attend: " + parts;
      mask.note = "combined shape " + to_string(s.site.mask.mask.shape()) + ", broadcast over heads";
    }
    const bool padded = std::any_of(lengths.begin(), lengths.end(), [&](std::int64_t n) { return n < s.attention->keys; });
    if (padded && !padding)
      plan.nodes[static_cast<std::size_t>(s.weights)].step.note +=
          "; [PAD] keys are attended here: zeros do not keep them out (e^0 = 1), the mask 'padding' does";
  }
  return {};
}

}  // namespace headlight::models
