// Document options on the command line: an option's value arrives in the Document, whatever characters it contains.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

#include "app/cli/document_options.h"
#include "engine/operations/attention_fill.h"

namespace headlight {
namespace {

Result<Session> parse(const std::vector<std::string>& arguments) {
  cli::Arguments declared("test", "test");
  const cli::DocumentOptions options(declared);
  HL_TRY(declared.read(arguments));
  return options.read();
}

TEST(DocumentOptions, EveryFieldArrives) {
  Document d;
  d.texts = {"[a, b]", "two  words\twith \"quotes\", commas", "日本 🦊"};
  d.targets = {"x", "y,z", "{1}"};
  d.tokenizer = "words";
  d.add_begin = d.add_end = true;
  d.d_model = 30;
  d.heads = 5;
  d.layers = 2;
  d.d_ff = 11;
  d.bias = d.residual = d.feed_forward = false;
  d.norm = "post";
  d.norm_kind = "rms";
  d.seed = 12345678901234;
  d.position = "learned";
  d.masks = {{"causal", {}}, {"window", {{"size", std::int64_t{2}}}}, {"custom", {}}};
  d.custom_mask = std::make_shared<const masks::Matrix>(masks::Matrix{1, 2, {0, 1}});
  d.mask_fill = operations::MaskFill::minus_1e9;
  d.scale = "-0.5";
  d.temperature = 1.5;
  d.backend = "reference";
  const auto session = parse(to_arguments(d));
  ASSERT_TRUE(session) << session.error().sentence();
  EXPECT_EQ(session->document, d);
}

TEST(DocumentOptions, NothingGivenIsTheExample) {
  EXPECT_EQ(parse({})->document, Document{});
  EXPECT_TRUE(parse({"--add-begin"})->document.add_begin);
  EXPECT_FALSE(parse({"--bias", "off"})->document.bias);
  EXPECT_EQ(parse({"--mask", "causal", "--mask", "padding,window:3"})->document.masks.size(), 3u);
  EXPECT_TRUE(parse({"--mask", "none"})->document.masks.empty());
}

TEST(DocumentOptions, OptionsChangeASession) {
  const auto path = std::filesystem::temp_directory_path() / ("headlight_options_" + std::to_string(::getpid()) + ".json");
  Session saved;
  saved.document.layers = 3;
  saved.document.texts = {"saved"};
  saved.view.head = 4;
  ASSERT_TRUE(save_session(path, saved));
  const auto session = parse({"--session", path.string(), "--layers", "2"});
  std::filesystem::remove(path);
  ASSERT_TRUE(session) << session.error().sentence();
  EXPECT_EQ(session->document.layers, 2);
  EXPECT_EQ(session->document.texts, saved.document.texts);
  EXPECT_EQ(session->view, saved.view);
}

TEST(DocumentOptions, WrongUsageIsSaidWithTheOption) {
  for (const auto& [arguments, says] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--heads", "x"}, "--heads: 'x' is out of range; give a whole number from 1 to 1024"},
           {{"--heads", "2", "--heads", "3"}, "--heads: one value is wanted, 2 were given"},
           {{"--heads", "7"}, "--heads: d_model 192 cannot be divided among 7 heads"},
           {{"--bias", "maybe"}, "--bias: 'maybe' is not true or false"},
           {{"--target", "a", "--target", "b"}, "--target: there are 2 targets for 1 texts"},
           {{"--custom-mask", "10/2"}, "--custom-mask"},
           {{"--colour", "red"}, "--colour"}}) {
    const auto session = parse(arguments);
    ASSERT_FALSE(session.ok()) << arguments[0];
    EXPECT_EQ(session.error().kind, ErrorKind::usage) << arguments[0];
    EXPECT_NE(session.error().sentence().find(says), std::string::npos) << session.error().sentence();
  }
  EXPECT_EQ(parse({"--session", "/nonexistent/f.json"}).error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace headlight
