// Which heads look like this: the weights of all heads on some cells.
#include "engine/insight/heads_at_cells.h"

#include <gtest/gtest.h>

#include "engine/backends/backends.h"
#include "engine/pipeline/run.h"

namespace headlight {
namespace {

TEST(HeadsAtCells, ACellIsWrittenAsQueryAndKey) {
  EXPECT_EQ(cell_from_text("3,1"), (MapCell{3, 1}));
  EXPECT_EQ(text_of_cell({3, 1}), "3,1");
  for (const char* wrong : {"", "3", "3,", ",1", "3,1,2", "3;1", "-1,0", "a,b", "3, 1"})
    EXPECT_FALSE(cell_from_text(wrong)) << wrong;
}

TEST(HeadsAtCells, AreTheMeansOfTheWeightsThatTheMaskAllows) {
  Document document;
  document.texts = {"abcd"};
  document.tokenizer = "characters";
  document.d_model = 16;
  document.heads = 4;
  document.layers = 2;
  document.masks = {{"causal", {}}};
  const auto trace = run(document, **backends::open("reference"), {});
  ASSERT_TRUE(trace.ok()) << trace.error().sentence();
  const std::vector<AttentionSite> sites((*trace)->sites().begin(), (*trace)->sites().end());
  const auto heads = heads_at_cells(**trace, sites, 0, std::vector<MapCell>{{2, 1}, {3, 0}, {0, 3}}, {});
  ASSERT_TRUE(heads.ok()) << heads.error().sentence();
  ASSERT_EQ(heads->size(), 8u);
  const Tensor weights = (*trace)->values("layer.1.weights").value();
  EXPECT_EQ((*heads)[6].layer, 1);
  EXPECT_EQ((*heads)[6].head, 2);
  // The mask hides key 3 from query 0, which therefore does not count.
  EXPECT_NEAR((*heads)[6].weight.value(), (weights.at({0, 2, 2, 1}) + weights.at({0, 2, 3, 0})) / 2, 1e-12);
  const auto hidden = heads_at_cells(**trace, sites, 0, std::vector<MapCell>{{0, 3}}, {});
  ASSERT_TRUE(hidden.ok());
  EXPECT_FALSE((*hidden)[0].weight);
  const auto none = heads_at_cells(**trace, sites, 0, std::vector<MapCell>{{9, 1}}, {});
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().sentence().find("there is no cell 9,1"), std::string::npos);
}

}  // namespace
}  // namespace headlight
