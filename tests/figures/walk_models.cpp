#include "tests/figures/walk_models.h"

#include <algorithm>
#include <cmath>

#include "tests/figures/walk_samples.h"
#include "tests/support/small_trace.h"
#include "tests/support/trace_of.h"

namespace headlight::figures {

using tests::trace_of;

std::vector<Document> all_models() {
  std::vector<Document> out;
  for (const char* norm : {"none", "pre", "post"})
    for (const bool residual : {false, true})
      for (const bool feed : {false, true})
        for (const bool projected : {false, true})
          for (const char* position : {"none", "sinusoidal"})
            for (const bool target : {false, true}) {
              Document d = base();
              d.norm = norm;
              d.residual = residual;
              d.feed_forward = feed;
              d.projected = projected;
              if (!projected) d.heads = 1;
              d.position = position;
              if (target) d.targets = {"chien"};
              out.push_back(std::move(d));
            }
  // Steps between Q, K and the scores, a gate beside the feed-forward part, a norm behind the last layer.
  for (const char* norm : {"none", "pre", "post"})
    for (const char* position : {"sinusoidal", "rotary", "alibi", "relative"})
      for (const bool cosine : {false, true})
        for (const bool gated : {false, true})
          for (const bool target : {false, true}) {
            if (position == std::string("sinusoidal") && !cosine && !gated) continue;
            Document d = base();
            d.norm = norm;
            d.position = position;
            if (cosine) d.score = position == std::string("relative") ? "general" : "cosine";
            d.gated = gated;
            d.final_norm = norm == std::string("pre");
            if (target) d.targets = {"chien"};
            out.push_back(std::move(d));
          }
  // The model's last steps: logits, probabilities and losses.
  for (const bool target : {false, true}) {
    Document d = base();
    d.logits = true;
    d.norm = "post";
    d.masks = {{"padding", {}}, {"causal", {}}};
    if (target) d.targets = {"chien mange"};
    out.push_back(std::move(d));
  }
  // Stacked heads, and one projection for several of Q, K and V.
  for (const char* combiner : {"concat", "stack2d"})
    for (const char* qkv : {"separate", "shared", "one"})
      for (const bool target : {false, true}) {
        if (combiner == std::string("concat") && qkv == std::string("separate")) continue;
        Document d = base();
        d.combiner = combiner;
        d.qkv = qkv;
        if (target) d.targets = {"chien"};
        out.push_back(std::move(d));
      }
  return out;
}

std::string walk_words_of(const Document& d) {
  return "norm " + d.norm + ", residual " + std::to_string(d.residual) + ", mlp " + std::to_string(d.feed_forward) +
         ", projected " + std::to_string(d.projected) + ", position " + d.position + ", score " + d.score + ", gated " +
         std::to_string(d.gated) + ", combiner " + d.combiner + ", qkv " + d.qkv + ", targets " +
         std::to_string(d.targets.size());
}

std::shared_ptr<const Trace> that_says_words(const Trace& trace) {
  auto out = std::make_shared<tests::SmallTrace>();
  out->document_ = trace.document();
  out->texts_.assign(trace.texts().begin(), trace.texts().end());
  out->targets_.assign(trace.targets().begin(), trace.targets().end());
  out->sites_.assign(trace.sites().begin(), trace.sites().end());
  out->parameters_.assign(trace.parameters().begin(), trace.parameters().end());
  for (const Step& step : trace.steps())
    if (step.role != Role::loss && step.role != Role::loss_part && step.role != Role::loss_shifted) out->steps_.push_back(step);
  return out;
}

std::vector<std::shared_ptr<const Trace>> all_traces() {
  std::vector<std::shared_ptr<const Trace>> out;
  for (const Document& d : all_models()) out.push_back(trace_of(d));
  for (const bool target : {false, true})
    for (const bool gated : {false, true})
      for (const bool feed : {false, true}) {
        Document d = base();
        d.logits = true;
        d.norm = "pre";
        d.final_norm = feed || !target;
        d.gated = gated;
        d.feed_forward = feed;
        d.position = gated ? "rotary" : "sinusoidal";
        d.masks = {{"causal", {}}};
        if (target) d.targets = {"chien mange"};
        if (gated && !feed) continue;
        out.push_back(that_says_words(*trace_of(d)));
      }
  return out;
}

float outside(const Box& b, Point p) {
  return std::hypot(std::max({b.x - p.x, 0.0f, p.x - b.x - b.w}), std::max({b.y - p.y, 0.0f, p.y - b.y - b.h}));
}

}  // namespace headlight::figures
