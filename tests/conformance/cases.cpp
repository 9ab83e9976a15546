#include "conformance/cases.h"

#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "engine/backends/backends.h"
#include "engine/backends/cpu/levels.h"
#include "engine/backends/cuda/cuda_backend.h"
#include "engine/operations/activation.h"
#include "engine/operations/add.h"
#include "engine/operations/attention.h"
#include "engine/operations/cross_entropy.h"
#include "engine/operations/dropout.h"
#include "engine/operations/gather.h"
#include "engine/operations/gradient.h"
#include "engine/operations/isdpa.h"
#include "engine/operations/layer_norm.h"
#include "engine/operations/linear.h"
#include "engine/operations/mean_loss.h"
#include "engine/operations/merge_heads.h"
#include "engine/operations/multiply.h"
#include "engine/operations/operations.h"
#include "engine/operations/rms_norm.h"
#include "engine/operations/rotary.h"
#include "engine/operations/split_heads.h"
#include "engine/operations/transpose.h"
#include "gpu/emulation/with_library.h"

namespace headlight::conformance {

using namespace backends;

namespace {

Case plain(std::string name, OpDesc desc) {
  std::vector<Tensor> inputs = inputs_for(desc, name);
  return {std::move(name), std::move(desc), std::move(inputs)};
}

Tensor bytes(const Shape& shape,
             const std::function<bool(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j)>& keep) {
  Tensor mask(DType::u8, shape, {"batch", "head", "query", "key"});
  std::int64_t at = 0;
  for (std::int64_t b = 0; b < shape[0]; ++b)
    for (std::int64_t h = 0; h < shape[1]; ++h)
      for (std::int64_t i = 0; i < shape[2]; ++i)
        for (std::int64_t j = 0; j < shape[3]; ++j) mask.data<std::uint8_t>()[at++] = keep(b, h, i, j) ? 1 : 0;
  return mask;
}

Attention attend(std::int64_t batch, std::int64_t heads, std::int64_t queries, std::int64_t keys, std::int64_t d_k,
                 std::int64_t d_v) {
  Attention op;
  op.batch = batch;
  op.heads = heads;
  op.queries = queries;
  op.keys = keys;
  op.d_k = d_k;
  op.d_v = d_v;
  op.scale = 1 / std::sqrt(static_cast<double>(d_k));
  return op;
}

Attention keeping_all(Attention op) {
  op.keep_scores = op.keep_scaled = op.keep_masked = op.keep_weights = true;
  return op;
}

Case masked(std::string name, Attention op, Tensor mask) {
  op.has_mask = mask.dtype() == DType::u8;
  op.has_bias = mask.dtype() != DType::u8;
  Case c = plain(std::move(name), op);
  c.inputs.back() = std::move(mask);
  return c;
}

// Row 1 may attend to nothing; other rows not to later keys.
bool causal_but_row_1(std::int64_t i, std::int64_t j) { return i != 1 && j <= i; }

std::vector<Case> linear_cases() {
  std::vector<Case> cases;
  for (const auto& [rows, inner, columns] : std::vector<std::array<std::int64_t, 3>>{{1, 1, 1},
                                                                                     {1, 33, 31},
                                                                                     {31, 32, 33},
                                                                                     {32, 33, 31},
                                                                                     {33, 31, 32},
                                                                                     {13, 7, 65},
                                                                                     {1, 256, 1024},
                                                                                     {128, 256, 96},
                                                                                     {1025, 40, 24},
                                                                                     {3, 1023, 1025},
                                                                                     {600, 64, 48}}) {
    cases.push_back(plain("linear " + to_string(Shape{rows, inner, columns}), Linear{rows, inner, columns}));
  }
  for (const ActivationKind kind : {ActivationKind::none, ActivationKind::relu, ActivationKind::gelu, ActivationKind::tanh}) {
    cases.push_back(
        plain("linear with bias, activation " + std::to_string(static_cast<int>(kind)), Linear{33, 31, 50, true, kind}));
  }
  // Values far in the tails of the activations.
  for (const ActivationKind kind : {ActivationKind::gelu, ActivationKind::tanh}) {
    Case c = plain("linear, tails of activation " + std::to_string(static_cast<int>(kind)), Linear{1, 1, 400, false, kind});
    c.inputs[0].data<double>()[0] = 1;
    for (int i = 0; i < 400; ++i) c.inputs[1].data<double>()[i] = static_cast<float>((i - 200) * 0.06);
    cases.push_back(std::move(c));
  }
  Case c = plain("linear, NaN and infinity", Linear{5, 4, 37, true, ActivationKind::relu});
  c.inputs[0].data<double>()[6] = std::numeric_limits<double>::quiet_NaN();
  c.inputs[0].data<double>()[12] = std::numeric_limits<double>::infinity();
  c.has_nan = true;
  cases.push_back(std::move(c));
  return cases;
}

std::vector<Case> gather_cases() {
  return {plain("gather 1", Gather{1, 1, 1}), plain("gather 33 of 31", Gather{33, 31, 32}),
          plain("gather 1025 of 1024", Gather{1025, 1024, 7})};
}

std::vector<Case> add_cases() {
  return {plain("add 1", Add{1, 1, false}), plain("add rows", Add{33, 31, false}), plain("add, repeated", Add{3, 1025, true})};
}

std::vector<Case> layer_norm_cases() {
  Case offset = plain("layer_norm far from 0", LayerNorm{4, 96, 1e-5});
  for (std::int64_t i = 0; i < offset.inputs[0].count(); ++i) {
    double& x = offset.inputs[0].data<double>()[i];
    x = static_cast<float>(x + 100);
  }
  return {plain("layer_norm 2", LayerNorm{1, 2, 1e-5}),
          plain("layer_norm 31 x 33", LayerNorm{31, 33, 1e-5}),
          plain("layer_norm 3 x 1024", LayerNorm{3, 1024, 1e-12}),
          plain("layer_norm 3 x 33 without bias", LayerNorm{3, 33, 1e-5, false}),
          plain("layer_norm 2 x 1025 without bias", LayerNorm{2, 1025, 1e-5, false}),
          std::move(offset)};
}

std::vector<Case> rms_norm_cases() {
  Case rms_offset = plain("rms_norm far from 0", RmsNorm{4, 96, 1e-5});
  for (std::int64_t i = 0; i < rms_offset.inputs[0].count(); ++i) {
    double& x = rms_offset.inputs[0].data<double>()[i];
    x = static_cast<float>(x + 100);
  }
  return {plain("rms_norm 1", RmsNorm{3, 1, 1e-5}), plain("rms_norm 31 x 33", RmsNorm{31, 33, 1e-5}),
          plain("rms_norm 3 x 1024", RmsNorm{3, 1024, 1e-12}), plain("rms_norm 2 x 1025", RmsNorm{2, 1025, 1e-5}),
          std::move(rms_offset)};
}

std::vector<Case> split_heads_cases() {
  return {plain("split 1", SplitHeads{1, 1, 1, 1}), plain("split 2 x 33 x 4 x 7", SplitHeads{2, 33, 4, 7})};
}
std::vector<Case> merge_heads_cases() {
  return {plain("merge 1", MergeHeads{1, 1, 1, 1}), plain("merge 2 x 33 x 4 x 7", MergeHeads{2, 33, 4, 7})};
}

std::vector<Case> attention_cases() {
  std::vector<Case> cases;
  cases.push_back(plain("attention 1 x 1", keeping_all(attend(1, 1, 1, 1, 1, 1))));
  for (const std::int64_t n : {31, 32, 33}) {
    cases.push_back(plain("attention " + std::to_string(n), keeping_all(attend(2, 3, n, n, 50, 50))));
  }
  cases.push_back(plain("attention, fused", attend(2, 3, 33, 65, 40, 24)));
  cases.push_back(plain("attention, more keys than queries", keeping_all(attend(1, 2, 7, 1025, 20, 33))));
  cases.push_back(plain("attention, more queries than keys, fused", attend(1, 2, 1023, 5, 20, 33)));
  // Rows of weights that a GPU holds in its shared memory.
  cases.push_back(plain("attention, long rows", keeping_all(attend(1, 2, 33, 300, 32, 20))));
  cases.push_back(masked("attention, long rows, masked", keeping_all(attend(1, 1, 5, 1025, 64, 64)),
                         bytes({1, 1, 5, 1025}, [](auto, auto, auto i, auto j) { return i != 1 && (i + j) % 7 != 0; })));
  for (const bool scores : {false, true}) {  // every combination that changes where a row is written
    for (const bool masked_kept : {false, true}) {
      Attention op = attend(1, 2, 17, 19, 8, 8);
      op.keep_scores = scores;
      op.keep_masked = masked_kept;
      op.keep_weights = scores != masked_kept;
      cases.push_back(
          masked("attention, some kept", op, bytes({1, 1, 17, 19}, [](auto, auto, auto i, auto j) { return j <= i; })));
    }
  }
  Attention grouped = keeping_all(attend(2, 6, 9, 11, 16, 12));
  grouped.kv_heads = 2;
  cases.push_back(plain("attention, 6 query heads over 2", grouped));

  for (const MaskFill fill : {MaskFill::minus_infinity, MaskFill::minus_1e9}) {
    Attention op = keeping_all(attend(2, 2, 33, 33, 50, 50));
    op.fill = fill;
    const std::string name = fill == MaskFill::minus_infinity ? "attention, -inf, " : "attention, -1e9, ";
    cases.push_back(
        masked(name + "padding", op, bytes({2, 1, 1, 33}, [](auto b, auto, auto, auto j) { return j < 33 - 9 * b; })));
    cases.push_back(masked(name + "a fully masked row", op,
                           bytes({1, 1, 33, 33}, [](auto, auto, auto i, auto j) { return causal_but_row_1(i, j); })));
    cases.push_back(masked(name + "per head and item", op, bytes({2, 2, 33, 33}, [](auto b, auto h, auto i, auto j) {
                             return (3 * i + 5 * j + 7 * h + b) % 4 != 0;
                           })));
    cases.push_back(
        masked(name + "one value a query", op, bytes({1, 1, 33, 1}, [](auto, auto, auto i, auto) { return i % 3 != 1; })));
    Attention fused = attend(2, 2, 33, 33, 50, 50);
    fused.fill = fill;
    cases.push_back(masked(name + "fused, a fully masked row", fused,
                           bytes({1, 2, 33, 33}, [](auto, auto, auto i, auto j) { return causal_but_row_1(i, j); })));
  }
  for (const double temperature : {0.25, 4.0}) {
    Attention op = keeping_all(attend(1, 2, 12, 14, 8, 8));
    op.temperature = temperature;
    cases.push_back(masked("attention, temperature " + std::to_string(temperature), op,
                           bytes({1, 1, 12, 14}, [](auto, auto, auto i, auto j) { return j <= i; })));
  }
  for (const std::int64_t keys : {5, 33, 130}) {  // less than a panel, a whole one and one more, several
    Attention additive = keeping_all(attend(2, 3, 13, keys, 7, 9));
    additive.additive = true;
    cases.push_back(plain("attention, additive scores, " + std::to_string(keys) + " keys", additive));
  }
  // Dropped weights, kept and not, masked, of heads that share keys.
  Attention dropped = attend(2, 4, 33, 35, 8, 6);
  dropped.kv_heads = 2;
  dropped.dropout = 0.25;
  dropped.dropout_seed = 11;
  cases.push_back(plain("attention, dropout", dropped));
  dropped.keep_weights = true;
  cases.push_back(plain("attention, dropout, weights kept", dropped));
  dropped.has_mask = true;
  Case hidden = plain("attention, dropout, masked", dropped);
  hidden.inputs[3] = bytes({2, 1, 1, 35}, [](auto b, auto, auto, auto j) { return j < 35 - 9 * b; });
  cases.push_back(std::move(hidden));
  Attention unscaled = keeping_all(attend(1, 1, 16, 16, 8, 8));
  unscaled.scale = 1;
  cases.push_back(plain("attention, unscaled", unscaled));

  Tensor bias = normal("bias", {1, 2, 12, 14});
  for (std::int64_t j = 0; j < 14; ++j) bias.data<double>()[3 * 14 + j] = -std::numeric_limits<double>::infinity();
  bias.data<double>()[5] = -std::numeric_limits<double>::infinity();
  cases.push_back(masked("attention, additive mask with a row of -inf", keeping_all(attend(2, 2, 12, 14, 8, 8)), bias));
  cases.push_back(
      masked("attention, additive mask a query", keeping_all(attend(2, 2, 12, 14, 8, 8)), normal("bias a query", {2, 1, 12, 1})));

  Attention both = keeping_all(attend(2, 2, 12, 14, 8, 8));
  both.has_mask = both.has_bias = true;
  const auto beside = [&](const char* name, Attention op, Tensor of_bias) {
    Case c = plain(name, op);
    c.inputs[3] = bytes({1, 1, 12, 14}, [](auto, auto, auto i, auto j) { return causal_but_row_1(i, j); });
    c.inputs[4] = std::move(of_bias);
    return c;
  };
  cases.push_back(beside("attention, mask for all and bias a head", both, normal("bias a head", {1, 2, 12, 14})));
  cases.push_back(beside("attention, mask and bias of one shape", both, normal("bias for all", {1, 1, 12, 14})));
  cases.push_back(beside("attention, mask for all and bias a key", both, normal("bias a key", {2, 1, 1, 14})));
  Attention with_neither = attend(2, 2, 12, 14, 8, 8);
  with_neither.has_mask = with_neither.has_bias = true;
  with_neither.fill = MaskFill::minus_1e9;
  cases.push_back(beside("attention, mask and bias, nothing kept", with_neither, normal("bias of few", {1, 2, 12, 14})));

  Case large = plain("attention, large scores", keeping_all(attend(1, 1, 8, 40, 4, 4)));
  for (std::int64_t i = 0; i < large.inputs[0].count(); ++i) large.inputs[0].data<double>()[i] *= 512;
  cases.push_back(std::move(large));

  Case broken = plain("attention, NaN and infinity", keeping_all(attend(1, 1, 6, 21, 4, 4)));
  broken.inputs[0].data<double>()[4 * 1] = std::numeric_limits<double>::quiet_NaN();
  broken.inputs[0].data<double>()[4 * 3] = std::numeric_limits<double>::infinity();
  broken.has_nan = true;
  cases.push_back(std::move(broken));
  return cases;
}

std::vector<Case> isdpa_cases() {
  std::vector<Case> cases;
  using Method = Isdpa::Method;
  for (const auto method : {Method::index, Method::direct, Method::direct_pooled, Method::direct_folded, Method::direct_distinct,
                            Method::direct_distinct_folded, Method::direct_attention}) {
    const bool shortcut = Isdpa::is_shortcut(method);
    for (const bool separate : {false, true}) {
      if (separate && shortcut) continue;
      for (const std::int64_t pad : {-1, 0}) {
        Isdpa op;
        op.words = 13;
        op.length = 9;
        op.vocabulary = 20;
        op.d = 50;
        op.method = method;
        op.separate_position_weights = separate;
        op.pad_index = pad;
        const std::string name = "isdpa method " + std::to_string(static_cast<int>(method)) + (separate ? ", separate" : "") +
                                 (pad >= 0 ? ", padding" : "");
        Case fused = plain(name + ", result alone", op);
        op.keep_q = op.keep_k = op.keep_v = op.keep_terms = !shortcut;
        op.keep_qk = op.keep_score = true;
        Case kept = plain(name, op);
        // One word is only padding, so its result is all zeros when padding is masked.
        for (Case* c : {&fused, &kept}) {
          for (std::size_t i = 2; i + 1 < c->inputs.size(); ++i) {
            for (std::int64_t at = 0; at < c->inputs[i].count(); ++at) {
              double& x = c->inputs[i].data<double>()[at];
              x = static_cast<float>(x / std::sqrt(50.0));
            }
          }
          for (int i = 0; i < 9; ++i) c->inputs.back().data<std::int32_t>()[2 * 9 + i] = 0;
          cases.push_back(*c);
        }
      }
    }
    // A vocabulary much larger than the words use; one word; one symbol.
    Isdpa wide;
    wide.words = 2;
    wide.length = 4;
    wide.vocabulary = 300;
    wide.d = 16;
    wide.method = method;
    wide.pad_index = 5;
    wide.keep_score = true;
    cases.push_back(plain("isdpa, many symbols unused", wide));
    Isdpa one;
    one.words = one.length = one.vocabulary = one.d = 1;
    one.method = method;
    one.keep_q = !shortcut;
    cases.push_back(plain("isdpa of ones", one));
    // A symbol whose row is NaN: words without it must not change.
    Isdpa few;
    few.words = 12;
    few.length = 5;
    few.vocabulary = 8;
    few.d = 16;
    few.method = method;
    few.keep_score = true;
    Case broken = plain("isdpa, NaN in one symbol", few);
    broken.inputs[0].data<double>()[3 * 16 + 2] = std::numeric_limits<double>::quiet_NaN();
    for (int i = 0; i < 30; ++i) broken.inputs.back().data<std::int32_t>()[i] %= 3;  // six words do not contain symbol 3
    broken.has_nan = true;
    cases.push_back(std::move(broken));
    if (!Isdpa::is_folded(method)) {
      for (const std::int64_t pad : {-1, 0}) {
        Isdpa heads;
        heads.words = 7;
        heads.length = 6;
        heads.vocabulary = pad < 0 ? 90 : 10;  // with 90 symbols value rows are added up, with 10 they are not
        heads.d = 24;
        heads.heads = 3;
        heads.method = method;
        heads.pad_index = pad;
        cases.push_back(plain("isdpa, three heads, result alone", heads));
        heads.keep_terms = heads.keep_q = !shortcut;
        heads.keep_qk = heads.keep_score = true;
        cases.push_back(plain("isdpa, three heads", heads));
        if (method == Method::direct_pooled) continue;
        heads.pooled = false;
        cases.push_back(plain("isdpa, three heads, not pooled", heads));
        heads.keep_terms = heads.keep_q = heads.keep_qk = heads.keep_score = false;
        heads.heads = 1;
        cases.push_back(plain("isdpa, not pooled, result alone", heads));
      }
    }
    if (shortcut) {
      // A vocabulary larger than what is used, so large that only symbols that occur are projected; and all symbols, if tables
      // are kept.
      for (const bool cached : {false, true}) {
        Isdpa sparse;
        sparse.words = 3;
        sparse.length = 5;
        sparse.vocabulary = 2100;
        sparse.d = 8;
        sparse.method = method;
        sparse.cached = cached;
        cases.push_back(plain(std::string("isdpa, symbols unused by a shortcut") + (cached ? ", cached" : ""), sparse));
      }
      continue;
    }
    // Sizes on both sides of every register, and of tables that are used by register look-up, gather and multiplication; words of
    // one symbol; scores so large that a product of exponentials would overflow.
    struct Sizes {
      std::int64_t words, length, vocabulary, d, heads, pad;
      double spread = 1;
    };
    for (const Sizes& z :
         {Sizes{9, 32, 64, 24, 1, -1}, Sizes{9, 17, 33, 16, 1, 0}, Sizes{6, 16, 32, 8, 2, 1}, Sizes{5, 33, 65, 16, 1, 64},
          Sizes{60, 10, 90, 16, 1, 3}, Sizes{6, 1, 1, 4, 1, -1}, Sizes{7, 1, 12, 4, 1, -1}, Sizes{4, 40, 1, 12, 1, -1},
          Sizes{5, 12, 30, 33, 3, 0}, Sizes{9, 16, 40, 16, 1, -1, 24}, Sizes{9, 16, 40, 16, 2, 2, 24}}) {
      Isdpa op;
      op.words = z.words;
      op.length = z.length;
      op.vocabulary = z.vocabulary;
      op.d = z.d;
      op.heads = z.heads;
      op.pad_index = z.pad;
      op.method = method;
      op.keep_score = z.length > 1;  // with one symbol the score is 1
      Case c = plain("isdpa " + std::to_string(z.words) + " x " + std::to_string(z.length) + ", " + std::to_string(z.vocabulary) +
                         " symbols, d " + std::to_string(z.d) + (z.spread > 1 ? ", large scores" : ""),
                     op);
      for (std::int64_t i = 0; i < c.inputs[0].count(); ++i)
        c.inputs[0].data<double>()[i] *= z.spread / std::sqrt(static_cast<double>(z.d));
      for (int w = 2; w < 4; ++w)
        for (std::int64_t i = 0; i < c.inputs[2].count(); ++i)
          c.inputs[static_cast<std::size_t>(w)].data<double>()[i] /= std::sqrt(static_cast<double>(z.d));
      cases.push_back(std::move(c));
    }
    if (method == Method::index) {
      // Both sides of the limits of tables: (n + l)^2 against 2 W l^2, and the largest table that is kept.
      struct Table {
        std::int64_t words, length, vocabulary, d, heads, pad;
        bool cached;
      };
      for (const Table& z :
           {Table{2, 6, 2, 16, 2, -1, false}, Table{2, 6, 7, 16, 2, 1, false}, Table{3, 4, 70, 16, 2, 3, false},
            Table{3, 4, 70, 16, 2, 3, true}, Table{1, 512, 200, 8, 1, 0, false}, Table{1, 512, 300, 8, 1, -1, false},
            Table{3, 4, 65536, 8, 1, -1, false}, Table{3, 4, 65536, 8, 1, -1, true}}) {
        Isdpa op;
        op.words = z.words;
        op.length = z.length;
        op.vocabulary = z.vocabulary;
        op.d = z.d;
        op.heads = z.heads;
        op.pad_index = z.pad;
        op.cached = z.cached;
        const std::string name = "isdpa, " + std::to_string(z.words) + " x " + std::to_string(z.length) + ", " +
                                 std::to_string(z.vocabulary) + " symbols" + (z.cached ? ", cached" : "");
        cases.push_back(plain(name + ", result alone", op));
        op.keep_qk = op.keep_score = true;
        op.keep_terms = op.keep_q = z.length < 512;
        cases.push_back(plain(name, op));
        op.pooled = false;
        if (z.length < 512) cases.push_back(plain(name + ", not pooled", op));
      }
    }
    Isdpa only_v = wide;
    only_v.keep_result = only_v.keep_score = false;
    only_v.keep_v = true;
    cases.push_back(plain("isdpa, V alone", only_v));
  }
  return cases;
}

// Every third row without a label.
Case labelled_in_part(Case c) {
  for (std::int64_t i = 1; i < c.inputs[1].count(); i += 3) c.inputs[1].data<std::int32_t>()[i] = -1;
  return c;
}
std::vector<Case> cross_entropy_cases() {
  return {labelled_in_part(plain("cross_entropy 7 x 1025, smoothed", CrossEntropy{7, 1025, 0.1})),
          labelled_in_part(plain("cross_entropy 300 x 3", CrossEntropy{300, 3})),
          plain("cross_entropy 2 x 256", CrossEntropy{2, 256})};
}
std::vector<Case> mean_loss_cases() { return {labelled_in_part(plain("mean_loss of 300", MeanLoss{300, 5}))}; }
std::vector<Case> dropout_cases() { return {plain("dropout 33 x 1025", Dropout{33, 1025, 0.5, 9})}; }
std::vector<Case> transpose_cases() {
  return {plain("transpose 1 x 33", Transpose{1, 33}), plain("transpose 33 x 65", Transpose{33, 65}),
          plain("transpose 64 x 32", Transpose{64, 32})};
}
std::vector<Case> rotary_cases() {
  return {plain("rotary 66 x 50", Rotary{66, 33, 50}), plain("rotary 66 x 50, halves", Rotary{66, 33, 50, 10000, true, 5})};
}

// The gradient of a case: its own inputs, what the reference makes of them, and a gradient by that.
Case gradient_of(Case c, bool keeps_weights = true, std::vector<bool> wanted = {}) {
  if (const auto* attention = c.desc.get_if<Attention>()) {
    Attention kept = *attention;  // the fast ways read the weights that the forward pass kept
    kept.keep_weights = keeps_weights;
    c.desc = kept;
  }
  Case gradient{"gradient of " + c.name + (keeps_weights ? "" : ", weights not kept"), Gradient{c.desc, std::move(wanted)},
                std::move(c.inputs)};
  const auto reference = backends::open("reference");
  const auto outputs = compute(**reference, c.desc, gradient.inputs);
  if (!outputs) return gradient;  // the test that applies it says why
  for (const Tensor& t : *outputs) gradient.inputs.push_back(t.as(DType::f32).as(DType::f64));
  gradient.inputs.push_back(normal(gradient.name, outputs->front().shape()));
  return gradient;
}

// Rows that are summed in parts; rows that are looked up often; weights that are computed once more; a part of the gradients.
std::vector<Case> further_gradient_cases() {
  std::vector<Case> cases{gradient_of(plain("linear 1025 x 8 x 9, GELU", Linear{1025, 8, 9, true, ActivationKind::gelu})),
                          gradient_of(plain("add, repeated 1025 times", Add{1025, 33, true})),
                          gradient_of(plain("layer_norm 1025 x 9", LayerNorm{1025, 9, 1e-5})),
                          gradient_of(plain("layer_norm 7 x 33 without bias", LayerNorm{7, 33, 1e-5, false})),
                          gradient_of(plain("gather 1025 of 3", Gather{1025, 3, 7})),
                          gradient_of(plain("linear, by x alone", Linear{9, 8, 7, true}), true, {true, false, false}),
                          gradient_of(plain("linear, by W alone", Linear{9, 8, 7, true}), true, {false, true, false}),
                          gradient_of(plain("linear, by b alone", Linear{9, 8, 7, true}), true, {false, false, true}),
                          gradient_of(plain("rms_norm, by gamma alone", RmsNorm{9, 33}), true, {false, true}),
                          gradient_of(plain("multiply, by b alone", Multiply{9, 33}), true, {false, true})};
  Attention grouped = attend(2, 4, 33, 35, 8, 6);
  grouped.kv_heads = 2;
  grouped.has_mask = true;
  for (const MaskFill fill : {MaskFill::minus_infinity, MaskFill::minus_1e9}) {
    grouped.fill = fill;
    for (const bool keeps : {false, true})
      cases.push_back(
          gradient_of(masked("attention, a fully masked row", grouped,
                             bytes({1, 1, 33, 35}, [](auto, auto, auto i, auto j) { return causal_but_row_1(i, j); })),
                      keeps));
  }
  Attention both = grouped;
  both.has_bias = true;
  for (const bool keeps : {false, true}) cases.push_back(gradient_of(plain("attention, mask and bias", both), keeps));
  const Attention plainly = attend(1, 2, 9, 11, 4, 4);
  for (const std::vector<bool>& wanted : {std::vector{true, false, false}, {false, true, false}, {false, false, true}})
    cases.push_back(gradient_of(plain("attention, one gradient", plainly), true, wanted));
  Attention dropped = plainly;
  dropped.dropout = 0.25;
  cases.push_back(gradient_of(plain("attention, dropout", dropped), false));
  return cases;
}

std::vector<Case> gradient_cases() {
  constexpr double kMost = 4e6;  // operations of the forward pass, so that the plain loops take milliseconds
  std::vector<Case> cases = further_gradient_cases();
  for (const operations::Kind* kind : operations::kinds()) {
    if (!kind->gradient_f64) continue;
    for (Case& c : cases_of(*kind)) {
      // One number less its mean is 0 and two are 1 and -1, one over its size is 1, whatever they were: their gradient is what
      // rounding leaves of 0.
      if (const auto* norm = c.desc.get_if<LayerNorm>(); norm && norm->d <= 2) continue;
      if (const auto* norm = c.desc.get_if<RmsNorm>(); norm && norm->d <= 1) continue;
      if (!c.has_nan && operations::cost_of(c.desc, DType::f32).flops <= kMost) cases.push_back(gradient_of(std::move(c)));
    }
  }
  return cases;
}

}  // namespace

std::vector<Case> cases_of(const operations::Kind& kind) {
  using Make = std::vector<Case> (*)();
  static const std::map<std::string, Make> more{{"linear", linear_cases},
                                                {"gather", gather_cases},
                                                {"add", add_cases},
                                                {"layer_norm", layer_norm_cases},
                                                {"rms_norm", rms_norm_cases},
                                                {"split_heads", split_heads_cases},
                                                {"merge_heads", merge_heads_cases},
                                                {"attention", attention_cases},
                                                {"isdpa", isdpa_cases},
                                                {"cross_entropy", cross_entropy_cases},
                                                {"mean_loss", mean_loss_cases},
                                                {"dropout", dropout_cases},
                                                {"transpose", transpose_cases},
                                                {"rotary", rotary_cases}};
  std::vector<Case> cases;
  if (kind.id == "gradient") return gradient_cases();
  if (const auto at = more.find(kind.id); at != more.end()) cases = at->second();
  int number = 0;
  for (const OpDesc& example : kind.examples()) cases.push_back(plain(kind.id + " example " + std::to_string(++number), example));
  return cases;
}

std::vector<std::string> environments() {
  std::vector<std::string> all;
  for (const Entry& entry : registry().entries()) {
    if (entry.id == "cpu") {
      for (const char* level : {"baseline", "avx2", "avx512", "amx"}) all.push_back("cpu:" + std::string(level));
    } else {
      all.push_back(entry.id);
    }
    // The CUDA kernels on the CPU, with a block's threads in both orders: missing barriers show as differences.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    if (entry.id == "cuda") all.push_back("cuda:emulated");  // only one environment here: sanitizers make fibers slow
#else
    if (entry.id == "cuda")
      all.insert(all.end(),
                 {"cuda:tf32", "cuda:bf16", "cuda:emulated", "cuda:emulated_backwards", "cuda:emulated_tf32",
                  "cuda:emulated_bf16", "cuda:emulated_library", "cuda:emulated_library_tf32", "cuda:emulated_library_bf16"});
#endif
  }
  return all;
}

Result<std::shared_ptr<Backend>> open(const std::string& environment) {
  if (environment.starts_with("cpu:")) return cpu::make(environment.substr(4));
  if (environment.starts_with("cuda:emulated")) {
    emulation::set_backwards(environment.ends_with("backwards"));
    // Gives every product to the library, whatever its size.
    std::optional<emulation::WithLibrary> library;
    if (environment.starts_with("cuda:emulated_library")) library.emplace();
    // small products are divided among many multiprocessors, or few
    emulation::set_multiprocessors(environment.ends_with("backwards") ? 132 : 4);
    return backends::cuda::make_backend(emulation::module(), 0,
                                        environment.ends_with("tf32")   ? backends::cuda::kTensorFloat32
                                        : environment.ends_with("bf16") ? backends::cuda::kBrainFloat16
                                                                        : backends::cuda::kFloat32);
  }
  return backends::open(environment);
}

Result<std::vector<Tensor>> compute(Backend& backend, const OpDesc& desc, const std::vector<Tensor>& inputs) {
  std::vector<Buffer> in;
  for (const Tensor& t : inputs) {
    HL_ASSIGN(Buffer buffer, backend.upload(t));
    in.push_back(std::move(buffer));
  }
  HL_ASSIGN(const std::vector<Buffer> out, backend.apply(desc, in));
  std::vector<Tensor> results;
  for (const Buffer& buffer : out) {
    HL_ASSIGN(Tensor t, backend.download(buffer));
    results.push_back(std::move(t));
  }
  return results;
}

}  // namespace headlight::conformance
