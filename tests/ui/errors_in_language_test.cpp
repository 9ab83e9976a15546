// Errors are in the window's language everywhere in the window.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "app/text/error_words.h"
#include "app/views/base/view.h"
#include "engine/backends/backends.h"
#include "engine/core/files.h"
#include "test_data.h"
#include "tests/ui/null_window.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using test::NullWindow;
using window::Shell;

window::Setup chinese() {
  window::Setup setup;
  Document& document = setup.session.document;
  document.texts = {"蓝色的 🦊"};
  document.tokenizer = "characters";
  document.d_model = 16;
  document.heads = 4;
  document.layers = 1;
  setup.compute = run_on_backend();
  setup.configuration.language = "zh";
  setup.configuration.reduce_motion = true;
  return setup;
}

class ErrorsInChinese : public testing::Test {
 protected:
  void TearDown() override { speak(nullptr); }

  void settle(Shell& shell) {
    for (int i = 0; i < 4; ++i) {
      shell.worker().wait();
      shell.lane().wait();
      window_.frame(shell);
    }
  }
  std::vector<std::string> texts(Shell& shell) {
    std::vector<gl::DrawnText> drawn;
    window_.figures().watch_text(&drawn);
    window_.frame(shell);
    window_.figures().watch_text(nullptr);
    std::vector<std::string> out;
    for (const gl::DrawnText& one : drawn)
      if (one.font != figures::Font::mono) out.push_back(one.text);  // monospaced texts are formulas, names and data
    return out;
  }
  static bool says(const std::vector<std::string>& texts, const std::string& part) {
    return std::any_of(texts.begin(), texts.end(), [&](const auto& text) { return text.find(part) != std::string::npos; });
  }
  // Three words of Latin letters in a row are a sentence; a formula, a name or an abbreviation is not.
  static bool is_latin_sentence(const std::string& text) {
    int words = 0, letters = 0;
    for (const char c : text + " ") {
      if (std::isalpha(static_cast<unsigned char>(c))) {
        ++letters;
      } else {
        words = letters > 1 && (c == ' ' || c == ',') ? words + 1 : 0;
        letters = 0;
        if (words == 3) return true;
      }
    }
    return false;
  }
  static std::vector<std::string> latin(std::vector<std::string> texts) {
    std::erase_if(texts, [](const std::string& text) { return !is_latin_sentence(text); });
    return texts;
  }

  NullWindow window_;
};

TEST_F(ErrorsInChinese, ADocumentThatCannotBeComputed) {
  Shell shell(chinese());
  settle(shell);
  Document divided = shell.document();
  divided.d_model = 10;
  shell.edit(divided);
  settle(shell);
  ASSERT_TRUE(shell.published().error);
  EXPECT_FALSE(latin({shell.published().error->sentence()}).empty()) << "the engine speaks English";
  for (const views::View& entry : views::registry().entries()) {
    shell.view().tab = entry.id;
    settle(shell);
    const auto shown = texts(shell);
    EXPECT_TRUE(says(shown, "d_model 10 无法平均分给 4 个头")) << entry.id;
    EXPECT_TRUE(says(shown, "请给出能整除 d_model 的头数")) << entry.id;
    auto english = latin(shown);
    std::erase(english, tr("man bites dog / dog bites man"));  // example sentences, which are the same in all languages
    for (const char* phrase : {"American shrew mole", "One mole of carbon dioxide", "Take a biopsy of the mole"})
      std::erase_if(english, [&](const std::string& text) { return text.ends_with(phrase); });  // a number may stand before it
    EXPECT_EQ(english, std::vector<std::string>()) << entry.id;
  }
}

TEST_F(ErrorsInChinese, ADeviceThatIsNotThere) {
  Shell shell(chinese());
  settle(shell);
  shell.ui.popup_next = "backend";
  settle(shell);
  ASSERT_TRUE(NullWindow::popup_open());
  settle(shell);
  const auto shown = texts(shell);
  EXPECT_TRUE(says(shown, "参考实现"));
  EXPECT_EQ(latin(shown), std::vector<std::string>());
  for (const backends::Device& device : backends::devices()) {
    if (device.available) continue;
    EXPECT_TRUE(says(shown, spoken(device.why))) << device.why;
    EXPECT_FALSE(says(shown, device.why.english())) << device.why << " is said in English";
  }
}

// What the CUDA module says of a GPU that cannot be used, read from its source, whole and in the status bar's one line.
TEST_F(ErrorsInChinese, EveryReasonWhyAGpuIsNotUsed) {
  const auto language = load_language("zh");
  ASSERT_TRUE(language.ok());
  speak(*language);
  const auto source = read_file(fs::path(HEADLIGHT_TEST_DATA) / "../../engine/backends/cuda/session.cu", 1 << 20);
  ASSERT_TRUE(source.ok());
  const std::regex sentence("say\\(\"([^\"]*)\""), place("\\{\\}");
  int found = 0;
  for (std::sregex_iterator at(source->begin(), source->end(), sentence), end; at != end; ++at) {
    const std::string text = (*at)[1].str();
    if (!is_latin_sentence(text)) continue;  // "{}: {}": the driver's own words
    const auto places = std::distance(std::sregex_iterator(text.begin(), text.end(), place), std::sregex_iterator());
    const Message reason = Message::of(text, std::vector<Message>(static_cast<std::size_t>(places), Message::name("12")));
    ++found;
    for (const Message& what : {Message("no GPU: {}", reason), Message("the GPU cannot be used: {}", reason)}) {
      const Message why = Error(ErrorKind::unavailable, what, {}, Message("everything works on the CPU")).whole();
      EXPECT_EQ(latin({spoken(why)}), std::vector<std::string>()) << why;
      const std::string brief = spoken_briefly(why);
      EXPECT_EQ(latin({brief}), std::vector<std::string>()) << why;
      EXPECT_FALSE(brief.empty());
      EXPECT_LT(brief.size(), spoken(why).size()) << "without the mend";
    }
  }
  EXPECT_GE(found, 10);
}

TEST_F(ErrorsInChinese, FilesThatCannotBeOpened) {
  Shell shell(chinese());
  settle(shell);
  const fs::path folder = fs::temp_directory_path() / ("headlight-errors-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const auto opened = [&](const fs::path& path) {
    const Status status = shell.open(path);
    EXPECT_FALSE(status.ok()) << path;
    return status.ok() ? std::string() : spoken(status.error());
  };
  ASSERT_TRUE(write_file(folder / "cut.json", "{\"headlight\": 1, \"doc").ok());
  EXPECT_EQ(opened(folder / "cut.json"),
            (folder / "cut.json").string() + "：从第 1 行第 22 列起不是 JSON；请给出 Headlight 保存的会话");
  ASSERT_TRUE(write_file(folder / "heads.json", R"({"headlight": 1, "document": {"texts": ["a"], "heads": "many"}})").ok());
  EXPECT_EQ(opened(folder / "heads.json"), (folder / "heads.json").string() + "：“heads”的类型不对；请给出整数");
  EXPECT_EQ(opened(folder / "none.json"), (folder / "none.json").string() + "：没有这个文件；请检查名称");
  fs::remove_all(folder);
}

// Every wrong value of every field of the document is refused with a Chinese sentence.
TEST_F(ErrorsInChinese, SettingsThatAreNoSuch) {
  const auto language = load_language("zh");
  ASSERT_TRUE(language.ok());
  speak(*language);
  int refused = 0;
  for (const Field& field : document_schema())
    for (const char* wrong : {"nonsense", "-7", "99999999999999999999", "window:0", "causal,causal", "012"}) {
      Document document;
      const Status set = field.set(document, {wrong});
      if (set.ok()) continue;
      ++refused;
      EXPECT_EQ(latin({spoken(set.error().what), spoken(set.error().mend)}), std::vector<std::string>())
          << field.parameter.id << " = " << wrong << ": " << set.error().sentence();
      EXPECT_NE(spoken(set.error().what), set.error().what) << field.parameter.id << " = " << wrong;
      if (!set.error().mend.empty()) {
        EXPECT_NE(spoken(set.error().mend), set.error().mend) << field.parameter.id;
      }
    }
  EXPECT_GT(refused, 40);
}

}  // namespace
}  // namespace headlight
