// Stored models: config.json, the weights' names and shapes, and what documents may ask of them.
#include "engine/document/stored_model.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/safetensors.h"
#include "engine/insight/explain_value.h"
#include "engine/models/stored_names.h"
#include "engine/tokenizers/files/headlight_file.h"
#include "support/tiny_model.h"
#include "support/trace_of.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using tests::tiny_model;
using tests::TinyModel;

void write(const TinyModel& tiny) {
  const Status written = tiny.write();
  ASSERT_TRUE(written.ok()) << written.error().sentence();
}
Document document_of(const std::string& model) {
  Document document;
  const Status set = find_field("model")->set(document, {model});
  EXPECT_TRUE(set.ok()) << (set.ok() ? "" : set.error().sentence());
  return document;
}
Result<std::shared_ptr<const Trace>> traced(const Document& document) { return run(document, **backends::open("cpu"), {}); }
std::string said(const Document& document) {
  const Status status = validate(document);
  return status.ok() ? "" : status.error().sentence();
}

TEST(StoredModel, ItsConfigComesBackAsItWas) {
  for (const ModelTask task : {ModelTask::decoder, ModelTask::encoder_decoder, ModelTask::encoder}) {
    const TinyModel tiny = tiny_model("config", task);
    const std::string json = model_config_to_json(tiny.model);
    const auto back = model_config_from_json(json, "config.json");
    ASSERT_TRUE(back.ok()) << back.error().sentence();
    EXPECT_EQ(model_config_to_json(*back), json);
    EXPECT_EQ(back->task, task);
    EXPECT_EQ(back->length, 12);
    EXPECT_EQ(back->trained_on, "a test's seeded numbers");
    EXPECT_EQ(json.find("language"), std::string::npos);
    EXPECT_EQ(back->document.heads, 2);
    EXPECT_EQ(back->document.masks, tiny.model.document.masks);
    // Only what transformers can open says so.
    EXPECT_EQ(Json::parse(json)->contains("architectures"), task == ModelTask::decoder);
  }
}

TEST(StoredModel, AModelThatTranslatesNamesItsLanguages) {
  const TinyModel tiny = tiny_model("languages", ModelTask::encoder_decoder, [](StoredModel& model) {
    model.language = "Latin";
    model.target_language = "Greek";
  });
  const auto back = model_config_from_json(model_config_to_json(tiny.model), "config.json");
  ASSERT_TRUE(back.ok()) << back.error().sentence();
  EXPECT_EQ(back->language, "Latin");
  EXPECT_EQ(back->target_language, "Greek");
  const auto bundled = open_stored_model("english-french");
  ASSERT_TRUE(bundled.ok());
  EXPECT_EQ((*bundled)->language, "English");
  EXPECT_EQ((*bundled)->target_language, "French");
}

TEST(StoredModel, AWrongConfigIsRefusedWithASentence) {
  const std::string json = model_config_to_json(tiny_model("wrong-config").model);
  const auto with = [&](const char* key, const Json& value) {
    Json changed = *Json::parse(json);
    changed["headlight"][key] = value;
    return changed.dump();
  };
  Json without = *Json::parse(json);
  Json own = Json::object();
  for (const auto& [key, value] : without["headlight"].members())
    if (key != "heads") own[key] = value;
  without["headlight"] = own;
  struct Case {
    std::string json;
    const char* says;
  };
  const Case cases[] = {
      {"{", "this is not JSON"},
      {"{}", "not written by Headlight"},
      {R"({"headlight":{"version":1,"version":1}})", "'version' stands twice"},
      {with("version", 2), "this model has version 2 and this program reads up to 1"},
      {with("version", 0), "'version' is 0"},
      {with("task", "poetry"), "there is no task 'poetry'"},
      {with("length", 0), "'length' is 0"},
      {with("length", 1.5), "'length' is 1.5"},
      {with("tied", 1), "'tied' has the wrong type"},
      {with("vocabulary", -1), "'vocabulary' is -1"},
      {with("name", 3), "'name' has the wrong type"},
      {with("language", 3), "'language' has the wrong type"},
      {with("heads", 0), "heads"},
      {with("heads", 3), "d_model 16 cannot be divided among 3 heads"},
      {with("heads", "2"), "'heads' has the wrong type"},
      {with("dropout", 0.1), "there is no field 'dropout'"},
      {with("texts", Json::array({"a"})), "there is no field 'texts'"},
      {with("target_vocabulary", 9), "is of an encoder-decoder alone"},
      {without.dump(), "'heads' is missing"},
  };
  for (const Case& one : cases) {
    const auto model = model_config_from_json(one.json, "here");
    ASSERT_FALSE(model.ok()) << one.says;
    EXPECT_NE(model.error().sentence().find(one.says), std::string::npos) << model.error().sentence();
    EXPECT_EQ(model.error().sentence().find("here"), 0u) << model.error().sentence();
  }
}

TEST(StoredModel, ParametersHaveTheNamesOfTheField) {
  const TinyModel decoder = tiny_model("names"), both = tiny_model("names-two", ModelTask::encoder_decoder);
  const auto name = [](const TinyModel& tiny, const char* parameter) {
    return models::stored_name(tiny.model, parameter).value();
  };
  EXPECT_EQ(name(decoder, "parameters.embedding"), "model.embed_tokens.weight");
  EXPECT_EQ(name(decoder, "parameters.layer.0.wq"), "model.layers.0.self_attn.q_proj.weight");
  EXPECT_EQ(name(decoder, "parameters.layer.12.w_gate"), "model.layers.12.mlp.gate_proj.weight");
  EXPECT_EQ(name(decoder, "parameters.layer.1.attention_norm.gamma"), "model.layers.1.input_layernorm.weight");
  EXPECT_EQ(name(decoder, "parameters.layer.1.mlp_norm.gamma"), "model.layers.1.post_attention_layernorm.weight");
  EXPECT_EQ(name(decoder, "parameters.final_norm.gamma"), "model.norm.weight");
  EXPECT_EQ(name(decoder, "parameters.output"), "lm_head.weight");
  EXPECT_EQ(name(both, "parameters.embedding"), "model.encoder.embed_tokens.weight");
  EXPECT_EQ(name(both, "parameters.target_embedding"), "model.decoder.embed_tokens.weight");
  EXPECT_EQ(name(both, "parameters.encoder.layer.0.wo"), "model.encoder.layers.0.self_attn.out_proj.weight");
  EXPECT_EQ(name(both, "parameters.decoder.layer.1.cross.bk"), "model.decoder.layers.1.encoder_attn.k_proj.bias");
  EXPECT_EQ(name(both, "parameters.decoder.layer.1.cross.attention_norm.beta"),
            "model.decoder.layers.1.encoder_attn_layer_norm.bias");
  EXPECT_EQ(name(both, "parameters.encoder.layer.0.w_up"), "model.encoder.layers.0.fc1.weight");
  EXPECT_EQ(name(both, "parameters.decoder.final_norm.gamma"), "model.decoder.layer_norm.weight");
  const TinyModel shared =
      tiny_model("names-shared", ModelTask::encoder_decoder, [](StoredModel& m) { m.target_vocabulary = 0; });
  EXPECT_EQ(name(shared, "parameters.embedding"), "model.shared.weight");
  EXPECT_FALSE(models::stored_name(decoder.model, "parameters.layer.0.wx").ok());
  const auto general = [](StoredModel& m) { m.document.score = "general"; };
  const TinyModel one = tiny_model("names-general", ModelTask::decoder, general),
                  two = tiny_model("names-general-two", ModelTask::encoder_decoder, general);
  EXPECT_EQ(name(one, "parameters.layer.0.w_score"), "model.layers.0.self_attn.score.weight");
  EXPECT_EQ(name(two, "parameters.decoder.layer.1.cross.w_score"), "model.decoder.layers.1.encoder_attn.score.weight");
  // No two parameters share a name.
  for (const TinyModel* tiny : {&decoder, &both, &shared, &one, &two}) {
    std::set<std::string> names;
    for (const models::ParameterSpec& spec : models::parameters_of(tiny->model)) {
      const auto stored = models::stored_name(tiny->model, spec.name);
      ASSERT_TRUE(stored.ok()) << stored.error().sentence();
      EXPECT_TRUE(names.insert(*stored).second) << *stored;
    }
  }
}

TEST(StoredModel, MatricesLieTurnedAndRotaryPairsInHalves) {
  const TinyModel tiny = tiny_model("turned");
  write(tiny);
  const Safetensors file = read_safetensors_file(tiny.folder / kModelWeightsFile).value();
  EXPECT_EQ(file.metadata.at("format"), "pt");
  const Tensor& up = *find(tiny.parameters, "parameters.layer.0.w_up");
  const Tensor& stored_up = *find(file.tensors, "model.layers.0.mlp.up_proj.weight");
  EXPECT_EQ(stored_up.shape(), (Shape{24, 16}));
  EXPECT_EQ(stored_up.at({5, 3}), up.at({3, 5}));
  const Tensor& wq = *find(tiny.parameters, "parameters.layer.1.wq");
  const Tensor& stored_q = *find(file.tensors, "model.layers.1.self_attn.q_proj.weight");
  // d_k = 8: of each head, our columns 2i and 2i + 1 are rows i and i + 4.
  for (std::int64_t head = 0; head < 2; ++head)
    for (std::int64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(stored_q.at({head * 8 + i, 3}), wq.at({3, head * 8 + 2 * i}));
      EXPECT_EQ(stored_q.at({head * 8 + 4 + i, 3}), wq.at({3, head * 8 + 2 * i + 1}));
    }
  const Tensor& wv = *find(tiny.parameters, "parameters.layer.1.wv");
  EXPECT_EQ(find(file.tensors, "model.layers.1.self_attn.v_proj.weight")->at({2, 3}), wv.at({3, 2}));
  EXPECT_EQ(find(file.tensors, "model.embed_tokens.weight")->shape(), (Shape{tiny.model.vocabulary, 16}));
}

TEST(StoredModel, WhatIsWrittenIsReadAgain) {
  for (const ModelTask task : {ModelTask::decoder, ModelTask::encoder_decoder, ModelTask::encoder}) {
    const TinyModel tiny = tiny_model(std::string("again-") + name_of(task), task);
    write(tiny);
    EXPECT_EQ(read_file(tiny.folder / kModelCardFile).value(), "# " + tiny.model.title + "\n");
    for (const auto& item : fs::directory_iterator(tiny.folder))
      EXPECT_NE(item.path().filename().string().front(), '.') << item.path();  // nothing temporary is left
    const auto model = open_stored_model(tiny.name());
    ASSERT_TRUE(model.ok()) << model.error().sentence();
    const auto weights = models::open_weights(**model);
    ASSERT_TRUE(weights.ok()) << weights.error().sentence();
    EXPECT_EQ((*weights)->origin(), Origin::trained);
    EXPECT_EQ((*weights)->label(), "trained on a test's seeded numbers");
    for (const models::ParameterSpec& spec : models::parameters_of(tiny.model)) {
      if (!spec.part.of.empty()) continue;
      const auto read = (*weights)->tensor(spec, {});
      ASSERT_TRUE(read.ok()) << read.error().sentence();
      const Difference d = difference(*read, *find(tiny.parameters, spec.name));
      EXPECT_TRUE(d.same_shape) << spec.name;
      EXPECT_EQ(d.max_abs, 0) << spec.name;
    }
  }
}

TEST(StoredModel, ADocumentTakesOverWhatTheModelIs) {
  const TinyModel tiny = tiny_model("document");
  write(tiny);
  const Document document = document_of(tiny.name());
  EXPECT_EQ(document.d_model, 16);
  EXPECT_EQ(document.heads, 2);
  EXPECT_EQ(document.position, "rotary");
  EXPECT_EQ(document.tokenizer, tiny.name());
  EXPECT_TRUE(document.add_begin);
  EXPECT_EQ(masks::to_text(document.masks), "causal,padding");
  EXPECT_EQ(document.texts, Document().texts);
  EXPECT_EQ(said(document), "");
  const auto back = document_from_json(to_json(document), "saved");
  ASSERT_TRUE(back.ok()) << back.error().sentence();
  EXPECT_EQ(*back, document);
  // The model is set first, wherever it stands.
  const auto later = document_from_json(R"({"masks":["none"],"model":)" + Json(tiny.name()).dump() + "}", "short");
  ASSERT_TRUE(later.ok()) << later.error().sentence();
  EXPECT_TRUE(later->masks.empty());
  EXPECT_EQ(later->heads, 2);
}

TEST(StoredModel, ADocumentMayNotContradictIt) {
  const TinyModel tiny = tiny_model("contradicted");
  write(tiny);
  const Document good = document_of(tiny.name());
  const auto changed = [&](const std::function<void(Document&)>& change) {
    Document document = good;
    change(document);
    return said(document);
  };
  EXPECT_EQ(
      changed([](Document& d) { d.heads = 4; }),
      "--heads: the model '" + tiny.name() + "' has 2 heads, the document asks for 4; leave it out, or choose the model sandbox");
  EXPECT_NE(changed([](Document& d) { d.position = "none"; }).find("has positions rotary, the document asks for none"),
            std::string::npos);
  EXPECT_NE(changed([](Document& d) { d.d_ff = 0; }).find("has 24 d_ff, the document asks for 64"), std::string::npos);
  EXPECT_NE(changed([](Document& d) { d.tokenizer = "words"; }).find("its own tokenizer, the document asks for 'words'"),
            std::string::npos);
  EXPECT_NE(changed([](Document& d) { d.targets = {"b"}; }).find("reads one sentence, and there is a second one"),
            std::string::npos);
  EXPECT_NE(changed([](Document& d) { d.model = "gpt9"; }).find("there is no model 'gpt9'"), std::string::npos);
  EXPECT_EQ(changed([](Document& d) {
              d.masks.clear();
              d.mask_fill = operations::MaskFill::minus_1e9;
              d.temperature = 2;
              d.scale = "none";
              d.score = "dot";
              d.seed = 5;
              d.add_begin = false;
              d.texts = {"a", "b"};
              d.backend = "reference";
            }),
            "");
  const TinyModel both = tiny_model("contradicted-two", ModelTask::encoder_decoder);
  write(both);
  Document two = document_of(both.name());
  EXPECT_NE(said(two).find("reads two sentences, and there is one"), std::string::npos);
  two.targets = {""};
  EXPECT_EQ(said(two), "");
  EXPECT_EQ(two.target_tokenizer, both.name() + "/target");
}

TEST(StoredModel, ATraceComputesWithItsNumbers) {
  for (const ModelTask task : {ModelTask::decoder, ModelTask::encoder_decoder}) {
    const TinyModel tiny = tiny_model(std::string("trace-") + name_of(task), task);
    write(tiny);
    Document document = document_of(tiny.name());
    document.texts = {"a fluffy creature"};
    if (task == ModelTask::encoder_decoder) document.targets = {"une"};
    const auto trace = tests::trace_of(document);
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->weights_label(), "trained on a test's seeded numbers");
    const std::string place = task == ModelTask::decoder ? "" : "encoder.";
    EXPECT_EQ(trace->find(place + "layer.0.q")->origin, Origin::trained);
    const Tensor wk = trace->values("parameters." + place + "layer.0.wk").value();
    EXPECT_EQ(difference(wk, *find(tiny.parameters, "parameters." + place + "layer.0.wk")).max_abs, 0);
    const Tensor embedding = trace->values(place + "embedding").value();
    const std::int32_t id = trace->texts()[0].tokens[1].id;
    EXPECT_EQ(embedding.at({0, 1, 3}), find(tiny.parameters, "parameters.embedding")->at({id, 3}));
  }
}

// A table of positions is a parameter under the field's name, and its rows are added to the embeddings.
TEST(StoredModel, LearnedPositionsAreThoseOfTheFile) {
  for (const ModelTask task : {ModelTask::decoder, ModelTask::encoder_decoder}) {
    const TinyModel tiny = tiny_model(std::string("learned-") + name_of(task), task,
                                      [](StoredModel& model) { model.document.position = "learned"; });
    write(tiny);
    const bool two = task == ModelTask::encoder_decoder;
    const Safetensors file = read_safetensors_file(tiny.folder / kModelWeightsFile).value();
    for (const std::string& place : two ? std::vector<std::string>{"encoder.", "decoder."} : std::vector<std::string>{""}) {
      SCOPED_TRACE(place + name_of(task));
      const Tensor& table = *find(tiny.parameters, "parameters." + place + "position");
      ASSERT_EQ(table.shape(), (Shape{12, 16}));
      const Tensor* const stored = find(file.tensors, "model." + place + "embed_positions.weight");
      ASSERT_TRUE(stored);
      EXPECT_EQ(difference(*stored, table).max_abs, 0);
      Document document = document_of(tiny.name());
      document.texts = {"a mole"};
      if (two) document.targets = {"une"};
      const auto trace = tests::trace_of(document);
      ASSERT_TRUE(trace);
      const Step& step = *trace->find(place + "position");
      EXPECT_EQ(step.origin, Origin::trained);
      EXPECT_EQ(step.inputs, (std::vector<std::string>{"parameters." + place + "position"}));
      const Tensor rows = trace->values(step.name).value(), embedding = trace->values(place + "embedding").value();
      const Tensor input = trace->values(place + "input").value();
      EXPECT_EQ(difference(rows, table.slice(0, 0, rows.dim(0)).compact()).max_abs, 0);
      EXPECT_NEAR(input.at({0, 2, 5}), embedding.at({0, 2, 5}) + table.at({2, 5}), 1e-6);
      const auto explained = explain_value(*trace, {step.name, {2, 5}});
      ASSERT_TRUE(explained.ok()) << explained.error().sentence();
      EXPECT_EQ(explained->check, ValueCheck::computed);
      EXPECT_EQ(explained->computed, table.at({2, 5}));
    }
    // The seed draws nothing of it, and a place beyond the table has no row.
    Document document = document_of(tiny.name());
    document.texts = {"a mole is here"};
    if (two) document.targets = {"une"};
    const auto beyond = traced(document);
    ASSERT_FALSE(beyond.ok());
    const std::string tokens = two ? "16" : "15";
    EXPECT_EQ(beyond.error().sentence(), "--text: the text has " + tokens +
                                             " tokens, and the model's table of learned positions has 12 rows; give a shorter "
                                             "text, or train a model of this length");
    if (!two) continue;
    document.texts = {"a mole"};
    document.targets = {"une taupe est la"};
    EXPECT_NE(traced(document).error().sentence().find("--target: the text has 18 tokens"), std::string::npos);
  }
}

// Each way in which a folder can be wrong, and what is said of it.
TEST(StoredModel, AWrongFolderIsRefusedWithASentence) {
  const auto wrong = [](const char* name, const std::function<void(const TinyModel&)>& spoil) {
    const TinyModel tiny = tiny_model(name);
    EXPECT_TRUE(tiny.write().ok());
    spoil(tiny);
    Document document;
    if (const Status set = find_field("model")->set(document, {tiny.name()}); !set) return set.error().sentence();
    const auto trace = traced(document);
    return trace.ok() ? std::string() : trace.error().sentence();
  };
  const auto weights = [](const TinyModel& tiny) { return tiny.folder / kModelWeightsFile; };
  const auto changed = [&](const char* name, const std::function<void(NamedTensors&)>& change) {
    return wrong(name, [&](const TinyModel& tiny) {
      Safetensors file = read_safetensors_file(weights(tiny)).value();
      change(file.tensors);
      ASSERT_TRUE(write_safetensors(weights(tiny), file, StoredReal::f32).ok());
    });
  };
  EXPECT_EQ(wrong("right", [](const TinyModel&) {}), "");
  const auto has = [](const std::string& sentence, const char* words) {
    EXPECT_NE(sentence.find(words), std::string::npos) << "\"" << sentence << "\" does not say: " << words;
  };
  has(wrong("no-weights", [&](const TinyModel& t) { fs::remove(weights(t)); }), "this model has no model.safetensors");
  has(wrong("cut", [&](const TinyModel& t) { fs::resize_file(weights(t), fs::file_size(weights(t)) - 1); }),
      "said to end at byte");
  has(wrong("empty", [&](const TinyModel& t) { fs::resize_file(weights(t), 0); }), "it has 0 bytes");
  has(wrong("no-config", [](const TinyModel& t) { fs::remove(t.folder / kModelConfigFile); }), "this folder has no config.json");
  has(wrong("no-tokenizer", [](const TinyModel& t) { fs::remove(t.folder / tokenizers::kTokenizerFile); }),
      "headlight-tokenizer.json");
  has(wrong("other-tokenizer",
            [](const TinyModel& t) { ASSERT_TRUE(tokenizers::save(*tests::character_tokenizer("xyz"), t.folder).ok()); }),
      "its tokenizer has 263 pieces, and the model is made for 288");
  has(changed("missing", [](NamedTensors& t) { t.erase(t.begin() + 3); }), "is missing");
  has(changed("more", [](NamedTensors& t) { t.emplace_back("extra", Tensor::of<float>({1}, {1})); }),
      "the tensor 'extra' has no place in the model that its config.json describes");
  has(changed("shape",
              [](NamedTensors& t) {
                for (auto& [name, tensor] : t)
                  if (name == "model.layers.0.mlp.up_proj.weight") tensor = tensor.permuted({1, 0}).compact();
              }),
      "the tensor 'model.layers.0.mlp.up_proj.weight' is [16, 24], and its config.json makes it [24, 16]");
  has(changed("nan",
              [](NamedTensors& t) {
                for (auto& [name, tensor] : t)
                  if (name == "model.norm.weight") tensor.data<float>()[5] = std::numeric_limits<float>::quiet_NaN();
              }),
      "the tensor 'model.norm.weight' has no finite number at place 5");
  has(wrong("another-model",
            [&](const TinyModel& t) {
              const TinyModel other = tiny_model("another", ModelTask::encoder_decoder);
              ASSERT_TRUE(other.write().ok());
              fs::copy_file(other.folder / kModelWeightsFile, weights(t), fs::copy_options::overwrite_existing);
            }),
      "is missing");
}

TEST(StoredModel, AModelThatIsChangedIsReadAgain) {
  TinyModel tiny = tiny_model("changed");
  write(tiny);
  const Document document = document_of(tiny.name());
  const Tensor before = tests::trace_of(document)->values("layer.1.mlp_residual").value();
  for (auto& [name, tensor] : tiny.parameters)
    if (name == "parameters.layer.0.wv") tensor.data<float>()[0] += 0.5f;
  fs::last_write_time(tiny.folder / kModelConfigFile, fs::file_time_type::min());
  write(tiny);
  const Tensor after = tests::trace_of(document)->values("layer.1.mlp_residual").value();
  EXPECT_GT(difference(before, after).max_abs, 1e-4);
}

TEST(StoredModel, WhatCannotBeWrittenLeavesWhatWasThere) {
  TinyModel tiny = tiny_model("kept");
  write(tiny);
  const std::string config = read_file(tiny.folder / kModelConfigFile).value();
  const std::string weights = read_file(tiny.folder / kModelWeightsFile).value();
  const auto refused = [&](const char* says) {
    const Status written = tiny.write();
    ASSERT_FALSE(written.ok()) << says;
    EXPECT_NE(written.error().sentence().find(says), std::string::npos) << written.error().sentence();
    EXPECT_EQ(read_file(tiny.folder / kModelConfigFile).value(), config);
    EXPECT_EQ(read_file(tiny.folder / kModelWeightsFile).value(), weights);
    for (const auto& item : fs::directory_iterator(tiny.folder)) EXPECT_NE(item.path().filename().string().front(), '.');
  };
  tiny.model.trained_on = "something else";
  const NamedTensors good = tiny.parameters;
  tiny.parameters[2].second.data<float>()[1] = std::numeric_limits<float>::infinity();
  refused("has no finite number at place 1");
  tiny.parameters = tests::drawn_parameters(tiny.model);
  tiny.parameters[2].second.data<float>()[1] = 1e6f;
  refused("beyond float16's 65504");
  tiny.parameters.pop_back();
  refused("was not given");
  tiny.parameters = tests::drawn_parameters(tiny.model);
  tiny.parameters[1].second = Tensor(DType::f32, {3});
  refused("is [3] and should be");
}

}  // namespace
}  // namespace headlight
