// The counts of S20: GPT-3's table to the digit, models whose size is published, and the bundled models against their own files.
#include "engine/insight/parameter_count.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/core/safetensors.h"

namespace headlight {
namespace {

ModelSizes preset(const char* id) {
  for (const ModelSizes& sizes : counted_presets())
    if (sizes.id == id) return sizes;
  return {};
}

TEST(ParameterCount, Gpt3IsTheLecturesTableToTheDigit) {
  const ModelSizes gpt3 = preset("gpt3");
  const ParameterCount c = count_parameters(gpt3);
  EXPECT_EQ(c.total, 175181291520);
  EXPECT_EQ(c.matrices, 27938);
  EXPECT_EQ(c.attention, 57982058496);
  ASSERT_EQ(c.lines.size(), 8u);
  for (const CountedMatrix& m : c.lines) {
    if (m.part == CountedMatrix::Part::attention) {
      EXPECT_EQ(m.a_head, 1572864) << m.id;
      EXPECT_EQ(m.a_layer, 150994944) << m.id;
      EXPECT_EQ(m.numbers, 14495514624) << m.id;
      EXPECT_EQ(m.matrices, m.id == "output" ? 96 : 9216) << m.id;
    } else if (m.part == CountedMatrix::Part::feed_forward) {
      EXPECT_EQ(m.numbers, 57982058496) << m.id;
    } else {
      EXPECT_EQ(m.numbers, 617558016) << m.id;
    }
  }
  EXPECT_EQ(c.left_out(), 40525824);
}

TEST(ParameterCount, AFullRankValueMapIsDTimesD) {
  ModelSizes gpt3 = preset("gpt3");
  gpt3.full_rank_values = true;
  const ParameterCount c = count_parameters(gpt3);
  for (const CountedMatrix& m : c.lines) {
    EXPECT_NE(m.id, "output");
    if (m.id == "value") {
      EXPECT_EQ(m.a_head, 150994944);
    }
  }
}

// S4, at the material's sizes.
TEST(ParameterCount, AStackOfFullWidthHeadsHas528NumbersWhereConcatHas8388608) {
  ModelSizes sizes = preset("gpt2");
  sizes.d_model = sizes.d_k = 512;
  sizes.heads = 32;
  sizes.layers = 3;
  const auto combining = [](const ParameterCount& c) {
    std::int64_t a_layer = 0;
    for (const CountedMatrix& m : c.lines)
      if (m.id == "output" || m.id.starts_with("stack_")) a_layer += m.a_layer;
    return a_layer;
  };
  const ParameterCount concat = count_parameters(sizes);
  const double flops = matrix_flops(sizes);
  EXPECT_EQ(combining(concat), 8388608);
  sizes.stack_hidden = 16;
  ASSERT_TRUE(check(sizes).ok());
  const ParameterCount stack = count_parameters(sizes);
  EXPECT_EQ(combining(stack), 528);
  EXPECT_EQ(concat.biases - stack.biases, 3 * 512) << "a stack has no biases";
  EXPECT_EQ(concat.total - stack.total, 3 * (8388608 - 528));
  // Every dimension of a word goes through the stack's numbers.
  EXPECT_DOUBLE_EQ(flops - matrix_flops(sizes), 2.0 * 3 * (8388608 - 528 * 512));
  sizes.d_k = 16;
  EXPECT_FALSE(check(sizes).ok()) << "heads that are not of full width";
}

TEST(ParameterCount, Gpt2AndBertHaveTheirPublishedSizes) {
  // What transformers 4 counts for gpt2 and bert-base-uncased.
  const ParameterCount gpt2 = count_parameters(preset("gpt2")), bert = count_parameters(preset("bert"));
  EXPECT_EQ(gpt2.total + gpt2.left_out(), 124439808);
  EXPECT_EQ(bert.total + bert.left_out(), 109482240);
}

TEST(ParameterCount, TheBundledModelsHaveAsManyNumbersAsTheirFiles) {
  int seen = 0;
  for (const std::string& name : bundled_models()) {
    const auto model = open_stored_model(name);
    ASSERT_TRUE(model.ok()) << name;
    const auto file = read_safetensors_file((*model)->folder / "model.safetensors");
    ASSERT_TRUE(file.ok()) << name;
    std::int64_t numbers = 0;
    for (const auto& [id, tensor] : file->tensors) numbers += tensor.count();
    const ParameterCount c = count_parameters(sizes_of(**model));
    EXPECT_EQ(c.total + c.left_out(), numbers) << name;
    ++seen;
  }
  EXPECT_GE(seen, 5);
}

TEST(ParameterCount, MemoryAndOperationsOfGpt3) {
  const ModelSizes gpt3 = preset("gpt3");
  const double gib = std::exp2(30);
  EXPECT_DOUBLE_EQ(cache_bytes(gpt3, 2048, 2) / gib, 9);
  EXPECT_DOUBLE_EQ(map_bytes(gpt3, 2048, 2) / gib, 0.75);
  EXPECT_DOUBLE_EQ(equal_length(gpt3), 2 * 128 * 96);
  EXPECT_NEAR(matrix_flops(gpt3) / 1e9, 349.13, 0.01);
  EXPECT_NEAR(look_back_flops(gpt3, 2048) / 1e9, 9.66, 0.01);
}

TEST(ParameterCount, ReadsPublishedConfigurations) {
  const auto gpt2 = sizes_from_config(
      R"({"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024, "vocab_size": 50257})", "gpt2");
  ASSERT_TRUE(gpt2.ok());
  const ParameterCount c = count_parameters(*gpt2);
  EXPECT_EQ(c.total + c.left_out(), 124439808);
  // Llama 3 8B, which has 8,030,261,248: keys and values of 8 heads for queries of 32.
  const auto llama = sizes_from_config(
      R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
          "num_hidden_layers": 32, "intermediate_size": 14336, "vocab_size": 128256, "max_position_embeddings": 8192,
          "rms_norm_eps": 1e-05, "tie_word_embeddings": false})",
      "llama");
  ASSERT_TRUE(llama.ok());
  const ParameterCount l = count_parameters(*llama);
  EXPECT_EQ(l.total + l.left_out(), 8030261248);
}

TEST(ParameterCount, RefusesWhatCannotBeCounted) {
  EXPECT_EQ(sizes_from_config("[1]", "a.json").error().kind, ErrorKind::invalid);
  const auto missing = sizes_from_config(R"({"hidden_size": 8})", "a.json");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().sentence().find("num_attention_heads"), std::string::npos);
  EXPECT_FALSE(
      sizes_from_config(R"({"hidden_size": 1.5, "num_attention_heads": 1, "num_hidden_layers": 1, "vocab_size": 2})", "a").ok());
  ModelSizes huge = preset("gpt3");
  huge.d_model = huge.neurons = std::int64_t{1} << 40;
  EXPECT_FALSE(check(huge).ok());
  huge = preset("gpt3");
  huge.layers = 0;
  EXPECT_FALSE(check(huge).ok());
}

}  // namespace
}  // namespace headlight
