// Previous token and induction, measured on maps that are written out.
#include "engine/attention/patterns/order_patterns.h"

#include <gtest/gtest.h>

namespace headlight {
namespace {

// Rows of the tokens a b a b.
Tensor map() {
  return Tensor::of(std::vector<float>{1, 0, 0, 0, 0.25f, 0.75f, 0, 0, 0.5f, 0.125f, 0.375f, 0, 0.125f, 0.25f, 0.5f, 0.125f},
                    {4, 4}, {"query", "key"});
}
Tensor causal(bool hides_one = false) {
  Tensor mask(DType::u8, {4, 4}, {"query", "key"});
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t j = 0; j <= i; ++j) mask.data<std::uint8_t>()[i * 4 + j] = 1;
  if (hides_one) mask.data<std::uint8_t>()[2 * 4 + 1] = 0;
  return mask;
}
const std::vector<std::int32_t> kIds = {5, 9, 5, 9};

TEST(OrderPatterns, AreMeansOverTheRowsThatHaveTheCell) {
  const patterns::HeadMap head(map(), causal());
  EXPECT_EQ(patterns::previous_weight(head).count, 3);
  EXPECT_NEAR(patterns::previous_weight(head).value(), (0.25 + 0.125 + 0.5) / 3, 1e-12);
  // Row 2 has token 5 again, behind which stood column 1; row 3 token 9, behind which stood column 2.
  EXPECT_EQ(patterns::induction_weight(head, kIds).count, 2);
  EXPECT_NEAR(patterns::induction_weight(head, kIds).value(), (0.125 + 0.5) / 2, 1e-12);
}

TEST(OrderPatterns, WhatTheMaskHidesDoesNotCount) {
  const patterns::HeadMap head(map(), causal(true));
  EXPECT_EQ(patterns::previous_weight(head).count, 2);
  EXPECT_EQ(patterns::induction_weight(head, kIds).count, 1);
  EXPECT_NEAR(patterns::induction_weight(head, kIds).value(), 0.5, 1e-12);
  const patterns::HeadMap open(map(), Tensor());
  EXPECT_NEAR(patterns::induction_weight(open, kIds).value(), (0.125 + 0.5) / 2, 1e-12) << "without a mask everything is seen";
  EXPECT_EQ(patterns::induction_weight(open, std::vector<std::int32_t>{1, 2, 3, 4}).count, 0) << "no token comes again";
}

}  // namespace
}  // namespace headlight
