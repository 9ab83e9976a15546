// An Error in another language: which line is chosen, what fills its places, and what stays English.
#include "app/text/error_words.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <thread>

namespace headlight {
namespace {

// A language with the given lines. All of them belong to errors, except the joints and those that begin with "interface ".
struct Lines final : Language {
  explicit Lines(std::initializer_list<std::pair<const std::string, std::string>> all) : words(all) {}
  std::map<std::string, std::string, std::less<>> words;
  const char* find(std::string_view english) const override {
    const auto at = words.find(english);
    return at == words.end() ? nullptr : at->second.c_str();
  }
  std::vector<std::string> texts() const override {
    std::vector<std::string> out;
    for (const auto& [english, other] : words) out.push_back(english);
    return out;
  }
  std::vector<std::string> error_texts() const override {
    std::vector<std::string> out;
    for (const auto& [english, other] : words)
      if (!english.starts_with("interface ") && english != "{}: {}" && english != "{}; {}") out.push_back(english);
    return out;
  }
};

std::string said(const Lines& language, const std::string& english) {
  return ErrorLines(language).say(english).value_or("[" + english + "]");
}

TEST(ErrorLines, FillsThePlacesInTheOrderOfTheOtherLanguage) {
  const Lines language({{"d_model {} cannot be divided among {} heads", "{1} Köpfe teilen d_model {0} nicht"},
                        {"there is no sentence", "kein Satz"},
                        {"{} sentences are too many", "{} Sätze sind zu viele"}});
  EXPECT_EQ(said(language, "d_model 10 cannot be divided among 4 heads"), "4 Köpfe teilen d_model 10 nicht");
  EXPECT_EQ(said(language, "there is no sentence"), "kein Satz");
  EXPECT_EQ(said(language, "2000 sentences are too many"), "2000 Sätze sind zu viele");
}

TEST(ErrorLines, WhatNoLineMakesFromBeginningToEndStaysAsItIs) {
  const Lines language({{"there is no sentence {}", "x{}"}, {"no memory", "y"}, {"interface {} heads", "z{}"}});
  for (const char* english : {"there is no sentence ", "there is no sentence", "so there is no sentence 4", "no memory left", "",
                              "interface 4 heads", "{}", "{", "there is no {}"})
    EXPECT_EQ(said(language, english), "[" + std::string(english) + "]");
  EXPECT_EQ(said(language, "there is no sentence 4"), "x4");
}

TEST(ErrorLines, TheLineWithTheMostTextOfItsOwnIsMeant) {
  const Lines language({{"there is no {}", "general {}"},
                        {"there is no step '{}'", "step {}"},
                        {"there is no step '{}' in this trace", "trace {}"}});
  EXPECT_EQ(said(language, "there is no step 'q'"), "step q");
  EXPECT_EQ(said(language, "there is no step 'q' in this trace"), "trace q");
  EXPECT_EQ(said(language, "there is no way"), "general way");
}

TEST(ErrorLines, ALineWithHardlyAnyTextTakesSingleWordsOnly) {
  const Lines language({{"{} is {}", "{} = {}"}});
  EXPECT_EQ(said(language, "layers is 0"), "layers = 0");
  EXPECT_EQ(said(language, "shape is [2, 3]"), "shape = [2, 3]");
  EXPECT_EQ(said(language, "this machine is not for that"), "[this machine is not for that]");
}

TEST(ErrorLines, WhatFillsAPlaceIsSpokenUnlessItIsAName) {
  const Lines language({{"no GPU: {}", "keine GPU: {}"},
                        {"this machine has no driver", "kein Treiber"},
                        {"there is no {} '{}'", "{} „{}“ fehlt"},
                        {"give {}", "gib {}"},
                        {"a number from {} to {}", "eine Zahl von {} bis {}"},
                        {"mask", "Maske"}});
  EXPECT_EQ(said(language, "no GPU: this machine has no driver"), "keine GPU: kein Treiber");
  EXPECT_EQ(said(language, "no GPU: out of memory"), "keine GPU: out of memory");
  EXPECT_EQ(said(language, "there is no mask 'mask'"), "Maske „mask“ fehlt");
  EXPECT_EQ(said(language, "give a number from 1 to 5"), "gib eine Zahl von 1 bis 5");
}

// There are 2^n ways to split these sentences.
TEST(ErrorLines, ASentenceOfManyPartsIsLeftAsItIsBeforeItTakesLong) {
  const Lines language({{"there is no step {}", "{} fehlt"}, {"known are {}", "bekannt: {}"}, {"no GPU: {}", "keine GPU: {}"}});
  for (const char* piece : {"there is no step ; known are ", ": no GPU: ", "; known are ", "no GPU: there is no step ; "}) {
    std::string sentence;
    for (int i = 0; i < 400; ++i) sentence += piece;
    EXPECT_EQ(said(language, sentence + "x"), "[" + sentence + "x]") << piece;
  }
}

TEST(ErrorLines, AnyCharactersMayStandInALineAndInAPlace) {
  const Lines language({{"give \"{}\": {\"en\": \"...\"} (100 % of [{}])", "gib \"{}\": {\"en\": \"...\"} (100 % von [{}])"},
                        {"the piece '{}' has two ids, {} and {}", "片段“{}”有两个编号：{} 和 {}"},
                        {"the count '{}' is not a whole number from 1 to 10^12", "次数“{}”不对"},
                        {"no file '{}\\n.*'", "keine {}"}});
  EXPECT_EQ(said(language, "give \"W\": {\"en\": \"...\"} (100 % of [a{}b])"), "gib \"W\": {\"en\": \"...\"} (100 % von [a{}b])");
  EXPECT_EQ(said(language, "the piece '词·🦊' has two ids, 3 and 70"), "片段“词·🦊”有两个编号：3 和 70");
  EXPECT_EQ(said(language, "the piece '' has two ids, 3 and 4' has two ids, 3 and 70"),
            "片段“' has two ids, 3 and 4”有两个编号：3 和 70");
  EXPECT_EQ(said(language, "the count '\xFF{0}' is not a whole number from 1 to 10^12"), "次数“\xFF{0}”不对");
  EXPECT_EQ(said(language, "no file 'x\\n.*'"), "keine x");
}

TEST(ErrorLines, AWholeSentenceIsTakenApartAndJoinedAsTheLanguageJoins) {
  const Lines language({{"this is not JSON", "这不是 JSON"},
                        {"give a session", "请给出会话"},
                        {"no GPU: {}", "没有 GPU：{}"},
                        {"free space; nothing was left", "请腾出空间；没有剩余"},
                        {"document", "文档"},
                        {"{}: {}", "{}：{}"},
                        {"{}; {}", "{}；{}"}});
  EXPECT_EQ(said(language, "/tmp/a.json: this is not JSON; give a session"), "/tmp/a.json：这不是 JSON；请给出会话");
  EXPECT_EQ(said(language, "document: this is not JSON"), "文档：这不是 JSON");
  EXPECT_EQ(said(language, "C: the disk: this is not JSON"), "C: the disk：这不是 JSON");
  EXPECT_EQ(said(language, "no GPU: 3; free space; nothing was left"), "没有 GPU：3；请腾出空间；没有剩余");
  EXPECT_EQ(said(language, "free space; nothing was left"), "请腾出空间；没有剩余");
  EXPECT_EQ(said(language, "this is not JSON; wait for it"), "[this is not JSON; wait for it]");
  EXPECT_EQ(said(language, "the moon is full: what now; give a session"), "[the moon is full: what now; give a session]");
}

// Tests with the real table.
class SpokenErrors : public testing::Test {
 protected:
  void SetUp() override {
    const auto chinese = load_language("zh");
    ASSERT_TRUE(chinese.ok()) << chinese.error().sentence();
    speak(*chinese);
  }
  void TearDown() override { speak(nullptr); }
};

TEST_F(SpokenErrors, WholeAndInParts) {
  const Error divided{ErrorKind::usage, "d_model 10 cannot be divided among 4 heads", "--heads",
                      "give a number of heads that divides d_model"};
  EXPECT_EQ(spoken(divided), "--heads：d_model 10 无法平均分给 4 个头；请给出能整除 d_model 的头数");
  EXPECT_EQ(spoken_in_window(divided), "d_model 10 无法平均分给 4 个头；请给出能整除 d_model 的头数");
  EXPECT_EQ(spoken_in_window(Error{ErrorKind::io, "the disk is full", "a.png", {}}), "a.png：磁盘已满");
  EXPECT_EQ(spoken(divided.mend), "请给出能整除 d_model 的头数");
  EXPECT_EQ(spoken(divided.sentence()), spoken(divided)) << "put together before it came here";
  EXPECT_EQ(spoken(Error{ErrorKind::io, "the disk is full", {}, {}}), "磁盘已满");
  EXPECT_EQ(spoken(Error{ErrorKind::io, "the disk is full", "/tmp/a: b; c.png", {}}), "/tmp/a: b; c.png：磁盘已满");
  EXPECT_EQ(spoken(Error{ErrorKind::io, "the moon is full", {}, "wait"}), "the moon is full；wait");
  EXPECT_EQ(spoken("the moon is full; wait"), "the moon is full; wait");
  EXPECT_EQ(spoken(""), "");
}

TEST_F(SpokenErrors, SentencesOfADevice) {
  EXPECT_EQ(spoken("no GPU: this machine has no NVIDIA driver; everything works on the CPU"),
            "没有 GPU：本机没有 NVIDIA 驱动程序；一切都可在 CPU 上运行");
  EXPECT_EQ(spoken("NVIDIA H200: the GPU's memory is full: 3 GiB more wanted, 1 GiB of 139 GiB are free; use smaller sizes or "
                   "--backend cpu"),
            "NVIDIA H200：GPU 内存已满：还需要 3 GiB，共 139 GiB，空闲 1 GiB；请使用更小的规模或 --backend cpu");
  EXPECT_EQ(spoken("the last session could not be read (/tmp/s.json: this is not JSON from line 1, column 2 on; give a session "
                   "as Headlight saves it); it "
                   "is kept as /tmp/s.json.unreadable"),
            "无法读取上次的会话（/tmp/s.json：从第 1 行第 2 列起不是 JSON；请给出 Headlight 保存的会话）；它已另存为 "
            "/tmp/s.json.unreadable");
}

TEST_F(SpokenErrors, SentencesInSentences) {
  EXPECT_EQ(spoken("vocabulary size: a vocabulary of 5 pieces has no room for 4 special tokens and 8 characters of the corpus; "
                   "ask for at least 12"),
            "词表大小：5 个片段的词表放不下 4 个特殊词元和 8 个语料中的字符；请要求至少 12");
  EXPECT_EQ(spoken("q.npz, array 'q': is not a readable .npy array: its shape [2, 3] needs 24 bytes, but 8 are there; write it "
                   "again with numpy.save"),
            "q.npz，数组“q”：不是可读的 .npy 数组：形状 [2, 3] 需要 24 字节，而只有 8 字节；请用 numpy.save 重新写出");
  EXPECT_EQ(spoken("cannot be read: Permission denied"), "无法读取：没有权限");
  EXPECT_EQ(spoken("there is no position encoding 'sin'; known are none, sinusoidal, learned"),
            "没有位置编码“sin”；已知的有 none, sinusoidal, learned");
  EXPECT_EQ(spoken("temperature: 'x' is out of range; give a number from 0.001 to 1000"),
            "温度：“x”超出范围；请给出 0.001 到 1000 之间的数");
}

TEST_F(SpokenErrors, EnglishIsWhatCameIn) {
  const Error error{ErrorKind::io, "the disk is full", "a.png", "choose a folder"};
  speak(nullptr);
  EXPECT_EQ(spoken(error), error.sentence());
  EXPECT_EQ(spoken("the disk is full"), "the disk is full");
}

// Called by the drawing thread and by exporting threads, with more sentences than are cached, while the language changes.
TEST_F(SpokenErrors, FromSeveralThreads) {
  const auto chinese = load_language("zh");
  ASSERT_TRUE(chinese.ok());
  std::vector<std::thread> threads;
  std::vector<int> wrong(3, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&wrong, t] {
      for (int i = 0; i < 600; ++i) {
        const std::string n = std::to_string(i), english = "there is no token " + n;
        const std::string answer = spoken(english);
        if (answer != english && answer != "没有词元 " + n) ++wrong[t];
      }
    });
  for (int i = 0; i < 20; ++i) speak(i % 2 ? *chinese : nullptr);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(3, 0));
}

}  // namespace
}  // namespace headlight
