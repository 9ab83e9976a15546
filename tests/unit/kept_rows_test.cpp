// Rows that an edit takes from the run before it: the numbers of a whole run, for less work.
#include "engine/pipeline/kept_rows.h"

#include <gtest/gtest.h>

#include "engine/document/document.h"
#include "engine/operations/add.h"
#include "engine/operations/attention.h"
#include "engine/operations/attention_fill.h"
#include "engine/operations/linear.h"
#include "engine/operations/rotary.h"
#include "engine/operations/transpose.h"
#include "support/edited_run.h"

namespace headlight {
namespace {

using tests::edited_run;
using tests::EditedRun;

constexpr double kRounding = 2e-6;  // other sizes of a product are added up in another order

Document letters() {
  Document d;
  d.tokenizer = "characters";
  d.d_model = 48;
  d.heads = 3;
  d.layers = 3;
  d.masks = {{"causal", {}}};
  return d;
}

struct EditedModel {
  const char* name;
  void (*change)(Document&);
  bool takes_rows;
};
std::ostream& operator<<(std::ostream& out, const EditedModel& kind) { return out << kind.name; }

class KeptRows : public testing::TestWithParam<EditedModel> {};

TEST_P(KeptRows, AnEditHasTheNumbersOfAWholeRun) {
  Document d = letters();
  GetParam().change(d);
  struct Edit {
    const char *before, *after;
    double most;  // share of the operations of a whole run, where rows are taken
  };
  for (const Edit& edit : {Edit{"a fluffy blue creatur", "a fluffy blue creature", 0.15},   // typed at the end
                           Edit{"a fluffy blue creature", "a fluffy blue creatur", 0.15},   // taken away there
                           Edit{"a fluffy blue creature", "a fluffy blve creature", 0.65},  // another letter
                           Edit{"a fluffy blue creature", "a fluffy  blue creature", 0.8},  // one more
                           Edit{"a fluffy blue creature", "the fluffy blue creature", 1.01}}) {
    SCOPED_TRACE(edit.after);
    const EditedRun run = edited_run(d, edit.before, edit.after);
    EXPECT_LE(run.difference, kRounding) << run.step;
    if (GetParam().takes_rows) {
      EXPECT_LE(run.share, edit.most);
    } else {
      EXPECT_GE(run.share, 0.9);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, KeptRows,
                         testing::Values(EditedModel{"causal", [](Document&) {}, true},
                                         EditedModel{"rotary", [](Document& d) { d.position = "rotary"; }, true},
                                         EditedModel{"rotary_halves", [](Document& d) { d.position = "rotary-split"; }, true},
                                         EditedModel{"learned", [](Document& d) { d.position = "learned"; }, true},
                                         EditedModel{"gated_rms",
                                                     [](Document& d) {
                                                       d.norm_kind = "rms";
                                                       d.gated = true;
                                                       d.activation = "silu";
                                                     },
                                                     true},
                                         EditedModel{"post_norm", [](Document& d) { d.norm = "post"; }, true},
                                         EditedModel{"unprojected",
                                                     [](Document& d) {
                                                       d.projected = false;
                                                       d.heads = 1;
                                                     },
                                                     true},
                                         EditedModel{"logits", [](Document& d) { d.logits = true; }, true},
                                         EditedModel{"window",
                                                     [](Document& d) {
                                                       d.masks = {{"causal", {}}, {"window", {{"size", std::int64_t{2}}}}};
                                                     },
                                                     true},
                                         EditedModel{"not_infinite",
                                                     [](Document& d) { d.mask_fill = operations::MaskFill::minus_1e9; }, true},
                                         EditedModel{"no_mask", [](Document& d) { d.masks.clear(); }, false},
                                         EditedModel{"sees_what_follows",
                                                     [](Document& d) {
                                                       d.masks = {{"window", {{"size", std::int64_t{2}}}}};
                                                     },
                                                     false}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(KeptRowsOf, AMaskThatLetsARowSeeWhatFollows) {
  const auto mask = [](std::vector<std::uint8_t> cells, std::int64_t n) { return Tensor::of(cells, {1, 1, n, n}); };
  const Tensor two = mask({1, 0, 1, 1}, 2), three = mask({1, 0, 0, 1, 1, 0, 1, 1, 1}, 3);
  EXPECT_TRUE(same_rows(two, three, 2, true));
  EXPECT_FALSE(same_rows(two, mask({1, 0, 0, 1, 1, 1, 1, 1, 1}, 3), 2, true)) << "row 1 sees the new key";
  EXPECT_TRUE(same_rows(two, mask({1, 0, 0, 1, 1, 1, 1, 1, 1}, 3), 1, true));
  EXPECT_FALSE(same_rows(two, mask({1, 0, 0, 0, 1, 0, 1, 1, 1}, 3), 2, true)) << "row 1 sees another key";
  const Tensor blind = mask({0, 0, 1, 1}, 2);
  EXPECT_TRUE(same_rows(blind, blind, 2, false));
  EXPECT_FALSE(same_rows(blind, blind, 2, true)) << "a row without keys is uniform over all";
  EXPECT_FALSE(same_rows(Tensor(), Tensor(), 1, false)) << "no mask: all is seen";
}

TEST(KeptRowsOf, OperationsOfSomeRows) {
  using namespace operations;
  const auto linear = of_some_rows(Linear{8, 64, 16}, 8, 6, 2);
  ASSERT_TRUE(linear);
  EXPECT_EQ(linear->get_if<Linear>()->rows, 2);
  EXPECT_EQ(of_some_rows(Add{1, 8 * 64, true}, 8, 6, 2)->get_if<Add>()->inner, 2 * 64);
  EXPECT_EQ(of_some_rows(Add{8, 64, false}, 8, 6, 2)->get_if<Add>()->outer, 2);
  const auto turn = of_some_rows(Rotary{3 * 8, 8, 64}, 8, 6, 2);
  EXPECT_EQ(turn->get_if<Rotary>()->rows, 6);
  EXPECT_EQ(turn->get_if<Rotary>()->first, 6);
  const auto attention = of_some_rows(Attention{1, 2, 8, 8, 4, 4}, 8, 6, 2);
  EXPECT_EQ(attention->get_if<Attention>()->queries, 2);
  EXPECT_EQ(attention->get_if<Attention>()->keys, 8);
  EXPECT_FALSE(of_some_rows(Transpose{8, 64}, 8, 6, 2)) << "its columns are the rows";
}

TEST(KeptRowsOf, ATraceThatNobodyHoldsGivesNone) {
  const auto backend = std::make_shared<tests::CountingBackend>();
  StepCache cache(0);  // keeps no step, so that only rows of a trace could be taken
  RunOptions options;
  options.cache = &cache;
  Document d = letters();
  const auto flops_of = [&](const char* text, std::shared_ptr<const Trace>& held) {
    d.texts = {text};
    backend->flops = 0;
    held = run(d, *backend, {}, options).value();
    return backend->flops;
  };
  std::shared_ptr<const Trace> trace, next;
  const double first = flops_of("a fluffy blue creatur", trace);
  EXPECT_LT(flops_of("a fluffy blue creature", next), 0.2 * first);
  trace.reset();
  next.reset();
  EXPECT_GT(flops_of("a fluffy blue creatures", next), first);
}

}  // namespace
}  // namespace headlight
