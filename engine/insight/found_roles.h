// The roles that heads of a stored model were found to have: the file heads.json in its folder, which `headlight heads --out`
// writes, and what is a role by it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/document/stored_model.h"
#include "engine/insight/head_scores.h"

namespace headlight {

inline constexpr const char* kModelHeadsFile = "heads.json";

// The least score at which a pattern is a head's role.
double least_score(HeadPattern pattern);

struct HeadRole {
  HeadPattern pattern = HeadPattern::previous;
  double score = 0;
};
// The pattern with the highest score of those that reach their least; of equal ones the first. None: the head has no found role.
std::optional<HeadRole> found_role(const PatternScores& scores);

// The head to show somebody first: of those with a found role the one whose role says most about language, alignment before
// adjectives before the others, and among equals the one with the highest score. Null: no head has a role.
const HeadScores* telling_head(const MeasuredHeads& measured);

// CRC-32 of a model's file of weights, by which heads.json knows whose heads were measured. Errors: the file's.
Result<std::uint32_t> weights_checksum(const StoredModel& model);

// heads.json: {"headlight": {"version": 1, "weights": CRC-32 of model.safetensors in hexadecimal digits, "corpus": the name of
// the file that was read, "texts": how many}, "heads": [{"site", "layer", "head", "scores": {pattern: 0..1 or null, ...}}, ...]},
// with every head of the model once. Of pairs also "links":
// [[source token, target token, probability], ...].
std::string measured_heads_to_json(const MeasuredHeads& measured, std::uint32_t weights);
// Errors, naming `where`: no such JSON, a newer version, something missing or out of its range, a head that the model lacks or
// that stands twice, one that is missing; other weights.
Result<MeasuredHeads> measured_heads_from_json(std::string_view json, const std::string& where, const StoredModel& model,
                                               std::uint32_t weights);

// What heads.json in the model's folder says; null: there is none. Reads the weights' file as well. Errors: the files' and
// measured_heads_from_json()'s.
Result<std::shared_ptr<const MeasuredHeads>> open_measured_heads(const StoredModel& model);

}  // namespace headlight
