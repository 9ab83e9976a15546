// A document's tokenizers: one for the text and one for the target, and vocabularies that belong to the document.
#include <gtest/gtest.h>

#include <cstring>

#include "engine/backends/backends.h"
#include "engine/pipeline/run.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/files/trained.h"
#include "engine/tokenizers/kinds.h"

namespace headlight {
namespace {

Document target_tokenizer_small() {
  Document d;
  d.texts = {"the cat sat", "a dog"};
  d.targets = {"le chat", "un chien assis"};
  d.tokenizer = "words";
  d.d_model = 24;
  d.heads = 4;
  d.layers = 1;
  d.backend = "reference";
  return d;
}

std::shared_ptr<const Trace> target_tokenizer_trace_of(const Document& document, StepCache* target_tokenizer_cache = nullptr) {
  const auto backend = backends::open(document.backend);
  EXPECT_TRUE(backend.ok());
  RunOptions options;
  options.cache = target_tokenizer_cache;
  const auto trace = run(document, **backend, {}, options);
  EXPECT_TRUE(trace.ok()) << trace.error().sentence();
  return trace.ok() ? *trace : nullptr;
}

Tensor get_target_tokenizer(const Trace& trace, const std::string& name) {
  const auto values = trace.values(name);
  EXPECT_TRUE(values.ok()) << name;
  return values.ok() ? values->as(DType::f64).compact() : Tensor();
}

bool equal(const Trace& a, const Trace& b) {
  if (a.steps().size() != b.steps().size()) return false;
  for (std::size_t i = 0; i < a.steps().size(); ++i) {
    const Step &x = a.steps()[i], &y = b.steps()[i];
    if (x.name != y.name || x.formula != y.formula || x.inputs != y.inputs || x.shape != y.shape) return false;
    const Tensor p = get_target_tokenizer(a, x.name), q = get_target_tokenizer(b, x.name);
    if (std::memcmp(p.raw(), q.raw(), static_cast<std::size_t>(p.count()) * sizeof(double)) != 0) return false;
  }
  return true;
}

std::vector<std::string> parameters_of(const Trace& trace) {
  std::vector<std::string> names;
  for (const NamedParameter& parameter : trace.parameters()) names.push_back(parameter.name);
  return names;
}

TEST(TargetTokenizer, TheSameOneSharesTheTableAndEveryNumber) {
  const Document plain = target_tokenizer_small();
  Document named = plain;
  named.target_tokenizer = "words";
  const auto a = target_tokenizer_trace_of(plain), b = target_tokenizer_trace_of(named);
  EXPECT_EQ(parameters_of(*a), parameters_of(*b));
  EXPECT_TRUE(equal(*a, *b));
  EXPECT_EQ(b->target_tokenizer(), b->tokenizer());
  for (const std::string& name : parameters_of(*a)) EXPECT_EQ(name.find("target"), std::string::npos);
}

TEST(TargetTokenizer, AnotherOneHasItsOwnIdsAndItsOwnTable) {
  Document document = target_tokenizer_small();
  document.target_tokenizer = "characters";
  const auto trace = target_tokenizer_trace_of(document);
  const auto words = *tokenizers::open("words"), characters = *tokenizers::open("characters");
  EXPECT_EQ(trace->tokenizer(), words);
  EXPECT_EQ(trace->target_tokenizer(), characters);
  EXPECT_EQ(trace->texts()[0].tokens, *words->encode("the cat sat"));
  EXPECT_EQ(trace->targets()[1].tokens, *characters->encode("un chien assis"));
  const NamedParameter* table = nullptr;
  for (const NamedParameter& parameter : trace->parameters())
    if (parameter.name == "parameters.target_embedding") table = &parameter;
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->shape, (Shape{characters->vocabulary_size(), 24}));
  EXPECT_EQ(table->zero_row, characters->special(tokenizers::Role::pad));
  EXPECT_EQ(trace->find("decoder.embedding")->inputs[1], "parameters.target_embedding");
  EXPECT_EQ(trace->find("encoder.embedding")->inputs[1], "parameters.embedding");
  // The first token of each side is the row of its own table.
  for (const bool target : {false, true}) {
    const std::string side = target ? "decoder." : "encoder.";
    const Tensor ids = get_target_tokenizer(*trace, side + "tokens"), rows = get_target_tokenizer(*trace, side + "embedding");
    const auto id = static_cast<std::int64_t>(ids.at({0, 0}));
    const auto row = trace->tile(target ? "parameters.target_embedding" : "parameters.embedding", {0, 0, id, 1});
    ASSERT_TRUE(row.ok());
    for (std::int64_t c = 0; c < 24; ++c) EXPECT_EQ(rows.at({0, 0, c}), row->as(DType::f64).at({0, c}));
  }
  // The encoder's values do not depend on the decoder's tokenizer; the two tables differ.
  const auto plain = target_tokenizer_trace_of(target_tokenizer_small());
  const Tensor x = get_target_tokenizer(*plain, "encoder.embedding"), y = get_target_tokenizer(*trace, "encoder.embedding");
  EXPECT_EQ(std::memcmp(x.raw(), y.raw(), static_cast<std::size_t>(x.count()) * sizeof(double)), 0);
  EXPECT_NE(trace->tile("parameters.target_embedding", {0, 0, 10, 1})->as(DType::f64).at({0, 0}),
            trace->tile("parameters.embedding", {0, 0, 10, 1})->as(DType::f64).at({0, 0}));
}

TEST(TargetTokenizer, TheStepCacheTellsTheTablesApart) {
  // One vocabulary under two names: ids and sizes are equal, but the tables differ.
  const auto words = *tokenizers::open("words");
  Document document = target_tokenizer_small();
  document.texts = document.targets = {"the cat"};
  Document other = document;
  use_trained(other, tokenizers::make_trained("trained:again", *tokenizers::Tokenizer::make(words->plan(), "here")), true);
  StepCache target_tokenizer_cache;
  const auto shared = target_tokenizer_trace_of(document, &target_tokenizer_cache),
             apart = target_tokenizer_trace_of(other, &target_tokenizer_cache);
  EXPECT_TRUE(equal(*shared, *target_tokenizer_trace_of(document)));
  EXPECT_TRUE(equal(*apart, *target_tokenizer_trace_of(other)));
  EXPECT_NE(get_target_tokenizer(*shared, "decoder.embedding").at({0, 0, 0}),
            get_target_tokenizer(*apart, "decoder.embedding").at({0, 0, 0}));
}

TEST(TargetTokenizer, SpecialTokensAreEachTokenizersOwn) {
  // The end token of this vocabulary is 5, and it has no padding token.
  tokenizers::Vocabulary vocabulary;
  for (const char* piece : {"le", "chat", "un", "chien", "<unk>", "</s>"}) vocabulary.add(piece);
  vocabulary.set_special(tokenizers::Role::unknown, 4);
  vocabulary.set_special(tokenizers::Role::end, 5);
  Document document = target_tokenizer_small();
  use_trained(
      document,
      tokenizers::make_trained("trained:french", *tokenizers::Tokenizer::make(tokenizers::plan_of("words", vocabulary), "here")),
      true);
  document.add_end = true;
  const auto trace = target_tokenizer_trace_of(document);
  EXPECT_EQ(trace->texts()[0].tokens.back().id, 3);
  EXPECT_EQ(trace->targets()[0].tokens.back(), (tokenizers::Token{5, "</s>", 7, 7}));
  // The first target is one token shorter: at the missing position the id is -1 and the embedding zero.
  EXPECT_EQ(get_target_tokenizer(*trace, "decoder.tokens").at({0, 3}), -1);
  EXPECT_EQ(get_target_tokenizer(*trace, "decoder.embedding").at({0, 3, 0}), 0);
  EXPECT_NE(trace->find("decoder.tokens")->note.find("no token"), std::string::npos);
  document.add_begin = true;  // the second vocabulary has no begin token
  const auto refused = outline(document);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence().find("trained:french"), std::string::npos) << refused.error().sentence();
}

TEST(TrainedVocabularies, BelongToTheDocument) {
  const auto trained = tokenizers::make_trained("trained:mine", *tokenizers::open("words"));
  Document document = target_tokenizer_small();
  document.targets.clear();
  Document lost = document;
  lost.tokenizer = "trained:mine";
  ASSERT_FALSE(outline(lost).ok()) << "no other document's vocabulary is found";
  EXPECT_NE(outline(lost).error().sentence().find("the session it was trained in"), std::string::npos);
  Document own = document;
  use_trained(own, trained);
  EXPECT_EQ(own.tokenizer, "trained:mine");
  EXPECT_TRUE(equal(*target_tokenizer_trace_of(own), *target_tokenizer_trace_of(document)));
  EXPECT_NE(own, lost);
  EXPECT_EQ(target_tokenizer_trace_of(own)->tokenizer(), trained->tokenizer);

  // It is stored as JSON and compares equal by value; vocabularies that no field uses are not stored.
  const auto back = document_from_json(to_json(own), "there.json");
  ASSERT_TRUE(back.ok()) << back.error().sentence();
  EXPECT_EQ(*back, own);
  EXPECT_TRUE(equal(*target_tokenizer_trace_of(*back), *target_tokenizer_trace_of(own)));
  Document left = own;
  left.tokenizer = "words";
  EXPECT_EQ(left, document);
  EXPECT_EQ(to_json(left).find("\"trained\""), std::string::npos);
  // Another vocabulary of the same name makes a different document.
  Document retrained = own;
  use_trained(retrained, tokenizers::make_trained("trained:mine", *tokenizers::open("bpe")));
  EXPECT_NE(retrained, own);
  EXPECT_EQ(retrained.trained.size(), 1u);
  // Text and target may both be trained.
  Document both = target_tokenizer_small();
  use_trained(both, trained);
  use_trained(both, tokenizers::make_trained("trained:other", *tokenizers::open("characters")), true);
  const auto two = document_from_json(to_json(both), "there.json");
  ASSERT_TRUE(two.ok()) << two.error().sentence();
  EXPECT_EQ(*two, both);
  EXPECT_EQ(trained_in_use(*two).size(), 2u);
}

TEST(TrainedVocabularies, WrongOnesAreNamed) {
  const auto refusal = [](const std::string& trained) {
    const auto read = document_from_json(R"({"tokenizer": "trained:x", "trained": )" + trained + "}", "f.json");
    return read.ok() ? std::string("read") : read.error().sentence();
  };
  EXPECT_NE(refusal("7").find("'trained' has the wrong type"), std::string::npos);
  EXPECT_NE(refusal(R"({"trained:x": 7})").find("'trained' has the wrong type"), std::string::npos);
  EXPECT_NE(refusal(R"({"x": "{}"})").find("no name of a trained vocabulary"), std::string::npos);
  EXPECT_NE(refusal(R"({"trained:x": "{}"})").find("f.json trained:x"), std::string::npos);
}

}  // namespace
}  // namespace headlight
