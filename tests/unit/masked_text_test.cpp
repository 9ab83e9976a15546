// "[MASK]" in a text: the mask of a model that fills in, and plain letters elsewhere.
#include <gtest/gtest.h>

#include "engine/document/stored_model.h"
#include "engine/insight/head_effects.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/mask_words.h"
#include "support/trace_of.h"

namespace headlight {
namespace {

Document masked_text_document_of(const char* model, const char* text) {
  Document document;
  const auto stored = open_stored_model(model);
  EXPECT_TRUE(stored.ok());
  if (stored.ok()) use_model(document, **stored);
  document.texts = {text};
  return document;
}

TEST(MaskedText, TheMaskTakesTheSpaceBeforeItAndAllElseStaysAsItWas) {
  const auto stored = open_stored_model("fill-in");
  ASSERT_TRUE(stored.ok());
  const auto tokenizer = tokenizers::open((*stored)->document.tokenizer);
  ASSERT_TRUE(tokenizer.ok());
  const std::int32_t mask = (*tokenizer)->special(tokenizers::Role::mask);
  const std::string text = "[MASK] the [MASK] cat[MASK]";
  const auto tokens = tokenizers::encode_with_masks(**tokenizer, text);
  ASSERT_TRUE(tokens.ok());
  std::vector<std::string> pieces;
  for (const auto& token : *tokens)
    pieces.push_back(text.substr(static_cast<std::size_t>(token.start), static_cast<std::size_t>(token.end - token.start)));
  EXPECT_EQ(pieces, (std::vector<std::string>{"[MASK]", " the", " [MASK]", " cat", "[MASK]"}));
  for (const std::size_t at : {0u, 2u, 4u}) EXPECT_EQ((*tokens)[at].id, mask);
  const auto plain = (*tokenizer)->encode(" the"), without = tokenizers::encode_with_masks(**tokenizer, "no mask [here]"),
             as_before = (*tokenizer)->encode("no mask [here]");
  EXPECT_EQ((*tokens)[1].id, plain->front().id);
  EXPECT_EQ(*without, *as_before);
  EXPECT_TRUE(tokenizers::encode_with_masks(**tokenizer, "")->empty());
}

TEST(MaskedText, AModelThatFillsInReadsTheMaskAndOthersReadLetters) {
  const auto filled = tests::trace_of(masked_text_document_of("fill-in", "The [MASK] cat sat."));
  ASSERT_TRUE(filled);
  const std::int32_t mask = filled->tokenizer()->special(tokenizers::Role::mask);
  ASSERT_EQ(filled->texts()[0].tokens[1].id, mask);
  EXPECT_EQ(filled->texts()[0].labels[1], "[MASK]");
  EXPECT_EQ(predicted_position(*filled, {}).value(), 1) << "what is asked is what stands there";
  const auto stories = tests::trace_of(masked_text_document_of("stories", "The [MASK] cat sat."));
  ASSERT_TRUE(stories);
  const auto plain = stories->tokenizer()->encode("The [MASK] cat sat.");
  EXPECT_EQ(stories->texts()[0].tokens, *plain);
  Document sandbox;
  sandbox.texts = {"The [MASK] cat sat."};
  sandbox.tokenizer = (*open_stored_model("fill-in"))->document.tokenizer;
  sandbox.d_model = 16;
  sandbox.heads = 2;
  const auto drawn = tests::trace_of(sandbox);
  ASSERT_TRUE(drawn);
  for (const auto& token : drawn->texts()[0].tokens) EXPECT_NE(token.id, mask) << "a sandbox fills in nothing";
}

}  // namespace
}  // namespace headlight
