// A small stored model with seeded numbers that a test writes itself.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "engine/core/float16.h"
#include "engine/core/rng.h"
#include "engine/models/stored_models.h"
#include "engine/tokenizers/kinds.h"
#include "engine/tokenizers/models/byte_tokens.h"

namespace headlight::tests {

// A folder of this process alone, since tests run side by side and several use one name. Removed when the process ends.
inline std::filesystem::path own_folder(const std::string& name) {
  static const struct Folder {
    std::filesystem::path path = std::filesystem::path(testing::TempDir()) / ("headlight-tiny-" + std::to_string(::getpid()));
    ~Folder() {
      std::error_code none;
      std::filesystem::remove_all(path, none);
    }
  } all;
  std::filesystem::create_directories(all.path);
  return all.path / name;
}

struct TinyModel {
  std::filesystem::path folder;
  StoredModel model;
  NamedTensors parameters;  // as they are written: float16 numbers
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer, target_tokenizer;

  std::string name() const { return folder.string(); }
  Status write() const {
    return models::write_model(folder, model, {parameters, *tokenizer, target_tokenizer.get(), "# " + model.title + "\n"});
  }
};

// The characters of `alphabet`, behind the special tokens and the 256 bytes; [MASK] is last.
inline std::shared_ptr<const tokenizers::Tokenizer> character_tokenizer(const std::string& alphabet, bool with_mask = false) {
  tokenizers::Vocabulary vocabulary = tokenizers::Vocabulary::with_specials();
  for (int byte = 0; byte < 256; ++byte) vocabulary.add(tokenizers::byte_token(static_cast<unsigned char>(byte)));
  for (const char c : alphabet) vocabulary.add(std::string(1, c));
  if (with_mask) vocabulary.set_special(tokenizers::Role::mask, vocabulary.add("[MASK]"));
  auto made = tokenizers::Tokenizer::make(tokenizers::plan_of("characters", std::move(vocabulary)), "a test's tokenizer");
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().sentence());
  return *made;
}

// Numbers around 0 (norms around 1), drawn by the parameter's name.
inline NamedTensors drawn_parameters(const StoredModel& model) {
  NamedTensors parameters;
  for (const models::ParameterSpec& spec : models::parameters_of(model)) {
    if (!spec.part.of.empty()) continue;
    Tensor t(DType::f32, spec.shape, spec.axes, true);
    const Rng rng(7, spec.name);
    const double size = spec.shape.size() == 2 ? 0.5 : 0.2;
    const double middle = spec.fill == models::ParameterSpec::Fill::ones ? 1 : 0;
    for (std::int64_t i = 0; i < t.count(); ++i)
      t.data<float>()[i] =
          from_float16(to_float16(static_cast<float>(middle + size * rng.normal(static_cast<std::uint64_t>(i), 0))));
    if (spec.by_rows) std::fill_n(t.data<float>(), spec.shape[1], 0.0f);  // the row of [PAD]
    parameters.emplace_back(spec.name, std::move(t));
  }
  return parameters;
}

// A Llama decoder (rotary positions, RMSNorm, SwiGLU), or an encoder-decoder with biases and LayerNorm whose targets have a
// vocabulary of their own; two layers of two heads. `change` sets the fields of the model that a test wants otherwise. Not yet
// written.
inline TinyModel tiny_model(const std::string& name, ModelTask task = ModelTask::decoder,
                            const std::function<void(StoredModel&)>& change = {}) {
  TinyModel tiny;
  tiny.folder = own_folder(name);
  std::filesystem::remove_all(tiny.folder);
  tiny.tokenizer = character_tokenizer("abcdefghijklmnopqrstuvwxyz .", task == ModelTask::encoder);
  StoredModel& model = tiny.model;
  model.title = name;
  model.trained_on = "a test's seeded numbers";
  model.task = task;
  model.length = 12;
  model.vocabulary = tiny.tokenizer->vocabulary_size();
  Document& d = model.document;
  d.d_model = 16;
  d.heads = d.layers = 2;
  d.d_ff = 24;
  d.final_norm = d.add_begin = true;
  if (task == ModelTask::encoder_decoder) {
    tiny.target_tokenizer = character_tokenizer("aeioulmnrst '");
    model.target_vocabulary = tiny.target_tokenizer->vocabulary_size();
    d.add_end = true;
    d.activation = "gelu";
  } else {
    d.position = "rotary";
    d.norm_kind = "rms";
    d.activation = "silu";
    d.gated = true;
    d.bias = false;
  }
  if (task != ModelTask::encoder) d.masks.push_back({"causal", {}});
  d.masks.push_back({"padding", {}});
  if (change) change(model);
  tiny.parameters = drawn_parameters(model);
  return tiny;
}

}  // namespace headlight::tests
