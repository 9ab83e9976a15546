// Published architectures: small models that the library transformers wrote, with what it makes of one text
// (tests/parity/make_published_fixtures.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/architectures/architecture.h"
#include "engine/backends/backends.h"
#include "engine/backends/base/stored_matrix.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/safetensors.h"
#include "engine/insight/embedding_space.h"
#include "engine/insight/explain.h"
#include "engine/insight/explain_value.h"
#include "engine/insight/head_loop.h"
#include "engine/insight/head_scores.h"
#include "engine/insight/logit_lens.h"
#include "engine/insight/parameter_count.h"
#include "engine/pipeline/generate.h"
#include "engine/pipeline/predict.h"
#include "engine/pipeline/run.h"
#include "engine/train/loss_gradients.h"
#include "support/edited_run.h"
#include "support/gguf_bytes.h"
#include "support/tiny_model.h"
#include "support/trace_of.h"
#include "test_data.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

const fs::path kPublished = fs::path(HEADLIGHT_TEST_DATA) / "published";

Json fixture_of(const std::string& name) {
  const auto text = read_file(kPublished / (name + ".json"));
  return text.ok() ? Json::parse(*text).value() : Json();
}

void copy_file_to(const fs::path& from, const fs::path& to) { fs::copy_file(from, to, fs::copy_options::overwrite_existing); }

// The model's folder as the library writes it; `change` changes its config.json.
fs::path published_folder(const std::string& name, const std::function<void(Json&)>& change = {}, const std::string& as = {}) {
  const fs::path folder = tests::own_folder("published-" + (as.empty() ? name : as));
  fs::create_directories(folder);
  if (name.ends_with("-gguf")) {
    const std::string file = name.substr(0, name.size() - 5) + ".gguf";
    copy_file_to(kPublished / file, folder / file);
    copy_file_to(kPublished / "tokenizer.json", folder / "tokenizer.json");
    return folder;
  }
  Json config = fixture_of(name)["config"];
  const bool encoder = name.find("bert") != std::string::npos;
  if (change) change(config);
  EXPECT_TRUE(write_file(folder / "config.json", config.dump(2)).ok());
  copy_file_to(kPublished / (name + ".safetensors"), folder / "model.safetensors");
  copy_file_to(kPublished / (encoder ? "encoder-tokenizer.json" : "tokenizer.json"), folder / "tokenizer.json");
  return folder;
}

Document published_document(const fs::path& folder, const std::string& text) {
  Document document;
  const Status set = find_field("model")->set(document, {folder.string()});
  EXPECT_TRUE(set.ok()) << (set.ok() ? "" : set.error().sentence());
  document.texts = {text};
  return document;
}

// The largest difference from the fixture's numbers, relative to their largest.
double difference_from(const Tensor& values, const Json& expected) {
  const Tensor wide = values.as(DType::f64).compact();
  EXPECT_EQ(static_cast<std::size_t>(wide.count()), expected.size());
  double most = 0, largest = 1e-30;
  for (std::size_t i = 0; i < expected.size() && static_cast<std::int64_t>(i) < wide.count(); ++i) {
    most = std::max(most, std::abs(wide.data<double>()[i] - expected[i].number()));
    largest = std::max(largest, std::abs(expected[i].number()));
  }
  return most / largest;
}

class PublishedModel : public testing::TestWithParam<const char*> {
 protected:
  std::string name() const { return GetParam(); }
  Json fixture = fixture_of(GetParam());
  fs::path folder = published_folder(GetParam());
  std::string text = fixture["text"].string();
};

TEST_P(PublishedModel, AnEditAtTheEndHasTheNumbersOfAWholeRun) {
  const tests::EditedRun run = tests::edited_run(published_document(folder, text), text, text + " ran");
  EXPECT_LE(run.difference, 5e-6) << run.step;
  if (name().find("bert") == std::string::npos) EXPECT_LT(run.share, 0.8) << "a decoder's rows before the edit are kept";
}

TEST_P(PublishedModel, GivesTheLibrarysNumbers) {
  for (const char* backend : {"reference", "cpu"}) {
    SCOPED_TRACE(backend);
    Document document = published_document(folder, text);
    document.backend = backend;
    const auto trace = tests::trace_of(document);
    ASSERT_TRUE(trace);
    std::vector<std::int64_t> ids;
    for (const tokenizers::Token& token : trace->texts()[0].tokens) ids.push_back(token.id);
    std::vector<std::int64_t> wanted;
    for (const Json& id : fixture["ids"].elements()) wanted.push_back(id.integer());
    ASSERT_EQ(ids, wanted);
    EXPECT_LE(difference_from(trace->values("input").value(), fixture["states"].elements().front()), 1e-5);
    const std::size_t layers = fixture["maps"].size();
    for (std::size_t n = 0; n < layers; ++n) {
      const std::string place = "layer." + std::to_string(n) + ".";
      EXPECT_LE(difference_from(trace->values(place + "weights").value(), fixture["maps"][n]), 1e-5) << n;
      const bool last = n + 1 == layers && trace->find("final_norm");
      const bool behind = document.norm == "post";
      const std::string state = last ? "final_norm" : place + (behind ? "mlp_norm" : "mlp_residual");
      EXPECT_LE(difference_from(trace->values(state).value(), fixture["states"][n + 1]), 1e-5) << n;
    }
    if (!fixture.contains("logits")) {
      EXPECT_FALSE(trace->find("logits"));
      continue;
    }
    const Tensor logits = trace->values("logits").value();
    EXPECT_LE(difference_from(logits.select(0, 0).select(0, logits.dim(1) - 1), fixture["logits"]), 1e-4);
  }
}

// A second sentence makes one text of both, with the special tokens and the types that the tokenizer gives a pair.
TEST(PublishedModels, ABertReadsAPairOfSentencesWithTwoTypes) {
  Document document = published_document(published_folder("bert", {}, "bert-pair"), "a mole");
  document.backend = "reference";
  document.targets = {"it ran"};
  const auto trace = tests::trace_of(document);
  ASSERT_TRUE(trace);
  EXPECT_TRUE(trace->targets().empty());
  const Sentence& both = trace->texts()[0];
  EXPECT_EQ(both.text, "a mole it ran");
  EXPECT_EQ(both.labels[0] + both.labels[7] + both.labels.back(), "[CLS][SEP][SEP]");
  ASSERT_EQ(both.tokens.size(), 15u);
  std::string first, second;
  for (std::size_t i = 1; i < 14; ++i) {
    const auto begin = static_cast<std::size_t>(both.tokens[i].start), end = static_cast<std::size_t>(both.tokens[i].end);
    if (i != 7) (i < 7 ? first : second) += both.text.substr(begin, end - begin);
  }
  EXPECT_EQ(first + "|" + second, "a mole|it ran");
  const Tensor types = trace->values("token_types").value(), table = trace->values("parameters.token_types").value();
  const Tensor before = trace->values("embedding_and_position").value(), after = trace->values("embedding_and_type").value();
  ASSERT_GT(table.dim(0), 1);
  double apart = 0;
  for (std::int64_t i = 0; i < 15; ++i) {
    const std::int64_t type = i < 8 ? 0 : 1;
    EXPECT_EQ(types.at({0, i}), static_cast<double>(type)) << i;
    for (std::int64_t c = 0; c < table.dim(1); ++c) {
      EXPECT_NEAR(after.at({0, i, c}) - before.at({0, i, c}), table.at({type, c}), 1e-12) << i << ", " << c;
      apart = std::max(apart, std::abs(table.at({0, c}) - table.at({1, c})));
    }
  }
  EXPECT_GT(apart, 1e-3) << "the types are told apart";
  // A decoder reads one sentence.
  Document one = published_document(published_folder("llama", {}, "llama-pair"), "a mole");
  one.targets = {"it ran"};
  const auto refused = run(one, **backends::open("cpu"), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence().find("reads one sentence"), std::string::npos) << refused.error().sentence();
}

TEST_P(PublishedModel, ContinuesATextWithKeptKeysAsWithoutThem) {
  const auto model = open_stored_model(folder.string()).value();
  const auto predictor = Predictor::open(model, *backends::open("cpu"));
  ASSERT_TRUE(predictor.ok()) << predictor.error().sentence();
  GenerateOptions options;
  options.tokens = 6;
  const auto made = generate(*predictor, {text}, options, {});
  if (!model->predicts) {
    ASSERT_FALSE(made.ok());
    EXPECT_NE(made.error().sentence().find("no language head"), std::string::npos) << made.error().sentence();
    return;
  }
  ASSERT_TRUE(made.ok()) << made.error().sentence();
  TokenIds ids = predictor->beginning(text, {}).value();
  for (const Generated::Step& step : (*made)[0].steps) {
    const Tensor logits = predictor->logits({&ids, 1}, {}, {}).value();
    const auto scores = scores_at(logits, 0, logits.dim(1) - 1);
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    EXPECT_EQ(step.token, best);
    EXPECT_NEAR(std::log(step.candidates[0].probability), log_probability(scores, static_cast<std::int32_t>(best)), 1e-4);
    ids.push_back(step.token);
  }
}

TEST_P(PublishedModel, IsOpenToEveryQuestion) {
  Document document = published_document(folder, text);
  document.backend = "reference";
  const auto trace = tests::trace_of(document);
  ASSERT_TRUE(trace);
  // Each step's last number is explained, and the explanation arrives at the same number.
  for (const Step& step : trace->steps()) {
    ValueAddress at{step.name, {}};
    for (const std::int64_t size : step.shape) at.index.push_back(size - 1);
    const auto explained = explain_value(*trace, at);
    ASSERT_TRUE(explained.ok()) << step.name << ": " << explained.error().sentence();
    if (explained->check == ValueCheck::computed && std::isfinite(explained->value)) {
      EXPECT_NEAR(explained->value, explained->computed, explained->tolerance + 1e-12) << step.name;
    }
  }
  // A cell of each attention is explained with the weight that the trace holds: caps, shared key heads and windows count.
  for (const AttentionSite& site : trace->sites())
    for (std::int64_t head = 0; head < site.heads; ++head) {
      const auto cell = explain_cell(*trace, {site.prefix, 0, head, site.queries - 1, 1});
      ASSERT_TRUE(cell.ok()) << cell.error().sentence();
      EXPECT_NEAR(cell->weight, cell->weight_in_trace, 1e-9) << site.prefix << head;
      EXPECT_NEAR(cell->dot, cell->dot_in_trace, 1e-9 * (1 + std::abs(cell->dot))) << site.prefix << head;
      const std::string words = to_text(*cell);
      EXPECT_EQ(words.find("reads key head") != std::string::npos, site.kv_heads < site.heads) << words;
      EXPECT_EQ(words.find("bent: c tanh") != std::string::npos, site.score_cap > 0) << words;
    }
  // A number of a parameter says where it lies in the file.
  const auto& parameter = trace->parameters().back();
  ValueAddress last{parameter.name, {}};
  for (const std::int64_t size : parameter.shape) last.index.push_back(size - 1);
  const auto told = explain_value(*trace, last);
  ASSERT_TRUE(told.ok()) << told.error().sentence();
  EXPECT_NE(to_text(*told).find("the file's tensor"), std::string::npos) << to_text(*told);
  // A head that is taken out changes what follows.
  Document without = document;
  without.interventions = interventions_from_text(Intervention::Kind::zero, "layer.0.head.1").value();
  const auto changed = tests::trace_of(without);
  ASSERT_TRUE(changed);
  EXPECT_GT(difference(changed->values("layer.1.q").value(), trace->values("layer.1.q").value()).max_abs, 1e-6);
  const auto predictor = Predictor::open(open_stored_model(folder.string()).value(), *backends::open("cpu"));
  const auto heads = score_heads(*predictor, "the mole ran\na cat", "a text", {}, {});
  ASSERT_TRUE(heads.ok()) << heads.error().sentence();
  EXPECT_EQ(heads->heads.size(), 4u);
  const auto backend = *backends::open("reference");
  const auto gradients = train::loss_gradients(*trace, backend, {});
  if (!trace->find("logits")) {
    EXPECT_FALSE(gradients.ok());
    return;
  }
  ASSERT_TRUE(gradients.ok()) << gradients.error().sentence();
  const Tensor* by_input = find(*gradients, "grad.input");
  ASSERT_TRUE(by_input);
  EXPECT_GT(difference(*by_input, Tensor(by_input->dtype(), by_input->shape())).max_abs, 1e-9);
  // The lens's last row is the model's own prediction.
  const std::int64_t tokens = trace->values("logits").value().dim(1);
  const auto lens = logit_lens(*trace, 0, tokens, *backend, {});
  ASSERT_TRUE(lens.ok()) << lens.error().sentence();
  const Tensor probabilities = trace->values("probabilities").value();
  const auto token = static_cast<std::int64_t>(lens->token.at({lens->rows() - 1, tokens - 1}));
  EXPECT_NEAR(lens->probability.at({lens->rows() - 1, tokens - 1}), probabilities.at({0, tokens - 1, token}), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(EachFamily, PublishedModel,
                         testing::Values("llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "phi3", "gpt2", "gpt_neox",
                                         "bert", "roberta", "distilbert", "modernbert", "llama-gguf", "qwen2-gguf",
                                         "gpt_neox_odd", "mistral_alone"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(PublishedModels, EveryFamilyHasAFixture) {
  EXPECT_EQ(architectures::registry().duplicate(), "");
  for (const architectures::Entry& entry : architectures::registry().entries())
    EXPECT_TRUE(fs::exists(kPublished / (entry.id + ".safetensors"))) << entry.id;
}

// Products read the file's blocks: what they widen is the matrix that a reader sees, in its published order.
TEST(PublishedModels, MatricesStayAsStored) {
  for (const char* name : {"llama-gguf", "qwen2-gguf", "gpt_neox", "phi3"}) {
    const auto model = open_stored_model(published_folder(name, {}, std::string("stored-") + name).string()).value();
    const auto weights = models::open_weights(*model).value();
    int stored = 0;
    for (const models::ParameterSpec& spec : models::parameters_of(*model)) {
      const auto matrix = weights->stored(spec, {}).value();
      EXPECT_EQ(matrix != nullptr, spec.shape.size() == 2 && spec.name != "parameters.embedding") << spec.name;
      if (!matrix) continue;
      ++stored;
      const Tensor whole = weights->tensor(spec, {}).value();
      std::vector<float> two(static_cast<std::size_t>(2 * matrix->inner()));
      matrix->widen(matrix->columns() - 2, 2, two.data());
      for (std::int64_t j = 0; j < 2; ++j)
        for (std::int64_t i = 0; i < matrix->inner(); ++i)
          ASSERT_EQ(two[static_cast<std::size_t>(j * matrix->inner() + i)], whole.at({i, matrix->columns() - 2 + j}))
              << spec.name;
    }
    EXPECT_GE(stored, 13) << name;
  }
}

// The lens and the space of words read large tables as the file stores them, without a copy in float32.
TEST(PublishedModels, TablesAreReadAsTheyAreStored) {
  for (const char* name : {"llama-gguf", "qwen2", "gpt2"}) {
    Document document = published_document(published_folder(name, {}, std::string("tables-") + name), "a mole ran");
    const auto trace = tests::trace_of(document);
    ASSERT_TRUE(trace) << name;
    const auto lens = logit_lens(*trace, 0, 3, **backends::open("cpu"), {});
    ASSERT_TRUE(lens.ok()) << lens.error().sentence();
    EXPECT_TRUE(lens->stored && lens->matrix.empty()) << name;
    const Tensor logits = trace->values("logits").value();
    ASSERT_EQ(lens->vocabulary(), logits.dim(2)) << name;
    for (const std::int32_t token : {0, 17, 200})
      EXPECT_NEAR(lens->logit(lens->rows() - 1, 2, token), logits.at({0, 2, token}), 1e-4) << name;
    const auto space = embedding_space(*trace, false, {});
    ASSERT_TRUE(space.ok()) << space.error().sentence();
    EXPECT_TRUE(space->stored && space->table.empty()) << name;
    const Tensor table = trace->values("parameters.embedding").value();
    ASSERT_EQ(space->tokens(), table.dim(0)) << name;
    const std::vector<double> row = row_of_token(*space, 97);
    for (std::int64_t c = 0; c < table.dim(1); ++c) EXPECT_EQ(row[static_cast<std::size_t>(c)], table.at({97, c})) << name;
    const auto nearest = nearest_tokens(*space, row, 1, {}, {});
    ASSERT_TRUE(nearest.ok());
    EXPECT_EQ(nearest->front().token, 97) << name;
    const auto of_model = embedding_space(*open_stored_model(document.model).value(), false);
    ASSERT_TRUE(of_model.ok());
    EXPECT_EQ(of_model->lengths, space->lengths) << name;
  }
}

// Old spellings of config.json say the same.
TEST(PublishedModels, ReadOldSpellings) {
  const Json fixture = fixture_of("llama");
  const fs::path folder = published_folder(
      "llama",
      [](Json& config) {
        Json scaling = config["rope_parameters"];
        config["rope_theta"] = scaling["rope_theta"];
        config["rope_scaling"] = scaling;
        config["rope_scaling"]["type"] = scaling["rope_type"];
        config["rope_parameters"] = nullptr;
        config["dtype"] = nullptr;
        config["torch_dtype"] = "float16";
      },
      "old-llama");
  const auto trace = tests::trace_of(published_document(folder, fixture["text"].string()));
  ASSERT_TRUE(trace);
  EXPECT_LE(difference_from(trace->values("layer.1.weights").value(), fixture["maps"][1]), 1e-5);
}

// Llama's folder without a tensor, and with a changed config.json.
fs::path folder_without(const std::string& tensor, const std::function<void(Json&)>& change, const std::string& as) {
  const fs::path folder = published_folder("llama", change, as);
  Safetensors file = read_safetensors_file(folder / "model.safetensors").value();
  EXPECT_EQ(std::erase_if(file.tensors, [&](const auto& one) { return one.first == tensor; }), 1u);
  EXPECT_TRUE(write_safetensors(folder / "model.safetensors", file, StoredReal::f16).ok());
  return folder;
}

// The files have the last word on the head, as in the library.
TEST(PublishedModels, TheHeadIsTheOneThatIsStored) {
  const Json fixture = fixture_of("llama");
  const std::string text = fixture["text"].string();
  const auto tie = [](Json& config) { config["tie_word_embeddings"] = true; };
  const auto untied = tests::trace_of(published_document(published_folder("llama", tie, "tied-in-words-alone"), text));
  ASSERT_TRUE(untied);
  const Tensor logits = untied->values("logits").value();
  EXPECT_LE(difference_from(logits.select(0, 0).select(0, logits.dim(1) - 1), fixture["logits"]), 1e-4);

  const auto of_class = [](const char* name) { return [name](Json& config) { config["architectures"] = Json::array({name}); }; };
  const auto bare = tests::trace_of(published_document(folder_without("lm_head.weight", of_class("LlamaModel"), "bare"), text));
  ASSERT_TRUE(bare);
  EXPECT_FALSE(bare->find("logits")) << "vectors alone";
  const auto tied = tests::trace_of(published_document(folder_without("lm_head.weight", tie, "tied"), text));
  ASSERT_TRUE(tied);
  EXPECT_TRUE(tied->find("logits"));
}

// Keys that are left out have the library's defaults.
TEST(PublishedModels, ReadConfigsWithoutTheirDefaults) {
  for (const char* name : {"bert", "gpt2", "phi3", "modernbert"}) {
    const Json fixture = fixture_of(name);
    const fs::path folder = published_folder(
        name,
        [](Json& config) {
          Json fewer = Json::object();
          for (const auto& [key, value] : config.members())
            for (const char* kept : {"model_type", "vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads",
                                     "num_key_value_heads", "intermediate_size", "max_position_embeddings", "rope_parameters",
                                     "original_max_position_embeddings", "local_attention", "layer_types", "n_embd", "n_layer",
                                     "n_head", "n_positions", "scale_attn_by_inverse_layer_idx"})
              if (key == kept) fewer[key] = value;
          config = fewer;
        },
        std::string("few-keys-") + name);
    const auto trace = tests::trace_of(published_document(folder, fixture["text"].string()));
    ASSERT_TRUE(trace) << name;
    EXPECT_LE(difference_from(trace->values("layer.1.weights").value(), fixture["maps"][1]), 1e-5) << name;
  }
}

std::string refusal_of(const std::string& name, const std::function<void(Json&)>& change, const std::string& as) {
  const fs::path folder = published_folder(name, change, as);
  auto model = open_stored_model(folder.string());
  if (!model) return model.error().sentence();
  const auto weights = models::open_weights(**model);
  return weights.ok() ? "" : weights.error().sentence();
}

TEST(PublishedModels, AreRefusedByName) {
  const auto says = [](const std::string& sentence, const char* words) {
    EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
  };
  says(refusal_of(
           "llama", [](Json& c) { c["model_type"] = "mixtral"; }, "mixtral"),
       "the architecture 'mixtral' is not known");
  says(refusal_of(
           "llama", [](Json& c) { c["model_type"] = "mixtral"; }, "mixtral"),
       "known are llama, mistral, qwen2");
  says(refusal_of(
           "llama", [](Json& c) { c["rms_norm_eps"] = -1; }, "epsilon"),
       "the epsilon of its norms is -1");
  says(refusal_of(
           "llama",
           [](Json& c) {
             c["model_type"] = nullptr;
             c["architectures"] = nullptr;
           },
           "nameless"),
       "names no architecture");
  says(refusal_of(
           "llama", [](Json& c) { c["hidden_size"] = nullptr; }, "no-size"),
       "'hidden_size' is missing");
  says(refusal_of(
           "roberta", [](Json& c) { c["num_attention_heads"] = 12; }, "thin-heads"),
       "d_model 8 cannot be divided among 12 heads");
  says(refusal_of(
           "llama", [](Json& c) { c["num_hidden_layers"] = -1; }, "no-layers"),
       "'num_hidden_layers' is -1");
  says(refusal_of(
           "llama", [](Json& c) { c["hidden_act"] = "snake"; }, "snake"),
       "the activation 'snake' is not known");
  says(refusal_of(
           "llama", [](Json& c) { c["rope_parameters"]["rope_type"] = "spiral"; }, "spiral"),
       "the rope type 'spiral'");
  says(refusal_of(
           "llama", [](Json& c) { c["num_hidden_layers"] = 3; }, "missing"),
       "the tensor 'model.layers.2.input_layernorm.weight' is missing");
  says(refusal_of(
           "llama", [](Json& c) { c["num_hidden_layers"] = 1; }, "extra"),
       "has no place in a model of the architecture llama");
  says(refusal_of(
           "llama", [](Json& c) { c["intermediate_size"] = 13; }, "misshapen"),
       "the tensor 'model.layers.0.mlp.gate_proj.weight' is [12, 8], and the model's description makes it [13, 8]");
  says(refusal_of(
           "llama", [](Json& c) { c["num_key_value_heads"] = 3; }, "heads"),
       "2 query heads cannot share 3 key heads");
  says(refusal_of(
           "gemma", [](Json& c) { c["use_bidirectional_attention"] = true; }, "both-directions"),
       "attention reads in both directions");
  says(refusal_of(
           "bert", [](Json& c) { c["position_embedding_type"] = "relative_key"; }, "relative"),
       "positions of the type 'relative_key'");
}

// What a person finds in the files is named as they have it.
TEST(PublishedModels, AreRefusedWithTheNamesOfTheirFiles) {
  const fs::path folder = published_folder("llama", {}, "another-tokenizer");
  ASSERT_TRUE(write_file(folder / "tokenizer.json",
                         R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []}, "pre_tokenizer": null})")
                  .ok());
  const auto model = open_stored_model(folder.string());
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().sentence(),
            folder.string() +
                ": its tokenizer has 2 pieces, and the model is made for 260; put the tokenizer that it was "
                "trained with into the folder");

  const fs::path file = folder / "keyless.gguf";
  ASSERT_TRUE(write_file(file, GgufBytes().text("general.architecture", "llama").file()).ok());
  const auto keyless = architectures::open_checkpoint(file);
  ASSERT_FALSE(keyless.ok());
  EXPECT_EQ(keyless.error().sentence(),
            file.string() + ": 'embedding_length' is missing; copy the model's files again from where they were published");
  EXPECT_EQ(refusal_of("llama", {}, "whole"), "") << "the folder that is not changed";

  RunOptions options;
  options.budget_bytes = 1000;
  const auto large =
      run(published_document(published_folder("llama", {}, "too-long"), "a mole"), **backends::open("cpu"), {}, options);
  ASSERT_FALSE(large.ok());
  EXPECT_TRUE(large.error().sentence().ends_with("; use fewer tokens (now 6)")) << large.error().sentence();
}

// What the stored numbers are, and what the model makes of them: Gemma multiplies by 1 + w.
TEST(PublishedModels, ExplainTheirOwnNormsAndTurns) {
  Document document = published_document(published_folder("gemma2"), "the mole ran");
  document.backend = "reference";
  const auto trace = tests::trace_of(document);
  ASSERT_TRUE(trace);
  const auto norm = explain_value(*trace, {"layer.0.attention_norm", {0, 1, 2}});
  ASSERT_TRUE(norm.ok()) << norm.error().sentence();
  EXPECT_NE(to_text(*norm).find("gamma = 1 + w"), std::string::npos) << to_text(*norm);
  EXPECT_NE(to_text(*norm).find("root of the mean square"), std::string::npos);
  const auto gate = explain_value(*trace, {"layer.0.mlp_hidden", {0, 1, 2}});
  ASSERT_TRUE(gate.ok()) << gate.error().sentence();
  EXPECT_NE(to_text(*gate).find("GeGLU"), std::string::npos) << to_text(*gate);

  const fs::path turned = published_folder(
      "llama", [](Json& c) { c["rope_theta"] = 500; }, "base");
  const auto llama = tests::trace_of(published_document(turned, "the mole ran"));
  ASSERT_TRUE(llama);
  const Step* const step = llama->step_at("layer.0.", Role::q_scored);
  ASSERT_TRUE(step);
  const auto pair = explain_value(*llama, {step->name, {0, 0, 2, 1}});
  ASSERT_TRUE(pair.ok()) << pair.error().sentence();
  EXPECT_NE(to_text(*pair).find("f = 500^(-2/"), std::string::npos) << to_text(*pair);
}

// The matrices that a checkpoint holds, counted from its sizes alone.
TEST(PublishedModels, AreCountedToTheNumber) {
  for (const architectures::Entry& entry : architectures::registry().entries()) {
    SCOPED_TRACE(entry.id);
    const fs::path folder = published_folder(entry.id);
    const auto model = open_stored_model(folder.string()).value();
    const auto trace = tests::trace_of(published_document(folder, "the mole ran"));
    ASSERT_TRUE(trace);
    std::int64_t numbers = 0;
    for (const NamedParameter& parameter : trace->parameters()) {
      std::int64_t size = 1;
      for (const std::int64_t axis : parameter.shape) size *= axis;
      numbers += parameter.name == "parameters.output" && model->tied ? 0 : size;
      if (parameter.name == "parameters.position")  // of the table only as many rows are read as the text has
        numbers += (model->length - parameter.shape[0]) * parameter.shape[1];
    }
    const ModelSizes sizes = sizes_of(*model);
    const ParameterCount count = count_parameters(sizes);
    // Of BERT's two sentence types one row is read.
    const std::int64_t types = sizes.segments > 0 ? (sizes.segments - 1) * sizes.d_model : 0;
    const bool head = !model->predicts && !sizes.shared;
    EXPECT_EQ(count.total + count.left_out() - types - (head ? sizes.vocabulary * sizes.d_model : 0), numbers);
    const auto& a = model->checkpoint->architecture;
    EXPECT_EQ(cache_bytes(sizes, 1, 4), a.causal ? 2.0 * 4 * static_cast<double>(a.layers * a.kv_heads * a.head_size) : 0.0);
  }
}

// Several query heads read one key head: the loop over the heads still gives the model's numbers.
TEST(PublishedModels, TheLoopOverHeadsFollowsSharedKeysAndOwnTurns) {
  for (const char* name : {"llama", "phi3", "gpt_neox"}) {
    SCOPED_TRACE(name);
    Document document = published_document(published_folder(name), "the mole ran");
    document.backend = "reference";
    const auto trace = tests::trace_of(document);
    ASSERT_TRUE(trace);
    const auto loop = heads_one_by_one(*trace, trace->sites()[0]);
    ASSERT_TRUE(loop.ok()) << loop.error().sentence();
    EXPECT_LT(loop->difference, 1e-9 * (1 + loop->largest));
  }
}

// Its own numbers by hand: a pair below the original length stays, one far beyond it is divided.
TEST(PublishedModels, ScaleRotaryPositions) {
  architectures::Rope rope;
  rope.turned = 8;
  rope.factor = 4;
  rope.original_length = rope.longest = 100;
  EXPECT_EQ(architectures::turning_of(rope, 5).frequencies, (std::vector<double>{1, 0.1, 0.01, 0.001}));
  rope.scaling = architectures::Rope::Scaling::llama3;
  const auto llama3 = architectures::turning_of(rope, 5).frequencies;
  EXPECT_DOUBLE_EQ(llama3[0], 1);          // a wave of 6 tokens
  EXPECT_DOUBLE_EQ(llama3[3], 0.001 / 4);  // a wave of 6,283
  rope.scaling = architectures::Rope::Scaling::dynamic;
  EXPECT_DOUBLE_EQ(architectures::turning_of(rope, 100).frequencies[1], 0.1);
  EXPECT_LT(architectures::turning_of(rope, 200).frequencies[1], 0.1);
}

}  // namespace
}  // namespace headlight
