// The Document: one schema, and three ways to write it.
#include <gtest/gtest.h>

#include "app/session/session.h"
#include "engine/core/json.h"
#include "engine/document/document.h"
#include "engine/operations/attention_fill.h"

namespace headlight {
namespace {

// A document in which every field differs from its default.
Document unusual() {
  Document d;
  d.texts = {"one, two", "naïve \"quotes\" \n日本", std::string("\xff\x00z", 3)};
  d.targets = {"un", "deux", ""};
  d.tokenizer = "characters";
  d.target_tokenizer = "words";
  d.add_begin = d.add_end = d.plain = true;
  d.d_model = 24;
  d.heads = 1;
  d.layers = 2;
  d.d_ff = 17;
  d.projected = d.bias = d.residual = d.feed_forward = false;
  d.qkv = "shared";
  d.stack_hidden = 5;
  d.padding = "row";
  d.logits = true;
  d.norm = "post";
  d.norm_kind = "rms";
  d.seed = 9007199254740991ULL;
  d.matrices = {{"layer.0.wo", {}, 2, 2, {1, 0.1f, -3e-7f, 2}}, {"embedding", "a=b", 1, 3, {1, 0, 0.5f}}};
  using Kind = Intervention::Kind;
  using Part = ModelAddress::Part;
  d.interventions = {{Kind::uniform, {"encoder.", 1, false, Part::attention, 0}, 1, {}, {}},
                     {Kind::pattern, {"decoder.", 0, true, Part::head, 0}, 1, "a = b, \"c\"", {}},
                     {Kind::cells, {"decoder.", 1, false, Part::head, 0}, 1, {}, {{4, 1}, {5, 0}}},
                     {Kind::zero, {"decoder.", 0, false, Part::layer, 0}, 1, {}, {}},
                     {Kind::mean, {"encoder.", 0, false, Part::head, 0}, 1, {}, {}},
                     {Kind::scale, {"decoder.", 1, true, Part::head, 0}, 0.1, {}, {}}};
  d.position = "learned";
  d.relative_clip = 7;
  d.masks = {{"causal", {}}, {"window", {{"size", std::int64_t{7}}}}, {"custom", {}}};
  d.mask_fill = operations::MaskFill::minus_1e9;
  d.custom_mask = std::make_shared<const masks::Matrix>(masks::Matrix{2, 3, {1, 0, 0, 1, 1, 0}});
  d.scale = "0.1";
  d.temperature = 0.30000000000000004;  // needs all 17 digits
  d.backend = "reference";
  return d;
}

TEST(Document, ComesBackFromJson) {
  for (const Document& document : {Document{}, unusual()}) {
    const auto back = document_from_json(to_json(document), "test");
    ASSERT_TRUE(back) << back.error().sentence();
    EXPECT_EQ(*back, document);
    EXPECT_TRUE(validate(document)) << validate(document).error().sentence();
  }
  EXPECT_NE(Document{}, unusual());
}

TEST(Document, ComesBackFromCommandLineText) {
  const std::vector<std::string> arguments = to_arguments(unusual());
  Document back;
  for (const Field& field : document_schema()) {
    std::vector<std::string> given;
    for (std::size_t i = 0; i < arguments.size(); i += 2)
      if (arguments[i] == "--" + field.option) given.push_back(arguments[i + 1]);
    if (given.empty()) continue;
    ASSERT_TRUE(field.set(back, given)) << field.option;
  }
  EXPECT_EQ(back, unusual());
  EXPECT_TRUE(to_arguments(Document{}).empty());
}

TEST(Document, EveryFieldIsInTheComparison) {
  // A field that operator== forgets would not be computed again when it changes.
  const Document plain, other = unusual();
  for (const Field& field : document_schema()) {
    if (field.get(plain) == field.get(other)) continue;  // those that unusual() leaves as they are
    Document changed;
    ASSERT_TRUE(field.set(changed, field.get(other))) << field.parameter.id;
    EXPECT_NE(changed, plain) << field.parameter.id;
    EXPECT_EQ(field.get(changed), field.get(other)) << field.parameter.id;
  }
}

TEST(Document, KeysComeInSchemaOrderAndMasksAsTheCommandLineWritesThem) {
  const Json json = *Json::parse(to_json(unusual()));
  auto member = json.members().begin();
  EXPECT_EQ((member++)->key, "version");
  for (const Field& field : document_schema())
    if (!field.omitted_default || field.get(unusual()) != field.get(Document{})) EXPECT_EQ((member++)->key, field.parameter.id);
  EXPECT_EQ(json["masks"].dump(), R"(["causal","window:size=7","custom"])");
  EXPECT_EQ(json["custom_mask"].dump(), R"(["100","110"])");
  EXPECT_TRUE(json["temperature"].is_real());
  EXPECT_TRUE(json["projected"].is_boolean());
  EXPECT_EQ(json["texts"][2].dump(), R"({"hex":"ff007a"})");
}

TEST(Document, AFileNamesInterventionsOnlyWhereThereAreSome) {
  for (const char* id : {"without", "mean", "uniform", "scale_head", "pattern_from", "mask_cells"})
    EXPECT_FALSE(Json::parse(to_json(Document{}))->contains(id));
  const Json json = *Json::parse(to_json(unusual()));
  EXPECT_EQ(json["without"].dump(), R"(["decoder.layer.0"])");
  EXPECT_EQ(json["mask_cells"].dump(), R"(["decoder.layer.1.head.0=4:1,5:0"])");
  EXPECT_EQ(json["pattern_from"].dump(), R"(["decoder.layer.0.cross.head.0=a = b, \"c\""])");
}

TEST(Document, AFileNamesMatricesOnlyWhereSomeAreGiven) {
  EXPECT_FALSE(Json::parse(to_json(Document{}))->contains("matrices"));
  EXPECT_EQ((*Json::parse(to_json(unusual())))["matrices"].dump(), R"(["layer.0.wo=1 0.1/-3e-07 2","embedding[a=b]=1 0 0.5"])");
}

TEST(Document, RefusesWhatItDoesNotKnow) {
  const auto refusal = [](const std::string& json) {
    const auto result = document_from_json(json, "f.json");
    return result ? std::string("accepted") : result.error().sentence();
  };
  EXPECT_NE(refusal(R"({"colour": 1})").find("there is no field 'colour'"), std::string::npos);
  EXPECT_NE(refusal(R"({"heads": "six"})").find("'heads' has the wrong type; give a whole number"), std::string::npos);
  EXPECT_NE(refusal(R"({"heads": 6.5})").find("'heads' has the wrong type"), std::string::npos);
  EXPECT_NE(refusal(R"({"texts": "one"})").find("'texts' has the wrong type"), std::string::npos);
  EXPECT_NE(refusal(R"({"texts": [3]})").find("not a text"), std::string::npos);
  EXPECT_NE(refusal(R"({"version": 2})").find("newer Headlight"), std::string::npos);
  EXPECT_NE(refusal(R"({"version": "x"})").find("'version'"), std::string::npos);
  EXPECT_NE(refusal(R"({"custom_mask": ["10", "1"]})").find("row 1 of the mask has 1 cells"), std::string::npos);
  EXPECT_NE(refusal(R"({"custom_mask": ["12"]})").find("other than 0 and 1"), std::string::npos);
  EXPECT_NE(refusal(R"({"masks": ["diagonal"]})").find("there is no mask 'diagonal'; known are padding, causal"),
            std::string::npos);
  EXPECT_NE(refusal("[1]").find("not a document"), std::string::npos);
  EXPECT_NE(refusal("{").find("not JSON"), std::string::npos);
  EXPECT_NE(refusal(R"({"seed": 18446744073709551615})").find("seed"), std::string::npos);
}

TEST(Document, ASavedOneIsReadAlsoWhereItsModelsFolderIsGone) {
  Document saved;
  saved.texts = {"still typed"};
  saved.d_model = 160;
  saved.heads = 5;
  std::string json = to_json(saved);
  const std::string from = "\"model\": \"sandbox\"";
  ASSERT_NE(json.find(from), std::string::npos) << json;
  json.replace(json.find(from), from.size(), "\"model\": \"/nowhere/gone\"");
  const auto read = document_from_json(json, "session");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->model, "/nowhere/gone");
  EXPECT_EQ(read->texts, saved.texts);
  EXPECT_EQ(read->d_model, 160);
  const auto again = document_from_json(to_json(*read), "session");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->model + again->texts.front(), "/nowhere/gonestill typed") << "and it is saved as it was";
  EXPECT_EQ(to_json(*read).find("d_model"), std::string::npos) << "the model itself says that";
  const Status status = validate(*read);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().what.english().find("there is no model '/nowhere/gone'"), std::string::npos) << status.error().what;
  EXPECT_FALSE(document_from_json(R"({"model": "/nowhere/gone", "texts": ["a"]})", "given").ok())
      << "what the model would have brought is not known";
}

TEST(Document, EveryOptionOutOfRangeSaysItsNameAndTheRange) {
  struct Case {
    const char* id;
    const char* text;
    const char* says;
  };
  const Case cases[] = {{"d_model", "0", "1 to 16384"},
                        {"d_model", "many", "1 to 16384"},
                        {"heads", "-1", "1 to 1024"},
                        {"layers", "129", "1 to 128"},
                        {"d_ff", "65537", "0 to 65536"},
                        {"seed", "-1", "from 0 to"},
                        {"temperature", "0", "0.001 to 1000"},
                        {"temperature", "nan", "0.001 to 1000"},
                        {"norm", "middle", "none, pre, post"},
                        {"norm_kind", "batch", "layer, rms"},
                        {"position", "spiral", "none, binary, sinusoidal, learned"},
                        {"model", "gpt9", "sandbox"},
                        {"backend", "abacus", "reference"},
                        {"mask_fill", "0", "-inf, -1e9"},
                        {"scale", "big", "sqrt, none or a number"},
                        {"scale", "1e7", "sqrt, none or a number"},
                        {"masks", "window:-1", "1 to 1000000"},
                        {"masks", "block:0", "1 to 1000000"},
                        {"masks", "dilated:2/0", "1 to 1000000"},
                        {"masks", "global:1-2", "divided by +"},
                        {"masks", "causal,causal", "each mask once"},
                        {"masks", "causal:3", "has no parameter"},
                        {"custom_mask", "10/1", "equal length"},
                        {"matrices", "layer.0.wq", "gives no matrix"},
                        {"matrices", "=1 0", "without a name"},
                        {"matrices", "wq=1 x", "'x' in the matrix wq is no number"},
                        {"matrices", "wq=1 inf", "is no number"},
                        {"matrices", "wq=1 0/1", "row 1 of wq has 1 numbers, row 0 has 2"},
                        {"matrices", "wq=1 0/", "row 1 of wq is empty"},
                        {"matrices", "embedding[]=1", "names no token"},
                        {"matrices", "embedding[a=1", "names no token"},
                        {"matrices", "embedding[a]=1/2", "one row is wanted for the token 'a', 2 were given"},
                        {"projected", "perhaps", "true or false"}};
  for (const Case& c : cases) {
    const Field* field = find_field(c.id);
    ASSERT_NE(field, nullptr) << c.id;
    Document document;
    const Status status = field->set(document, {c.text});
    ASSERT_FALSE(status.ok()) << c.id << " " << c.text;
    EXPECT_EQ(status.error().kind, ErrorKind::usage) << c.id;
    EXPECT_NE(status.error().sentence().find(c.says), std::string::npos) << status.error().sentence();
    EXPECT_EQ(status.error().where.english().rfind("--" + field->option, 0), 0u) << status.error().where;
    EXPECT_EQ(document, Document{}) << c.id;
  }
}

TEST(Document, ValidatesWhatFieldsCannotAlone) {
  const auto refusal = [](auto change) {
    Document d;
    change(d);
    const Status status = validate(d);
    return status ? std::string("accepted") : status.error().sentence();
  };
  EXPECT_NE(refusal([](Document& d) { d.heads = 5; }).find("cannot be divided among 5 heads"), std::string::npos);
  EXPECT_NE(refusal([](Document& d) { d.projected = false; }).find("--heads 1"), std::string::npos);
  EXPECT_NE(refusal([](Document& d) { d.targets = {"a", "b"}; }).find("2 targets for 1 texts"), std::string::npos);
  EXPECT_NE(refusal([](Document& d) { d.texts.clear(); }).find("no sentence"), std::string::npos);
  EXPECT_NE(refusal([](Document& d) { d.texts.resize(1025); }).find("at most 1024"), std::string::npos);
  EXPECT_NE(refusal([](Document& d) { d.masks = {{"custom", {}}}; }).find("needs a matrix"), std::string::npos);
  EXPECT_NE(refusal([](Document& d) { d.layers = 0; }).find("1 to 128"), std::string::npos);
  EXPECT_NE(refusal([](Document& d) { d.temperature = 0; }).find("0.001 to 1000"), std::string::npos);
  EXPECT_EQ(refusal([](Document&) {}), "accepted");
}

TEST(Session, ComesBackFromJsonAndAcceptsABareDocument) {
  Session session{unusual(), {}};
  session.view.tab = "tokens";
  session.view.layer = 3;
  session.view.pinned_row = 2;
  session.view.transposed = true;
  session.view.zoom = 2.5;
  const auto back = session_from_json(to_json(session), "test");
  ASSERT_TRUE(back) << back.error().sentence();
  EXPECT_EQ(*back, session);
  const auto bare = session_from_json(to_json(unusual()), "test");
  ASSERT_TRUE(bare) << bare.error().sentence();
  EXPECT_EQ(bare->document, unusual());
  EXPECT_FALSE(session_from_json(R"({"headlight": 2, "document": {}})", "test"));
  EXPECT_FALSE(session_from_json(R"({"headlight": 1})", "test"));
  EXPECT_FALSE(session_from_json(R"({"headlight": 1, "document": {}, "extra": 0})", "test"));
  // A view from another version does not make the session unreadable.
  EXPECT_TRUE(session_from_json(R"({"headlight": 1, "document": {}, "view": {"later_field": 0}})", "test"));
}

}  // namespace
}  // namespace headlight
