// The backend interface's promises besides numbers: wrong inputs are named, cancelled work reports it, S13 is exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/cases.h"
#include "engine/backends/backends.h"
#include "engine/operations/attention.h"
#include "engine/operations/gather.h"
#include "engine/operations/isdpa.h"
#include "engine/operations/linear.h"
#include "engine/operations/operations.h"

namespace headlight::conformance {
namespace {

using namespace backends;

TEST(Backends, RegistryHasNoDuplicates) { EXPECT_EQ(registry().duplicate(), ""); }

TEST(Backends, EveryEntryIsADeviceOrSaysWhyNot) {
  const std::vector<Device> all = devices();
  for (const Entry& entry : registry().entries())
    EXPECT_EQ(std::count_if(all.begin(), all.end(), [&](const Device& device) { return device.id == entry.id; }), 1) << entry.id;
  for (const Device& device : all) {
    EXPECT_FALSE(device.label.empty());
    EXPECT_EQ(device.available, device.why.empty()) << device.id << ": " << device.why;
    // A GPU adds its precisions and further GPUs, as "cuda:tf32" or "cuda:1".
    EXPECT_NE(registry().find(device.id.substr(0, device.id.find(':'))), nullptr) << device.id;
  }
}

TEST(Backends, UnknownNameListsTheKnown) {
  const auto backend = backends::open("abacus");
  ASSERT_FALSE(backend.ok());
  EXPECT_NE(backend.error().sentence().find("reference, cpu, cuda"), std::string::npos) << backend.error().sentence();
}

// S13, unscaled, to the digits printed there.
TEST(Backends, ThreeWordExample) {
  const Tensor q = Tensor::of<double>({1, 0, 0, 1, 1, 1}, {1, 1, 3, 2});
  const Tensor k = Tensor::of<double>({1, 1, 0, 1, 1, 2}, {1, 1, 3, 2});
  const Tensor v = Tensor::of<double>({1, 2, 3, 0, 4, 2}, {1, 1, 3, 2});
  Attention op{1, 1, 3, 3, 2, 2};
  op.keep_scores = op.keep_weights = true;
  const double y[] = {2.5777, 1.6893, 3.1522, 1.5761, 3.1758, 1.8199};
  const double scores[] = {1, 0, 1, 1, 1, 2, 2, 1, 3};
  const double weights[] = {.4223, .1554, .4223, .2119, .2119, .5761, .2447, .0900, .6652};
  for (const std::string& environment : environments()) {
    const auto backend = open(environment);
    if (!backend || !(*backend)->supports(op)) continue;
    if (!(*backend)->precision().starts_with("float")) continue;  // tf32 and bf16 have three digits; these values have four
    SCOPED_TRACE(environment);
    const auto out = compute(**backend, op, {q, k, v});
    ASSERT_TRUE(out.ok());
    const Tensor made[] = {(*out)[0].as(DType::f64), (*out)[1].as(DType::f64), (*out)[2].as(DType::f64)};
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(made[0].data<double>()[i], y[i], 5.1e-5);  // half a unit of the fourth digit
    for (int i = 0; i < 9; ++i) EXPECT_EQ(made[1].data<double>()[i], scores[i]);
    for (int i = 0; i < 9; ++i) EXPECT_NEAR(made[2].data<double>()[i], weights[i], 5.1e-5);
  }
}

TEST(Backends, CancelledWorkSaysSo) {
  CancelSource source;
  source.cancel();
  for (const std::string& environment : environments()) {
    const auto backend = open(environment);
    if (!backend) continue;
    for (const operations::Kind* kind : operations::kinds()) {
      const Case c = cases_of(*kind).front();
      SCOPED_TRACE(environment + ", " + c.name);
      std::vector<Buffer> in;
      for (const Tensor& t : c.inputs) in.push_back(*(*backend)->upload(t));
      const auto out = (*backend)->apply(c.desc, in, source.token());
      ASSERT_FALSE(out.ok());
      EXPECT_EQ(out.error().kind, ErrorKind::cancelled);
    }
  }
}

std::string refusal(const OpDesc& desc, const std::vector<Tensor>& inputs) {
  const auto cpu = backends::open("cpu");
  const auto out = compute(**cpu, desc, inputs);
  return out.ok() ? "accepted" : out.error().sentence();
}

TEST(Backends, WrongInputsAreNamed) {
  const Linear linear{2, 3, 4};
  const std::vector<Tensor> good = inputs_for(linear, "good");
  EXPECT_EQ(refusal(linear, good), "accepted");
  EXPECT_EQ(refusal(linear, {good[0]}), "linear: 1 inputs; it takes 2");
  EXPECT_EQ(refusal(linear, {good[0], good[0]}), "linear: input 1 is [2, 3]; it must be [3, 4]");
  EXPECT_EQ(refusal(linear, {good[0], uniform_ids("ids", {3, 4}, 2)}), "linear: input 1 is int32; it must be float32");
  EXPECT_EQ(refusal(Linear{0, 3, 4}, good), "linear: rows is 0; it must be at least 1");

  const Gather gather{2, 3, 4};
  std::vector<Tensor> rows = inputs_for(gather, "rows");
  rows[1] = Tensor::of<std::int32_t>({1, 3}, {2});
  EXPECT_EQ(refusal(gather, rows), "gather: index 3 at [1] is outside the table of 3 rows; indices run from 0 to 2");

  Isdpa isdpa;
  isdpa.words = 2;
  isdpa.length = 3;
  isdpa.vocabulary = 5;
  isdpa.d = 4;
  std::vector<Tensor> words = inputs_for(isdpa, "words");
  words.back().data<std::int32_t>()[4] = -1;
  EXPECT_EQ(refusal(isdpa, words), "isdpa: index -1 at [1, 1] is outside the table of 5 rows; indices run from 0 to 4");
  isdpa.pad_index = 5;
  EXPECT_EQ(refusal(isdpa, words), "isdpa: the padding index is 5; it must be 0 to 4, or -1 for none");
  isdpa.pad_index = -1;
  isdpa.keep_result = false;
  EXPECT_EQ(refusal(isdpa, words), "isdpa: nothing is kept; keep at least one output");

  Attention attention{1, 6, 3, 3, 2, 2};
  attention.kv_heads = 4;
  EXPECT_EQ(
      refusal(attention, {}),
      "attention: 6 query heads over 4 key/value heads; the number of key/value heads must divide the number of query heads");
  attention.kv_heads = 0;
  attention.temperature = 0;
  EXPECT_NE(refusal(attention, {}).find("it must be greater than 0"), std::string::npos);
  attention.temperature = 1;
  attention.has_mask = true;
  std::vector<Tensor> masked = inputs_for(attention, "masked");
  masked.back() = Tensor(DType::u8, {1, 1, 2, 3});
  EXPECT_EQ(refusal(attention, masked), "attention: input 3 is [1, 1, 2, 3]; it must be [1, 6, 3, 3], each size that or 1");
}

TEST(Backends, SizesBeyondTheMachineAreRefused) {
  const auto cpu = backends::open("cpu");
  const auto out = (*cpu)->allocate(DType::f32, {std::int64_t{1} << 40, 64}, {});
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().kind, ErrorKind::too_large);
  const auto overflow = signature(Linear{std::int64_t{1} << 31, std::int64_t{1} << 31, std::int64_t{1} << 31}, DType::f64);
  ASSERT_FALSE(overflow.ok());
  EXPECT_EQ(overflow.error().kind, ErrorKind::too_large);
}

}  // namespace
}  // namespace headlight::conformance
