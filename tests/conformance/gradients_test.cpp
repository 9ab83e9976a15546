// Every gradient in double against differences of the operation's own arithmetic.
#include <gtest/gtest.h>

#include <cmath>

#include "conformance/inputs.h"
#include "engine/operations/gradient.h"
#include "engine/operations/operations.h"

namespace headlight::conformance {
namespace {

using namespace operations;

std::vector<Tensor> outputs_of(const Operation& op, const std::vector<Tensor>& in) {
  const auto s = signature(op, DType::f64);
  EXPECT_TRUE(s.ok()) << s.error().sentence();
  std::vector<Tensor> out;
  for (const Shape& shape : s->outputs) out.emplace_back(DType::f64, shape);
  const Status done = compute(op, in, out, {});
  EXPECT_TRUE(done.ok()) << done.error().sentence();
  return out;
}

// A loss that every number of the first output takes part in, with weights of its own.
double loss_of(const Operation& op, const std::vector<Tensor>& in, const Tensor& dy) {
  const Tensor y = outputs_of(op, in).front();
  double sum = 0;
  for (std::int64_t i = 0; i < y.count(); ++i) sum += y.data<double>()[i] * dy.data<double>()[i];
  return sum;
}

class Gradients : public testing::TestWithParam<const Kind*> {};

TEST_P(Gradients, AreTheDifferencesOfTheArithmetic) {
  int number = 0;
  for (const Operation& op : GetParam()->examples()) {
    const std::string name = GetParam()->id + " example " + std::to_string(++number);
    SCOPED_TRACE(name);
    std::vector<Tensor> in = inputs_for(op, name);
    const std::vector<Tensor> out = outputs_of(op, in);
    std::vector<Tensor> given = in;
    given.insert(given.end(), out.begin(), out.end());
    given.push_back(normal(name + ".dy", out.front().shape()));
    const Tensor dy = given.back();
    const std::vector<Tensor> gradients = outputs_of(Gradient{op, {}}, given);
    const std::vector<bool> wanted = inputs_with_gradient(op);
    std::size_t next = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!wanted[i]) continue;
      SCOPED_TRACE("by input " + std::to_string(i));
      const Tensor& gradient = gradients[next++];
      ASSERT_EQ(gradient.shape(), in[i].shape());
      double error = 0, size = 0;
      for (std::int64_t at = 0; at < in[i].count(); ++at) {
        // Differences to both sides: their error is a third derivative times step^2, and 1e-16 / step from rounding.
        constexpr double kStep = 1e-5;
        double& x = in[i].data<double>()[at];
        const double before = x;
        x = before + kStep;
        const double above = loss_of(op, in, dy);
        x = before - kStep;
        const double below = loss_of(op, in, dy);
        x = before;
        const double difference = (above - below) / (2 * kStep), found = gradient.data<double>()[at];
        error += (difference - found) * (difference - found);
        size += difference * difference;
      }
      ASSERT_GT(size, 0) << "the loss does not depend on this input";
      EXPECT_LE(std::sqrt(error / size), 1e-6);
      RecordProperty(name + " input " + std::to_string(i), std::to_string(std::sqrt(error / size)));
    }
  }
}

std::vector<const Kind*> with_gradient() {
  std::vector<const Kind*> all;
  for (const Kind* kind : kinds())
    if (kind->gradient_f64) all.push_back(kind);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Operations, Gradients, testing::ValuesIn(with_gradient()),
                         [](const auto& operation) { return operation.param->id; });

TEST(GradientOperation, NamesWhatHasNoGradient) {
  const Operation isdpa = find_kind("isdpa")->examples().front();
  ASSERT_FALSE(has_gradient(isdpa));
  const auto none = signature(Gradient{isdpa, {}}, DType::f64);
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().sentence().find("no gradient"), std::string::npos);
  const Operation gather = find_kind("gather")->examples().front();
  EXPECT_FALSE(signature(Gradient{gather, {true, true}}, DType::f64).ok());  // ids are no numbers
  EXPECT_FALSE(signature(Gradient{gather, {true}}, DType::f64).ok());
  EXPECT_FALSE(signature(Gradient{gather, {false, false}}, DType::f64).ok());
}

}  // namespace
}  // namespace headlight::conformance
