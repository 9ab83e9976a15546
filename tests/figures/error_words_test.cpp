// A message in another language: how its values fill the translation, what stays as it is, and how an error's parts are joined.
#include "app/text/error_words.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "app/text/language.h"

namespace headlight {
namespace {

struct Lines final : Language {
  explicit Lines(std::map<std::string, std::string, std::less<>> all) : words(std::move(all)) {}
  std::map<std::string, std::string, std::less<>> words;
  const char* find(std::string_view english) const override {
    const auto at = words.find(english);
    return at == words.end() ? nullptr : at->second.c_str();
  }
  std::vector<std::string> texts() const override { return {}; }
};

std::string said(std::map<std::string, std::string, std::less<>> lines, const Message& message) {
  speak(std::make_shared<Lines>(std::move(lines)));
  std::string out = spoken(message);
  speak(nullptr);
  return out;
}

TEST(Messages, ValuesFillThePlacesInTheOrderOfTheOtherLanguage) {
  const Message divided("d_model {} cannot be divided among {} heads", 10, 4);
  EXPECT_EQ(divided.english(), "d_model 10 cannot be divided among 4 heads");
  EXPECT_EQ(said({{"d_model {} cannot be divided among {} heads", "{1} Köpfe teilen d_model {0} nicht"}}, divided),
            "4 Köpfe teilen d_model 10 nicht");
  EXPECT_EQ(said({{"{} sentences", "{} Sätze"}}, Message("{} sentences", std::uint64_t{1} << 63)), "9223372036854775808 Sätze");
  EXPECT_EQ(said({}, Message("{} and {}", -3, std::string("x"))), "-3 and x") << "a text without a line stays English";
}

TEST(Messages, BracesOfATextAreWrittenTwiceAndThoseOfAValueStay) {
  const Message give("give \"{}\": {{\"en\": \"...\"}}", "a{}b");
  EXPECT_EQ(give.english(), "give \"a{}b\": {\"en\": \"...\"}");
  EXPECT_EQ(said({{give.text(), "gib \"{}\": {{\"en\": \"...\"}}"}}, give), "gib \"a{}b\": {\"en\": \"...\"}");
  EXPECT_EQ(Message(std::string("{0} {")).english(), "{0} {") << "a plain text has no places";
  EXPECT_EQ(Message::term("a {name}").english(), "a {name}");
}

TEST(Messages, AMessageInAMessageIsTranslatedAndANameIsNot) {
  const std::map<std::string, std::string, std::less<>> lines = {{"there is no {} '{}'", "{} „{}“ fehlt"},
                                                                 {"mask", "Maske"},
                                                                 {"no GPU: {}", "keine GPU: {}"},
                                                                 {"no driver", "kein Treiber"}};
  EXPECT_EQ(said(lines, Message("there is no {} '{}'", Message("mask"), "mask")), "Maske „mask“ fehlt");
  EXPECT_EQ(said(lines, Message("no GPU: {}", Message("no driver"))), "keine GPU: kein Treiber");
  EXPECT_EQ(said(lines, Message("no GPU: {}", "no driver")), "keine GPU: no driver");
  EXPECT_EQ(said(lines, Message("no GPU: {}", Message::term("no driver"))), "keine GPU: kein Treiber");
  EXPECT_EQ(said(lines, Message::term("out of memory")), "out of memory");
}

TEST(Messages, ATranslationWithOtherPlacesIsNotUsed) {
  const Message message("there is no step {}", 4);
  EXPECT_EQ(said({{"there is no step {}", "{} von {}"}}, message), "there is no step 4");
  EXPECT_EQ(said({{"there is no step {}", "ein { zu viel: {}"}}, message), "there is no step 4");
  EXPECT_EQ(Message::of("too few: {} {}", {Message::name("a")}).english(), "too few: {} {}");
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
  const Error divided = usage_error("d_model {} cannot be divided among {} heads", 10, 4)
                            .at("--heads")
                            .mend("give a number of heads that divides d_model");
  EXPECT_EQ(divided.sentence(),
            "--heads: d_model 10 cannot be divided among 4 heads; give a number of heads that divides d_model");
  EXPECT_EQ(spoken(divided), "--heads：d_model 10 无法平均分给 4 个头；请给出能整除 d_model 的头数");
  EXPECT_EQ(spoken_in_window(divided), "d_model 10 无法平均分给 4 个头；请给出能整除 d_model 的头数");
  EXPECT_EQ(spoken(divided.mend), "请给出能整除 d_model 的头数");
  EXPECT_EQ(spoken(divided.whole()), spoken(divided)) << "put together before it came here";
  EXPECT_EQ(spoken_briefly(divided.whole()), "--heads：d_model 10 无法平均分给 4 个头");
  const Message full("the disk is full");
  EXPECT_EQ(spoken(Error(ErrorKind::io, full)), "磁盘已满");
  EXPECT_EQ(spoken_briefly(Error(ErrorKind::io, full).whole()), "磁盘已满");
  EXPECT_EQ(spoken_in_window(Error(ErrorKind::io, full, std::string("a.png"))), "a.png：磁盘已满");
  EXPECT_EQ(spoken(Error(ErrorKind::io, full, std::string("/tmp/a: b; c.png"))), "/tmp/a: b; c.png：磁盘已满");
  EXPECT_EQ(spoken(Error(ErrorKind::io, Message("the moon is full"), {}, Message("wait"))), "the moon is full；wait");
  EXPECT_EQ(spoken(Message()), "");
}

TEST_F(SpokenErrors, SentencesInSentences) {
  const Error json = invalid("this is not JSON from line {}, column {} on", 1, 2)
                         .at(std::string("/tmp/s.json"))
                         .mend("give a session as Headlight saves it");
  EXPECT_EQ(spoken(Message("the last session could not be read ({}); it is kept as {}", json.whole(), "/tmp/s.json.unreadable")),
            "无法读取上次的会话（/tmp/s.json：从第 1 行第 2 列起不是 JSON；请给出 Headlight 保存的会话）；它已另存为 "
            "/tmp/s.json.unreadable");
  EXPECT_EQ(spoken(Message("cannot be read: {}", Message::term("Permission denied"))), "无法读取：没有权限");
  EXPECT_EQ(spoken(failure(ErrorKind::unavailable, "no GPU: {}", Message("this machine has no NVIDIA driver"))
                       .mend("everything works on the CPU")),
            "没有 GPU：本机没有 NVIDIA 驱动程序；一切都可在 CPU 上运行");
}

TEST_F(SpokenErrors, EnglishIsTheTextWithItsValues) {
  const Error error = failure(ErrorKind::io, "the disk is full").at(std::string("a.png")).mend("choose a folder");
  speak(nullptr);
  EXPECT_EQ(spoken(error), "a.png: the disk is full; choose a folder");
  EXPECT_EQ(spoken(error), error.sentence());
}

// Called by the drawing thread and by exporting threads while the language changes.
TEST_F(SpokenErrors, FromSeveralThreads) {
  const auto chinese = load_language("zh");
  ASSERT_TRUE(chinese.ok());
  std::vector<std::thread> threads;
  std::vector<int> wrong(3, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&wrong, t] {
      for (int i = 0; i < 600; ++i) {
        const Message message("there is no token {}", i);
        const std::string answer = spoken(message);
        if (answer != message.english() && answer != "没有词元 " + std::to_string(i)) ++wrong[t];
      }
    });
  for (int i = 0; i < 20; ++i) speak(i % 2 ? *chinese : nullptr);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(3, 0));
}

}  // namespace
}  // namespace headlight
