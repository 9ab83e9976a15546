// The Index lab's computations: the notebook's alphabet, the four terms, the table they are looked up in, errors, counted
// operations.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <numeric>
#include <set>

#include "engine/backends/backends.h"
#include "engine/backends/cuda/cuda_backend.h"
#include "engine/bench/ceilings.h"
#include "engine/bench/lab.h"
#include "engine/operations/isdpa.h"
#include "gpu/emulation/emulated_module.h"

namespace headlight::bench {
namespace {

TEST(Lab, AppleIsTheNotebooksExample) {
  EXPECT_EQ(index_word("apple", 8).ids, (std::vector<std::int32_t>{1, 16, 16, 12, 5, 0, 0, 0}));
  const IndexedWord cut = index_word("Zoë 9!", 5);
  EXPECT_EQ(cut.ids, (std::vector<std::int32_t>{52, 15, 63, 63, 62}));
  EXPECT_EQ(cut.labels, (std::vector<std::string>{"Z", "o", "ë", "␣", "9"}));
  EXPECT_EQ(index_word("\xff", 1).labels[0], "0xFF");
  EXPECT_EQ(index_word("", 2).ids, (std::vector<std::int32_t>{0, 0}));
}

TEST(Lab, TermsAddUpAndStandInTheTable) {
  const auto cpu = backends::open("cpu");
  ASSERT_TRUE(cpu.ok());
  const auto terms = word_terms(**cpu, "apple", 8, 64, {});
  ASSERT_TRUE(terms.ok()) << terms.error().sentence();
  const std::int64_t l = 8, n = kAlphabet, width = n + l;
  const auto at = [](const Tensor& t, std::int64_t i) { return static_cast<double>(t.data<float>()[i]); };
  double largest = 0;
  for (std::int64_t i = 0; i < l; ++i) {
    for (std::int64_t j = 0; j < l; ++j) {
      const std::int64_t cell = i * l + j;
      const std::int64_t a = terms->word.ids[static_cast<std::size_t>(i)], b = terms->word.ids[static_cast<std::size_t>(j)];
      const double sum = at(terms->mm, cell) + at(terms->mp, cell) + at(terms->pm, cell) + at(terms->pp, cell);
      // float32: sums of 64 products of numbers around 1, added in another order.
      ASSERT_NEAR(sum, at(terms->qk, cell), 1e-4);
      ASSERT_NEAR(at(terms->table, a * width + b), at(terms->mm, cell), 1e-4);
      ASSERT_NEAR(at(terms->table, a * width + n + j), at(terms->mp, cell), 1e-4);
      ASSERT_NEAR(at(terms->table, (n + i) * width + b), at(terms->pm, cell), 1e-4);
      ASSERT_NEAR(at(terms->table, (n + i) * width + n + j), at(terms->pp, cell), 1e-4);
      largest = std::max(largest, std::abs(sum));
    }
  }
  EXPECT_GT(largest, 0.1);  // not a word of zeros
  EXPECT_GT(terms->mean_index, 0);
  EXPECT_LT(terms->relative_index, 1e-5);
  EXPECT_LT(terms->relative_direct, 1e-5);
}

// With weights of the positions' own every term, the sum and the table are those of the plain formula, in double.
TEST(Lab, PositionsMayHaveWeightsOfTheirOwn) {
  const auto cpu = backends::open("cpu");
  ASSERT_TRUE(cpu.ok());
  constexpr std::int64_t kL = 8, kD = 48;
  const auto shared = word_terms(**cpu, "apple", kL, kD, {}), own = word_terms(**cpu, "apple", kL, kD, {}, true);
  ASSERT_TRUE(shared.ok() && own.ok());
  Request request;
  request.words = 1;
  request.length = kL;
  request.d = kD;
  request.position_weights = true;
  const std::vector<Tensor> in = notebook_inputs(request, 1);
  ASSERT_EQ(in.size(), 9u);
  const auto row = [&](const Tensor& x, std::int64_t i, const Tensor& w) {
    std::vector<double> y(kD, 0.0);
    for (std::int64_t c = 0; c < kD; ++c)
      for (std::int64_t j = 0; j < kD; ++j) y[static_cast<std::size_t>(c)] += x.at({i, j}) * w.at({j, c});
    return y;
  };
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  double apart = 0;
  for (std::int64_t i = 0; i < kL; ++i)
    for (std::int64_t j = 0; j < kL; ++j) {
      const std::int64_t a = own->word.ids[static_cast<std::size_t>(i)], b = own->word.ids[static_cast<std::size_t>(j)];
      const auto meta_q = row(in[0], a, in[2]), pos_q = row(in[1], i, in[5]), meta_k = row(in[0], b, in[3]),
                 pos_k = row(in[1], j, in[6]);
      EXPECT_NEAR(own->mm.at({i, j}), dot(meta_q, meta_k), 1e-4);
      EXPECT_NEAR(own->mp.at({i, j}), dot(meta_q, pos_k), 1e-4);
      EXPECT_NEAR(own->pm.at({i, j}), dot(pos_q, meta_k), 1e-4);
      EXPECT_NEAR(own->pp.at({i, j}), dot(pos_q, pos_k), 1e-4);
      EXPECT_NEAR(own->qk.at({i, j}), dot(meta_q, meta_k) + dot(meta_q, pos_k) + dot(pos_q, meta_k) + dot(pos_q, pos_k), 1e-4);
      EXPECT_NEAR(own->table.at({kAlphabet + i, b}), own->pm.at({i, j}), 1e-4);
      EXPECT_NEAR(own->table.at({kAlphabet + i, kAlphabet + j}), own->pp.at({i, j}), 1e-4);
      EXPECT_EQ(own->mm.at({i, j}), shared->mm.at({i, j})) << "the symbols' weights are the same";
      apart = std::max(apart, std::abs(own->pp.at({i, j}) - shared->pp.at({i, j})));
    }
  EXPECT_GT(apart, 0.1);
  EXPECT_LT(own->relative_index, 1e-5);
  EXPECT_LT(own->relative_direct, 1e-5);
}

// Ways that need one weight for symbols and positions are left out; the others agree with the layer in double.
TEST(Lab, WithPositionWeightsTheWaysThatCanAreMeasured) {
  Request request;
  request.backend = backends::open("cpu").value();
  request.words = 6;
  request.length = 5;
  request.vocab = 9;
  request.d = 16;
  request.stage = "layer";
  request.effort = {0, 1};
  request.position_weights = true;
  const auto rows = isdpa(request, {});
  ASSERT_TRUE(rows.ok()) << rows.error().sentence();
  std::set<std::string> variants;
  for (const Row& row : *rows) {
    variants.insert(row.variant);
    ASSERT_TRUE(row.error) << row.variant;
    EXPECT_LT(row.error->relative, 1e-5) << row.variant;
  }
  EXPECT_EQ(variants, (std::set<std::string>{"layer:index", "layer:notebook", "layer:fused", "layer:pooled",
                                             "layer:index-unpooled", "layer:fused-unpooled"}));
  const auto d = stage_differences(request, {});
  ASSERT_TRUE(d.ok());
  EXPECT_GT(d->qk, 0);
  EXPECT_LT(d->qk, 1e-5);
}

// The weights shown are those that the layer pools, as the reference computes them from the indices.
TEST(Lab, AWordsWeightsAreWhatTheLayerPools) {
  const auto cpu = backends::open("cpu"), reference = backends::open("reference");
  ASSERT_TRUE(cpu.ok() && reference.ok());
  constexpr std::int64_t kL = 8, kD = 64;
  const auto terms = word_terms(**cpu, "apple", kL, kD, {});
  ASSERT_TRUE(terms.ok()) << terms.error().sentence();
  Request request;
  request.words = 1;
  request.length = kL;
  request.d = kD;
  std::vector<Tensor> inputs = notebook_inputs(request, 1);
  std::copy(terms->word.ids.begin(), terms->word.ids.end(), inputs.back().data<std::int32_t>());
  for (const bool masked : {false, true}) {
    backends::Isdpa op;
    op.words = 1;
    op.length = kL;
    op.vocabulary = kAlphabet;
    op.d = kD;
    op.method = backends::Isdpa::Method::direct;
    op.pad_index = masked ? 0 : -1;
    op.keep_score = true;
    op.keep_result = false;
    std::vector<backends::Buffer> in;
    for (const Tensor& t : inputs) in.push_back((*reference)->upload(t).value());
    const auto out = (*reference)->apply(op, in, {});
    ASSERT_TRUE(out.ok()) << out.error().sentence();
    const Tensor expected = (*reference)->download((*out)[0]).value();
    const WordWeights weights = word_weights(*terms, kD, masked);
    double sum = 0;
    for (std::int64_t j = 0; j < kL; ++j) {
      const double mean = static_cast<double>(weights.pooled.data<float>()[j]);
      EXPECT_NEAR(mean, expected.data<double>()[j], 1e-6) << j;
      sum += mean;
      if (masked && j >= 5) {
        EXPECT_EQ(mean, 0) << "padding";
      }
    }
    EXPECT_NEAR(sum, 1, 1e-6);
    for (std::int64_t i = 0; i < kL; ++i) {
      double row = 0;
      for (std::int64_t j = 0; j < kL; ++j) row += static_cast<double>(weights.weights.data<float>()[i * kL + j]);
      EXPECT_NEAR(row, 1, 1e-6);
    }
  }
  // A word of padding only has no queries for the mean.
  const auto nothing = word_terms(**cpu, "", 4, 16, {});
  ASSERT_TRUE(nothing.ok());
  for (std::int64_t j = 0; j < 4; ++j) EXPECT_EQ(word_weights(*nothing, 16, true).pooled.data<float>()[j], 0);
}

// Words with the lengths of a text: 1 to 12 symbols that are not padding, then only padding, in the stated amount.
TEST(Lab, WordsHaveTheLengthsOfAText) {
  Request request;
  request.words = 4000;
  request.length = 32;
  request.vocab = 20;
  request.d = 1;
  EXPECT_EQ(expected_padding(request), 0.05);
  request.word_lengths = true;
  const Tensor ids = notebook_inputs(request, 3).back();
  std::int64_t padding = 0;
  std::set<std::int32_t> symbols;
  for (std::int64_t w = 0; w < request.words; ++w) {
    bool over = false;
    for (std::int64_t i = 0; i < 32; ++i) {
      const std::int32_t id = ids.data<std::int32_t>()[w * 32 + i];
      ASSERT_TRUE(id >= 0 && id < 20);
      ASSERT_TRUE(!over || id == 0) << "a symbol behind padding";
      over = id == 0;
      ASSERT_TRUE(i > 0 || id != 0);
      ASSERT_TRUE(i < 12 || id == 0);
      padding += id == 0 ? 1 : 0;
      symbols.insert(id);
    }
  }
  EXPECT_EQ(symbols.size(), 20u);
  EXPECT_NEAR(expected_padding(request), 1 - 4.075 / 32, 1e-12);
  EXPECT_NEAR(static_cast<double>(padding) / (4000 * 32), expected_padding(request), 0.005);
  // Cut at l.
  request.length = 1;
  EXPECT_EQ(expected_padding(request), 0);
  request.vocab = 1;
  EXPECT_EQ(notebook_inputs(request, 3).back().data<std::int32_t>()[0], 0);
}

TEST(Lab, BothWaysDifferByRoundingInEveryStage) {
  Request request;
  request.backend = backends::open("cpu").value();
  request.words = 5;
  request.length = 6;
  request.vocab = 20;
  request.d = 64;
  const auto d = stage_differences(request, {});
  ASSERT_TRUE(d.ok()) << d.error().sentence();
  for (const double difference : {d->q, d->qk, d->layer}) {
    EXPECT_GT(difference, 0);
    EXPECT_LT(difference, 1e-5);
  }
  EXPECT_GT(d->qk, d->layer) << "sums of d products of numbers around 1, against means";
}

// The printed formulas match the counts, at sizes where each letter has a distinct value.
TEST(Lab, FormulasSayWhatIsCounted) {
  const double W = 500, l = 32, d = 512;
  LabSizes s;
  const double m = symbols_that_occur(s) + l, r = rows_that_occur(s);
  EXPECT_NEAR(m, 96, 1e-9);
  EXPECT_NEAR(index_flops(s, false), 6 * m * d * d + 2 * m * m * d + 8 * W * l * l + 4 * W * l * d, 1);
  EXPECT_EQ(index_formula(s, false), "6 m d² + 2 min(m², W l²) d + 8 W l² + 4 W l d");
  EXPECT_EQ(index_formula(s, true), "8 W l² + 4 W l d");
  EXPECT_NEAR(shortcut_flops(s, false),
              2 * d * d * d + 2 * r * d * d + 2 * W * l * l * d + 8 * W * l * l + 2 * W * l * d + 2 * W * d * d, 1);
  EXPECT_EQ(shortcut_formula(s, false), "min(2 d³ + 2 r d², 4 r d²) + 2 W l² d + 8 W l² + 2 W l d + 2 W d²");
  s.heads = 8;
  EXPECT_NEAR(index_flops(s, true), 8 * 8 * W * l * l + 4 * W * l * d, 1);
  EXPECT_EQ(index_formula(s, true), "8 h W l² + 4 W l d");
  EXPECT_NEAR(shortcut_flops(s, false), 4 * r * d * d + 2 * W * l * l * d + 8 * 8 * W * l * l + 2 * W * l * d + 2 * W * d * d, 1);
  s.pooled = false;
  EXPECT_NEAR(index_flops(s, true), 8 * 8 * W * l * l + W * l * d + 2 * W * l * l * d, 1);
  EXPECT_EQ(index_formula(s, true), "8 h W l² + W l d + 2 W l² d");
  EXPECT_NEAR(written_flops(s), 6 * W * l * d * d + 4 * W * l * l * d, 1);
  EXPECT_EQ(written_formula(s), "6 W l d² + 4 W l² d");
  EXPECT_NEAR(shortcut_flops(s, false), 6 * r * d * d + 4 * W * l * l * d + 8 * 8 * W * l * l, 1);
  // With weights of the positions' own, P's projections are made apart, once for all words.
  LabSizes own;
  own.position_weights = true;
  EXPECT_EQ(index_flops(own, false), index_flops(LabSizes{}, false));
  EXPECT_NEAR(written_flops(own), 6 * W * l * d * d + 6 * l * d * d + 2 * W * l * l * d, 1);
  EXPECT_EQ(written_formula(own), "6 W l d² + 6 l d² + 2 W l² d");
  EXPECT_NEAR(shortcut_flops(own, false),
              4 * W * l * d * d + 6 * l * d * d + 2 * W * l * l * d + 8 * W * l * l + 4 * W * l * d + 2 * W * d * d, 1);
  EXPECT_EQ(shortcut_formula(own, false), "4 W l d² + 6 l d² + 2 W l² d + 8 W l² + 4 W l d + 2 W d²");
  backends::Isdpa pooled;
  pooled.words = 500;
  pooled.length = 32;
  pooled.vocabulary = 64;
  pooled.d = 512;
  pooled.separate_position_weights = true;
  pooled.method = backends::Isdpa::Method::direct_pooled;
  EXPECT_NEAR(shortcut_flops(own, false) / cost_of(pooled, DType::f32).flops, 1, 0.01);
  // Padding is one symbol, however often it occurs.
  s.vocab = 1 << 16;
  const double all = symbols_that_occur(s);
  s.padding = 0.75;
  EXPECT_NEAR(symbols_that_occur(s), expected_distinct(1 << 16, 500 * 32 / 4.0), 1e-6);
  EXPECT_LT(symbols_that_occur(s), all / 2);
}

TEST(Lab, EveryErrorIsCounted) {
  Request request;
  request.backend = backends::open("cpu").value();
  request.words = 9;
  request.length = 6;
  request.vocab = 20;
  request.d = 32;
  request.heads = 2;
  request.pad_index = 0;
  const auto h = error_histogram(request, {});
  ASSERT_TRUE(h.ok()) << h.error().sentence();
  EXPECT_EQ(h->values, 9 * 32);
  EXPECT_EQ(std::accumulate(h->index.begin(), h->index.end(), std::int64_t{0}), h->values);
  EXPECT_EQ(std::accumulate(h->direct.begin(), h->direct.end(), std::int64_t{0}), h->values);
  EXPECT_LT(h->index_errors.relative, 1e-5);
}

// The material's figures at its sizes: 25.7 GFLOP as written, 0.2 index first.
TEST(Lab, CountsAtTheNotebooksSizes) {
  const LabSizes s;
  EXPECT_NEAR(written_flops(s) * 1e-9, 25.69, 0.01);
  EXPECT_NEAR(index_flops(s, false) * 1e-9, 0.197, 0.001);
  EXPECT_NEAR(index_flops(s, true) * 1e-9, 0.0369, 0.0001);
  // Only symbols that occur get rows: one word of 32 among 16,384 symbols has nearly 32 of them.
  EXPECT_NEAR(expected_distinct(64, 16000), 64, 1e-9);
  EXPECT_NEAR(expected_distinct(2, 2), 1.5, 1e-12);
  EXPECT_NEAR(expected_distinct(16384, 32), 32, 0.05);
  EXPECT_EQ(expected_distinct(1, 5), 1);
  const LabSizes few{1, 32, 16384, 512};
  EXPECT_NEAR(index_flops(few, false), 6 * 64 * 512.0 * 512 + 2 * 32 * 32 * 512.0 + 8 * 1024.0 + 4 * 32 * 512.0, 2e5);
  // The same count as in the benchmark's rows, except for the small cost of pooling.
  backends::Isdpa op;
  op.words = 500;
  op.length = 32;
  op.vocabulary = 64;
  op.d = 512;
  op.method = backends::Isdpa::Method::direct_distinct_folded;
  EXPECT_NEAR(shortcut_flops(s, false) / cost_of(op, DType::f32).flops, 1, 0.01);
  op.cached = true;
  EXPECT_NEAR(shortcut_flops(s, true) / cost_of(op, DType::f32, true).flops, 1, 0.01);
  // For a few words folding costs more than it saves: 2 d^3 against 2 r d^2.
  const LabSizes some{4, 32, 64, 512};
  const double r = expected_distinct(64, 4) * 32;
  EXPECT_NEAR(shortcut_flops(some, false) - shortcut_flops(some, true), 4 * r * 512 * 512, 1);
}

// Both modes for every method of the layer, so that fixed weights help all alike; the ceilings are from the same run.
TEST(Lab, EveryWayIsMeasuredWithChangingAndFixedWeights) {
  Request request;
  request.backend = backends::open("cpu").value();
  request.words = 6;
  request.length = 5;
  request.vocab = 9;
  request.d = 16;
  request.stage = "layer";
  request.effort = {0, 1};
  request.sets = 3;
  request.ceilings = true;
  const auto rows = isdpa(request, {});
  ASSERT_TRUE(rows.ok()) << rows.error().sentence();
  std::map<std::string, int> modes;
  for (const Row& row : *rows) {
    modes[row.variant] += row.mode == "cached" ? 2 : 1;
    EXPECT_FALSE(row.samples.empty());
    ASSERT_TRUE(row.error) << row.variant;
    EXPECT_LT(row.error->relative, 1e-5) << row.variant << ' ' << row.mode;
    EXPECT_GT(row.flops, 0);
    EXPECT_GT(row.flops_ceiling, 1e8);
    EXPECT_GT(row.bytes_ceiling, 1e7);
  }
  EXPECT_EQ(modes.size(), 10u);  // index, six methods without it, and three that keep every query
  for (const auto& [variant, seen] : modes) EXPECT_EQ(seen, 3) << variant;
  request.variants = {"layer:fused cached", "layer:index"};
  request.checked_words = 0;
  const auto few = isdpa(request, {});
  ASSERT_TRUE(few.ok());
  ASSERT_EQ(few->size(), 3u);
  for (const Row& row : *few) EXPECT_FALSE(row.error);
}

TEST(Lab, TheReferenceIsGivenAsManyWordsAsItCanDoAtOnce) {
  Request request;
  EXPECT_EQ(words_to_check(request), 4);  // 51 MFLOP per word at the notebook's sizes
  request.d = 32;
  EXPECT_EQ(words_to_check(request), 16);
  request.d = 4096;
  EXPECT_EQ(words_to_check(request), 1);
}

// On a separate device (here emulated) every row gives the times around the device's own time; on the host no row does.
TEST(Lab, LaunchesAndTransfersAreMeasuredApart) {
  namespace cuda = backends::cuda;
  Request request;
  request.words = 3;
  request.length = 4;
  request.vocab = 6;
  request.d = 8;
  request.stage = "layer";
  request.variants = {"layer:index", "layer:index-scores cached", "layer:fused", "layer:attention", "layer:distinct-unpooled"};
  request.effort = {0, 2};
  request.sets = 2;
  for (const bool on_device : {false, true}) {
    request.backend =
        on_device ? cuda::make_backend(emulation::module(), 0, cuda::kBrainFloat16).value() : backends::open("cpu").value();
    const auto rows = isdpa(request, {});
    ASSERT_TRUE(rows.ok()) << rows.error().sentence();
    ASSERT_EQ(rows->size(), on_device ? 9u : 7u) << "the attention kernel is a device's";
    for (const Row& row : *rows) {
      EXPECT_EQ(row.launch > 0, on_device) << row.variant;
      EXPECT_EQ(row.replayed.has_value(), on_device) << row.variant;
      if (row.replayed) {
        EXPECT_EQ(*row.replayed, 1.0) << row.variant << ": the warm-up covers the recording";
      }
      EXPECT_EQ(row.upload > 0, on_device) << row.variant;
      EXPECT_EQ(row.download > 0, on_device) << row.variant;
      EXPECT_EQ(row.precision, on_device ? "bf16" : "float32");
      EXPECT_EQ(row.error.has_value(), row.variant != "layer:index-scores");
      EXPECT_GE(row.samples.size(), 2u);
    }
  }
}

// The effort's clock is the device's. The launch is the time of a call until the device is done, less the device's time; it is
// measured separately.
TEST(Bench, TheDevicesClockCountsAndTheRestIsTheLaunch) {
  int moved = 0, called = 0, warm = 0;
  Contender contender{Row{}, [&](int) {
                        ++called;
                        return Status{};
                      }};
  contender.upload = contender.download = [&] {
    ++moved;
    return Status{};
  };
  contender.warm_up = 9;
  Effort effort{0, 5};
  std::uint64_t clocked = 0;
  effort.clock = [&](const std::function<Status()>& work) -> Result<double> {
    HL_TRY(work());
    ++clocked;
    if (clocked == 9) warm = called;
    return 1e-6;
  };
  effort.finish = [] {
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(2)) {
    }
    return Status{};
  };
  effort.replays = [&] { return clocked / 2; };  // every other call
  std::vector<Contender> both{contender, Contender{Row{}, [](int) { return Status{}; }}};
  const auto rows = measure(std::move(both), effort, {}, {});
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(warm, 9) << "as many as were asked for before anything counts";
  for (const double sample : (*rows)[0].samples) EXPECT_EQ(sample, 1e-6);
  // One to warm up and up to 25 for the launch, fewer after half a second.
  const int for_launch = called - 9 - static_cast<int>((*rows)[0].samples.size());
  EXPECT_GE(for_launch, 4);
  EXPECT_LE(for_launch, 26);
  EXPECT_GE((*rows)[0].launch, 1.9e-3);
  EXPECT_GE((*rows)[0].upload, 1.9e-3) << "until it is done";
  ASSERT_TRUE((*rows)[0].replayed.has_value());
  EXPECT_NEAR(*(*rows)[0].replayed, 0.5, 0.05);
  EXPECT_EQ((*rows)[1].launch, 0) << "nothing is launched where nothing is moved";
  EXPECT_FALSE((*rows)[1].replayed.has_value());
  EXPECT_GE(moved, 8);  // likewise in each direction
  EXPECT_LE(moved, 52);
}

// A ceiling is the fastest tenth of its own runs; it is written into every row and is not a row itself.
TEST(Bench, CeilingsAreToldToTheRows) {
  Row product, copy, layer;
  product.what = copy.what = "ceiling";
  product.variant = "product";
  copy.variant = "copy";
  product.flops = 100;
  copy.bytes = 30;
  for (int i = 0; i < 11; ++i) {
    product.samples.push_back(1 + i);
    copy.samples.push_back(2 + i);
  }
  layer.what = "isdpa";
  layer.flops = 1e9;
  layer.samples = {1e-3};
  std::vector<Row> rows{product, layer, copy};
  apply_ceilings(rows);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_NEAR(rows[0].flops_ceiling, 100 / 2.0, 1e-9);
  EXPECT_NEAR(rows[0].bytes_ceiling, 30 / 3.0, 1e-9);
}

// The attention layer's bench: stages, padding, its pooled output; the default number of heads divides d.
TEST(Bench, SdpaHasStagesPaddingAndAPooledOutput) {
  Request request;
  request.backend = backends::open("cpu").value();
  request.words = 6;
  request.length = 5;
  request.vocab = 9;
  request.d = 33;
  request.heads = 0;
  request.pad_index = 2;
  request.effort = {0, 1};
  const auto rows = sdpa(request, {});
  ASSERT_TRUE(rows.ok()) << rows.error().sentence();
  std::vector<std::string> names;
  for (const Row& row : *rows) {
    names.push_back(row.variant);
    ASSERT_TRUE(row.error) << row.variant;
    EXPECT_LT(row.error->relative, 1e-5) << row.variant;
    EXPECT_EQ(row.sizes.back().second, 3) << "the most below eight that divide 33";
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"q:linear", "qk:kept", "layer:kept", "layer:fused", "pooled:fused", "pooled:first"}));
  request.stage = "pooled";
  request.mode = "cached";
  const auto pooled = sdpa(request, {});
  ASSERT_TRUE(pooled.ok());
  EXPECT_EQ(pooled->size(), 2u);
  request.heads = 5;
  EXPECT_EQ(sdpa(request, {}).error().kind, ErrorKind::usage);
  request.backend = backends::cuda::make_backend(emulation::module(), 0, backends::cuda::kFloat32).value();
  request.heads = 3;
  const auto on_device = sdpa(request, {});
  ASSERT_TRUE(on_device.ok()) << on_device.error().sentence();
  ASSERT_EQ(on_device->size(), 3u) << "through the attention kernel, too";
  for (const Row& row : *on_device) EXPECT_EQ(row.replayed, 1.0) << row.variant;
}

// A disturbed sample is dropped; an undisturbed one stays.
TEST(Bench, DisturbedSamplesAreDropped) {
  std::uint64_t edits = 0;
  int calls = 0;
  Effort effort{0, 4, [&] { return edits; }};
  const auto rows = measure({{Row{},
                              [&](int) {
                                if (++calls % 2 == 0) ++edits;
                                return Status{};
                              }}},
                            effort, {}, {});
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ((*rows)[0].samples.size(), static_cast<std::size_t>((calls - 3) / 2 + (calls - 3) % 2));
}

}  // namespace
}  // namespace headlight::bench
