// The lines above the large picture and beside it end as sentences do, also where there is little room.
#include <gtest/gtest.h>

#include <string>

#include "app/views/heads/parts.h"
#include "app/views/heads/pictures.h"
#include "tests/figures/figure_items.h"

namespace headlight::views::heads {
namespace {

// All that is drawn of a saying, line by line.
std::string lines_of_saying(const SayingInput& input, float width) {
  std::string lines;
  const figures::Figure figure = saying_figure(input, width, 400, *figures::themes().find("dark"), figures::measure());
  for (const figures::Text& text : figures::all<figures::Text>(figure)) lines += text.text + "\n";
  return lines;
}

TEST(HeadSayingLines, ATitleOfMoreThanTwoLinesGivesWayToTheBriefOne) {
  SayingInput input;
  input.title = "Layer 3, head 1 is named “determiner and noun” after 56 marked texts; here:";
  input.brief_title = "Layer 3, head 1 is named “determiner and noun”; here:";
  input.role = HeadRole{HeadPattern::determiner, 0.88};
  EXPECT_NE(lines_of_saying(input, 1000).find("marked texts; here:"), std::string::npos);
  const std::string narrow = lines_of_saying(input, 430);
  EXPECT_EQ(narrow.find("marked"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("here:"), std::string::npos) << narrow;
}

TEST(HeadSayingLines, ALineWhoseRestIsLeftOutEndsWithoutAComma) {
  std::string line = "weight, fixed 0..1,";
  end_whole(line);
  EXPECT_EQ(line, "weight, fixed 0..1");
  line = "some labels have no room: ";
  end_whole(line);
  EXPECT_EQ(line, "some labels have no room");
  line = "权重，固定 0..1，";
  end_whole(line);
  EXPECT_EQ(line, "权重，固定 0..1");
}

}  // namespace
}  // namespace headlight::views::heads
