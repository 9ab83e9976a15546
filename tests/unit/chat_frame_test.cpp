// Chat frames: templates of published models, with what the library transformers made of them.
#include "engine/tokenizers/files/chat_frame.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/document/stored_model.h"
#include "engine/pipeline/generate.h"
#include "engine/tokenizers/files/open.h"
#include "support/gguf_bytes.h"
#include "test_data.h"

namespace headlight::tokenizers {
namespace {

namespace fs = std::filesystem;

Json chat_templates() {
  const auto text = read_file(fs::path(HEADLIGHT_TEST_DATA) / "chat-templates.json");
  EXPECT_TRUE(text.ok());
  return text.ok() ? *Json::parse(*text) : Json();
}

// What a person types, as the frame has it.
std::string framed(const ChatFrame& frame, std::string text) {
  if (frame.trims) {
    const std::size_t first = text.find_first_not_of(' ');
    text = text.substr(first, text.find_last_not_of(' ') + 1 - first);
  }
  return (frame.begins ? "<s>" : "") + frame.before + text + frame.after;
}

TEST(ChatFrames, AreThoseThatTransformersWrites) {
  int known = 0;
  const Json all = chat_templates();
  for (const Json& one : all["frames"].elements()) {
    const auto frame = chat_frame_of(one["template"].string());
    const std::string family = one["family"].string();
    EXPECT_EQ(frame ? frame->family : "", family) << one["name"].string();
    if (!frame) continue;
    ++known;
    for (const auto& [text, rendered] : one["rendered"].members())
      EXPECT_EQ(framed(*frame, text), rendered.string()) << one["name"].string();
  }
  EXPECT_EQ(known, 13);
  EXPECT_EQ(chat_frame_of(""), std::nullopt);
  EXPECT_EQ(chat_frame_of("{{ messages[0]['content'] }}"), std::nullopt);
}

TEST(ChatFrames, LieBesideTheTokenizerOrInTheGguf) {
  const fs::path folder = fs::temp_directory_path() / ("headlight-chat-" + std::to_string(::getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::copy_file(fs::path(HEADLIGHT_TEST_DATA) / "published" / "tokenizer.json", folder / "tokenizer.json");
  EXPECT_EQ(chat_template_of(folder.string()), "");
  ASSERT_TRUE(write_file(folder / "tokenizer_config.json", R"({"chat_template": "one"})").ok());
  EXPECT_EQ(chat_template_of(folder.string()), "one");
  ASSERT_TRUE(write_file(folder / "tokenizer_config.json",
                         R"({"chat_template": [{"name": "tool_use", "template": "t"}, {"name": "default", "template": "d"}]})")
                  .ok());
  EXPECT_EQ(chat_template_of(folder.string()), "d");
  ASSERT_TRUE(write_file(folder / "chat_template.jinja", "file").ok());
  EXPECT_EQ(chat_template_of(folder.string()), "file");
  ASSERT_TRUE(
      write_file(folder / "m.gguf", GgufBytes().text("tokenizer.ggml.model", "gpt2").text("tokenizer.chat_template", "gg").file())
          .ok());
  EXPECT_EQ(chat_template_of((folder / "m.gguf").string()), "gg");
  EXPECT_EQ(chat_template_of("no-such-tokenizer"), "");
  fs::remove_all(folder);
}

// Which tokens begin and end a text is said beside the tokenizer, whatever their names are.
TEST(ChatFrames, BeginAndEndWithTheTokensThatTheFilesName) {
  const fs::path folder = fs::temp_directory_path() / ("headlight-chat-ends-" + std::to_string(::getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  Json file = *Json::parse(*read_file(fs::path(HEADLIGHT_TEST_DATA) / "published" / "tokenizer.json"));
  for (const char* name : {"</s>", "<|begin_of_text|>", "<|eot_id|>", "<end_of_turn>"})
    file["added_tokens"].push_back(Json::object({{"id", 1000}, {"content", name}, {"special", true}}));
  ASSERT_TRUE(write_file(folder / "tokenizer.json", file.dump()).ok());
  ASSERT_TRUE(write_file(folder / "tokenizer_config.json",
                         R"({"bos_token": "<|begin_of_text|>", "eos_token": {"content": "<|eot_id|>", "lstrip": false}})")
                  .ok());
  const auto tokenizer = open(folder.string());
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  const auto id = [&](const char* name) { return (*tokenizer)->vocabulary().find(name); };
  EXPECT_EQ((*tokenizer)->special(Role::begin), id("<|begin_of_text|>"));
  EXPECT_EQ((*tokenizer)->special(Role::end), id("<|eot_id|>"));
  EXPECT_TRUE((*tokenizer)->vocabulary().is_special(id("</s>"))) << "special, and no end";

  const ChatFrame frame{"Gemma", "user\n", "<end_of_turn>\nmodel\n", true, true};
  const auto tokens = encode_in_frame(**tokenizer, frame, "the cat");
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ(tokens->front().id, id("<|begin_of_text|>"));
  StoredModel model;
  model.chat = frame;
  Document document;
  EXPECT_TRUE(ends_text(document, &model, **tokenizer, id("<|eot_id|>")));
  EXPECT_FALSE(ends_text(document, &model, **tokenizer, id("<end_of_turn>"))) << "this is no chat";
  document.chat = true;
  EXPECT_TRUE(ends_text(document, &model, **tokenizer, id("<end_of_turn>")));
  EXPECT_FALSE(ends_text(document, &model, **tokenizer, id("</s>")));
  EXPECT_FALSE(ends_text(document, nullptr, **tokenizer, id("<end_of_turn>")));
  fs::remove_all(folder);
}

TEST(ChatFrames, PlacesCountInTheSentence) {
  const auto tokenizer = open((fs::path(HEADLIGHT_TEST_DATA) / "published").string());
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  const ChatFrame frame{"Llama 3", "before ", " after", false, true};
  const std::string sentence = "  the cat ";
  const auto tokens = encode_in_frame(**tokenizer, frame, sentence);
  ASSERT_TRUE(tokens.ok());
  const auto whole = (*tokenizer)->encode("before the cat after");
  ASSERT_TRUE(whole.ok());
  ASSERT_EQ(tokens->size(), whole->size());
  std::string inside;
  for (std::size_t i = 0; i < tokens->size(); ++i) {
    const Token& token = (*tokens)[i];
    EXPECT_EQ(token.id, (*whole)[i].id);
    EXPECT_LE(token.start, token.end);
    if (token.end > token.start)
      inside += sentence.substr(static_cast<std::size_t>(token.start), static_cast<std::size_t>(token.end - token.start));
  }
  EXPECT_EQ(inside, "the cat");
  EXPECT_EQ(tokens->front().end, 2) << "what stands before it stands for none of it";
  EXPECT_EQ(tokens->back().start, 9);
  // The beginning of an answer stands behind the frame.
  const auto answered = encode_in_frame(**tokenizer, frame, "the cat after it");
  ASSERT_TRUE(answered.ok());
  EXPECT_EQ(answered->size(), (*tokenizer)->encode("before the cat after it")->size());
}

}  // namespace
}  // namespace headlight::tokenizers
