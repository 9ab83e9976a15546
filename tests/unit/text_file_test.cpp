// Texts from files: a byte order mark is skipped, UTF-16 and UTF-32 are refused with the command that converts them.
#include "engine/core/text_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "app/session/session.h"
#include "engine/core/safetensors.h"
#include "engine/images/png_picture.h"
#include "engine/insight/word_lists.h"
#include "engine/text/byte_alphabet.h"
#include "engine/tokenizers/files/open.h"
#include "engine/train/config.h"
#include "support/nasty_texts.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
constexpr const char* kMark = "\xEF\xBB\xBF";

// A text of ASCII in UTF-16.
std::string utf16(std::string_view text, bool little, bool marked) {
  std::string bytes = marked ? little ? "\xFF\xFE" : "\xFE\xFF" : "";
  for (const char c : text) bytes += little ? std::string{c, '\0'} : std::string{'\0', c};
  return bytes;
}

class TextFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "headlight-texts-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { fs::remove_all(folder); }
  fs::path write(const std::string& name, const std::string& bytes) {
    fs::create_directories((folder / name).parent_path());
    EXPECT_TRUE(write_file(folder / name, bytes).ok());
    return folder / name;
  }
  fs::path folder;
};

TEST_F(TextFile, AMarkAtTheBeginningIsSkippedAndNothingElseIsChanged) {
  for (const std::string& text : nasty_texts()) {
    if (text.starts_with(kMark) || text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) continue;
    EXPECT_EQ(text_from(text, "here").value(), text);
    EXPECT_EQ(text_from(kMark + text, "here").value(), text);
  }
  EXPECT_EQ(read_text_file(write("a", std::string(kMark) + "a\r\n")).value(), "a\r\n");
  EXPECT_EQ(read_text_file(write("a", "")).value(), "");
  EXPECT_EQ(text_from(std::string(kMark) + kMark + "a", "here").value(), std::string(kMark) + "a") << "one mark alone";
  EXPECT_EQ(text_from(std::string("a\0b", 3), "here").value(), std::string("a\0b", 3)) << "a zero byte is no UTF-16";
}

TEST_F(TextFile, Utf16IsSaidWithTheCommandThatConvertsIt) {
  const std::string text = "the cat sat\r\n";
  for (const bool little : {true, false})
    for (const bool marked : {true, false}) {
      const auto refused = text_from(utf16(text, little, marked), "lab els.txt");
      ASSERT_FALSE(refused.ok());
      const std::string encoding = marked ? "UTF-16" : little ? "UTF-16LE" : "UTF-16BE";
      EXPECT_EQ(refused.error().sentence(),
                "lab els.txt: this text is UTF-16, and texts are read as UTF-8; convert it first: iconv -f " + encoding +
                    " -t UTF-8 'lab els.txt' > utf8.txt");
    }
  EXPECT_FALSE(text_from(std::string("\xFF\xFE\0\0a\0\0\0", 8), "a.txt").ok());
  // Chinese with line ends: two zero bytes a line.
  std::string chinese;
  for (int i = 0; i < 20; ++i) chinese += std::string("\x60\x4F\x7D\x59\x0D\0\x0A\0", 8);
  EXPECT_FALSE(text_from(chinese, "a.txt").ok());
}

// Without a mark: short files, files of other scripts, and a file to which an editor added one more byte.
TEST_F(TextFile, Utf16WithoutAMarkIsKnownByItsZeroBytes) {
  const auto encoding = [](const std::string& bytes) {
    const auto read = text_from(bytes, "labels.txt");
    if (read.ok()) return std::string("UTF-8");
    const std::string said = read.error().sentence();
    const std::size_t at = said.find("iconv -f ") + 9;
    return said.substr(at, said.find(' ', at) - at);
  };
  const std::string cat("\x2B\x73\x0A\0\xD7\x72\x0A\0", 8),
      tac("\x73\x2B\0\x0A\x72\xD7\0\x0A", 8);  // two labels, a character each
  EXPECT_EQ(encoding(cat), "UTF-16LE");
  EXPECT_EQ(encoding(tac), "UTF-16BE");
  EXPECT_EQ(encoding(utf16("ab", true, false)), "UTF-16LE");
  EXPECT_EQ(encoding(utf16("ab", false, false)), "UTF-16BE");
  EXPECT_EQ(encoding(utf16("the cat", true, false) + "\n"), "UTF-16LE") << "an odd number of bytes";
  EXPECT_EQ(encoding(std::string("\x42\x04 \0\x3E\x04", 6)), "UTF-16LE") << "Cyrillic with a space";
  EXPECT_EQ(encoding(std::string("a\0\0\0b\0\0\0", 8)), "UTF-32LE");
  EXPECT_EQ(encoding(std::string("\0\0\0a\0\x01\xF4\x80\0\0\0b", 12)), "UTF-32BE");
  for (const std::string& text : {std::string("a\0b", 3), std::string("ab\0cd", 5), std::string("one\0two\0three\0", 14),
                                  std::string(), std::string("\0\0\0\0", 4), std::string("\n\0", 2)})
    EXPECT_EQ(encoding(text), "UTF-8");
}

TEST_F(TextFile, LinesEndInEitherWay) {
  const std::vector<std::string> lines{"a", "", "b c", "d"};
  EXPECT_EQ(lines_of_text("a\n\nb c\nd"), lines);
  EXPECT_EQ(lines_of_text("a\r\n\r\nb c\r\nd\r\n"), lines);
  EXPECT_EQ(lines_of_text("a\rb\n"), std::vector<std::string>{"a\rb"});
  EXPECT_TRUE(lines_of_text("").empty());
}

// The readers of files: each reads a file with the mark as the same file without it.
TEST_F(TextFile, VocabulariesWithAMark) {
  // Pieces without capitals: BERT's lower case. With the mark in the first piece they would count as cased.
  const std::string pieces = "[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\n[MASK]\r\nthe\r\ncat\r\n";
  write("bert/vocab.txt", kMark + pieces);
  const auto bert = tokenizers::open((folder / "bert").string());
  ASSERT_TRUE(bert.ok()) << bert.error().sentence();
  EXPECT_EQ((*bert)->special(tokenizers::Role::pad), 0);
  const auto tokens = (*bert)->encode("The cat");
  ASSERT_TRUE(tokens.ok());
  ASSERT_EQ(tokens->size(), 2u);
  EXPECT_EQ((*tokens)[0].id, 5);
  EXPECT_EQ((*tokens)[1].id, 6);

  std::string vocabulary;  // all bytes, and two pieces of several
  for (int byte = 0; byte < 256; ++byte)
    vocabulary += Json(text::to_byte_pieces(std::string(1, static_cast<char>(byte)))).dump() + ": " + std::to_string(byte) + ", ";
  write("gpt2/vocab.json", kMark + ("{" + vocabulary + "\"hu\": 256, \"hug\": 257}"));
  write("gpt2/merges.txt", kMark + std::string("#version: 0.2\r\nh u\r\nhu g\r\n"));
  const auto gpt2 = tokenizers::open((folder / "gpt2").string());
  ASSERT_TRUE(gpt2.ok()) << gpt2.error().sentence();
  ASSERT_EQ((*gpt2)->encode("hug")->size(), 1u);
  EXPECT_EQ((*gpt2)->encode("hug")->front().id, 257);

  write("wide/vocab.txt", utf16(pieces, true, true));
  const auto wide = tokenizers::open((folder / "wide").string());
  ASSERT_FALSE(wide.ok());
  EXPECT_NE(wide.error().sentence().find("vocab.txt: this text is UTF-16"), std::string::npos) << wide.error().sentence();
  write("wide.txt", utf16(pieces, true, false));
  const auto other = tokenizers::open((folder / "wide.txt").string());
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().sentence().find("iconv -f UTF-16LE"), std::string::npos) << other.error().sentence();
}

TEST_F(TextFile, SessionsConfigurationsAndListsWithAMark) {
  Session session;
  session.document.texts = {"marked"};
  const auto read = load_session(write("a.json", kMark + to_json(session)));
  ASSERT_TRUE(read.ok()) << read.error().sentence();
  EXPECT_EQ(read->document, session.document);
  EXPECT_TRUE(WordLists::open(write("words.txt", std::string(kMark) + "adjective: blue\nnoun: sky\n")).ok());
  const fs::path config = fs::path(HEADLIGHT_TEST_DATA) / ".." / ".." / "assets" / "models" / "stories" / "train.json";
  const auto training = read_file(config);
  ASSERT_TRUE(training.ok());
  EXPECT_TRUE(train::read_config(write("train.json", kMark + *training).string()).ok());
  const auto wide = load_session(write("wide.json", utf16(to_json(session), true, true)));
  ASSERT_FALSE(wide.ok());
  EXPECT_NE(wide.error().sentence().find("this text is UTF-16"), std::string::npos) << wide.error().sentence();
}

TEST_F(TextFile, FilesThatAreNoTokenizersAreToldSo) {
  const auto said = [&](const std::string& name, const std::string& bytes) {
    const auto opened = tokenizers::open(write(name, bytes).string());
    EXPECT_FALSE(opened.ok()) << name;
    return opened.ok() ? "" : opened.error().sentence();
  };
  // The beginning of SentencePiece's protobuf, cut off: pieces with their scores.
  const std::string pieces("\x0A\x0E\x0A\x05<pad>\x15\0\0\0\0\x18\x03\x0A\x0D\x0A\x04</s>\x15\0\0\0\0", 29);
  for (const char* name : {"spiece.model", "tokenizer.model", "m"})
    EXPECT_NE(said(name, pieces).find("the file is cut off"), std::string::npos) << said(name, pieces);
  for (const char* name : {"tokenizer.json", "vocab.txt", "tokenizer.model"}) {
    const std::string pointer = said(name, "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 466062\n");
    EXPECT_NE(pointer.find("is a Git LFS pointer, which stands for a file of 466062 bytes"), std::string::npos) << pointer;
    EXPECT_NE(pointer.find("git lfs pull"), std::string::npos) << pointer;
    EXPECT_NE(said(name, "<!doctype html><p>Not found").find("is a web page"), std::string::npos);
  }
  EXPECT_NE(said("notes", "some words").find("this is no file of a tokenizer"), std::string::npos);
  EXPECT_NE(said("a.json", "{\"a\": [").find("JSON"), std::string::npos);
  const std::string unknown = said("mine.tiktoken", "IQ== 0\nIg== 1\n");
  EXPECT_NE(unknown.find("mine.tiktoken:cl100k; known are gpt2"), std::string::npos) << unknown;
  EXPECT_NE(said("config.json", "{\"model_type\": \"bert\"}").find("this is the configuration of a model"), std::string::npos);
  EXPECT_NE(said("tokenizer_config.json", "{\"tokenizer_class\": \"X\"}").find("this says how a tokenizer is used"),
            std::string::npos);
}

// Wherever a file is read, a Git LFS pointer in its place is named, with the size of the file that it stands for.
TEST_F(TextFile, AGitLfsPointerIsNamedInPlaceOfAnyFile) {
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 466062\n";
  const auto file = write("pointer.txt", pointer);
  const auto named = [](const auto& result) {
    return !result.ok() &&
           result.error().sentence().find("466062 bytes that is not here; fetch it with `git lfs pull`") != std::string::npos;
  };
  EXPECT_TRUE(named(refuse_pointer(pointer, "a.bin")));
  EXPECT_TRUE(refuse_pointer("version 2", "a.bin").ok());
  EXPECT_TRUE(named(read_text_file(file)));
  EXPECT_TRUE(named(images::decode_png(pointer, "a.png")));
  EXPECT_TRUE(named(read_safetensors(pointer, "a.safetensors")));
}

}  // namespace
}  // namespace headlight
