// What is said of arguments that a command does not expect.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headlight::cli {

// How many letters have to be inserted, deleted, replaced or swapped with their neighbour to make `b` of `a` (optimal string
// alignment distance; Damerau 1964).
int edit_distance(std::string_view a, std::string_view b);

// One sentence about `arguments`, which were given and not expected, in the order in which they were given; at least one.
// `commands` are the commands that could stand in the first one's place: where the first argument is no option and there are
// commands, the sentence names it, the nearest command and all of them. Where it is an option much like one of `options`, the
// sentence names that one.
std::string unexpected(const std::vector<std::string>& arguments, const std::vector<std::string>& commands,
                       const std::vector<std::string>& options = {});

}  // namespace headlight::cli
