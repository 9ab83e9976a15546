// Activation and path patching between two sentences of as many tokens (Wang et
// al., "Interpretability in the Wild", 2022; Goldowsky-Dill et al., "Localizing
// Model Behavior with Path Patching", 2023). The model reads the changed
// sentence, and one part of it is put back to what it is in the clean sentence:
// a vector of the residual stream, what an attention hands on from one token to
// another, or a head's output. Everything behind the part is computed with it.
// What this does to the difference of two words' logits tells how much of that
// difference passes through the part.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/document/document.h"
#include "engine/insight/information_routes.h"
#include "engine/pipeline/patched_run.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// A part that is put back.
struct PatchPart {
  enum class Kind {
    vector,  // behind `level` layers of the stack that predicts, at `position`
    edge,    // the part of all heads' sums at `position` that they read at `key`
    head,    // one head's sum
  };
  Kind kind = Kind::vector;
  std::string place;           // of an edge or a head: AttentionSite::prefix
  std::int64_t level = 0;      // of a vector; 0: the embedding
  std::int64_t head = 0;       // of a head
  std::int64_t position = -1;  // -1: at every position
  std::int64_t key = 0;        // of an edge
};

struct PatchQuestion {
  std::string changed;        // stands in place of the document's first text
  std::int64_t position = 0;  // behind which the two words' logits are compared
  std::int32_t word = 0, over = 0;
};

// Both sentences as the model reads them. Not thread-safe.
class PathPatching {
 public:
  // `document` has the clean sentence; `backend` must outlive the object.
  // Errors: several texts; sentences of different numbers of tokens (usage); a
  // model without logits; those of run(); cancelled. open(document, {"When John
  // and Mary …", 14, mary, john}, backend, cancel)
  static Result<std::unique_ptr<PathPatching>> open(const Document& document, const PatchQuestion& question,
                                                    backends::Backend& backend, const CancelToken& cancel);

  const Trace& clean_trace() const { return *clean_trace_; }
  const Trace& changed_trace() const { return *changed_trace_; }
  // The logit of `word` minus that of `over`, in each sentence.
  double clean() const { return clean_; }
  double changed() const { return changed_; }
  // The difference in the changed sentence with these parts as they are in the
  // clean one. A head's own sum counts before an edge into it. Errors: a part
  // that the model has not (not_found); those of run(); cancelled. restored({},
  // cancel) is changed(); with all vectors of level 0 it is clean().
  Result<double> restored(std::span<const PatchPart> parts, const CancelToken& cancel);

 private:
  PathPatching(const PatchQuestion& question, backends::Backend& backend) : question_(question), backend_(backend) {}
  Result<double> difference_in(const Trace& trace) const;
  Result<std::vector<StepPatch>> patches_of(std::span<const PatchPart> parts) const;

  PatchQuestion question_;
  backends::Backend& backend_;
  Document changed_document_;
  StepCache cache_;
  std::shared_ptr<const Trace> clean_trace_, changed_trace_;
  std::vector<std::string> stream_;  // OutputParts::stream
  double clean_ = 0, changed_ = 0;
};

// What each part of a drawn graph, alone, does to the difference.
struct PatchEffects {
  double clean = 0, changed = 0;
  std::vector<double> vectors,
      edges;  // the difference with each of InformationRoutes::vectors and edges
              // put back
  struct Head {
    std::string prefix;  // AttentionSite::prefix
    std::int64_t layer = 0, head = 0;
    double difference = 0;            // with the head's output put back at every position
    std::vector<double> by_position;  // with it put back at one position, of the kMostByPosition
                                      // heads that do most; else empty
  };
  std::vector<Head> heads;  // of the stack that predicts, in order of computation
  // The part of the whole effect: 0 is the changed sentence, 1 the clean one; 0
  // where the two sentences do not differ.
  double share(double difference) const { return clean == changed ? 0 : (difference - changed) / (clean - changed); }
  // Indices of the heads, those that do most first.
  std::vector<std::size_t> strongest_heads() const;
  std::uint64_t bytes() const;
};
inline constexpr std::size_t kMostByPosition = 8;

// A vector of another stack than the one that predicts keeps the changed
// sentence's difference. `progress` is called with the number of runs that are
// done and of all. Errors: those of restored(). patch_effects(patching, routes,
// shares, cancel).share(effects.edges[0]): how much passes along the first
// edge.
Result<PatchEffects> patch_effects(PathPatching& patching, const InformationRoutes& routes, const InformationShares& shares,
                                   const CancelToken& cancel,
                                   const std::function<void(std::int64_t, std::int64_t)>& progress = {});

}  // namespace headlight
