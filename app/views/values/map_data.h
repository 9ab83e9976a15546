// What the Values view knows of value maps: one head's, the sum over all heads, and two ways to combine heads of full width; and
// as inputs of their pictures. Each is null while it is being computed, and after an error, which is then in `error`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/views/base/attention_choice.h"
#include "app/views/base/context.h"
#include "app/views/values/combiner_picture.h"
#include "app/views/values/map_picture.h"
#include "engine/insight/combined_heads.h"
#include "engine/insight/value_map.h"

namespace headlight::views::values {

// map_of(context, choice, &error) is the map of choice.head.
std::shared_ptr<const ValueMap> map_of(const Context& context, const AttentionChoice& choice, std::string* error);
figures::ValueMapInput map_input(const Context& context, const AttentionChoice& choice, const ValueMap& map);
struct SingularValues {
  std::vector<double> values;
  std::uint64_t bytes() const { return values.size() * sizeof(double); }
};
// Of a map of full rank and norm 1: the same for every model of this width. full_rank_of(context, 64)->values are 64 numbers.
std::shared_ptr<const SingularValues> full_rank_of(const Context& context, std::int64_t d);

std::shared_ptr<const ValueSum> map_sum_of(const Context& context, const AttentionChoice& choice, std::string* error);
figures::ValueSumInput map_sum_input(const Context& context, const AttentionChoice& choice, const ValueSum& sum);

bool is_stacked(const AttentionChoice& choice, const Trace& trace);
// Of the trace's own heads where they are stacked; else of a model like it with heads of full width and random weights.
std::shared_ptr<const CombinedHeads> both_ways(const Context& context, const AttentionChoice& choice, std::string* error);
figures::CombinerInput combiner_input(const Context& context, const AttentionChoice& choice, const CombinedHeads& both);

std::string scientific(double value);  // scientific(0.00012) is "1.2e-04"

}  // namespace headlight::views::values
