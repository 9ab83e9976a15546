// The backward pass as named arrays beside a trace: each is what the chain rule makes of the arrays around it.
#include "engine/train/loss_gradients.h"

#include <gtest/gtest.h>

#include "engine/backends/backends.h"
#include "support/tiny_model.h"
#include "support/trace_of.h"

namespace headlight::train {
namespace {

using tests::tiny_model;
using tests::TinyModel;

class Backward {
 public:
  Backward(const TinyModel& tiny, std::vector<std::string> texts, std::vector<std::string> targets = {}) {
    EXPECT_TRUE(tiny.write().ok());
    Document document;
    EXPECT_TRUE(find_field("model")->set(document, {tiny.name()}).ok());
    document.texts = std::move(texts);
    document.targets = std::move(targets);
    document.backend = "reference";
    trace = tests::trace_of(document);
    auto made = loss_gradients(*trace, *backends::open("reference"), {});
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().sentence());
    if (made.ok()) gradients = std::move(made).value();
  }
  Tensor value(const std::string& name) const { return trace->values(name).value().as(DType::f64); }
  Tensor by(const std::string& name) const {
    const Tensor* found = find(gradients, "grad." + name);
    EXPECT_NE(found, nullptr) << name;
    return found ? found->as(DType::f64) : Tensor();
  }
  std::shared_ptr<const Trace> trace;
  NamedTensors gradients;
};

TEST(LossGradients, OfADecoderFollowFromOneAnother) {
  const TinyModel tiny = tiny_model("backward");
  const Backward b(tiny, {"a mole ran", "moles"});
  const Tensor p = b.value("probabilities"), ids = b.value("tokens"), dlogits = b.by("logits");
  const std::int64_t vocabulary = p.dim(2);
  const std::int64_t lengths[] = {11, 6};
  double loss = 0;
  for (std::int64_t s = 0; s < 2; ++s)
    for (std::int64_t i = 0; i < 11; ++i) {
      const bool follows = i + 1 < lengths[s];
      const auto next = follows ? static_cast<std::int64_t>(ids.at({s, i + 1})) : -1;
      if (follows) loss -= std::log(p.at({s, i, next}));
      for (std::int64_t t = 0; t < vocabulary; ++t)
        ASSERT_NEAR(dlogits.at({s, i, t}), follows ? (p.at({s, i, t}) - (t == next ? 1 : 0)) / 15 : 0, 1e-14);
    }
  const Tensor losses = find(b.gradients, "loss")->as(DType::f64);
  double sum = 0;
  for (const double one : losses.values<double>()) sum += one;
  EXPECT_NEAR(sum, loss, 1e-12);

  for (const std::string layer : {"layer.0.", "layer.1."}) {
    const Tensor weights = b.value(layer + "weights"), k = b.value(layer + "k_rotated");
    const Tensor dscores = b.by(layer + "scores"), dmasked = b.by(layer + "masked_scores"), dcontext = b.by(layer + "context");
    const Tensor dq = b.by(layer + "q_rotated"), dv = b.by(layer + "v");
    double largest = 0;
    for (std::int64_t s = 0; s < 2; ++s)
      for (std::int64_t h = 0; h < 2; ++h)
        for (std::int64_t i = 0; i < 11; ++i) {
          double row = 0;
          for (std::int64_t j = 0; j < 11; ++j) row += dmasked.at({s, h, i, j});
          ASSERT_NEAR(row, 0, 1e-14) << "the weights of a row sum to 1 whatever one adds to its scores";
          for (std::int64_t d = 0; d < 8; ++d) {
            double from_scores = 0, from_rows = 0;
            for (std::int64_t j = 0; j < 11; ++j) {
              from_scores += dscores.at({s, h, i, j}) * k.at({s, h, j, d});
              from_rows += weights.at({s, h, j, i}) * dcontext.at({s, h, j, d});
            }
            ASSERT_NEAR(dq.at({s, h, i, d}), from_scores, 1e-14);
            ASSERT_NEAR(dv.at({s, h, i, d}), from_rows, 1e-14);
            largest = std::max(largest, std::abs(from_scores));
          }
        }
    EXPECT_GT(largest, 1e-6);
  }

  // The tied table is read twice: its rows are looked up, and its transpose makes the logits.
  const Tensor dtable = b.by("parameters.embedding"), dx = b.by("embedding"), y = b.value("final_norm");
  for (const std::int64_t token : {std::int64_t{2}, static_cast<std::int64_t>(ids.at({0, 3})), std::int64_t{100}})
    for (std::int64_t d = 0; d < 16; ++d) {
      double wanted = 0;
      for (std::int64_t s = 0; s < 2; ++s)
        for (std::int64_t i = 0; i < 11; ++i) {
          if (static_cast<std::int64_t>(ids.at({s, i})) == token) wanted += dx.at({s, i, d});
          wanted += dlogits.at({s, i, token}) * y.at({s, i, d});
        }
      EXPECT_NEAR(dtable.at({token, d}), wanted, 1e-14);
    }
}

TEST(LossGradients, AnEncoderGetsItsOwnThroughCrossAttention) {
  const Backward b(tiny_model("backward-two", ModelTask::encoder_decoder), {"a mole"}, {"une taupe"});
  double size = 0;
  const Tensor source = b.by("encoder.input");
  for (const double one : source.values<double>()) size += one * one;
  EXPECT_GT(size, 1e-12);
  EXPECT_EQ(b.by("decoder.layer.0.cross.weights").shape(), b.value("decoder.layer.0.cross.weights").shape());
  for (const NamedParameter& parameter : b.trace->parameters())
    if (parameter.name != "parameters.output") {
      EXPECT_EQ(b.by(parameter.name).shape(), parameter.shape);
    }
}

// A learned row is added to the token at its place in each sentence.
TEST(LossGradients, OfALearnedPositionAreAddedUpOverSentences) {
  const TinyModel tiny =
      tiny_model("backward-learned", ModelTask::decoder, [](StoredModel& model) { model.document.position = "learned"; });
  const Backward b(tiny, {"a mole", "moles"});
  const Tensor table = b.by("parameters.position"), rows = b.by("position"), input = b.by("input");
  ASSERT_EQ(table.shape(), (Shape{12, 16}));
  ASSERT_EQ(rows.shape(), (Shape{7, 16}));
  double largest = 0;
  for (std::int64_t i = 0; i < 12; ++i)
    for (std::int64_t d = 0; d < 16; ++d) {
      const double wanted = i < 7 ? input.at({0, i, d}) + input.at({1, i, d}) : 0;
      EXPECT_NEAR(table.at({i, d}), wanted, 1e-14);
      if (i < 7) {
        EXPECT_NEAR(rows.at({i, d}), wanted, 1e-14);
      }
      largest = std::max(largest, std::abs(wanted));
    }
  EXPECT_GT(largest, 1e-6);
}

TEST(LossGradients, AreRefusedWhereThereIsNoLoss) {
  Document sandbox;
  const auto trace = tests::trace_of(sandbox);
  const auto none = loss_gradients(*trace, *backends::open("cpu"), {});
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().sentence().find("--model"), std::string::npos);
  const TinyModel encoder = tiny_model("backward-fill", ModelTask::encoder);
  ASSERT_TRUE(encoder.write().ok());
  Document fill;
  ASSERT_TRUE(find_field("model")->set(fill, {encoder.name()}).ok());
  fill.texts = {"a mole"};
  const auto hidden = loss_gradients(*tests::trace_of(fill), *backends::open("cpu"), {});
  ASSERT_FALSE(hidden.ok());
  EXPECT_NE(hidden.error().sentence().find("fills in"), std::string::npos);
}

}  // namespace
}  // namespace headlight::train
