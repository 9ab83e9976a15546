// Worker, background lane, derived values, undo, autosave, configuration: no window.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "app/files/configuration.h"
#include "app/session/autosave.h"
#include "app/session/derived.h"
#include "app/session/lane.h"
#include "app/session/session.h"
#include "app/session/trainer.h"
#include "app/session/undo.h"
#include "app/session/worker.h"
#include "engine/core/files.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

Document with_text(const std::string& text) {
  Document document;
  document.texts = {text};
  return document;
}

class SessionRoomFolder {
 public:
  SessionRoomFolder() : path(fs::temp_directory_path() / ("headlight-room-" + std::to_string(::getpid()))) {
    fs::create_directories(path);
  }
  ~SessionRoomFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  const fs::path path;
};

TEST(Worker, TheNewestDocumentWinsAndTheRunningOneIsCancelled) {
  std::atomic<int> started = 0, stopped = 0;
  Worker worker([&](const Document& document, const CancelToken& cancel) -> Result<std::shared_ptr<const Trace>> {
    ++started;
    while (document.texts[0] == "first" && !cancel.cancelled()) std::this_thread::yield();
    if (document.texts[0] == "first") {
      ++stopped;
      return cancelled();
    }
    return invalid("done with {}", document.texts[0]);
  });
  worker.submit(with_text("first"));
  while (started == 0) std::this_thread::yield();
  EXPECT_TRUE(worker.computing());
  EXPECT_GT(worker.computing_for(), 0.0);
  worker.submit(with_text("second"));
  const std::uint64_t last = worker.submit(with_text("third"));
  worker.wait();
  EXPECT_EQ(stopped, 1);
  const auto published = worker.latest();
  EXPECT_EQ(published->generation, last);
  ASSERT_TRUE(published->error);
  EXPECT_EQ(published->error->what, "done with third");
  EXPECT_FALSE(worker.computing());
  EXPECT_EQ(worker.computing_for(), 0.0);
}

TEST(Worker, AStaleResultIsDroppedEvenIfTheWorkIgnoresCancellation) {
  std::atomic<int> published = 0;
  std::atomic<bool> begun = false, go = false;
  Worker worker(
      [&](const Document& document, const CancelToken&) -> Result<std::shared_ptr<const Trace>> {
        begun = true;
        while (!go) std::this_thread::yield();
        return invalid(document.texts[0]);
      },
      [&] { ++published; });
  worker.submit(with_text("old"));
  while (!begun) std::this_thread::yield();
  worker.submit(with_text("new"));
  go = true;
  worker.wait();
  EXPECT_EQ(worker.latest()->error->what, "new");
  while (published == 0) std::this_thread::yield();
  EXPECT_EQ(published, 1);
}

TEST(Worker, EndsWhileItComputes) {
  std::atomic<bool> begun = false, told = false;
  {
    Worker worker([&](const Document&, const CancelToken& cancel) -> Result<std::shared_ptr<const Trace>> {
      begun = true;
      while (!cancel.cancelled()) std::this_thread::yield();
      told = true;
      return cancelled();
    });
    worker.submit(Document());
    while (!begun) std::this_thread::yield();
  }
  EXPECT_TRUE(told);
}

TEST(BackgroundLane, JobsRunInOrderAndNoneBeginsDuringAnEdit) {
  std::atomic<bool> busy = true;
  std::atomic<int> asked = 0;
  BackgroundLane lane([&] {
    ++asked;
    return busy.load();
  });
  std::vector<int> order;
  for (int i = 0; i < 5; ++i) lane.add([&order, i](const CancelToken&) { order.push_back(i); });
  while (asked < 3) std::this_thread::yield();  // it checked at least twice
  EXPECT_TRUE(lane.working());
  busy = false;
  lane.wait();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_GE(asked, 3 + 5);
  EXPECT_FALSE(lane.working());
}

// Keys of tests, all made at one place, as by a function of a panel.
DerivedKey test_key(std::initializer_list<DerivedKey::Part> parts) { return DerivedKey("test", parts); }

// A text or an address alone is no key, and an address is no part of one.
static_assert(!std::is_convertible_v<std::string, DerivedKey> && !std::is_convertible_v<const char*, DerivedKey>);
static_assert(!std::is_constructible_v<DerivedKey::Part, int*>);

TEST(DerivedKey, PartsThatReadAlikeMakeOtherKeys) {
  const std::vector<DerivedKey> all = {test_key({"a/b", "c"}),
                                       test_key({"a", "b/c"}),
                                       test_key({"a/b/c"}),
                                       test_key({"ab", "c"}),
                                       test_key({"a", "bc"}),
                                       test_key({1, 23}),
                                       test_key({12, 3}),
                                       test_key({123}),
                                       test_key({"123"}),
                                       test_key({123.0}),
                                       test_key({}),
                                       test_key({""}),
                                       test_key({"", ""}),
                                       test_key({0}),
                                       test_key({0, 0}),
                                       test_key({test_key({1}), 2}),
                                       test_key({test_key({1, 2})}),
                                       test_key({1, 2}),
                                       test_key({-1}),
                                       DerivedKey()};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < all.size(); ++j) {
      EXPECT_EQ(all[i] == all[j], i == j) << i << ' ' << j;
      EXPECT_EQ(all[i].hash() == all[j].hash(), i == j) << i << ' ' << j;
    }
  EXPECT_EQ(test_key({std::string("a"), true, 2.5, ErrorKind::invalid}), test_key({"a", 1, 2.5, ErrorKind::invalid}));
  EXPECT_EQ(test_key({"a"}).add(1), test_key({"a", 1}));
}

TEST(DerivedKey, TwoPlacesOfTheSourceMakeTwoKeys) {
  const DerivedKey here("same name", {1});
  const DerivedKey there("same name", {1});
  EXPECT_FALSE(here == there);
  const auto of_caller = [](DerivedKey::Tag tag) { return DerivedKey(tag, {1}); };
  const DerivedKey first = of_caller("same name");
  const DerivedKey second = of_caller("same name");
  EXPECT_FALSE(first == second);
}

TEST(Derived, AKeyOfTwoTypesIsTwoValues) {
  Derived derived;
  const auto number = [](const CancelToken&) -> Result<int> { return 7; };
  const auto text = [](const CancelToken&) -> Result<std::string> { return std::string("seven"); };
  EXPECT_EQ(*derived.now<int>(test_key({1}), number).value, 7);
  EXPECT_EQ(*derived.now<std::string>(test_key({1}), text).value, "seven");
  EXPECT_EQ(*derived.now<int>(test_key({1}), number).value, 7);
  EXPECT_EQ(derived.statistics().values, 2u);
}

// What is made of an object is not taken for what is made of a later one, also where both have the same address.
TEST(Derived, AValueOfAnObjectThatIsGoneIsMadeAgain) {
  Derived derived;
  static const int address = 0;
  const auto object = [] { return std::shared_ptr<const void>(&address, [](const void*) {}); };
  int made = 0;
  const auto make = [&](const CancelToken&) -> Result<int> { return ++made; };
  auto before = object();
  EXPECT_EQ(*derived.now<int>(test_key({}).of(before), make).value, 1);
  EXPECT_EQ(*derived.now<int>(test_key({}).of(before), make).value, 1);
  before = object();
  EXPECT_EQ(*derived.now<int>(test_key({}).of(before), make).value, 2);
  const DerivedKey nested = test_key({test_key({}).of(before), 1});
  EXPECT_FALSE(nested.outdated());
  before.reset();
  EXPECT_TRUE(nested.outdated()) << "a key of a key is of the same objects";
  EXPECT_EQ(derived.statistics().values, 1u);
}

// After clear() the same value is asked for again while its first making still runs: that one's result is no longer wanted.
TEST(Derived, AResultFromBeforeAClearIsNotTakenForANewOne) {
  std::vector<std::function<void(const CancelToken&)>> jobs;
  Derived derived([&](std::function<void(const CancelToken&)> job) { jobs.push_back(std::move(job)); });
  const auto make = [](int value) { return [value](const CancelToken&) -> Result<int> { return value; }; };
  EXPECT_FALSE(derived.later<int>(test_key({1}), make(1)));
  derived.clear();
  EXPECT_FALSE(derived.later<int>(test_key({1}), make(2)));
  ASSERT_EQ(jobs.size(), 2u);
  jobs[0]({});
  EXPECT_FALSE(derived.later<int>(test_key({1}), make(3)));
  jobs[1]({});
  EXPECT_EQ(*derived.later<int>(test_key({1}), make(3)).value, 2);
  EXPECT_FALSE(derived.pending());
}

TEST(Derived, IsMadeOnceForAKeyAndKeepsItsErrors) {
  Derived derived;
  int made = 0;
  const std::function<Result<int>(const CancelToken&)> make = [&](const CancelToken&) -> Result<int> { return ++made; };
  EXPECT_EQ(*derived.now<int>(test_key({"a"}), make).value, 1);
  EXPECT_EQ(*derived.now<int>(test_key({"a"}), make).value, 1);
  EXPECT_EQ(*derived.now<int>(test_key({"b"}), make).value, 2);
  const auto failing = [](const CancelToken&) -> Result<int> { return invalid("no"); };
  const auto answer = derived.now<int>(test_key({"c"}), failing);
  EXPECT_FALSE(answer);
  ASSERT_TRUE(answer.error);
  EXPECT_EQ(answer.error->what, "no");
}

TEST(Derived, LaterIsMadeInTheLaneAndForgottenWhenItWasStopped) {
  std::vector<std::function<void(const CancelToken&)>> jobs;
  Derived derived([&](std::function<void(const CancelToken&)> job) { jobs.push_back(std::move(job)); });
  const std::function<Result<int>(const CancelToken&)> make = [](const CancelToken& cancel) -> Result<int> {
    if (cancel.cancelled()) return cancelled();
    return 42;
  };
  EXPECT_FALSE(derived.later<int>(test_key({"a"}), make));
  EXPECT_FALSE(derived.later<int>(test_key({"a"}), make));
  ASSERT_EQ(jobs.size(), 1u) << "asked for twice, made once";
  EXPECT_TRUE(derived.pending());
  CancelSource source;
  source.cancel();
  jobs[0](source.token());
  EXPECT_FALSE(derived.pending());
  EXPECT_FALSE(derived.later<int>(test_key({"a"}), make));
  ASSERT_EQ(jobs.size(), 2u) << "made again after it was stopped";
  jobs[1]({});
  ASSERT_TRUE(derived.later<int>(test_key({"a"}), make));
  EXPECT_EQ(*derived.later<int>(test_key({"a"}), make).value, 42);
}

TEST(Derived, TheLeastRecentlyUsedGoFirst) {
  Derived derived({}, 2);
  int made = 0;
  const std::function<Result<int>(const CancelToken&)> make = [&](const CancelToken&) -> Result<int> { return ++made; };
  (void)derived.now<int>(test_key({"a"}), make);
  (void)derived.now<int>(test_key({"b"}), make);
  (void)derived.now<int>(test_key({"a"}), make);
  (void)derived.now<int>(test_key({"c"}), make);  // b goes
  EXPECT_EQ(*derived.now<int>(test_key({"a"}), make).value, 1);
  EXPECT_EQ(*derived.now<int>(test_key({"b"}), make).value, 4);
}

std::vector<std::int32_t> ids_of(const Document& document) {
  const auto tokenizer = open_tokenizer(document);
  EXPECT_TRUE(tokenizer.ok()) << document.tokenizer;
  if (!tokenizer.ok()) return {};
  const auto tokens = (*tokenizer)->encode("hugs");
  EXPECT_TRUE(tokens.ok());
  std::vector<std::int32_t> out;
  for (const auto& token : tokens.value()) out.push_back(token.id);
  return out;
}

TrainingResult trained_with(std::int64_t size) {
  TrainingRequest request;
  request.vocabulary_size = size;
  auto result = train_tokenizer(request, {}, {});
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().sentence());
  return result.ok() ? std::move(result).value() : TrainingResult{};
}

TEST(Session, CarriesTheVocabularyThatWasTrainedInTheWindow) {
  const TrainingResult trained = trained_with(14);
  Session session;
  session.document.texts = {"hugs"};
  use_trained(session.document, trained.trained);
  EXPECT_EQ(session.document.tokenizer, "trained:" + trained.name);
  // No other place knows the name: the session brings it.
  ASSERT_FALSE(tokenizers::open(session.document.tokenizer).ok());
  const auto opened = session_from_json(to_json(session), "shared.json");
  ASSERT_TRUE(opened.ok()) << opened.error().sentence();
  EXPECT_EQ(*opened, session);
  EXPECT_EQ(ids_of(opened->document), ids_of(session.document));
  Session plain;
  EXPECT_EQ(to_json(plain).find("trained"), std::string::npos) << "bundled ones are everywhere";
}

TEST(Session, CarriesTheVocabularyOfThePinnedStateToo) {
  const TrainingResult first = trained_with(14), second = trained_with(18);
  ASSERT_NE(first.name, second.name);
  Session session;
  use_trained(session.document, first.trained);
  session.pinned = session.document;
  use_trained(*session.pinned, second.trained);
  ASSERT_NE(ids_of(session.document), ids_of(*session.pinned));
  const auto opened = session_from_json(to_json(session), "shared.json");
  ASSERT_TRUE(opened.ok()) << opened.error().sentence();
  EXPECT_EQ(ids_of(opened->document), ids_of(session.document));
  ASSERT_TRUE(opened->pinned);
  EXPECT_EQ(ids_of(*opened->pinned), ids_of(*session.pinned)) << "each its own";
}

// Sessions that were saved when a trained vocabulary stood beside the document: its file, of version 1, as a text.
TEST(Session, OpensWhatWasSavedWithTheVocabularyBesideTheDocument) {
  const auto old = [](const std::string& pieces) {
    return R"("{\"format\":\"headlight.tokenizer\",\"version\":1,\"kind\":\"words\",\"alphabet\":\"corpus\",)"
           R"(\"pre_tokenizer\":\"words\",\"normalizers\":[],\"vocabulary\":[)" +
           pieces + R"(]}")";
  };
  const std::string one = old(R"(\"[PAD]\",\"[UNK]\",\"hugs\")"), two = old(R"(\"[UNK]\",\"a\",\"b\",\"hugs\")");
  const std::string document = R"({"headlight": 1, "document": {"tokenizer": "trained:x"}, "tokenizer": )" + one;
  const auto alone = session_from_json(document + "}", "old.json");
  ASSERT_TRUE(alone.ok()) << alone.error().sentence();
  EXPECT_EQ(ids_of(alone->document), std::vector<std::int32_t>{2});
  const auto both =
      session_from_json(document + R"(, "pinned": {"tokenizer": "trained:y"}, "pinned_tokenizer": )" + two + "}", "old.json");
  ASSERT_TRUE(both.ok()) << both.error().sentence();
  EXPECT_EQ(ids_of(*both->pinned), std::vector<std::int32_t>{3});
  // What both named was written once.
  const auto once = session_from_json(document + R"(, "pinned": {"tokenizer": "trained:x"}})", "old.json");
  ASSERT_TRUE(once.ok()) << once.error().sentence();
  EXPECT_EQ(ids_of(*once->pinned), std::vector<std::int32_t>{2});
  const auto refusal = [](const std::string& json) {
    const auto read = session_from_json(json, "b.json");
    return read.ok() ? std::string("read") : read.error().sentence();
  };
  EXPECT_NE(refusal(R"({"headlight": 1, "document": {"tokenizer": "trained:x"}, "tokenizer": "{}"})").find("b.json"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"headlight": 1, "document": {}, "tokenizer": )" + one + "}").find("does not name"), std::string::npos);
  EXPECT_NE(refusal(R"({"headlight": 1, "document": {}, "pinned": {"tokenizer": "trained:x"}, "pinned_tokenizer": "{}"})")
                .find("b.json"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"headlight": 1, "document": {}, "pinned": {}, "pinned_tokenizer": 3})").find("pinned_tokenizer"),
            std::string::npos);
}

TEST(Derived, LargeValuesGoWhenTheirBytesPassTheBudget) {
  struct Large {
    std::uint64_t size = 0;
    std::uint64_t bytes() const { return size; }
  };
  Derived derived({}, 4096, 1000);
  const auto make = [](std::uint64_t size) { return [size](const CancelToken&) -> Result<Large> { return Large{size}; }; };
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(derived.now<Large>(test_key({name}), make(400)));
  EXPECT_EQ(derived.statistics().values, 2u) << "a, the least recently used, went";
  EXPECT_EQ(derived.statistics().bytes, 800u);
  EXPECT_TRUE(derived.now<Large>(test_key({"giant"}), make(5000))) << "someone looks at it";
  EXPECT_EQ(derived.statistics().values, 1u);
  EXPECT_TRUE(derived.now<Large>(test_key({"d"}), make(10)));
  EXPECT_EQ(derived.statistics().bytes, 10u);
  derived.clear();
  EXPECT_EQ(derived.statistics().values, 0u);
  EXPECT_EQ(derived.statistics().bytes, 0u);
}

TEST(UndoHistory, TypingWithinASecondIsOneStep) {
  UndoHistory history(with_text(""));
  history.record(with_text("m"), 10.0);
  history.record(with_text("ma"), 10.3);
  history.record(with_text("man"), 10.9);
  history.record(with_text("man "), 13.0);  // after a pause
  EXPECT_EQ(history.size(), 3u);
  EXPECT_EQ(history.undo()->texts[0], "man");
  EXPECT_EQ(history.undo()->texts[0], "");
  EXPECT_FALSE(history.undo());
  EXPECT_EQ(history.redo()->texts[0], "man");
  EXPECT_EQ(history.redo()->texts[0], "man ");
  EXPECT_FALSE(history.redo());
}

TEST(UndoHistory, OtherChangesAreStepsOfTheirOwnAndANewEditEndsRedo) {
  UndoHistory history(with_text("a"));
  Document masked = with_text("a");
  masked.masks = {{"causal", {}}};
  history.record(masked, 1.0);
  Document seeded = masked;
  seeded.seed = 3;
  history.record(seeded, 1.1);
  Document typed = seeded;
  typed.texts = {"ab"};
  history.record(typed, 1.2);
  EXPECT_EQ(history.size(), 4u);
  EXPECT_EQ(*history.undo(), seeded);
  EXPECT_EQ(*history.undo(), masked);
  Document other = masked;
  other.layers = 1;
  history.record(other, 1.3);
  EXPECT_FALSE(history.can_redo());
  EXPECT_EQ(*history.undo(), masked);
}

TEST(UndoHistory, ASliderBeingDraggedIsOneStep) {
  UndoHistory history(with_text("a"));
  Document hot = with_text("a");
  for (int i = 1; i <= 20; ++i) {
    hot.temperature = 1 + 0.1 * i;
    history.record(hot, 1 + 0.05 * i);
  }
  Document scaled = hot;
  scaled.scale = "0.5";  // from sqrt: a separate undo step
  history.record(scaled, 2.1);
  scaled.scale = "0.6";
  history.record(scaled, 2.2);
  scaled.scale = "0.7";
  history.record(scaled, 2.3);
  EXPECT_EQ(history.size(), 4u);
  EXPECT_EQ(history.undo()->scale, "0.5");
  EXPECT_EQ(*history.undo(), hot);
  EXPECT_EQ(history.undo()->temperature, 1);
  EXPECT_FALSE(history.undo());
}

TEST(UndoHistory, ForgetsTheOldestBeyondItsLimit) {
  UndoHistory history(with_text("0"), 3);
  for (int i = 1; i <= 5; ++i) history.record(with_text(std::to_string(i)), i * 10.0);
  EXPECT_EQ(history.size(), 3u);
  EXPECT_EQ(history.undo()->texts[0], "4");
  EXPECT_EQ(history.undo()->texts[0], "3");
  EXPECT_FALSE(history.undo());
}

TEST(Autosave, WritesOneSecondAfterTheFirstUnsavedChange) {
  const SessionRoomFolder folder;
  const fs::path path = folder.path / "session.json";
  Session session;
  std::atomic<int> written = 0;
  Autosave autosave(path, session, [&] { ++written; });
  autosave.tick(session, 100.0);
  EXPECT_LT(autosave.due_in(100.0), 0.0) << "as on disk: nothing to do";
  session.document.texts = {"a"};
  autosave.tick(session, 101.0);
  EXPECT_NEAR(autosave.due_in(101.4), 0.6, 1e-9);  // a difference of doubles
  session.document.texts = {"ab"};                 // further typing does not delay it
  autosave.tick(session, 101.9);
  EXPECT_EQ(autosave.state(), Autosave::State::waiting);
  autosave.tick(session, 102.0);
  while (written == 0) std::this_thread::yield();
  EXPECT_EQ(autosave.state(), Autosave::State::saved);
  const auto read = load_session(path);
  ASSERT_TRUE(read.ok()) << read.error().sentence();
  EXPECT_EQ(*read, session);
}

TEST(Autosave, FlushWritesAtOnceAndAFailureIsSaid) {
  const SessionRoomFolder folder;
  Session session;
  session.document.texts = {"kept"};
  {
    Autosave autosave(folder.path / "session.json", {}, {});
    ASSERT_TRUE(autosave.flush(session).ok());
    EXPECT_EQ(load_session(folder.path / "session.json").value().document.texts[0], "kept");
  }
  Autosave nowhere(folder.path / "no" / "such" / "folder" / "session.json", {}, {});
  const Status failed = nowhere.flush(session);
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().sentence().find("session.json"), std::string::npos);
  EXPECT_EQ(nowhere.state(), Autosave::State::failed);
}

TEST(Configuration, RoundTripDefaultsAndMalformedFiles) {
  const SessionRoomFolder folder;
  const fs::path path = folder.path / "deep" / "config.json";
  EXPECT_EQ(load_configuration(path).value(), Configuration());
  Configuration c;
  c.width = 1280;
  c.inspector_open = false;
  c.last_folder = "/tmp/\xC3\xA9";
  ASSERT_TRUE(save_configuration(path, c).ok());
  EXPECT_EQ(load_configuration(path).value(), c);
  ASSERT_TRUE(write_file(path, "not json").ok());
  EXPECT_FALSE(load_configuration(path).ok());
  ASSERT_TRUE(write_file(path, "{\"width\": -5, \"height\": \"tall\", \"maximised\": 3}").ok());
  EXPECT_EQ(load_configuration(path).value(), Configuration()) << "values that make no sense are left out";
}

}  // namespace
}  // namespace headlight
