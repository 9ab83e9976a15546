// What a lesson's text says is what its picture shows: every live number of the shown attention or list of words, every
// "strongest" and every "largest" of all shipped lessons, in both languages.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

#include "app/lessons/lesson.h"
#include "app/lessons/places.h"
#include "app/lessons/player.h"
#include "app/views/base/view.h"
#include "app/views/heads/state.h"
#include "app/views/next_word/state.h"
#include "app/window/shell/lesson_side.h"
#include "engine/attention/masks/combined.h"
#include "engine/insight/explain.h"
#include "tests/ui/configuration_folder.h"
#include "tests/ui/real_model.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using window::Setup;
using window::Shell;

struct PictureRoom : private test::ConfigurationFolder, test::Room {
  PictureRoom() : test::Room(calm(), 1600, 1000) {}
  static Setup calm() {
    Setup setup;
    setup.configuration.language = "en";
    setup.configuration.reduce_motion = true;
    setup.compute = run_on_backend();
    return setup;
  }
};

// A row of attention that a text speaks of, or one cell of it.
struct SpokenRow {
  std::string step;
  std::int64_t layer = 0, batch = 0, head = 0, query = 0, key = -1;  // key -1: the whole row
};

class LessonPictures {
 public:
  explicit LessonPictures(PictureRoom& room, const lessons::Step& step)
      : room_(room), shell_(*room.shell), step_(step), source_(window::lesson_side::source_of(shell_, step)) {
    const views::View* const panel = views::registry().find(shell_.view().tab);
    if (!panel) return;
    for (int i = 0; i < 3; ++i) {  // pictures that are made in the background
      figure_ = views::figure_of_view(shell_.context(room.window.as_frame()), *panel, 1200, 900);
      room.settle();
    }
  }

  int compared = 0;

  void check(const std::string& language, const std::string& text) {
    static const std::regex place(R"(\{([^{}]+)\})");
    for (auto at = std::sregex_iterator(text.begin(), text.end(), place); at != std::sregex_iterator(); ++at) {
      SCOPED_TRACE(language + ": {" + (*at)[1].str() + "}");
      check_place((*at)[1].str(), text);
    }
    static const std::regex largest(R"(\{([^{}]+)\}(, the largest of the row|，这一行最大的))");
    for (auto at = std::sregex_iterator(text.begin(), text.end(), largest); at != std::sregex_iterator(); ++at) {
      SCOPED_TRACE(language + ": " + at->str());
      SpokenRow row;
      ASSERT_TRUE(read_row((*at)[1].str(), row));
      ASSERT_TRUE(shows(row));
      const auto shown = pictured(row);
      const double most = *std::max_element(shown.begin(), shown.end());
      EXPECT_NEAR(number("max(" + name_of(row) + ")"), most, 1e-5);
      EXPECT_NEAR(shown[static_cast<std::size_t>(row.key)], most, 1e-5);
      compared += 2;
    }
  }

 private:
  std::string evaluated(const std::string& place) const {
    const auto run = lessons::evaluate(place, source_);
    EXPECT_TRUE(run.ok()) << place;
    return run.ok() ? run->text : "0";
  }
  double number(const std::string& expression) const { return std::stod(evaluated("(" + expression + ") : 7")); }
  std::int64_t index(const std::string& expression) const { return std::llround(number(expression)); }
  static std::string name_of(const SpokenRow& row) {
    const std::string layer = row.layer < 0 ? "" : "layer." + std::to_string(row.layer) + ".";
    return layer + row.step + " " + std::to_string(row.batch) + " " + std::to_string(row.head) + " " + std::to_string(row.query) +
           " *";
  }

  // Whether the words are a row or cell of attention: "weights 0 4 7 *", "layer.4.weights[0, head, 11, 10]".
  bool read_row(const std::string& words, SpokenRow& row) const {
    static const std::regex form(
        R"(\s*(?:layer\.(\d+)\.)?(weights|scores|masked_scores)(?: (\d+) (\d+) (\d+) (\d+|\*)|\[([^,\]]+),([^,\]]+),([^,\]]+),([^,\]]+)\])\s*(?::.*)?)");
    std::smatch found;
    if (!std::regex_match(words, found, form)) return false;
    const int first = found[3].matched ? 3 : 7;
    row.layer = found[1].matched ? std::stoll(found[1].str()) : -1;
    row.step = found[2].str();
    row.batch = index(found[first].str());
    row.head = index(found[first + 1].str());
    row.query = index(found[first + 2].str());
    const std::string key = std::regex_replace(found[first + 3].str(), std::regex(R"(\s)"), "");
    row.key = key == "*" ? -1 : index(key);
    return true;
  }

  const figures::Data* data(const std::string& name) const {
    for (const figures::Data& one : figure_.data)
      if (one.name == name) return &one;
    return nullptr;
  }
  // Whether the picture shows this row of this head.
  bool shows(const SpokenRow& row) const {
    const ViewState& view = shell_.view();
    const bool of_head =
        (row.layer < 0 || row.layer == view.layer) && row.head == view.head && row.batch == std::max<std::int64_t>(0, view.batch);
    if (view.tab != "heads" || !of_head || view.chosen_heads.size() > 1 || view.transposed) return false;
    const figures::Data* const shown = data(row.step);
    if (!shown) return false;
    return shown->values.rank() == 2 || (view.own.of<views::heads::State>().picture == "neuron" && view.pinned_row == row.query);
  }
  // Its numbers in the picture; a hatched cell, which shows none, is below all others.
  std::vector<double> pictured(const SpokenRow& row) const {
    const figures::Data &shown = *data(row.step), *const mask = data("mask");
    std::vector<double> numbers;
    if (shown.values.rank() == 1) {
      for (std::int64_t key = 0; key < shown.values.dim(0); ++key) numbers.push_back(shown.values.at({key}));
      return numbers;
    }
    for (std::int64_t key = 0; key < shown.values.dim(1); ++key)
      numbers.push_back(mask && mask->values.at({row.query, key}) == 0 ? -std::numeric_limits<double>::infinity()
                                                                       : shown.values.at({row.query, key}));
    return numbers;
  }

  void check_place(const std::string& place, const std::string& text) {
    static const std::regex of_row(R"((max|strongest)\((seen\()?([^()]+)\)\)?\s*(:.*)?)");
    static const std::regex of_list(R"((word|largest)\(probabilities (\d+) (\d+) \*, (\d+)\)\s*(:.*)?)");
    std::smatch found;
    SpokenRow row;
    if (std::regex_match(place, found, of_row) && read_row(found[3].str(), row) && shows(row)) {
      std::vector<double> numbers = pictured(row);
      const AttentionSite* const site = site_of(row);
      ASSERT_TRUE(site);
      if (found[2].matched) {
        EXPECT_TRUE(text.find("may see") != std::string::npos || text.find("可以看的") != std::string::npos)
            << "it says among what";
        for (std::size_t key = 0; key < numbers.size(); ++key)
          if (!masks::allows(site->mask.mask, row.batch, row.head, row.query, static_cast<std::int64_t>(key)))
            numbers[key] = -std::numeric_limits<double>::infinity();
      }
      const auto best = std::max_element(numbers.begin(), numbers.end()) - numbers.begin();
      if (found[1].str() == "max")
        EXPECT_NEAR(number(place.substr(0, place.find(':'))), numbers[static_cast<std::size_t>(best)], 1e-5);
      else
        EXPECT_EQ(evaluated(place), key_label(*source_.trace, *site, row.batch, best));
      ++compared;
    } else if (read_row(place, row) && row.key >= 0 && shows(row)) {
      EXPECT_NEAR(number(place.substr(0, place.find(':'))), pictured(row)[static_cast<std::size_t>(row.key)], 1e-5);
      ++compared;
    } else if (std::regex_match(place, found, of_list) && shell_.view().tab == "next") {
      const auto batch = std::stoll(found[2].str()), position = std::stoll(found[3].str());
      const auto rank = static_cast<std::size_t>(std::stoll(found[4].str()) - 1);
      const Trace& trace = *source_.trace;
      const auto sentences = trace.targets().empty() ? trace.texts() : trace.targets();
      const auto last = static_cast<std::int64_t>(sentences[static_cast<std::size_t>(batch)].tokens.size()) - 1;
      const std::int64_t chosen = shell_.view().own.of<views::next_word::State>().position;
      const figures::Data* const list = data("model");
      if (batch != std::max<std::int64_t>(0, shell_.view().batch) ||
          position != (chosen >= 0 && chosen <= last ? chosen : last) || !list)
        return;
      ASSERT_LT(rank, list->labels[0].size());
      if (found[1].str() == "word")
        EXPECT_EQ(evaluated(place), list->labels[0][rank]);
      else
        EXPECT_NEAR(number(place.substr(0, place.find(':'))), list->values.at({static_cast<std::int64_t>(rank)}), 1e-5);
      ++compared;
    }
  }

  const AttentionSite* site_of(const SpokenRow& row) const {
    const std::int64_t layer = row.layer < 0 ? shell_.view().layer : row.layer;
    const bool cross = shell_.view().site.ends_with("cross.");
    for (const AttentionSite& site : source_.trace->sites()) {
      const bool is_cross = site.prefix.ends_with("cross.");
      if (site.layer == layer && is_cross == cross && (cross || site.prefix.starts_with(shell_.view().site))) return &site;
    }
    return nullptr;
  }

  PictureRoom& room_;
  Shell& shell_;
  const lessons::Step& step_;
  const lessons::Source source_;
  figures::Figure figure_;
};

// How many numbers of the played lesson's texts, step by step, were compared with the pictures.
int compare_played(PictureRoom& room) {
  Shell& shell = *room.shell;
  int compared = 0;
  for (std::size_t i = 0; i < shell.player().lesson()->steps.size(); ++i) {
    SCOPED_TRACE(shell.player().lesson()->id + " step " + std::to_string(i + 1));
    shell.player().go(shell, static_cast<std::int64_t>(i));
    room.settle();
    if (!shell.published().trace) {
      ADD_FAILURE() << "nothing is computed";
      continue;
    }
    const lessons::Step& step = *shell.player().current();
    LessonPictures picture(room, step);
    for (const auto& [language, text] : step.text) picture.check(language, text);
    if (step.question)
      for (const lessons::Texts* texts : {&step.question->text, &step.question->why})
        for (const auto& [language, text] : *texts) picture.check(language, text);
    compared += picture.compared;
  }
  return compared;
}

TEST(LessonPictures, EveryNumberAndEveryLargestIsWhatThePictureShows) {
  PictureRoom room;
  Shell& shell = *room.shell;
  int compared = 0;
  std::set<std::string> with_numbers;
  for (const auto& lesson : shell.player().list()) {
    shell.player().play(shell, lesson);
    const int of_this = compare_played(room);
    compared += of_this;
    if (of_this > 0) with_numbers.insert(lesson->id);
  }
  EXPECT_GE(compared, 80) << "numbers of the pictures are compared";
  EXPECT_GE(with_numbers.size(), 6u);
}

TEST(LessonPictures, EveryNumberOfTheRealModelToo) {
  PictureRoom room;
  if (!test::has_real_model()) GTEST_SKIP() << test::kNoRealModel;
  Shell& shell = *room.shell;
  int compared = 0;
  for (const auto& lesson : shell.player().list()) {
    if (lesson->also.empty()) continue;
    SCOPED_TRACE(lesson->id);
    shell.player().play(shell, lesson);
    ASSERT_TRUE(shell.player().play_on(shell, "smollm2").ok());
    compared += compare_played(room);
  }
  EXPECT_GE(compared, 20) << "numbers of the pictures are compared";
}

// Step 4 of "Queries and keys": of the keys that creature may see, blue has the largest score; in the picture, which shows the
// scores before the mask, verdant has more, and the text says so.
TEST(LessonPictures, TheLargestScoreIsSaidAmongTheKeysThatAreSeen) {
  PictureRoom room;
  Shell& shell = *room.shell;
  for (const auto& lesson : shell.player().list())
    if (lesson->id == "queries-and-keys") shell.player().play(shell, lesson, 3);
  room.settle();
  const lessons::Source source = window::lesson_side::source_of(shell, *shell.player().current());
  const auto text = [&](const char* place) { return lessons::evaluate(place, source).value().text; };
  EXPECT_EQ(text("strongest(seen(scores 0 4 3 *))"), text("token(2)"));
  EXPECT_NE(text("strongest(scores 0 4 3 *)"), text("token(2)"));
  EXPECT_EQ(text("max(seen(scores 0 4 3 *))"), text("scores 0 4 3 2"));
  EXPECT_LT(std::stod(text("max(seen(scores 0 4 3 *))")), std::stod(text("max(scores 0 4 3 *)")));
  EXPECT_FALSE(lessons::evaluate("seen(embedding 0 3 *)", source).ok());
}

}  // namespace
}  // namespace headlight
