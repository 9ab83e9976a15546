// The data of a training: batches are functions of their number, nothing that is held out is trained on, and an epoch reads
// everything once.
#include "engine/train/data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "engine/core/files.h"
#include "engine/tokenizers/files/headlight_file.h"
#include "engine/tokenizers/files/open.h"
#include "engine/train/corpus_files.h"
#include "engine/train/count_scores.h"
#include "engine/train/permutation.h"
#include "support/parity_data.h"
#include "tests/support/process_folder.h"

namespace headlight::train {
namespace {

namespace fs = std::filesystem;
using tokenizers::Role;

class TrainData : public testing::Test {
 protected:
  TrainData() {
    folder_ = test::process_folder() / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(folder_ / "books");
  }
  ~TrainData() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { ASSERT_TRUE(write_file(folder_ / name, text).ok()); }
  // Two books of numbered paragraphs of made-up words.
  void write_books() {
    for (const char book : {'a', 'b'}) {
      std::string text;
      for (int i = 0; i < 200; ++i) {
        text += "paragraph " + std::to_string(i) + " of book " + book + " says";
        for (int w = 0; w < i % 7; ++w) text += " word" + std::to_string((i * 31 + w * 17) % 40);
        text += ".\n";
      }
      write(std::string("books/") + book + ".txt", text);
    }
    write("books/SOURCE.txt", "not a book\n");
  }
  void write_pairs() {
    std::string text;
    for (int i = 0; i < 300; ++i) {
      std::string words;
      for (int w = 0; w <= i % 9; ++w) words += " w" + std::to_string((i + w) % 30);
      for (int variant = 0; variant <= i % 3; ++variant)
        text += "source " + std::to_string(i) + words + ".\tcible " + std::to_string(i) + words + " " + std::to_string(variant) +
                ".\n";
    }
    write("pairs.tsv", text);
  }

  Result<std::shared_ptr<const Data>> open(const std::string& json) {
    const auto config = config_from_json(json, "t.json");
    if (!config) return config.error();
    DataPlaces places;
    places.data_folder = folder_.string();
    places.config_folder = folder_.string();
    places.where = "t.json";
    return open_data(*config, places);
  }
  std::shared_ptr<const Data> opened(const std::string& json) {
    auto data = open(json);
    EXPECT_TRUE(data.ok()) << data.error().sentence();
    return data.ok() ? *data : nullptr;
  }
  std::string sentence_of(const std::string& json) {
    const auto data = open(json);
    return data.ok() ? "" : data.error().sentence();
  }

  fs::path folder_;
};

const std::string kModel = R"("model": {"d_model": 16, "heads": 2, "layers": 1})";
const std::string kBooks =
    R"("corpus": [{"files": "books/*.txt", "except": "SOURCE*"}], "tokenizer": {"kind": "words", "size": 0})";
const std::string kText = R"({"task": "text", "length": 8, "batch": 4, )" + kBooks + ", " + kModel + "}";
const std::string kMasked = R"({"task": "masked", "length": 8, "batch": 4, )" + kBooks + ", " + kModel + "}";
const std::string kPairs = R"({"task": "pairs", "corpus": ["pairs.tsv"], "length": 64, "batch": 8, "held_out": 0.1,
    "tokenizer": {"kind": "words", "size": 0}, "target_tokenizer": {"kind": "words", "size": 0}, )" +
                           kModel + "}";
const std::string kRepeat =
    R"({"task": "repeat", "length": 40, "batch": 4, "repeat": {"symbols": 100, "shortest": 5, "longest": 20}, )" + kModel + "}";

std::vector<std::int32_t> row_of(const Tensor& ids, std::int64_t row) {
  const std::int32_t* const begin = ids.data<std::int32_t>() + row * ids.dim(1);
  return {begin, begin + ids.dim(1)};
}

bool same(const Tensor& a, const Tensor& b) {
  if (a.empty() || b.empty()) return a.empty() && b.empty();
  return a.shape() == b.shape() && std::ranges::equal(a.values<std::int32_t>(), b.values<std::int32_t>());
}

bool same(const Batch& a, const Batch& b) {
  return same(a.ids, b.ids) && same(a.targets, b.targets) && same(a.labels, b.labels) && a.lengths == b.lengths &&
         a.target_lengths == b.target_lengths && a.labelled == b.labelled && a.bytes == b.bytes;
}

TEST_F(TrainData, APermutationVisitsEverythingOnce) {
  for (const std::int64_t count : {1, 2, 3, 5, 64, 1000, 4097}) {
    const Permutation order(3, "test", 2, count);
    std::set<std::int64_t> seen;
    for (std::int64_t i = 0; i < count; ++i) seen.insert(order.at(i));
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), count);
    EXPECT_EQ(*seen.begin(), 0);
    EXPECT_EQ(*seen.rbegin(), count - 1);
  }
  // Another epoch, another order; the same one again, the same.
  const Permutation first(3, "test", 0, 1000), second(3, "test", 1, 1000), again(3, "test", 0, 1000);
  int moved = 0, kept = 0;
  for (std::int64_t i = 0; i < 1000; ++i) moved += first.at(i) != second.at(i), kept += first.at(i) == again.at(i);
  EXPECT_GT(moved, 950);
  EXPECT_EQ(kept, 1000);
}

TEST_F(TrainData, BatchesDependOnNothingButTheirNumber) {
  write_books();
  write_pairs();
  for (const std::string& json : {kText, kMasked, kPairs, kRepeat}) {
    const auto a = opened(json), b = opened(json);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->fingerprint(), b->fingerprint());
    std::vector<Batch> forward;
    for (std::int64_t i = 0; i < 100; ++i) forward.push_back(a->training(i));
    for (std::int64_t i = 99; i >= 0; i -= 3)
      EXPECT_TRUE(same(forward[static_cast<std::size_t>(i)], b->training(i))) << json << i;
    for (std::int64_t i = 0; i < a->held_out_batches(); ++i) EXPECT_TRUE(same(a->held_out(i), b->held_out(i)));
    std::string seeded = json;
    seeded.insert(1, R"("seed": 99, )");
    EXPECT_FALSE(same(forward[0], opened(seeded)->training(0)));
  }
}

TEST_F(TrainData, ALabelIsTheNextToken) {
  write_books();
  const auto data = opened(kText);
  ASSERT_TRUE(data);
  const auto check = [](const Batch& batch) {
    std::int64_t labelled = 0;
    for (std::int64_t row = 0; row < batch.ids.dim(0); ++row) {
      const std::vector<std::int32_t> ids = row_of(batch.ids, row);
      const std::int64_t length = batch.lengths[static_cast<std::size_t>(row)];
      for (std::int64_t i = 0; i < batch.ids.dim(1); ++i) {
        const std::int32_t label = batch.labels.data<std::int32_t>()[row * batch.ids.dim(1) + i];
        EXPECT_EQ(label >= 0, i < length);
        if (label < 0) continue;
        ++labelled;
        if (i + 1 < length) {
          EXPECT_EQ(label, ids[static_cast<std::size_t>(i) + 1]);
        }
      }
    }
    EXPECT_EQ(labelled, batch.labelled);
    EXPECT_GT(batch.bytes, batch.labelled);
  };
  for (std::int64_t i = 0; i < data->training_batches(); ++i) check(data->training(i));
  for (std::int64_t i = 0; i < data->held_out_batches(); ++i) check(data->held_out(i));
}

TEST_F(TrainData, AnEpochReadsEveryTokenOnce) {
  write_books();
  const auto data = opened(kText);
  ASSERT_TRUE(data);
  const std::int64_t tokens = data->sizes().training_tokens, windows = tokens / 8;
  // Paragraphs are unlike each other, so a window is known by its tokens; batches run on from one epoch into the next.
  std::vector<std::vector<std::int32_t>> rows;
  for (std::int64_t i = 0; static_cast<std::int64_t>(rows.size()) < 2 * windows; ++i) {
    const Batch batch = data->training(i);
    for (std::int64_t row = 0; row < 4; ++row) rows.push_back(row_of(batch.ids, row));
  }
  std::map<std::int32_t, std::int64_t> first, second;
  for (std::int64_t i = 0; i < windows; ++i) {
    for (const std::int32_t id : rows[static_cast<std::size_t>(i)]) ++first[id];
    for (const std::int32_t id : rows[static_cast<std::size_t>(windows + i)]) ++second[id];
  }
  // Both epochs read the same ring, but for a rest shorter than a window.
  std::int64_t differing = 0;
  for (const auto& [id, count] : first) differing += std::abs(count - second[id]);
  EXPECT_LE(differing, 2 * 8);
  std::vector<std::vector<std::int32_t>> sorted_first(rows.begin(), rows.begin() + windows);
  std::vector<std::vector<std::int32_t>> sorted_second(rows.begin() + windows, rows.begin() + 2 * windows);
  EXPECT_NE(sorted_first, sorted_second);
  // A number of its own stands in every paragraph: no window is read twice.
  std::sort(sorted_first.begin(), sorted_first.end());
  const auto twice = std::adjacent_find(sorted_first.begin(), sorted_first.end());
  EXPECT_EQ(twice, sorted_first.end());
}

TEST_F(TrainData, HeldOutParagraphsAreNotTrainedOn) {
  write_books();
  write("books/c.txt",
        "Yes.\nOne more.\nparagraph 199 of book a says word32 word9 word26.\n" + std::string(300, 'x') + "\nYes.\n");
  const auto split = read_paragraphs({{"books/*.txt", "SOURCE*"}}, folder_.string(), 0.05, "t");
  ASSERT_TRUE(split.ok()) << split.error().sentence();
  const std::set<std::string> training(split->training.begin(), split->training.end());
  for (const std::string& text : split->held_out) EXPECT_FALSE(training.contains(text)) << text;
  EXPECT_TRUE(training.contains("One more."));
  EXPECT_FALSE(training.contains("Yes."));  // the last paragraph of c.txt is held out, and stands at its beginning too
  EXPECT_TRUE(std::ranges::count(split->held_out, "Yes.") == 1);
  EXPECT_GT(split->held_out.size(), 15u);
  EXPECT_LT(split->held_out.size(), 30u);
}

TEST_F(TrainData, ShuffledParagraphsComeOnceAndAreDividedByHash) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "sentence " + std::to_string(i % 500) + "\tphrase\n";
  write("p.tsv", text);
  const auto split = read_paragraphs({{"p.tsv", "", 1, "lines", true}}, folder_.string(), 0.1, "t");
  ASSERT_TRUE(split.ok()) << split.error().sentence();
  EXPECT_EQ(split->training.size() + split->held_out.size(), 500u);
  EXPECT_GT(split->held_out.size(), 25u);
  EXPECT_LT(split->held_out.size(), 80u);
  for (const std::string& one : split->held_out) EXPECT_TRUE(is_held_out(one, 0.1));
  for (const std::string& one : split->training) EXPECT_FALSE(is_held_out(one, 0.1));
  EXPECT_FALSE(std::ranges::is_sorted(split->training));
  const auto column = read_paragraphs({{"p.tsv", "", 3}}, folder_.string(), 0.1, "t");
  ASSERT_FALSE(column.ok());
  EXPECT_EQ(column.error().sentence(),
            (folder_ / "p.tsv").string() + ":1: this line has no column 3; write a tab between columns");
}

TEST_F(TrainData, BlocksAreDividedByEmptyLines) {
  write("play.txt", "A:\nSpeak,\r\nspeak.\n\n\nB:\nResolved.\n\nC:\nNo.\n");
  const auto split = read_paragraphs({{"play.txt", "", 0, "blocks"}}, folder_.string(), 0.3, "t");
  ASSERT_TRUE(split.ok()) << split.error().sentence();
  EXPECT_EQ(split->training, (std::vector<std::string>{"A:\nSpeak,\nspeak.", "B:\nResolved."}));
  EXPECT_EQ(split->held_out, (std::vector<std::string>{"C:\nNo."}));
}

TEST_F(TrainData, AllPairsOfASourceAreOnOneSide) {
  write_pairs();
  const auto split = read_pairs({{"pairs.tsv"}}, folder_.string(), 0.1, "t");
  ASSERT_TRUE(split.ok()) << split.error().sentence();
  std::set<std::string> training;
  for (const TextPair& pair : split->training) training.insert(pair.first);
  for (const TextPair& pair : split->held_out) EXPECT_FALSE(training.contains(pair.first)) << pair.first;
  EXPECT_EQ(split->training.size() + split->held_out.size(), 600u);
}

TEST_F(TrainData, PairsAreReadOnceAnEpochAndHardlyFilledUp) {
  write_pairs();
  const auto data = opened(kPairs);
  ASSERT_TRUE(data);
  const std::int32_t begin = data->target_tokenizer()->special(Role::begin), end = data->target_tokenizer()->special(Role::end);
  const std::int32_t pad = data->tokenizer()->special(Role::pad);
  std::set<std::vector<std::int32_t>> seen;
  std::int64_t rows = 0;
  for (std::int64_t i = 0; i < data->training_batches(); ++i) {
    const Batch batch = data->training(i);
    EXPECT_EQ(batch.ids.dim(1) % 8, 0);
    EXPECT_EQ(batch.targets.dim(1) % 8, 0);
    const auto [shortest, longest] = std::ranges::minmax(batch.target_lengths);
    EXPECT_LE(longest - shortest, 16);
    for (std::int64_t row = 0; row < batch.ids.dim(0); ++row, ++rows) {
      const auto length = static_cast<std::size_t>(batch.lengths[static_cast<std::size_t>(row)]);
      const auto target_length = static_cast<std::size_t>(batch.target_lengths[static_cast<std::size_t>(row)]);
      std::vector<std::int32_t> ids = row_of(batch.ids, row), targets = row_of(batch.targets, row);
      const auto labels = row_of(batch.labels.reshaped(batch.targets.shape()), row);
      EXPECT_EQ(ids[length - 1], data->tokenizer()->special(Role::end));
      for (std::size_t j = length; j < ids.size(); ++j) EXPECT_EQ(ids[j], pad);
      EXPECT_EQ(targets[0], begin);
      for (std::size_t j = 0; j < targets.size(); ++j) {
        if (j + 1 < target_length) {
          EXPECT_EQ(labels[j], targets[j + 1]);
        }
        if (j + 1 == target_length) {
          EXPECT_EQ(labels[j], end);
        }
        if (j >= target_length) {
          EXPECT_EQ(labels[j], -1);
        }
      }
      ids.insert(ids.end(), labels.begin(), labels.end());
      seen.insert(ids);
    }
  }
  EXPECT_EQ(rows, data->sizes().training_texts);
  EXPECT_EQ(static_cast<std::int64_t>(seen.size()), rows);  // every pair once
}

TEST_F(TrainData, MaskedTokensAreAskedForAndMostlyHidden) {
  write_books();
  const auto data = opened(kMasked);
  ASSERT_TRUE(data);
  const std::int32_t mask = data->tokenizer()->special(Role::mask);
  ASSERT_GE(mask, 0);
  EXPECT_EQ(data->tokenizer()->piece(mask), "[MASK]");
  std::int64_t asked = 0, hidden = 0, changed = 0, all = 0;
  for (std::int64_t i = 0; i < 400; ++i) {
    const Batch batch = data->training(i);
    for (std::int64_t at = 0; at < batch.ids.count(); ++at, ++all) {
      const std::int32_t id = batch.ids.data<std::int32_t>()[at], label = batch.labels.data<std::int32_t>()[at];
      if (label < 0) {
        EXPECT_NE(id, mask);
        continue;
      }
      EXPECT_FALSE(data->tokenizer()->vocabulary().is_special(label));
      ++asked;
      hidden += id == mask;
      changed += id != mask && id != label;
    }
  }
  EXPECT_NEAR(static_cast<double>(asked) / static_cast<double>(all), 0.15, 0.03);
  EXPECT_NEAR(static_cast<double>(hidden) / static_cast<double>(asked), 0.8, 0.04);
  EXPECT_NEAR(static_cast<double>(changed) / static_cast<double>(asked), 0.1, 0.03);
  const std::int64_t windows = (data->sizes().held_out_tokens - 1 + 7) / 8;
  EXPECT_EQ(data->held_out_batches(), (windows + 3) / 4);
}

TEST_F(TrainData, RandomSegmentsComeAgainAndOnlyThenCount) {
  const auto data = opened(kRepeat);
  ASSERT_TRUE(data);
  EXPECT_EQ(data->tokenizer()->vocabulary_size(), 104);
  std::set<std::int64_t> segments;
  for (std::int64_t i = 0; i < 50; ++i) {
    const Batch batch = data->training(i);
    EXPECT_FALSE(same(batch, data->held_out(i)));
    std::int64_t labelled = 0;
    for (std::int64_t row = 0; row < 4; ++row) {
      const std::vector<std::int32_t> ids = row_of(batch.ids, row), labels = row_of(batch.labels.reshaped({4, 40}), row);
      const auto segment = std::ranges::find_if(labels, [](std::int32_t label) { return label >= 0; }) - labels.begin();
      segments.insert(segment);
      for (std::int64_t at = 0; at < 40; ++at) {
        const auto place = static_cast<std::size_t>(at);
        if (at >= segment) {
          EXPECT_EQ(ids[place], ids[place - static_cast<std::size_t>(segment)]);
        }
        EXPECT_EQ(labels[place] >= 0, at >= segment);
        if (labels[place] >= 0 && at + 1 < 40) {
          EXPECT_EQ(labels[place], ids[place + 1]);
        }
        labelled += labels[place] >= 0;
      }
    }
    EXPECT_EQ(batch.labelled, labelled);
  }
  EXPECT_EQ(*segments.begin(), 5);
  EXPECT_EQ(*segments.rbegin(), 20);
  // The symbols can be typed: the tokenizer reads them back.
  const Batch batch = data->training(0);
  const std::vector<std::int32_t> ids = row_of(batch.ids, 0);
  const auto tokens = data->tokenizer()->encode(data->tokenizer()->decode(ids));
  ASSERT_TRUE(tokens.ok());
  ASSERT_EQ(tokens->size(), ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ((*tokens)[i].id, ids[i]);
}

TEST_F(TrainData, BytesAreThoseOfTheText) {
  write_books();
  const auto data = opened(kText);
  ASSERT_TRUE(data);
  const auto split = read_paragraphs({{"books/*.txt", "SOURCE*"}}, folder_.string(), 0.05, "t");
  ASSERT_TRUE(split.ok());
  std::int64_t bytes = 0, read = 0, first = 0;
  for (const std::string& text : split->held_out) bytes += static_cast<std::int64_t>(text.size()) + 1;  // and the end of its line
  for (std::int64_t i = 0; i < data->held_out_batches(); ++i) read += data->held_out(i).bytes;
  first = static_cast<std::int64_t>(std::string("paragraph").size());  // nothing comes before the first token
  EXPECT_EQ(read, bytes - first);
}

TEST_F(TrainData, ASavedTokenizerGivesTheSameData) {
  write_pairs();
  const auto data = opened(kPairs);
  ASSERT_TRUE(data);
  const std::string out = (folder_ / "out").string();
  ASSERT_TRUE(save_tokenizers(*data, out).ok());
  DataPlaces places{folder_.string(), folder_.string(), "t.json", nullptr, nullptr};
  auto source = tokenizers::open(out), target = tokenizers::open(out + "/target");
  ASSERT_TRUE(source.ok() && target.ok());
  EXPECT_EQ(tokenizers::to_json(**source), tokenizers::to_json(*data->tokenizer()));
  places.tokenizer = *source;
  places.target_tokenizer = *target;
  const auto again = open_data(*config_from_json(kPairs, "t.json"), places);
  ASSERT_TRUE(again.ok()) << again.error().sentence();
  EXPECT_EQ((*again)->fingerprint(), data->fingerprint());
}

TEST_F(TrainData, OneTokenizerReadsBothLanguages) {
  write_pairs();
  std::string json = kPairs;
  json.replace(json.find(R"("target_tokenizer": {"kind": "words", "size": 0})"),
               std::string(R"("target_tokenizer": {"kind": "words", "size": 0})").size(), R"("one_tokenizer": true)");
  const auto data = opened(json);
  ASSERT_TRUE(data);
  EXPECT_EQ(data->tokenizer(), data->target_tokenizer());
  EXPECT_GE(data->tokenizer()->vocabulary().find("source"), 0);
  EXPECT_GE(data->tokenizer()->vocabulary().find("cible"), 0);
}

TEST_F(TrainData, WordsAreKeptWholeWhereThatIsAsked) {
  write_books();
  const auto tokens = [&](const std::string& whole) {
    const auto data =
        opened(R"({"task": "text", "corpus": ["books/a.txt"], "tokenizer": {"size": 290)" + whole + "}, " + kModel + "}");
    const auto made = data->tokenizer()->encode("says paragraphs");
    return made.ok() ? made->size() : 0;
  };
  EXPECT_GT(tokens(""), tokens(R"(, "whole": ["paragraphs"])"));
  std::string json =
      R"({"task": "text", "corpus": ["books/a.txt"], "tokenizer": {"size": 290, "whole": ["roamed"]}, )" + kModel + "}";
  const auto roamed = opened(json)->tokenizer()->encode(" roamed");
  ASSERT_TRUE(roamed.ok());
  EXPECT_EQ(roamed->size(), 1u);
}

TEST_F(TrainData, NoBreakSpacesBecomeSpaces) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "Go " + std::to_string(i) + "!\tVa\u202f" + std::to_string(i) + "\u00a0!\n";
  write("pairs.tsv", text);
  const auto data = opened(R"({"task": "pairs", "corpus": ["pairs.tsv"], "tokenizer": {"size": 300},
      "target_tokenizer": {"size": 300, "plain_spaces": true}, )" +
                           kModel + "}");
  ASSERT_TRUE(data);
  const auto plain = data->target_tokenizer()->encode("Va 7 !"), bound = data->target_tokenizer()->encode("Va\u202f7\u00a0!");
  ASSERT_TRUE(plain.ok() && bound.ok());
  ASSERT_EQ(plain->size(), bound->size());
  for (std::size_t i = 0; i < plain->size(); ++i) EXPECT_EQ((*plain)[i].id, (*bound)[i].id);
}

TEST_F(TrainData, CountingIsScored) {
  // Nothing that is held out is trained on, so the lines are numbered: else all of them would be alike.
  std::string text;
  for (int i = 0; i < 400; ++i) text += std::string(i % 3 == 2 ? "a c d" : "a b d") + " n" + std::to_string(i) + "\n";
  write("counted.txt", text);
  const std::string corpus =
      R"("corpus": ["counted.txt"], "held_out": 0.3, "tokenizer": {"kind": "words", "size": 0}, "length": 8, )";
  const auto data = opened(R"({"task": "text", )" + corpus + kModel + "}");
  ASSERT_TRUE(data);
  const auto scores = count_scores(*data, Task::text);
  ASSERT_TRUE(scores.ok()) << scores.error().sentence();
  // Of a line's five labels "a" and "d" follow from the token before, "b" or "c" two times of three. The number is unknown, so
  // that what follows it is guessed as the most frequent piece, which it may be.
  EXPECT_GT(scores->bigram_first, (1 + 2.0 / 3 + 1) / 5 - 0.03);
  EXPECT_LT(scores->bigram_first, (1 + 2.0 / 3 + 1 + 1) / 5 + 0.03);
  EXPECT_GT(scores->bigram_five, scores->bigram_first);
  EXPECT_NEAR(scores->unigram_first, 0.2, 0.03);
  EXPECT_NEAR(scores->unigram_five, 0.8, 0.03);
  EXPECT_EQ(scores->labels, data->sizes().held_out_tokens - 1);

  const auto masked = opened(R"({"task": "masked", )" + corpus + kModel + "}");
  ASSERT_TRUE(masked);
  const auto hidden = count_scores(*masked, Task::masked);
  ASSERT_TRUE(hidden.ok()) << hidden.error().sentence();
  EXPECT_GT(hidden->bigram_first, hidden->unigram_first);
  EXPECT_GT(hidden->labels, 0);
}

TEST_F(TrainData, WhatCannotBeReadIsSaid) {
  write_books();
  write("empty.txt", "\n\n");
  write("one.txt", "a single line\n");
  write("bad.tsv", "a\tb\nno tab\n");
  const auto text = [](const std::string& corpus, const std::string& length = "8") {
    return R"({"task": "text", "length": )" + length + R"(, "corpus": [")" + corpus +
           R"("], "tokenizer": {"kind": "words", "size": 0}, )" + kModel + "}";
  };
  const std::string at = folder_.string();
  EXPECT_EQ(sentence_of(text("none.txt")), at + "/none.txt: there is no such file; check the name");
  EXPECT_EQ(sentence_of(text("books/*.doc")), at + "/books: no file has a name like '*.doc'; check 'files' and 'except'");
  EXPECT_NE(sentence_of(text("nowhere/*.txt")).find("nowhere: this folder cannot be read"), std::string::npos);
  EXPECT_EQ(sentence_of(text("empty.txt")), "t.json: the data hold no text; give files with text in them");
  EXPECT_EQ(sentence_of(text("one.txt")),
            "t.json: a share of 0.05 of 1 texts leaves nothing to hold out; give more data, or change 'held_out'");
  EXPECT_NE(sentence_of(text("books/*.txt", "8000")).find("and a row has 8000; give more text"), std::string::npos);
  const std::string vocabulary =
      R"({"task": "text", "corpus": ["books/a.txt"], "tokenizer": {"kind": "words", "size": 9999}, )" + kModel + "}";
  EXPECT_NE(sentence_of(vocabulary).find("pieces, and 9999 are asked for; ask for at most "), std::string::npos)
      << sentence_of(vocabulary);
  const std::string small = R"({"task": "text", "corpus": ["books/a.txt"], "tokenizer": {"size": 100}, )" + kModel + "}";
  EXPECT_EQ(sentence_of(small).substr(0, 44), "t.json: a vocabulary of 100 pieces has no ro");
  const std::string pairs = R"({"task": "pairs", "corpus": ["bad.tsv"], )" + kModel + "}";
  EXPECT_EQ(sentence_of(pairs), at + "/bad.tsv:2: this line has no column 2; write a tab between columns");
  write_pairs();
  std::string short_rows = kPairs;
  short_rows.replace(short_rows.find("\"length\": 64"), 12, "\"length\": 2");
  EXPECT_EQ(sentence_of(short_rows), "t.json: all pairs to train on are longer than 2 tokens; make 'length' larger");
}

TEST_F(TrainData, ACancelledReadingStops) {
  write_books();
  CancelSource stop;
  stop.cancel();
  DataPlaces places{folder_.string(), folder_.string(), "t.json", nullptr, nullptr};
  const auto data = open_data(*config_from_json(kText, "t.json"), places, stop.token());
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.error().kind, ErrorKind::cancelled);
}

TEST(TrainDataShared, TheEnglishFrenchPairsAreDividedBySentence) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  const auto split = read_pairs({{"eng-fra/pairs.tsv"}}, test::parity_data().string(), 0.02, "t");
  ASSERT_TRUE(split.ok()) << split.error().sentence();
  std::set<std::string_view> training;
  for (const TextPair& pair : split->training) training.insert(pair.first);
  for (const TextPair& pair : split->held_out) ASSERT_FALSE(training.contains(pair.first)) << pair.first;
  EXPECT_GT(split->held_out.size(), 2000u);
}

}  // namespace
}  // namespace headlight::train
