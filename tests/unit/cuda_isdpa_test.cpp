// Index-based attention on the CUDA backend over the emulated module: what is recorded, what is kept between calls.
#include <map>

#include "engine/operations/isdpa.h"
#include "unit/cuda_backend_fixture.h"

namespace headlight {
namespace {

using backends::Backend;
using backends::Buffer;
namespace cuda = backends::cuda;

// The same arrays repeatedly: run, recorded, replayed; with other arrays in between.
TEST_F(CudaBackend, RecordedWorkFollowsItsArrays) {
  const auto backend = open();
  ASSERT_TRUE(backend.ok());
  backends::Isdpa op;
  op.words = 5;
  op.length = 4;
  op.vocabulary = 6;
  op.d = 8;
  const auto plan = (*backend)->prepare(op);
  ASSERT_TRUE(plan.ok());
  const auto inputs = [&](const char* name) {
    std::vector<Buffer> in;
    in.push_back(*(*backend)->upload(numbers((std::string(name) + "F").c_str(), {6, 8})));
    in.push_back(*(*backend)->upload(numbers((std::string(name) + "P").c_str(), {4, 8})));
    for (const char* w : {"Q", "K", "V"}) in.push_back(*(*backend)->upload(numbers((std::string(name) + w).c_str(), {8, 8})));
    Tensor ids(DType::i32, {5, 4});
    for (int i = 0; i < 20; ++i) ids.data<std::int32_t>()[i] = i * 7 % 6;
    in.push_back(*(*backend)->upload(ids));
    return in;
  };
  const auto a = inputs("a"), b = inputs("b");
  std::vector<Buffer> out{*(*backend)->allocate(DType::f32, {5, 8}, {"word", "d_model"})};
  for (const bool first : {true, true, false, true, false, false, true}) {
    const auto& in = first ? a : b;
    ASSERT_TRUE((*backend)->execute(**plan, in, out, {}).ok());
    const auto expected = (*backend)->apply(op, in);
    ASSERT_TRUE(expected.ok());
    EXPECT_EQ(difference(*(*backend)->download(out[0]), *(*backend)->download((*expected)[0])).max_abs, 0);
  }
}

TEST_F(CudaBackend, CachedTablesFollowTheirInputs) {
  const auto backend = open();
  ASSERT_TRUE(backend.ok());
  backends::Isdpa op;
  op.words = 3;
  op.length = 4;
  op.vocabulary = 5;
  op.d = 8;
  op.cached = true;
  const auto plan = (*backend)->prepare(op);
  ASSERT_TRUE(plan.ok());
  std::vector<Buffer> in;
  in.push_back(*(*backend)->upload(numbers("F", {5, 8})));
  in.push_back(*(*backend)->upload(numbers("P", {4, 8})));
  for (const char* w : {"WQ", "WK", "WV"}) in.push_back(*(*backend)->upload(numbers(w, {8, 8})));
  const auto words = [&](int step) {
    Tensor ids(DType::i32, {3, 4});
    for (int i = 0; i < 12; ++i) ids.data<std::int32_t>()[i] = i * step % 5;
    return *(*backend)->upload(ids);
  };
  in.push_back(words(2));
  std::vector<Buffer> out{*(*backend)->allocate(DType::f32, {3, 8}, {"word", "d_model"})};
  const auto agrees = [&] {
    ASSERT_TRUE((*backend)->execute(**plan, in, out, {}).ok());
    backends::Isdpa fresh = op;
    fresh.cached = false;
    const auto expected = (*backend)->apply(fresh, in);
    ASSERT_TRUE(expected.ok());
    ASSERT_LE(difference(*(*backend)->download(out[0]), *(*backend)->download((*expected)[0])).max_abs, 1e-6);
  };
  for (int turn = 0; turn < 4; ++turn) agrees();  // the first makes the tables, the last are replayed
  in.back() = words(3);
  agrees();
  in[3] = *(*backend)->upload(numbers("another WK", {8, 8}));
  agrees();
  in[0] = *(*backend)->upload(numbers("another F", {5, 8}));
  agrees();
}

// Every method of index-based attention, with changing and with fixed weights, words in turn: run, recorded, replayed. What
// depends on the words (symbols that occur, distinct rows, padding) must follow their values, not their addresses.
TEST_F(CudaBackend, EveryWayOfTheIndexIsRecordedAndFollowsItsWords) {
  using Method = backends::Isdpa::Method;
  const auto backend = open();
  ASSERT_TRUE(backend.ok());
  for (const Method method : {Method::index, Method::direct, Method::direct_pooled, Method::direct_folded,
                              Method::direct_distinct, Method::direct_distinct_folded, Method::direct_attention}) {
    for (const bool cached : {false, true}) {
      for (const std::int64_t vocabulary : {6, 2500}) {
        SCOPED_TRACE(std::to_string(static_cast<int>(method)) + (cached ? " cached " : " ") + std::to_string(vocabulary));
        backends::Isdpa op;
        op.words = 3;
        op.length = 4;
        op.vocabulary = vocabulary;
        op.d = 8;
        op.pad_index = 1;
        op.method = method;
        op.cached = cached;
        const auto plan = (*backend)->prepare(op);
        ASSERT_TRUE(plan.ok());
        std::vector<Buffer> in{*(*backend)->upload(numbers("F", {vocabulary, 8})), *(*backend)->upload(numbers("P", {4, 8}))};
        for (const char* w : {"Q", "K", "V"}) in.push_back(*(*backend)->upload(numbers(w, {8, 8})));
        const auto words = [&](int step) {
          Tensor ids(DType::i32, {3, 4});
          for (int i = 0; i < 12; ++i) ids.data<std::int32_t>()[i] = static_cast<std::int32_t>(i * step % vocabulary);
          return *(*backend)->upload(ids);
        };
        // The fewest symbols first: later words need larger workspaces, and earlier recordings must not use the old ones.
        std::vector<Buffer> sets{words(0), words(1), words(7)};
        in.push_back(sets[0]);
        std::vector<Buffer> out{*(*backend)->allocate(DType::f32, {3, 8}, {"word", "d_model"})};
        const std::uint64_t before = (*backend)->replays();
        const auto agrees = [&] {
          ASSERT_TRUE((*backend)->execute(**plan, in, out, {}).ok());
          backends::Isdpa written = op;
          written.cached = false;
          written.method = Method::direct;
          const auto expected = (*backend)->apply(written, in);
          ASSERT_TRUE(expected.ok());
          ASSERT_LE(difference(*(*backend)->download(out[0]), *(*backend)->download((*expected)[0])).max_abs, 1e-4);
        };
        constexpr int kRounds = 5;
        for (int turn = 0; turn < 3 * kRounds; ++turn) {
          in.back() = sets[static_cast<std::size_t>(turn % 3)];
          agrees();
        }
        // From the fourth round on at the latest: run, perhaps once more because workspaces have grown, recorded.
        EXPECT_GE((*backend)->replays() - before, 6U);
        // Other words at the same address.
        for (int turn = 0; turn < 4; ++turn) {
          in.back() = {};
          sets.clear();
          sets.push_back(words(11 + turn));
          in.back() = sets[0];
          agrees();
        }
      }
    }
  }
}

// With fixed weights the baselines keep what they can, as the index does, and a call makes fewer launches.
TEST_F(CudaBackend, WhatCanBeKeptIsKept) {
  using Method = backends::Isdpa::Method;
  const auto backend = open();
  ASSERT_TRUE(backend.ok());
  std::vector<Buffer> in{*(*backend)->upload(numbers("F", {6, 8})), *(*backend)->upload(numbers("P", {4, 8}))};
  for (const char* w : {"Q", "K", "V"}) in.push_back(*(*backend)->upload(numbers(w, {8, 8})));
  Tensor ids(DType::i32, {4, 4});
  for (int i = 0; i < 16; ++i) ids.data<std::int32_t>()[i] = i % 6;
  in.push_back(*(*backend)->upload(ids));
  std::vector<Buffer> out{*(*backend)->allocate(DType::f32, {4, 8}, {"word", "d_model"})};
  const std::map<Method, std::int64_t> saved{
      {Method::index, 2},                   // projections, table
      {Method::direct_folded, 1},           // WQ WK^T
      {Method::direct_distinct, 2},         // the rows, their projections
      {Method::direct_distinct_folded, 3},  // both
  };
  for (const auto& [method, fewer] : saved) {
    std::int64_t launches[2][2] = {};
    for (const bool cached : {false, true}) {
      backends::Isdpa op;
      op.words = 4;
      op.length = 4;
      op.vocabulary = 6;
      op.d = 8;
      op.method = method;
      op.cached = cached;
      const auto plan = (*backend)->prepare(op);
      ASSERT_TRUE(plan.ok());
      for (auto& counted : launches[cached ? 1 : 0]) {
        const std::int64_t before = emulation::launches();
        ASSERT_TRUE((*backend)->execute(**plan, in, out, {}).ok());
        ASSERT_TRUE((*backend)->finish().ok());
        counted = emulation::launches() - before;
      }
    }
    EXPECT_EQ(launches[0][0], launches[0][1]);
    EXPECT_EQ(launches[0][0], launches[1][0]);
    EXPECT_EQ(launches[1][0] - launches[1][1], fewer) << static_cast<int>(method);
  }
}

}  // namespace
}  // namespace headlight
