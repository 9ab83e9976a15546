// What is said of arguments that nobody expects.
#include "app/cli/unexpected.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace headlight {
namespace {

TEST(Unexpected, DistancesAreThoseOfTheDefinition) {
  for (const auto& [a, b, distance] : std::vector<std::tuple<const char*, const char*, int>>{{"", "", 0},
                                                                                             {"", "abc", 3},
                                                                                             {"kitten", "sitting", 3},
                                                                                             {"tokenise", "tokenize", 1},
                                                                                             {"exprot", "export", 1},
                                                                                             {"ca", "abc", 3},
                                                                                             {"trace", "info", 5}}) {
    EXPECT_EQ(cli::edit_distance(a, b), distance) << a << " " << b;
    EXPECT_EQ(cli::edit_distance(b, a), distance) << b << " " << a;
  }
}

TEST(Unexpected, ACommandIsNamedWithTheNearestAndAll) {
  const std::vector<std::string> commands{"open", "export", "trace"};
  EXPECT_EQ(cli::unexpected({"tarce", "--text", "a"}, commands),
            "there is no command 'tarce'; the nearest is 'trace', known are open, export, trace");
  EXPECT_EQ(cli::unexpected({"--tarce"}, commands), "this argument was not expected: --tarce");
  const std::vector<std::string> options{"--text", "--tokenizer", "--tokens"};
  EXPECT_EQ(cli::unexpected({"--tokenizr"}, commands, options),
            "this argument was not expected: --tokenizr; the nearest option is '--tokenizer'");
  EXPECT_EQ(cli::unexpected({"--tex=a"}, {}, options), "this argument was not expected: --tex=a; the nearest option is '--text'");
  EXPECT_EQ(cli::unexpected({"--colour", "red"}, {}, options), "these arguments were not expected: --colour red");
  EXPECT_EQ(cli::unexpected({"one", "two"}, {}), "these arguments were not expected: one two");
}

}  // namespace
}  // namespace headlight
