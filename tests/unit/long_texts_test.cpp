// Methods for long texts: what each computes, in pieces and with cells skipped, against its pattern by plain loops in double.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/attention/long_texts/method.h"
#include "engine/backends/backends.h"
#include "engine/bench/benches.h"
#include "engine/core/rng.h"

namespace headlight::long_texts {
namespace {

Tensor drawn(const char* name, std::int64_t rows, std::int64_t d) {
  const Rng rng(7, name);
  Tensor t(DType::f64, {rows, d});
  for (std::int64_t i = 0; i < rows * d; ++i)
    t.data<double>()[i] = static_cast<float>(rng.normal(0, static_cast<std::uint64_t>(i)));
  return t;
}
Rows drawn_rows(std::int64_t tokens, std::int64_t d, DType real) {
  return {drawn("q", tokens, d).as(real), drawn("k", tokens, d).as(real), drawn("v", tokens, d).as(real)};
}
Task task_of(std::int64_t tokens, std::int64_t d, bool causal) {
  return {tokens, d, causal, 1 / std::sqrt(static_cast<double>(d)), 3};
}

// The values of an entry at some length that differ from its defaults, and the defaults.
std::vector<Values> choices(const Entry& entry) {
  const auto set = [](std::initializer_list<std::pair<const char*, std::int64_t>> numbers) {
    Values values;
    for (const auto& [name, number] : numbers) values[name] = number;
    return values;
  };
  if (entry.id == "blockwise" || entry.id == "block")
    return {{}, set({{"block", 1}}), set({{"block", 50}}), set({{"block", 1000}})};
  if (entry.id == "ring") return {set({{"devices", 1}}), set({{"devices", 3}})};
  if (entry.id == "window") return {{}, set({{"window", 1}}), set({{"window", 40}}), set({{"window", 500}})};
  if (entry.id == "dilated") return {{}, set({{"window", 3}, {"dilation", 5}}), set({{"window", 20}, {"dilation", 100}})};
  if (entry.id == "global") return {{}, set({{"window", 1}, {"global", 5}}), set({{"window", 30}, {"global", 400}})};
  if (entry.id == "adaptive") return {{}, set({{"span", 0}, {"ramp", 1}}), set({{"span", 30}, {"ramp", 9}})};
  if (entry.id == "reformer") return {set({{"buckets", 2}}), set({{"buckets", 6}})};
  if (entry.id == "linformer") return {set({{"rank", 1}}), set({{"rank", 5}})};
  if (entry.id == "linear") {
    std::vector<Values> all;
    for (const char* kernel : {"elu+1", "relu", "squared", "exp"}) all.push_back({{"similarity", std::string(kernel)}});
    return all;
  }
  return {{}};
}

double largest_difference(const Tensor& a, const Tensor& b) { return difference(a.as(DType::f64), b.as(DType::f64)).max_abs; }

TEST(LongTexts, EveryMethodComputesItsPattern) {
  for (const auto& [id, tolerance] : {std::pair{"reference", 1e-12}, std::pair{"cpu", 3e-5}}) {
    const auto backend = backends::open(id);
    ASSERT_TRUE(backend.ok());
    int computed = 0;
    for (const Entry& entry : registry().entries())
      for (const Values& values : choices(entry))
        for (const std::int64_t tokens : {1, 6, 37, 130})
          for (const bool causal : {false, true}) {
            const Task task = task_of(tokens, 8, causal && entry.has_causal);
            if (!checked(entry, values, task)) continue;  // 3 devices for 1 token
            const Rows rows = drawn_rows(tokens, 8, (*backend)->dtype());
            const auto made = prepare(entry, **backend, values, task);
            ASSERT_TRUE(made.ok()) << entry.id << ": " << made.error().sentence();
            Tensor out((*backend)->dtype(), {tokens, 8});
            // Twice: what was kept from the first run must not show.
            for (int run = 0; run < 2; ++run) ASSERT_TRUE((*made)->run(rows, out, {}).ok()) << entry.id;
            const auto by_loops = pattern(entry, values, task, rows);
            ASSERT_TRUE(by_loops.ok()) << entry.id;
            EXPECT_LE(largest_difference(out, output_of(*by_loops, rows.v)), tolerance)
                << id << " " << entry.id << " " << tokens << (causal ? " causal" : "");
            ++computed;
          }
    EXPECT_GT(computed, 150);
  }
}

TEST(LongTexts, ExactMethodsGiveWhatFullAttentionGives) {
  const auto backend = backends::open("reference");
  ASSERT_TRUE(backend.ok());
  const Rows rows = drawn_rows(70, 6, DType::f64);
  for (const bool causal : {false, true}) {
    const Task task = task_of(70, 6, causal);
    Tensor expected(DType::f64, {70, 6});
    ASSERT_TRUE((*prepare(*registry().find("full"), **backend, {}, task))->run(rows, expected, {}).ok());
    int exact = 0;
    for (const Entry& entry : registry().entries()) {
      if (entry.group != Group::exact) continue;
      Tensor out(DType::f64, {70, 6});
      ASSERT_TRUE((*prepare(entry, **backend, {}, task))->run(rows, out, {}).ok());
      EXPECT_LE(largest_difference(out, expected), 1e-13) << entry.id;
      ++exact;
    }
    EXPECT_EQ(exact, 3);
  }
}

// What is skipped is skipped: the cells that are computed follow the pattern, not the square of the length.
TEST(LongTexts, CellsGrowAsThePatternSays) {
  const auto backend = backends::open("cpu");
  ASSERT_TRUE(backend.ok());
  for (const Entry& entry : registry().entries()) {
    const auto cells = [&](std::int64_t tokens) {
      const auto made = prepare(entry, **backend, entry.for_length(tokens), task_of(tokens, 8, false));
      return made.ok() ? (*made)->cells() : -1;
    };
    const double few = cells(1024), many = cells(4096);
    if (entry.id == "linear")
      EXPECT_EQ(many, 0) << "no cell is ever computed";
    else if (entry.group == Group::exact)
      EXPECT_NEAR(many / few, 16, 0.01) << entry.id;
    else
      EXPECT_NEAR(many / few, 4, 0.2) << entry.id;
  }
}

TEST(LongTexts, PatternsAreWhatTheirFormulasSay) {
  const Rows rows = drawn_rows(9, 4, DType::f64);
  const Task task = task_of(9, 4, false);
  const auto computed = [&](const char* id, const Values& values) {
    const auto made = pattern(*registry().find(id), values, task, rows);
    std::vector<std::string> lines;
    for (std::int64_t i = 0; made.ok() && i < 9; ++i) {
      lines.emplace_back();
      for (std::int64_t j = 0; j < 9; ++j) lines.back() += made->computed.at({i, j}) != 0 ? '#' : '.';
    }
    return lines;
  };
  EXPECT_EQ(computed("window", {{"window", std::int64_t{2}}})[4], "..#####..");
  EXPECT_EQ(computed("dilated", {{"window", std::int64_t{1}}, {"dilation", std::int64_t{3}}})[4], ".#..#..#.");
  EXPECT_EQ(computed("block", {{"block", std::int64_t{4}}})[5], "....####.");
  const auto global = computed("global", {{"window", std::int64_t{1}}, {"global", std::int64_t{2}}});
  EXPECT_EQ(global[1], "#########");
  EXPECT_EQ(global[6], "##...###.");
  EXPECT_EQ(computed("adaptive", {{"span", std::int64_t{1}}, {"ramp", std::int64_t{2}}})[4], "..#####..");
  EXPECT_EQ(computed("linear", {})[0], ".........") << "its matrix is implied, never formed";
  const auto ring = pattern(*registry().find("ring"), {{"devices", std::int64_t{3}}}, task, rows);
  ASSERT_TRUE(ring.ok());
  EXPECT_EQ(ring->part_of, (std::vector<std::int64_t>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
  // Reformer: a token sees others of its bucket alone, and itself where there are none.
  const auto lsh = pattern(*registry().find("reformer"), {{"buckets", std::int64_t{4}}}, task, rows);
  ASSERT_TRUE(lsh.ok());
  for (std::int64_t i = 0; i < 9; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < 9; ++j) {
      sum += lsh->weights.at({i, j});
      if (lsh->computed.at({i, j}) != 0 && i != j) {
        EXPECT_EQ(lsh->part_of[static_cast<std::size_t>(i)], lsh->part_of[static_cast<std::size_t>(j)]);
      }
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(LongTexts, BadParametersAreRefusedByName) {
  const Task task = task_of(10, 4, false);
  const auto refused = [&](const char* id, const Values& values, const char* words) {
    const auto made = checked(*registry().find(id), values, task);
    ASSERT_FALSE(made.ok()) << id;
    EXPECT_NE(made.error().sentence().find(words), std::string::npos) << made.error().sentence();
  };
  refused("window", {{"window", std::int64_t{0}}}, "window");
  refused("reformer", {{"buckets", std::int64_t{0}}}, "buckets");
  refused("reformer", {{"buckets", std::int64_t{3}}}, "an even number");
  refused("reformer", {{"buckets", std::int64_t{12}}}, "as there are tokens");
  refused("linformer", {{"rank", std::int64_t{11}}}, "rank of at most the number of tokens");
  refused("ring", {{"devices", std::int64_t{11}}}, "as many devices as there are tokens");
  refused("linear", {{"similarity", std::string("cosine")}}, "similarity");
  refused("block", {{"size", std::int64_t{4}}}, "it has block");
}

TEST(LongTexts, ExponentsAreFittedOverTheLengths) {
  std::vector<bench::Row> rows;
  for (const std::int64_t tokens : {64, 512, 1024, 2048}) {
    bench::Row row;
    row.variant = "full";
    row.sizes = {{"tokens", tokens}};
    row.samples = {tokens < 512 ? 1.0 : 1e-9 * std::pow(static_cast<double>(tokens), 1.5)};
    rows.push_back(row);
  }
  rows.push_back(rows.back());
  rows.back().variant = "alone";
  bench::fit_exponents(rows);
  ASSERT_TRUE(rows[0].exponent.has_value());
  EXPECT_NEAR(*rows[0].exponent, 1.5, 1e-9) << "short texts do not count";
  EXPECT_FALSE(rows.back().exponent.has_value()) << "one length has no slope";
}

}  // namespace
}  // namespace headlight::long_texts
