// A third language is one file: here one in which every text of both tables is turned round, word by word ("sdaeh" for "heads").
// No view then says an English word, and none is cut off.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "app/files/configuration.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/text/view_words.h"
#include "app/window/offscreen/ways.h"
#include "engine/backends/backends.h"
#include "engine/core/files.h"
#include "engine/document/stored_model.h"
#include "tests/ui/layout_eye.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using test::LayoutEye;
using test::NullWindow;
using window::Shell;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// The words of Latin letters of a text, with their places.
std::vector<std::pair<std::size_t, std::string>> words_of(const std::string& text) {
  std::vector<std::pair<std::size_t, std::string>> out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_letter(text[end])) ++end;
    if (end > i) out.emplace_back(i, text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return out;
}

std::string turned(std::string text) {
  for (const auto& [at, word] : words_of(text))
    std::reverse_copy(word.begin(), word.end(), text.begin() + static_cast<std::ptrdiff_t>(at));
  return text;
}

std::string small(std::string word) {
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

// --- what is the same in every language ---

// Names: of this program, devices, models and methods, functions, keys, colour maps, units, and pieces and vocabularies.
const std::set<std::string> kNames = {"Headlight", "CPU",    "GPU",    "BERT",    "GPT",       "ISDPA", "LSTM",
                                      "CBOW",      "skip",   "gram",   "softmax", "exp",       "sin",   "cos",
                                      "tanh",      "Ctrl",   "MiB",    "viridis", "PAD",       "UNK",   "Characters",
                                      "Llama",     "Apache", "smollm", "minilm",  "WordPiece", "BPE"};
// Words of the examples and corpora, which a view reads or learns.
const std::set<std::string> kRead = {"aunt", "bites", "blue",  "boy",    "brother", "dog",   "father", "forest", "garden",
                                     "girl", "green", "hello", "hug",    "hugs",    "king",  "man",    "mole",   "mother",
                                     "pug",  "queen", "red",   "sister", "tower",   "uncle", "valley", "weighs", "woman"};
const std::set<std::string> kSentences = {"One mole of carbon dioxide", "Take a biopsy of the mole"};

// Models, devices and numbers by the names that are also typed on the command line.
bool is_typed(const std::string& text) {
  const std::vector<std::string> models = bundled_models();
  return std::find(models.begin(), models.end(), text) != models.end() || backends::registry().find(text) || text == "-inf";
}

// One of these, perhaps behind the number that it has in a picture: "2: Take a biopsy of the mole".
bool is_sentence(const std::string& text) {
  const std::size_t colon = text.find(": ");
  return kSentences.contains(text) || (colon != std::string::npos && kSentences.contains(text.substr(colon + 2)));
}

// Monospaced texts are formulas, names of steps, arrays and axes, and numbers. Words that make a sentence are no such text.
bool is_code(const gl::DrawnText& drawn) {
  // The one formula that is a sentence: a step's, which the engine writes.
  for (const char* formula : {"ids[b, i] = number of piece i in", "the vocabulary of "})
    if (drawn.text.starts_with(formula)) return true;
  int words = 0;
  const auto all = words_of(drawn.text);
  for (std::size_t i = 0; i < all.size() && words < 3; ++i) {
    const bool follows =
        i > 0 && all[i - 1].first + all[i - 1].second.size() + 1 == all[i].first && drawn.text[all[i].first - 1] == ' ';
    words = all[i].second.size() < 2 ? 0 : follows ? words + 1 : 1;
  }
  return drawn.font == figures::Font::mono && words < 3;
}

// "batch, head, query, key": axes of an array.
bool is_list_of_axes(const std::string& text) {
  const std::set<std::string> axes = {"batch", "head", "position", "query", "key", "pair", "d", "k", "ff", "model"};
  const auto words = words_of(text);
  return !words.empty() && std::all_of(words.begin(), words.end(), [&](const auto& one) { return axes.contains(one.second); });
}

// The turned language, as a file in a configuration folder of its own.
class TurnedLanguage : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "languages");
    ::setenv("HEADLIGHT_CONFIG_DIR", folder_.c_str(), 1);
    std::string file = "en\txx=Desrever\n";
    const auto assets = assets_folder();
    ASSERT_TRUE(assets.ok());
    std::vector<std::string> tables = view_words();
    for (const char* table : {"interface.tsv", "errors.tsv"}) {
      const auto text = read_file(*assets / table);
      ASSERT_TRUE(text.ok());
      tables.push_back(*text);
    }
    for (const std::string& text : tables)
      for (std::size_t from = text.find('\n') + 1; from < text.size();) {
        const std::string english = text.substr(from, text.find('\t', from) - from);
        file += english + "\t" + turned(english) + "\n";
        for (const auto& [at, word] : words_of(english)) {
          if (word.size() < 3) continue;
          english_.insert(small(word));
          turned_.insert(small(turned(word)));
        }
        from = text.find('\n', from) + 1;
      }
    ASSERT_TRUE(write_file(folder_ / "languages" / "xx.tsv", file).ok());
  }
  void TearDown() override {
    speak(nullptr);
    ::unsetenv("HEADLIGHT_CONFIG_DIR");
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  // Whether the word is one of the tables' that no other word becomes when it is turned round.
  bool is_english(const std::string& word) const {
    const std::string known = small(word);
    return word.size() >= 3 && english_.contains(known) && !turned_.contains(known);
  }
  // The English words of a drawn text that no exception allows.
  std::vector<std::string> english_in(const gl::DrawnText& drawn) const {
    std::vector<std::string> out;
    if (is_code(drawn) || is_list_of_axes(drawn.text) || is_typed(drawn.text) || is_sentence(drawn.text)) return out;
    for (const auto& [at, word] : words_of(drawn.text))
      if (is_english(word) && !kNames.contains(word) && !kRead.contains(small(word))) out.push_back(word);
    return out;
  }

  const fs::path folder_ = fs::temp_directory_path() / ("headlight-turned-" + std::to_string(::getpid()));
  std::set<std::string> english_, turned_;
};

TEST_F(TurnedLanguage, NoViewSaysAnEnglishWordOrIsCutOff) {
  NullWindow null(1600, 1000, 1, true);
  window::Setup setup;
  Document& document = setup.session.document;
  document.texts = {"蓝色的 🦊 在 森林 里"};
  document.tokenizer = "characters";
  document.d_model = 16;
  document.heads = 4;
  document.layers = 2;
  setup.compute = run_on_backend();
  setup.configuration.language = "xx";
  setup.configuration.reduce_motion = true;
  Shell shell(std::move(setup));
  LayoutEye eye(null);
  const ViewState plain = shell.view();
  std::map<std::string, std::string> stays, faults;
  const auto look = [&](const std::string& where) {
    for (int i = 0; i < 6; ++i) {
      shell.worker().wait();
      shell.lane().wait();
      shell.models().wait();  // the list of models is read in the background
      for (int n = 0; n < 2000 && !shell.settled(); ++n) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      null.frame(shell);
    }
    std::vector<gl::DrawnText> drawn;
    null.figures().watch_text(&drawn);
    null.frame(shell);
    null.figures().watch_text(nullptr);
    for (const gl::DrawnText& one : drawn)
      for (const std::string& word : english_in(one)) stays.emplace("\"" + one.text + "\": " + word, where);
    for (const std::string& fault : eye.look(shell)) faults.emplace(fault, where);
  };
  for (const bool two : {false, true}) {  // one sentence, and a sentence with its target
    Document read = shell.document();
    if (two) read.targets = {"森林 🦊"};
    shell.edit(std::move(read));
    for (const window::Way& way : window::ways()) {
      shell.view() = plain;
      shell.view().tab = way.tab;
      way.set(shell.view());
      look(name_of(way));
    }
  }
  shell.view() = plain;
  for (const char* popup : {"model", "tokenizer", "positions", "mask", "score", "size", "backend"}) {
    shell.ui.popup_next = popup;
    look(std::string("popup ") + popup);
    EXPECT_TRUE(NullWindow::popup_open()) << popup;
    while (NullWindow::popup_open()) null.key(shell, ImGuiKey_Escape);
  }
  EXPECT_STREQ(tr("Export"), "tropxE");
  EXPECT_EQ(spoken(invalid("there is no step '{}'", "Export")), "ereht si on pets 'Export'");
  for (const auto& [text, where] : stays) ADD_FAILURE() << where << " says in English " << text;
  if (null.has_design_fonts())
    for (const auto& [fault, where] : faults) ADD_FAILURE() << where << ": " << fault;
}

}  // namespace
}  // namespace headlight
