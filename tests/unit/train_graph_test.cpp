// The graph of a training with heads split and merged, and with heads that stay side by side: the same losses and gradients.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/backends/backends.h"
#include "engine/core/rng.h"
#include "engine/document/model_architecture.h"
#include "engine/models/composed_plan.h"
#include "engine/operations/attention.h"
#include "engine/operations/merge_heads.h"
#include "engine/operations/rotary.h"
#include "engine/operations/split_heads.h"
#include "engine/train/machine.h"

namespace headlight::train {
namespace {

struct Given {
  Document document;
  models::Sizes sizes;
  models::ModelPlan plan;
};

// An encoder-decoder: its attention reads one text, the other text, or both.
Given train_graph_encoder_decoder(const std::string& position) {
  Given given;
  Document& m = given.document;
  m.d_model = 16;
  m.d_ff = 24;
  m.heads = 4;
  m.layers = 1;
  m.position = position;
  m.masks = {Choice{"causal", {}}, Choice{"padding", {}}};
  models::Sizes& sizes = given.sizes;
  sizes.batch = 2;
  sizes.text_length = 7;
  sizes.text_lengths = {7, 5};
  sizes.target_length = 6;
  sizes.target_lengths = {4, 6};
  sizes.text_tokens = {11, -1, ""};
  sizes.target_tokens = {9, -1, ""};
  sizes.target_table = true;
  sizes.output = {true, false};
  given.plan = models::plan_of(architecture_of(m), m, sizes, DType::f64);
  EXPECT_TRUE(models::add_masks(given.plan, m, sizes).ok());
  return given;
}

template <class Kind>
std::int64_t count_of(const std::vector<Instruction>& instructions) {
  return std::count_if(instructions.begin(), instructions.end(), [](const Instruction& one) { return one.op.get_if<Kind>(); });
}

Tensor numbers(const Shape& shape, const std::string& name) {
  const Rng rng(3, name);
  Tensor t(DType::f64, shape, {}, true);
  for (std::int64_t i = 0; i < t.count(); ++i) t.data<double>()[i] = 0.3 * rng.normal(0, static_cast<std::uint64_t>(i));
  return t;
}
Tensor tokens(std::int64_t count, std::int32_t symbols) {
  Tensor t(DType::i32, {count}, {}, true);
  for (std::int64_t i = 0; i < count; ++i) t.data<std::int32_t>()[i] = static_cast<std::int32_t>(i * 5 % symbols);
  return t;
}

struct Computed {
  Tensor losses;
  std::vector<Tensor> gradients;
};
Computed compute(const Given& given, const Graph& graph, const std::shared_ptr<backends::Backend>& backend) {
  Computed done;
  auto machine = Machine::make(graph, std::make_shared<Arena>(backend));
  EXPECT_TRUE(machine.ok());
  StepInputs inputs = inputs_of(given.plan, given.sizes, given.document, backend->dtype());
  const std::int64_t read = given.sizes.batch * given.sizes.text_length, written = given.sizes.batch * given.sizes.target_length;
  inputs.ids = tokens(read, 11);
  inputs.targets = tokens(written, 9);
  inputs.labels = tokens(written, 9);
  inputs.counter = 1;
  inputs.shares = numbers({written}, "shares");
  std::vector<backends::Buffer> parameters;
  for (const std::size_t value : graph.parameters) {
    auto buffer = backend->upload(numbers(graph.values[value].shape, graph.values[value].name));
    EXPECT_TRUE(buffer.ok());
    parameters.push_back(*buffer);
  }
  EXPECT_TRUE((*machine)->forward(inputs, parameters, {}).ok());
  EXPECT_TRUE((*machine)->backward({}).ok());
  const auto losses = (*machine)->losses();
  EXPECT_TRUE(losses.ok());
  done.losses = losses->as(DType::f32).as(DType::f64);
  for (std::size_t i = 0; i < graph.parameters.size(); ++i) {
    const auto gradient = backend->download((*machine)->gradient(i));
    EXPECT_TRUE(gradient.ok());
    done.gradients.push_back(gradient->as(DType::f32).as(DType::f64));  // a copy
  }
  return done;
}

TEST(TrainGraph, HeadsSideBySideGiveTheSameLossesAndGradients) {
  const Given given = train_graph_encoder_decoder("sinusoidal");
  GraphOptions options;
  options.dropout = 0.2;
  const auto apart = make_graph(given.plan, given.sizes, options);
  options.heads_side_by_side = true;
  const auto beside = make_graph(given.plan, given.sizes, options);
  ASSERT_TRUE(apart.ok() && beside.ok());
  EXPECT_EQ(count_of<operations::SplitHeads>(apart->forward), 9);
  EXPECT_EQ(count_of<operations::SplitHeads>(beside->forward), 0);
  EXPECT_EQ(count_of<operations::MergeHeads>(beside->forward), 0);
  EXPECT_EQ(count_of<operations::Attention>(beside->forward), 3);
  EXPECT_EQ(beside->backward.size() + 12, apart->backward.size());
  for (const char* device : {"reference", "cpu"}) {
    const auto backend = backends::open(device);
    ASSERT_TRUE(backend.ok());
    const Computed a = compute(given, *apart, *backend), b = compute(given, *beside, *backend);
    const double most = std::string(device) == "cpu" ? 2e-6 : 1e-12;
    EXPECT_LT(difference(a.losses, b.losses).max_abs, most) << device;
    for (std::size_t i = 0; i < a.gradients.size(); ++i)
      EXPECT_LT(difference(a.gradients[i], b.gradients[i]).max_abs, most)
          << device << " " << apart->values[apart->parameters[i]].name;
  }
}

// Rotary positions turn the heads of queries and keys, so these stay apart; nothing else is joined with them.
TEST(TrainGraph, HeadsThatSomethingElseReadsStayApart) {
  const Given given = train_graph_encoder_decoder("rotary");
  GraphOptions options;
  options.heads_side_by_side = true;
  const auto graph = make_graph(given.plan, given.sizes, options);
  ASSERT_TRUE(graph.ok());
  std::vector<bool> turned(graph->values.size(), false);
  for (const Instruction& one : graph->forward)
    if (one.op.get_if<operations::Rotary>()) turned[one.out[0]] = true;
  std::int64_t apart = 0;
  for (const Instruction& one : graph->forward)
    if (const auto* attention = one.op.get_if<operations::Attention>()) {
      EXPECT_EQ(attention->side_by_side, !turned[one.in[0]] && !turned[one.in[1]]);
      if (!attention->side_by_side) ++apart;
    }
  EXPECT_GT(apart, 0);
  EXPECT_EQ(count_of<operations::SplitHeads>(graph->forward), 3 * count_of<operations::MergeHeads>(graph->forward));
}

}  // namespace
}  // namespace headlight::train
