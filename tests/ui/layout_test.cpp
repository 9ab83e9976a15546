// Nothing is cut off and nothing overlaps, whatever is typed, at every window size and scale, in every language. The test checks
// the texts and controls of each picture of each tab, in combinations drawn with a fixed seed. HEADLIGHT_LAYOUT_SEED sets another
// seed, HEADLIGHT_LAYOUT_EACH the number of combinations per picture.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <span>
#include <thread>

#include "app/session/live_trainer.h"
#include "app/views/base/view.h"
#include "app/views/heads/state.h"
#include "app/views/index/state.h"
#include "app/window/offscreen/ways.h"
#include "engine/document/stored_model.h"
#include "engine/operations/attention_fill.h"
#include "tests/ui/layout_eye.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::LayoutEye;
using test::NullWindow;
using window::Shell;

struct LayoutText {
  const char* name;
  const char* tokenizer;
  std::string text, target;
};

std::string sixty_words() {
  std::string text;
  for (int i = 0; i < 60; ++i) text += (i ? " " : "") + std::string(i % 7 == 3 ? "extraordinary" : i % 2 ? "blue" : "creature");
  return text;
}

const std::vector<LayoutText>& sentences() {
  static const std::vector<LayoutText> all = {
      {"English", "words", "a fluffy blue creature roamed the verdant forest", ""},
      {"two tokens", "words", "man bites", ""},
      {"Chinese", "characters", "我喜欢蓝色的森林", ""},
      {"emoji and marks", "characters", "e\u0301a\u0308 👩‍👩‍👧 नमस्ते", ""},
      {"sixty", "words", sixty_words(), ""},
      {"with a target", "words", "man bites dog in the forest", "homme mord chien"},
  };
  return all;
}

struct Size {
  float width, height, ui_scale;
  bool presentation;
};
constexpr Size kSizes[] = {
    {1600, 1000, 1, false}, {1280, 720, 1, false},     {1280, 720, 0.75f, false}, {1280, 720, 1.5f, false}, {1280, 720, 2, false},
    {1600, 1000, 2, false}, {1600, 1000, 1.5f, false}, {1280, 720, 1, true},      {1600, 1000, 1, true},
};

// 640 x 360 points: the smallest size that a window is drawn at.
constexpr Size kSmallest[] = {{1280, 720, 2, false}};

// With other fonts words have other widths, and the smallest sizes would differ.
constexpr const char* kNoFonts = "skipped: Inter and JetBrains Mono are not installed (fonts-inter, fonts-jetbrains-mono)";

// Other kinds of documents: each changes what the tabs have to show.
struct Kind {
  const char* name;
  void (*set)(Document&);
};
std::vector<Choice> masks_of(const char* text) {
  const auto list = masks::parse_list(text);
  EXPECT_TRUE(list.ok()) << text;
  return list.ok() ? *list : std::vector<Choice>();
}
constexpr Kind kKinds[] = {
    {"plain", [](Document&) {}},
    {"plain", [](Document&) {}},
    {"many masks", [](Document& d) { d.masks = masks_of("causal,padding,window:3,dilated:2/2,block:3,prefix:2,global:0+3"); }},
    {"no mask, learned positions",
     [](Document& d) {
       d.masks.clear();
       d.position = "learned";
     }},
    {"no positions, after the sum",
     [](Document& d) {
       d.position = "none";
       d.norm = "post";
       d.norm_kind = "rms";
     }},
    {"nothing but attention",
     [](Document& d) {
       d.projected = d.bias = d.residual = d.feed_forward = false;
       d.norm = "none";
       d.heads = 1;
     }},
    {"marked, cold, -1e9",
     [](Document& d) {
       d.add_begin = d.add_end = true;
       d.temperature = 0.125;
       d.scale = "none";
       d.mask_fill = operations::MaskFill::minus_1e9;
     }},
    {"a batch",
     [](Document& d) {
       d.texts.push_back("the second sentence is another one");
       if (!d.targets.empty()) d.targets.emplace_back("la deuxième phrase");
     }},
};

Document layout_document_of(const LayoutText& sentence) {
  Document document;
  document.texts = {sentence.text};
  if (!sentence.target.empty()) document.targets = {sentence.target};
  document.tokenizer = sentence.tokenizer;
  document.d_model = 24;
  document.heads = 6;
  document.layers = 6;
  document.masks = {{"causal", {}}};
  return document;
}

class Gallery {
 public:
  // `measures`: the Index lab measures times, at sizes that are computed at once.
  explicit Gallery(bool measures = false)
      : window_(1600, 1000, 1, true), shell_(setup(measures)), eye_(window_), plain_(shell_.view()) {}

  void show(const LayoutText& sentence, const Kind& kind, const Size& size, bool chinese, const window::Way& way) {
    window_.resize(size.width, size.height, 1);
    shell_.configuration().language = chinese ? "zh" : "en";
    Document document = layout_document_of(sentence);
    kind.set(document);
    shell_.edit(std::move(document));
    shell_.view() = plain_;
    shell_.view().presentation = size.presentation;
    shell_.view().ui_scale = static_cast<double>(size.ui_scale);
    shell_.view().tab = way.tab;
    way.set(shell_.view());
    settle();
  }
  void settle() {
    for (int i = 0; i < 6; ++i) {
      shell_.worker().wait();
      shell_.lane().wait();
      shell_.models().wait();  // the list of models is read in the background
      window_.frame(shell_);
      // Train, and the page of Embeddings that learns words, prepare a training on threads of their own.
      wait_while([this] { return !shell_.settled(); });
    }
  }
  // Waits while something is so, 20 seconds at most; false: it still is.
  template <class Is>
  static bool wait_while(Is is) {
    for (int i = 0; i < 2000 && is(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return !is();
  }
  std::vector<std::string> faults() { return eye_.look(shell_); }
  Shell& shell() { return shell_; }
  NullWindow& window() { return window_; }

 private:
  static window::Setup setup(bool measures) {
    window::Setup made;
    made.measure_isdpa = measures;
    made.lab_machine.patience = 0.02;
    if (measures) {
      auto& lab = made.session.view.own.of<views::lab::State>();
      lab.words = 3;
      lab.length = 4;
      lab.vocab = 6;
      lab.d = 8;
    }
    made.session.document = layout_document_of(sentences().front());
    made.compute = run_on_backend();
    made.configuration.reduce_motion = true;
    made.configuration.language = "en";
    return made;
  }
  NullWindow window_;
  Shell shell_;
  LayoutEye eye_;
  ViewState plain_;
};

void report(const std::map<std::string, std::string>& faults) {
  for (const auto& [fault, where] : faults) ADD_FAILURE() << where << ": " << fault;
}

// A number from the environment, to test more than usual.
int asked_for(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  const int number = text ? std::atoi(text) : 0;
  return number > 0 ? number : otherwise;
}

// Tests `each` combinations of every picture of a tab in these sizes of window; reports each fault once.
void go_over(const std::string& tab, int each, bool measures = false, std::span<const Size> sizes = kSizes) {
  each = asked_for("HEADLIGHT_LAYOUT_EACH", each);
  Gallery gallery(measures);
  if (!gallery.window().has_design_fonts()) GTEST_SKIP() << kNoFonts;
  std::mt19937 random(static_cast<std::uint32_t>(asked_for("HEADLIGHT_LAYOUT_SEED", 20240607)));
  std::map<std::string, std::string> faults;
  const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  int looked_at = 0;
  // Both languages in turn: derived values contain words and are made again. So times are measured in one language only, and
  // never those of the notebook's large layer.
  for (const bool chinese : {false, true})
    for (const window::Way& way : window::ways()) {
      if (way.tab != tab || (measures && (chinese || std::string_view(way.name) == "notebook"))) continue;
      const int third = (each + 2) / 3;
      for (int i = 0; i < (chinese ? third : each - third); ++i) {
        const LayoutText& sentence = sentences()[pick(sentences().size())];
        const Size& size = sizes[pick(sizes.size())];
        const Kind& kind = kKinds[pick(std::size(kKinds))];
        gallery.show(sentence, kind, size, chinese, way);
        ++looked_at;
        EXPECT_EQ(gallery.window().errors(), 0);
        for (const std::string& fault : gallery.faults())
          faults.emplace(fault, name_of(way) + ", " + sentence.name + ", " + kind.name + ", " +
                                    std::to_string(static_cast<int>(size.width)) + "x" +
                                    std::to_string(static_cast<int>(size.height)) + " at " + std::to_string(size.ui_scale) +
                                    (size.presentation ? ", presented" : "") + (chinese ? ", Chinese words" : ""));
      }
    }
  EXPECT_GT(looked_at, 0) << "no picture is of a view named " << tab;
  report(faults);
}

// A configuration folder used only by this test, so that no user's lessons are listed.
struct OwnFolder {
  OwnFolder() {
    std::filesystem::create_directories(path);
    ::setenv("HEADLIGHT_CONFIG_DIR", path.c_str(), 1);
  }
  ~OwnFolder() {
    ::unsetenv("HEADLIGHT_CONFIG_DIR");
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  const std::filesystem::path path = std::filesystem::temp_directory_path() / ("headlight-layout-" + std::to_string(::getpid()));
};

// Plays every step of every lesson in a window of this size. Where the lesson and the view take turns, both are looked at.
void look_over_lessons(Gallery& gallery, const Size& size, const char* language, std::map<std::string, std::string>& faults) {
  Shell& shell = gallery.shell();
  gallery.window().resize(size.width, size.height, 1);
  shell.configuration().language = language;
  const auto look = [&](const std::string& where) {
    gallery.settle();
    for (const std::string& fault : gallery.faults()) faults.emplace(fault, where);
  };
  for (const auto& lesson : shell.player().list())
    for (std::size_t i = 0; i < lesson->steps.size(); ++i) {
      shell.player().play(shell, lesson, static_cast<std::int64_t>(i));
      shell.view().ui_scale = static_cast<double>(size.ui_scale);
      shell.view().presentation = size.presentation;
      const std::string where = "lesson " + lesson->id + " step " + std::to_string(i + 1) + ", " +
                                std::to_string(static_cast<int>(size.width / size.ui_scale)) + " points wide" +
                                (size.presentation ? ", presented, " : ", ") + language;
      look(where);
      if (const auto& question = lesson->steps[i].question) {
        for (std::size_t choice = 0; choice < question->choices.size(); ++choice) {
          shell.player().answer(static_cast<std::int64_t>(choice));
          look(where + ", answer " + std::to_string(choice + 1));
        }
      }
      if (!shell.parts.places.contains("lesson:view")) continue;
      shell.ui.lesson_turn.reading = false;
      look(where + ", its view");
      EXPECT_TRUE(shell.parts.places.contains("main")) << where;
    }
  shell.player().stop(shell);
}

TEST(Layout, EveryStepOfEveryLessonIsWhole) {
  const OwnFolder folder;
  Gallery gallery;
  if (!gallery.window().has_design_fonts()) GTEST_SKIP() << kNoFonts;
  std::map<std::string, std::string> faults;
  for (const Size& size : {kSizes[1], kSizes[0], kSizes[3], kSizes[7]})
    for (const char* language : {"en", "zh"}) look_over_lessons(gallery, size, language, faults);
  report(faults);
}

// The lesson in place of the view, and then the view that it speaks of.
TEST(Layout, EveryStepOfEveryLessonIsWholeInTheSmallestWindow) {
  const OwnFolder folder;
  Gallery gallery;
  if (!gallery.window().has_design_fonts()) GTEST_SKIP() << kNoFonts;
  std::map<std::string, std::string> faults;
  for (const char* language : {"en", "zh"}) look_over_lessons(gallery, kSmallest[0], language, faults);
  report(faults);
}

TEST(Layout, WhatOpensOverTheWindowIsWhole) {
  const OwnFolder folder;
  Gallery gallery;
  if (!gallery.window().has_design_fonts()) GTEST_SKIP() << kNoFonts;
  Shell& shell = gallery.shell();
  std::map<std::string, std::string> faults;
  const window::Way& plain = window::ways().front();
  for (const Size& size : kSizes) {
    if (size.presentation) continue;
    for (const bool chinese : {false, true}) {
      gallery.show(sentences().front(), kKinds[0], size, chinese, plain);
      for (const char* popup :
           {"model", "tokenizer", "positions", "mask", "score", "size", "backend", "view", "export", "lesson"}) {
        const std::string name = popup;
        if (name == "lesson") {
          shell.player().menu_wanted = true;
        } else if (name == "view" || name == "export") {
          const auto at = shell.parts.places.at(name);
          ImGui::GetIO().AddMousePosEvent((at.x0 + at.x1) / 2, (at.y0 + at.y1) / 2);
          gallery.window().frames(shell, 2);
          for (const bool down : {true, false}) {
            ImGui::GetIO().AddMouseButtonEvent(0, down);
            gallery.window().frames(shell, 2);
          }
        } else {
          shell.ui.popup_next = name;
        }
        gallery.settle();
        const std::string where = "popup " + name + ", " + std::to_string(static_cast<int>(size.width)) + "x" +
                                  std::to_string(static_cast<int>(size.height)) + " at " + std::to_string(size.ui_scale) +
                                  (chinese ? ", Chinese words" : "");
        EXPECT_TRUE(NullWindow::popup_open()) << where;
        for (const std::string& fault : gallery.faults()) faults.emplace(fault, where);
        while (NullWindow::popup_open()) gallery.window().key(shell, ImGuiKey_Escape);
        ImGui::GetIO().AddMousePosEvent(-1e6f, -1e6f);
        gallery.window().frames(shell, 2);
      }
    }
  }
  report(faults);
}

// The model's popup says how many matrices the document gives, and offers to take them back.
TEST(Layout, TheModelsPopupIsWholeWhereMatricesAreGiven) {
  const OwnFolder folder;
  Gallery gallery;
  if (!gallery.window().has_design_fonts()) GTEST_SKIP() << kNoFonts;
  Shell& shell = gallery.shell();
  constexpr Kind kGiven = {"given in part", [](Document& d) {
                             d.matrices = {{"embedding", "a", 1, d.d_model, std::vector<float>(24, 0.5f)}};
                           }};
  std::map<std::string, std::string> faults;
  for (const Size& size : {kSizes[0], kSmallest[0]})
    for (const bool chinese : {false, true}) {
      gallery.show(sentences().front(), kGiven, size, chinese, window::ways().front());
      ASSERT_FALSE(shell.published().error) << shell.published().error->sentence();
      shell.ui.popup_next = "model";
      gallery.settle();
      EXPECT_TRUE(NullWindow::popup_open());
      for (const std::string& fault : gallery.faults())
        faults.emplace(fault,
                       std::to_string(static_cast<int>(size.width / size.ui_scale)) + (chinese ? " points, zh" : " points"));
      while (NullWindow::popup_open()) gallery.window().key(shell, ImGuiKey_Escape);
    }
  report(faults);
}

// Names of heads, sentences of what they do, bars and lists are of trained models alone.
TEST(Layout, FoundRolesAreWholeInEveryCombination) {
  const OwnFolder folder;
  Gallery gallery;
  if (!gallery.window().has_design_fonts()) GTEST_SKIP() << kNoFonts;
  constexpr Kind kTrained[] = {
      {"stories", [](Document& d) { use_model(d, **open_stored_model("stories")); }},
      {"english-french",
       [](Document& d) {
         use_model(d, **open_stored_model("english-french"));
         d.targets = {"Je ne veux pas le caresser."};
       }},
      {"fill-in", [](Document& d) { use_model(d, **open_stored_model("fill-in")); }},
      {"one layer", [](Document& d) { use_model(d, **open_stored_model("induction-one-layer")); }},
  };
  const window::Way ways[] = {
      {"heads", "as it opens", [](ViewState&) {}, false},
      {"heads", "role, arcs",
       [](ViewState& v) {
         v.layer = v.head = 1;
         v.own.of<views::heads::State>().order = "role";
         v.own.of<views::heads::State>().picture = "arcs";
       },
       false},
      {"heads", "cross, one role",
       [](ViewState& v) {
         v.layer = 4;
         v.site = "decoder.cross.";
         v.own.of<views::heads::State>().filter = "role:previous";
       },
       false},
  };
  std::map<std::string, std::string> faults;
  for (const Size& size : kSizes)
    for (const bool chinese : {false, true})
      for (const Kind& kind : kTrained)
        for (const window::Way& way : ways) {
          gallery.show(sentences()[kind.name == std::string("fill-in") ? 4 : 0], kind, size, chinese, way);
          ASSERT_FALSE(gallery.shell().published().error) << gallery.shell().published().error->sentence();
          EXPECT_EQ(gallery.window().errors(), 0);
          const bool said = gallery.shell().parts.places.contains("heads:saying");
          EXPECT_TRUE(said || &size != &kSizes[0]) << kind.name;
          for (const std::string& fault : gallery.faults())
            faults.emplace(fault, std::string(kind.name) + ", " + way.name + ", " + std::to_string(static_cast<int>(size.width)) +
                                      "x" + std::to_string(static_cast<int>(size.height)) + " at " +
                                      std::to_string(size.ui_scale) + (size.presentation ? ", presented" : "") +
                                      (chinese ? ", Chinese words" : ""));
        }
  report(faults);
}

// How many combinations of each picture are looked at, for views with many pictures and views that compute long; 24 for others.
const std::map<std::string, int>& combinations() {
  static const std::map<std::string, int> numbers = {{"walk", 40},    {"heads", 14},   {"long-texts", 10}, {"recurrence", 10},
                                                     {"patches", 12}, {"by-hand", 10}, {"embeddings", 10}, {"context", 10},
                                                     {"train", 10},   {"next", 10}};
  return numbers;
}
int combinations_of(const std::string& tab) {
  const auto at = combinations().find(tab);
  return at == combinations().end() ? 24 : at->second;
}

TEST(Layout, CombinationsAreSetForViewsThatThereAre) {
  for (const auto& [tab, number] : combinations()) EXPECT_TRUE(views::registry().find(tab)) << tab;
}

class EveryView : public testing::TestWithParam<std::string> {};
TEST_P(EveryView, IsWholeInEveryCombination) { go_over(GetParam(), combinations_of(GetParam())); }
TEST_P(EveryView, IsWholeInTheSmallestWindow) {
  go_over(GetParam(), std::min(12, combinations_of(GetParam())), false, kSmallest);
}
INSTANTIATE_TEST_SUITE_P(Layout, EveryView, testing::ValuesIn([] {
                           std::vector<std::string> ids;
                           for (const views::View& view : views::registry().entries()) ids.push_back(view.id);
                           return ids;
                         }()),
                         [](const auto& view) {
                           std::string name = view.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// With steps there are curves, a film of the heads and the answers.
TEST(Layout, ATrainingIsWholeInEverySize) {
  Gallery gallery;
  if (!gallery.window().has_design_fonts()) GTEST_SKIP() << kNoFonts;
  const window::Way kTrain = {"train", "", [](ViewState&) {}, false};
  std::map<std::string, std::string> faults;
  const auto look = [&](const Size& size, bool chinese) {
    gallery.show(sentences().front(), kKinds[0], size, chinese, kTrain);
    for (const std::string& fault : gallery.faults())
      faults.emplace(fault, std::to_string(static_cast<int>(size.width)) + "x" + std::to_string(static_cast<int>(size.height)) +
                                " at " + std::to_string(size.ui_scale) + (size.presentation ? ", presented" : "") +
                                (chinese ? ", Chinese words" : ""));
  };
  look(kSizes[0], false);
  auto& trainer = gallery.shell().job_of<LiveTrainer>("train");
  ASSERT_FALSE(trainer.state()->runs.empty());
  trainer.play(true);
  ASSERT_TRUE(Gallery::wait_while([&] { return trainer.state()->runs.front().step < 25; }));
  trainer.play(false);
  ASSERT_TRUE(Gallery::wait_while([&] { return trainer.state()->playing; }));
  for (const bool chinese : {false, true}) {
    for (const Size& size : kSizes) look(size, chinese);
    look(kSmallest[0], chinese);
  }
  EXPECT_TRUE(gallery.shell().parts.places.contains("train:play"));
  EXPECT_GE(trainer.state()->runs.front().step, 25) << "what was trained is what was looked at";
  report(faults);
}

TEST(Layout, TheIndexLabIsWholeWithItsTimesInEveryCombination) { go_over("index", 6, true); }

}  // namespace
}  // namespace headlight
