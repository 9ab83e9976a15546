// The sentence about arguments that a command does not expect.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headlight::cli {

// The number of letters to insert, delete, replace or swap with their neighbour in order to turn `a` into `b` (optimal string
// alignment distance; Damerau 1964).
// edit_distance("tarce", "trace") is 1.
int edit_distance(std::string_view a, std::string_view b);

// One sentence about `arguments`, which were given but not expected; at least one. `commands` could stand in place of the first
// one. If the first argument is no option and there are commands, the sentence names it, the nearest command and all commands. If
// it is an option close to one of `options`, the sentence names that option.
// unexpected({"--tokenizr"}, {}, {"--tokenizer"}) ends with "; the nearest option is '--tokenizer'".
std::string unexpected(const std::vector<std::string>& arguments, const std::vector<std::string>& commands,
                       const std::vector<std::string>& options = {});

}  // namespace headlight::cli
