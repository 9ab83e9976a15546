// The ONNX project's own cases for Attention, FlexAttention and LayerNormalization, on every backend here. Read from
// HEADLIGHT_PARITY_DATA/onnx-node-tests; skipped without it.
//
// Out of reach of the operation, and why:
// - softcap (scores squashed by tanh before the mask): attention_3d_softcap, _3d_diff_heads_sizes_softcap, _4d_gqa_softcap,
//   _4d_softcap_neginf_mask, _3d_with_past_and_present_qk_matmul_softcap.
// - score_mod (a subgraph that changes scores): flexattention_causal_mask, _relative_positional.
// Past keys and values are put before the given ones by the test, as a caller with a cache would.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <sstream>

#include "conformance/cases.h"
#include "conformance/onnx_tensor.h"
#include "engine/core/files.h"
#include "engine/operations/attention.h"
#include "engine/operations/layer_norm.h"

namespace headlight::conformance {
namespace {

using namespace backends;

struct OnnxCase {
  std::string name, op;
  std::map<std::string, double> attributes;
  std::map<std::string, Tensor> inputs, outputs;
  bool has_score_mod = false, half = false;
  double attribute(const std::string& key, double fallback) const {
    const auto it = attributes.find(key);
    return it == attributes.end() ? fallback : it->second;
  }
  const Tensor* input(const std::string& key) const {
    const auto it = inputs.find(key);
    return it == inputs.end() ? nullptr : &it->second;
  }
};

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, by);) parts.push_back(part);
  return parts;
}

Result<OnnxCase> load(const std::filesystem::path& folder, const std::vector<std::string>& columns) {
  OnnxCase c;
  c.name = columns[0];
  c.op = columns[1];
  for (const std::string& attribute : split(columns[3], ' ')) {
    const std::size_t at = attribute.find('=');
    if (attribute.starts_with("score_mod")) c.has_score_mod = true;
    if (at != std::string::npos && !c.has_score_mod)
      c.attributes[attribute.substr(0, at)] = std::atof(attribute.c_str() + at + 1);
  }
  for (const std::string& tensor : split(columns[5], ' ')) {  // "input_0:Q:f32:1x2"
    const auto parts = split(tensor, ':');
    if (parts.size() < 3) continue;
    HL_ASSIGN(const std::string bytes, read_file(folder / c.name / "test_data_set_0" / (parts[0] + ".pb")));
    HL_ASSIGN(Tensor t, read_tensor_proto(bytes));
    c.half = c.half || parts[2] == "f16";
    (parts[0].starts_with("input") ? c.inputs : c.outputs)[parts[1]] = std::move(t);
  }
  return c;
}

// [B, L, H*D] -> [B, H, L, D].
Tensor heads_apart(const Tensor& t, std::int64_t heads) {
  if (t.rank() == 4) return t;
  return t.reshaped({t.dim(0), t.dim(1), heads, t.dim(2) / heads}).permuted({0, 2, 1, 3}).compact();
}

Tensor onnx_cases_after(const Tensor* past, const Tensor& given) {
  if (!past) return given;
  const std::int64_t before = past->dim(2);
  Tensor both(DType::f64, {given.dim(0), given.dim(1), before + given.dim(2), given.dim(3)});
  std::int64_t at = 0;
  for (std::int64_t b = 0; b < both.dim(0); ++b)
    for (std::int64_t h = 0; h < both.dim(1); ++h)
      for (std::int64_t i = 0; i < both.dim(2); ++i)
        for (std::int64_t j = 0; j < both.dim(3); ++j)
          both.data<double>()[at++] = i < before ? past->at({b, h, i, j}) : given.at({b, h, i - before, j});
  return both;
}

struct Problem {
  Attention op;
  std::vector<Tensor> inputs;
};

Problem problem_of(const OnnxCase& c) {
  Problem p;
  const Tensor q = heads_apart(c.inputs.at("Q"), static_cast<std::int64_t>(c.attribute("q_num_heads", 1)));
  const auto kv_heads = static_cast<std::int64_t>(c.attribute("kv_num_heads", 1));
  const Tensor* past = c.input("past_key");
  const Tensor k = onnx_cases_after(past, heads_apart(c.inputs.at("K"), kv_heads));
  const Tensor v = onnx_cases_after(c.input("past_value"), heads_apart(c.inputs.at("V"), kv_heads));
  p.op = {q.dim(0), q.dim(1), q.dim(2), k.dim(2), q.dim(3), v.dim(3), k.dim(1)};
  p.op.scale = c.attribute("scale", 1 / std::sqrt(static_cast<double>(q.dim(3))));
  p.op.keep_scores = p.op.keep_scaled = p.op.keep_masked = p.op.keep_weights = true;
  p.inputs = {q, k, v};

  const bool causal = c.attribute("is_causal", 0) != 0;
  const Tensor* given = c.input("attn_mask");
  const Tensor* lengths = c.input("nonpad_kv_seqlen");
  if (!given && !causal && !lengths) return p;
  // One mask with everything combined; additive if the given one is.
  Tensor mask;
  if (given) {
    Shape shape = given->shape();
    while (shape.size() < 4) shape.insert(shape.begin(), 1);
    mask = given->reshaped(shape).broadcast_to({p.op.batch, p.op.heads, p.op.queries, p.op.keys});
  }
  const bool additive = given && given->dtype() != DType::u8;
  Tensor all(additive ? DType::f64 : DType::u8, {p.op.batch, p.op.heads, p.op.queries, p.op.keys});
  std::int64_t at = 0;
  for (std::int64_t b = 0; b < p.op.batch; ++b) {
    const std::int64_t length = lengths ? static_cast<std::int64_t>(lengths->at({b})) : p.op.keys;
    // The last real key belongs to the last query; without lengths, the first new key to the first query.
    const std::int64_t offset = lengths ? length - p.op.queries : (past ? past->dim(2) : 0);
    for (std::int64_t h = 0; h < p.op.heads; ++h) {
      for (std::int64_t i = 0; i < p.op.queries; ++i) {
        for (std::int64_t j = 0; j < p.op.keys; ++j, ++at) {
          const bool may = j < length && (!causal || j <= i + offset);
          if (additive) {
            all.data<double>()[at] = may ? mask.at({b, h, i, j}) : -std::numeric_limits<double>::infinity();
          } else {
            all.data<std::uint8_t>()[at] = may && (!given || mask.at({b, h, i, j}) != 0);
          }
        }
      }
    }
  }
  p.op.has_mask = !additive;
  p.op.has_bias = additive;
  p.inputs.push_back(std::move(all));
  return p;
}

// Which of our outputs ONNX's qk_matmul_output is (0: context, 1: scores, 2: scaled, 3: masked, 4: weights).
std::size_t output_of_mode(int mode) { return mode == 3 ? 4 : (mode == 0 ? 2 : 3); }

void check(const OnnxCase& c, const Backend& backend, const Tensor& actual, const Tensor& expected) {
  // Half precision has 11 bits; the published values of the others are float32. Products in tf32 round their factors to 11 bits,
  // in bf16 to 8, each relative to the largest number.
  double largest = 1;  // of the numbers: masked scores are -inf
  const Tensor numbers = expected.as(DType::f64).compact();
  for (const double value : numbers.values<double>())
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  const double tolerance = backend.precision() == "tf32"   ? 2e-3 * largest
                           : backend.precision() == "bf16" ? 2e-2 * largest
                                                           : (c.half ? 2e-3 : 2e-5);
  const Difference d = difference(actual, expected);
  ASSERT_TRUE(d.same_shape) << to_string(actual.shape()) << " against " << to_string(expected.shape());
  ASSERT_FALSE(d.nan_mismatch);
  ASSERT_LE(d.max_abs, tolerance);
}

void attend_onnx_cases(const OnnxCase& c, Backend& backend) {
  const Problem p = problem_of(c);
  const auto out = compute(backend, p.op, p.inputs);
  ASSERT_TRUE(out.ok()) << out.error().sentence();
  Tensor y = (*out)[0];
  if (c.inputs.at("Q").rank() == 3) {
    y = y.permuted({0, 2, 1, 3}).compact().reshaped({p.op.batch, p.op.queries, p.op.heads * p.op.d_v});
  }
  check(c, backend, y, c.outputs.at("Y"));
  if (const auto it = c.outputs.find("qk_matmul_output"); it != c.outputs.end()) {
    check(c, backend, (*out)[output_of_mode(static_cast<int>(c.attribute("qk_matmul_output_mode", 0)))], it->second);
  }
}

void normalise(const OnnxCase& c, Backend& backend) {
  const Tensor& x = c.inputs.at("X");
  auto axis = static_cast<int>(c.attribute("axis", -1));
  if (axis < 0) axis += x.rank();
  LayerNorm op{1, 1, c.attribute("epsilon", 1e-5)};
  for (int i = 0; i < x.rank(); ++i) (i < axis ? op.rows : op.d) *= x.dim(i);
  const auto out =
      compute(backend, op, {x.reshaped({op.rows, op.d}), c.inputs.at("W").reshaped({op.d}), c.inputs.at("B").reshaped({op.d})});
  ASSERT_TRUE(out.ok()) << out.error().sentence();
  check(c, backend, (*out)[0].reshaped(x.shape()), c.outputs.at("Y"));
}

class OnnxCases : public testing::TestWithParam<std::string> {};

TEST_P(OnnxCases, Agree) {
  const char* data = std::getenv("HEADLIGHT_PARITY_DATA");
  if (!data) GTEST_SKIP() << "HEADLIGHT_PARITY_DATA is not set";
  const std::filesystem::path folder = std::filesystem::path(data) / "onnx-node-tests";
  const auto index = read_file(folder / "INDEX.tsv");
  if (!index) GTEST_SKIP() << index.error().sentence();
  const auto backend = open(GetParam());
  if (!backend) GTEST_SKIP() << backend.error().sentence();
  int attended = 0, normalised = 0;
  for (const std::string& line : split(*index, '\n')) {
    const auto columns = split(line, '\t');
    if (columns.size() < 6) continue;
    const bool attention = columns[1] == "Attention" || columns[1] == "FlexAttention";
    if (!attention && columns[1] != "LayerNormalization") continue;
    SCOPED_TRACE(columns[0]);
    const auto c = load(folder, columns);
    ASSERT_TRUE(c.ok()) << c.error().sentence();
    if (c->has_score_mod || c->attribute("softcap", 0) != 0) continue;
    if (attention) {
      attend_onnx_cases(*c, **backend);
      ++attended;
    } else {
      normalise(*c, **backend);
      ++normalised;
    }
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(attended, 35);
  EXPECT_GE(normalised, 8);
}

std::string environment_name(const testing::TestParamInfo<std::string>& environment) {
  std::string name = environment.param;
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Backends, OnnxCases, testing::ValuesIn(environments()), environment_name);

}  // namespace
}  // namespace headlight::conformance
