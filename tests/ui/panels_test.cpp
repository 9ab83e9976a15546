// The panels with mouse and keyboard, frame by frame on a null renderer: what hovering highlights, what clicks choose.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "app/figures/base/compose.h"
#include "app/figures/tokens/chip_rows.h"
#include "app/session/trainer.h"
#include "app/views/base/view.h"
#include "app/views/heads/state.h"
#include "app/views/tokens/rows_picture.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::NullWindow;
using window::Shell;

Document panels_small() { return test::small_document(); }

struct PanelsRoom : test::Room {
  using test::Room::Room;
  // Searches on a coarse grid over the window's height.
  template <class Found>
  figures::Point search(float x0, float x1, Found found) {
    return test::Room::search({x0, 58, x1, 960}, 26, 18, found);
  }
};

// At the present mouse position.
void double_click(PanelsRoom& room) {
  for (const bool down : {true, false, true, false}) {
    ImGui::GetIO().AddMouseButtonEvent(0, down);
    room.window.frames(*room.shell, 1);
  }
}

TEST(HeadsPanel, HoverLightsACellAndAClickPinsIt) {
  PanelsRoom room;
  const auto at = room.search(600, 1200, [&] { return room.shell->hover.now.row >= 0 && room.shell->hover.now.column >= 0; });
  ASSERT_GE(at.x, 0) << "no cell was found under the mouse";
  const auto hot = room.shell->hover.now;
  EXPECT_EQ(room.shell->view().pinned_row, -1);
  room.click(at.x, at.y);
  EXPECT_EQ(room.shell->view().pinned_row, hot.row);
  EXPECT_EQ(room.shell->view().pinned_column, hot.column);
  room.click(at.x, at.y);  // a second click releases it
  EXPECT_EQ(room.shell->view().pinned_row, -1);
}

TEST(HeadsPanel, TransposedTheSamePlaceIsTheMirroredCell) {
  PanelsRoom room;
  const auto at = room.search(700, 1100, [&] { return room.shell->hover.now.row > 3 && room.shell->hover.now.column >= 0; });
  ASSERT_GE(at.x, 0);
  const auto plain = room.shell->hover.now;
  room.shell->view().transposed = true;
  room.window.frames(*room.shell, 3);
  EXPECT_EQ(room.shell->hover.now.row, plain.column);
  EXPECT_EQ(room.shell->hover.now.column, plain.row);
}

TEST(HeadsPanel, AThumbnailIsHoveredThenChosen) {
  PanelsRoom room;
  const auto at = room.search(20, 560, [&] { return room.shell->hover.now.layer == 1 && room.shell->hover.now.head == 2; });
  ASSERT_GE(at.x, 0) << "the thumbnail of layer 1, head 2 was not found";
  room.click(at.x, at.y);
  EXPECT_EQ(room.shell->view().layer, 1);
  EXPECT_EQ(room.shell->view().head, 2);
}

TEST(HeadsPanel, TheWheelZoomsAndADoubleClickResets) {
  PanelsRoom room;
  const auto at = room.search(700, 1100, [&] { return room.shell->hover.now.row > 3 && room.shell->hover.now.column > 3; });
  ASSERT_GE(at.x, 0);
  const auto before = room.shell->hover.now;
  ImGui::GetIO().AddMouseWheelEvent(0, 4);
  room.window.frames(*room.shell, 3);
  EXPECT_GT(room.shell->view().zoom, 2);
  // What was under the mouse is still near it.
  EXPECT_NEAR(static_cast<double>(room.shell->hover.now.row), static_cast<double>(before.row), 1.0);
  EXPECT_NEAR(static_cast<double>(room.shell->hover.now.column), static_cast<double>(before.column), 1.0);
  double_click(room);
  EXPECT_EQ(room.shell->view().zoom, 1);
}

TEST(HeadsPanel, ADoubleClickLeavesThePinnedCellAlone) {
  PanelsRoom room;
  const auto at = room.search(700, 1100, [&] { return room.shell->hover.now.row > 3 && room.shell->hover.now.column > 3; });
  ASSERT_GE(at.x, 0);
  room.shell->view().pinned_row = 1;
  room.shell->view().pinned_column = 2;
  ImGui::GetIO().AddMouseWheelEvent(0, 4);
  room.window.frames(*room.shell, 3);
  double_click(room);
  EXPECT_EQ(room.shell->view().zoom, 1);
  EXPECT_EQ(room.shell->view().pinned_row, 1);
  EXPECT_EQ(room.shell->view().pinned_column, 2);
}

TEST(HeadsPanel, TheButtonsOfTheViewsStayWhereTheyAre) {
  PanelsRoom room;
  std::map<std::string, ImVec2> first;
  for (const char* view : {"heatmap", "dots", "arcs", "neuron"}) {
    room.shell->view().own.of<views::heads::State>().picture = view;
    room.window.frames(*room.shell, 3);
    ui::ControlLog log;
    ui::watch_controls(&log);
    room.window.frames(*room.shell, 1);
    ui::watch_controls(nullptr);
    int found = 0;
    for (const ui::ControlLog::Place& place : log.places)
      for (const char* name : {"map", "dots", "arcs", "q·k"}) {
        if (place.shown != name) continue;
        ++found;
        const auto known = first.emplace(name, place.low).first;
        EXPECT_EQ(known->second.x, place.low.x) << name << " in " << view;
        EXPECT_EQ(known->second.y, place.low.y) << name << " in " << view;
      }
    EXPECT_EQ(found, 4) << view;
  }
}

TEST(HeadsPanel, AMenuHangsUnderItsButtonWithRoomAroundItsLines) {
  PanelsRoom room;
  ui::ControlLog log;
  ui::watch_controls(&log);
  room.window.frames(*room.shell, 1);
  ui::watch_controls(nullptr);
  const auto button = std::find_if(log.places.begin(), log.places.end(),
                                   [](const ui::ControlLog::Place& place) { return place.shown == "sorted by"; });
  ASSERT_NE(button, log.places.end());
  room.click((button->low.x + button->high.x) / 2, (button->low.y + button->high.y) / 2);
  room.window.frames(*room.shell, 3);
  ASSERT_EQ(GImGui->OpenPopupStack.Size, 1);
  const ImGuiWindow* menu = GImGui->OpenPopupStack[0].Window;
  ASSERT_NE(menu, nullptr);
  EXPECT_GE(menu->Pos.y, button->high.y) << "what was pressed stays in sight";
  EXPECT_GE(menu->WindowPadding.x, 8);
  EXPECT_GE(menu->WindowPadding.y, 8);
}

TEST(HeadsPanel, AClickPreviewsAnotherPinsAndTwoAtOnceSolo) {
  PanelsRoom room;
  const auto at = room.search(20, 560, [&] { return room.shell->hover.now.layer == 1 && room.shell->hover.now.head == 2; });
  ASSERT_GE(at.x, 0);
  const auto rest = [&] { room.window.frames(*room.shell, 30); };  // longer than a double click
  room.click(at.x, at.y);
  EXPECT_TRUE(room.shell->view().chosen_heads.empty());
  rest();
  room.click(at.x, at.y);
  EXPECT_EQ(room.shell->view().chosen_heads, (std::vector<HeadRef>{{1, 2}}));
  rest();
  room.click(at.x, at.y);
  EXPECT_EQ(room.shell->view().chosen_heads, (std::vector<HeadRef>{{1, 2}})) << "the last one stays";
  room.shell->view().chosen_heads = {{0, 0}, {1, 1}};
  rest();
  double_click(room);
  EXPECT_TRUE(room.shell->view().chosen_heads.empty()) << "solo";
  EXPECT_EQ(room.shell->view().layer, 1);
  EXPECT_EQ(room.shell->view().head, 2);
}

TEST(HeadsPanel, TheArrowsMoveThePinnedCellAndNotTheFocus) {
  PanelsRoom room;
  const auto at = room.search(700, 1200, [&] { return room.shell->hover.now.row == 3 && room.shell->hover.now.column == 4; });
  ASSERT_GE(at.x, 0);
  room.click(at.x, at.y);
  EXPECT_EQ(room.shell->view().pinned_row, 3);
  EXPECT_EQ(room.shell->view().pinned_column, 4);
  room.window.key(*room.shell, ImGuiKey_DownArrow);
  room.window.key(*room.shell, ImGuiKey_DownArrow);
  room.window.key(*room.shell, ImGuiKey_LeftArrow);
  EXPECT_EQ(room.shell->view().pinned_row, 5);
  EXPECT_EQ(room.shell->view().pinned_column, 3);
  EXPECT_EQ(room.shell->hover.now.row, -1) << "a resting mouse does not hide what the arrows moved";
  room.shell->view().transposed = true;
  room.window.key(*room.shell, ImGuiKey_DownArrow);  // the next key, which is now below
  EXPECT_EQ(room.shell->view().pinned_row, 5);
  EXPECT_EQ(room.shell->view().pinned_column, 4);
}

TEST(HeadsPanel, EveryViewInEveryWay) {
  for (const bool target : {false, true})
    for (const char* shown : {"heatmap", "dots", "arcs", "neuron"})
      for (const char* together : {"side", "overlay", "mean", "max", "rollout"}) {
        SCOPED_TRACE(std::string(shown) + ", " + together + (target ? ", cross" : ""));
        Document document = panels_small();
        if (target) document.targets = {"le chat"};
        ViewState view;
        view.tab = "heads";
        view.site = target ? "decoder.cross." : "";
        view.own.of<views::heads::State>().picture = shown;
        view.own.of<views::heads::State>().together = together;
        view.chosen_heads = {{0, 1}, {1, 3}, {7, 7}};
        view.range = target ? "row" : "log";
        view.transposed = target;
        view.own.of<views::heads::State>().order = target ? "pattern" : "entropy";
        view.zoom = target ? 1.5 : 1;
        PanelsRoom room(document, view, target ? 1280.0f : 1600.0f, target ? 720.0f : 1000.0f);
        room.move(900, 500);
        EXPECT_GT(room.window.vertices(), 500);
        EXPECT_EQ(room.window.errors(), 0);
        const auto& places = room.shell->parts.places;
        EXPECT_TRUE(places.contains("heads:picture"));
        EXPECT_TRUE(places.contains("heads:grid"));
        EXPECT_TRUE(places.contains("heads:numbers"));
      }
}

TEST(Shortcuts, AltAndArrowsWalkTheHeadsAndLeaveTheSentenceAlone) {
  PanelsRoom room;
  room.window.alt(*room.shell, ImGuiKey_RightArrow);
  room.window.alt(*room.shell, ImGuiKey_RightArrow);
  room.window.alt(*room.shell, ImGuiKey_LeftArrow);
  room.window.alt(*room.shell, ImGuiKey_DownArrow);
  EXPECT_EQ(room.shell->view().head, 1);
  EXPECT_EQ(room.shell->view().layer, 1);
  for (int i = 0; i < 9; ++i) room.window.alt(*room.shell, ImGuiKey_RightArrow);
  EXPECT_EQ(room.shell->view().head, 3) << "there are 4 heads";
  room.window.type(*room.shell, "s");  // the caret is still at the end
  EXPECT_EQ(room.shell->document().texts[0], "a fluffy blue creatures");
}

TEST(Shortcuts, TokenizerAndCausalMask) {
  PanelsRoom room;
  const std::string before = room.shell->document().tokenizer;
  room.window.key(*room.shell, ImGuiKey_T, true);
  EXPECT_NE(room.shell->document().tokenizer, before);
  room.window.key(*room.shell, ImGuiKey_T, true, true);
  EXPECT_EQ(room.shell->document().tokenizer, before);
  room.window.key(*room.shell, ImGuiKey_M, true);
  ASSERT_EQ(room.shell->document().masks.size(), 1u);
  EXPECT_EQ(room.shell->document().masks[0].id, "causal");
  room.window.key(*room.shell, ImGuiKey_M, true);
  EXPECT_TRUE(room.shell->document().masks.empty());
}

TEST(Chips, AChipLightsItsBytesAndItsToken) {
  PanelsRoom room;
  const auto at = room.search(16, 900, [&] { return room.shell->hover.now.token == 2; });
  ASSERT_GE(at.x, 0);
  EXPECT_LT(at.y, 180) << "chips are under the pickers";
  EXPECT_EQ(room.shell->hover.now.byte_start, 2);
  EXPECT_EQ(room.shell->hover.now.byte_end, 3);
  EXPECT_FALSE(room.shell->hover.now.in_target);
}

TEST(TokensPanel, ARowLightsABytesRange) {
  ViewState view;
  view.tab = "tokens";
  Document document = panels_small();
  document.tokenizer = "words";
  PanelsRoom room(document, view);
  // Below the chips; "fluffy" is bytes 2..8, one token in the words tokenizer.
  const auto at = room.search(180, 1200, [&] {
    return ImGui::GetIO().MousePos.y > 230 && room.shell->hover.now.byte_start == 2 && room.shell->hover.now.byte_end == 8;
  });
  ASSERT_GE(at.x, 0);
  EXPECT_EQ(room.shell->hover.now.token, 1);
}

TEST(Panels, EveryTextInEveryTabAtBothSizes) {
  std::string words;
  for (int i = 0; i < 200; ++i) words += "word ";
  const std::vector<std::string> texts{"",
                                       "a",
                                       "\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7",
                                       "我爱注意力",
                                       "مرحبا بالعالم",
                                       "\xFF\xFE broken",
                                       words};
  for (const auto& text : texts)
    for (const bool target : {false, true})
      for (const auto& entry : views::registry().entries()) {
        SCOPED_TRACE(entry.id + (target ? " with a target: " : ": ") + text.substr(0, 20));
        Document document = panels_small();
        document.tokenizer = "bpe";
        document.texts = {text};
        if (target) document.targets = {"le chat"};
        ViewState view;
        view.tab = entry.id;
        view.site = target ? "decoder.cross." : "";
        view.shown = "masked_scores";
        view.pinned_row = 0;
        view.pinned_column = 5;  // the present trace may not have this cell
        PanelsRoom room(document, view, target ? 1280.0f : 1600.0f, target ? 720.0f : 1000.0f);
        room.move(400, 400);
        room.move(700, 500);
        EXPECT_GT(room.window.vertices(), 500);
      }
}

TEST(Trainer, TrainsTheLecturesWordsPublishesAndSteps) {
  Trainer trainer;
  trainer.request.kind = "bpe";
  trainer.start();
  ASSERT_EQ(trainer.error(), nullptr);
  const auto result = trainer.result();
  ASSERT_NE(result, nullptr);
  EXPECT_FALSE(trainer.running());
  EXPECT_EQ(result->training->steps.front().token, "ug");
  Document document;
  use_trained(document, result->trained);
  EXPECT_EQ(*open_tokenizer(document), result->training->tokenizer);
  trainer.tick(0);
  EXPECT_EQ(trainer.step(), 1);
  trainer.go_to(1000);
  EXPECT_EQ(trainer.step(), trainer.steps());
  trainer.play(true);  // from the beginning again
  EXPECT_EQ(trainer.step(), 0);
  trainer.tick(10);
  trainer.tick(12);
  EXPECT_EQ(trainer.step(), 1);
  trainer.play(false);
  trainer.tick(20);
  EXPECT_EQ(trainer.step(), 1);
}

TEST(Trainer, ATypedTextIsTrainedOnFromItsOwnCharacters) {
  Trainer trainer;
  trainer.request.corpus = TrainingRequest::Corpus::typed;
  trainer.request.text = "banana bandana banana";
  for (const char* kind : {"bpe", "wordpiece", "unigram", "words"}) {
    SCOPED_TRACE(kind);
    trainer.request.kind = kind;
    trainer.start();
    ASSERT_EQ(trainer.error(), nullptr) << trainer.error()->sentence();
    const auto result = trainer.result();
    ASSERT_NE(result, nullptr);
    EXPECT_EQ(result->request, trainer.request);
    EXPECT_LE(result->training->alphabet.size(), 16u) << "not the 256 bytes";
    EXPECT_EQ(result->name.find("typed-"), 0u);
  }
  trainer.request.kind = "bpe";
  trainer.start();
  ASSERT_GE(trainer.result()->film->steps(), 2);
  EXPECT_EQ(trainer.result()->training->steps[0].count, 6) << "a n occurs six times";
  trainer.request.vocabulary_size = 5;
  trainer.start();
  ASSERT_NE(trainer.error(), nullptr);
  EXPECT_NE(trainer.error()->sentence().find("5 pieces"), std::string::npos) << trainer.error()->sentence();
}

TEST(Trainer, NamesWhatIsWrong) {
  Trainer trainer;
  trainer.request.corpus = TrainingRequest::Corpus::file;
  trainer.start();
  ASSERT_NE(trainer.error(), nullptr);
  trainer.request.path = "/no/such/file.txt";
  trainer.start();
  ASSERT_NE(trainer.error(), nullptr);
  EXPECT_NE(trainer.error()->sentence().find("/no/such/file.txt"), std::string::npos);
  EXPECT_EQ(trainer.result(), nullptr);
  trainer.request = {};
  trainer.request.corpus = TrainingRequest::Corpus::typed;
  trainer.start();
  ASSERT_NE(trainer.error(), nullptr);
  EXPECT_NE(trainer.error()->sentence().find("no text is typed"), std::string::npos);
  trainer.request = {};
  trainer.request.kind = "no such kind";
  trainer.start();
  ASSERT_NE(trainer.error(), nullptr);
}

TEST(Trainer, EveryKindOnTheSampleCorpus) {
  for (const auto& entry : tokenizers::registry().entries()) {
    SCOPED_TRACE(entry.id);
    Trainer trainer;
    trainer.request = {TrainingRequest::Corpus::sample, "", entry.id, 1000};
    trainer.start();
    ASSERT_EQ(trainer.error(), nullptr) << trainer.error()->sentence();
    ASSERT_NE(trainer.result(), nullptr);
    EXPECT_LE(trainer.result()->training->tokenizer->vocabulary_size(), 1000);
  }
}

// A fixed pitch: every byte is half as wide as the font size.
struct Pitch final : figures::TextMeasure {
  float width(std::string_view text, float size, figures::Font) const override {
    return 0.5f * size * static_cast<float>(text.size());
  }
  float line_height(float size, figures::Font) const override { return size * 1.3f; }
};

TEST(ChipRows, WhatDoesNotFitIsCounted) {
  figures::ChipRowsInput input;
  for (int i = 0; i < 100; ++i) input.chips.push_back({"token", "1234", i, false, false});
  const auto& theme = figures::themes().entries().front();
  const figures::Figure figure = figures::chip_rows(input, 600, theme, Pitch());
  int chips = 0;
  std::string counted;
  for (const auto& item : figure.items) {
    if (const auto* box = std::get_if<figures::Rectangle>(&item)) {
      chips += box->tag.kind == figures::Tag::token;
      EXPECT_LE(box->box.x + box->box.w, 600);
      EXPECT_LE(box->box.y + box->box.h, figure.height);
    }
    if (const auto* text = std::get_if<figures::Text>(&item); text && text->text.starts_with("+")) counted = text->text;
  }
  EXPECT_GT(chips, 10);
  EXPECT_EQ(counted, "+" + std::to_string(100 - chips));
}

TEST(TokenRows, APieceStandsOverItsCharacters) {
  figures::TokenRowsInput input;
  for (int i = 0; i < 6; ++i) input.characters.push_back({std::string(1, static_cast<char>('a' + i)), i, i + 1});
  input.rows = {{"A", "2 tokens", {{"abc", "1", 0, 3, false}, {"def", "2", 3, 6, false}}, {}, "", true, false}};
  const Pitch pitch;
  const auto places = figures::place_characters(input, 300, pitch);
  const figures::Figure figure = figures::token_body(input, places, {4, 5}, 0, 1000, figures::themes().entries().front(), pitch);
  std::vector<figures::Box> pieces;
  for (const auto& item : figure.items)
    if (const auto* box = std::get_if<figures::Rectangle>(&item);
        box && box->tag.kind == figures::Tag::token && box->tag.a == 0) {
      pieces.push_back(box->box);
      EXPECT_EQ(box->line, box->tag.b == 1 ? 2.0f : 1.0f) << "only the piece over byte 4 is lit";
    }
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_NEAR(pieces[0].x, places.left[0], 2);
  EXPECT_NEAR(pieces[0].x + pieces[0].w, places.left[3], 2);
  EXPECT_NEAR(pieces[1].x + pieces[1].w, places.left[6], 2);
}

TEST(TokenRows, CutCharactersAndMarkedPiecesGetRoom) {
  figures::TokenRowsInput input;
  input.characters = {{"é", 0, 2}, {"y", 2, 3}};
  input.rows = {{"bytes",
                 "3 tokens",
                 {{"0xC3", "1", 0, 1, false}, {"0xA9", "2", 1, 2, false}, {"##y", "3", 2, 3, false}},
                 {},
                 "",
                 true,
                 false}};
  const Pitch pitch;
  const auto places = figures::place_characters(input, 10, pitch);
  EXPECT_GE(places.left[1], 2 * pitch.width("0xC3", 12, figures::Font::mono));
  EXPECT_GE(places.left[2] - places.left[1], pitch.width("##y", 12, figures::Font::mono));
}

// Beside "##y" over one letter, a wider letter must not be the only one of its row with an id.
TEST(TokenRows, SingleCharactersShowTheirIdsAllOrNone) {
  figures::TokenRowsInput input;
  input.characters = {{"l", 0, 1}, {"y", 1, 2}};
  input.rows = {{"A", "", {{"l", "271", 0, 1, false}, {"y", "276", 1, 2, false}}, {}, "", true, false},
                {"B", "", {{"l", "7", 0, 1, false}, {"##y", "41", 1, 2, false}}, {}, "", true, false}};
  const Pitch pitch;
  const auto ids = [&](float room) {
    const auto places = figures::place_characters(input, room, pitch);
    const figures::Figure figure = figures::token_body(input, places, {}, 0, 1000, figures::themes().entries().front(), pitch);
    std::set<std::string> found;
    for (const auto& item : figure.items)
      if (const auto* text = std::get_if<figures::Text>(&item); text && std::isdigit(static_cast<unsigned char>(text->text[0])))
        found.insert(text->text);
    return found;
  };
  EXPECT_EQ(ids(44), (std::set<std::string>{"7"}));
  EXPECT_EQ(ids(80), (std::set<std::string>{"271", "276", "7", "41"}));
}

TEST(Wrap, CutsAtSpacesAndLongWordsBetweenCharacters) {
  const Pitch pitch;  // 5 points per byte at size 10
  EXPECT_EQ(figures::wrap("one two three", 40, 10, figures::Font::words, pitch), (std::vector<std::string>{"one two", "three"}));
  for (const std::string& line : figures::wrap("ééééééééé", 32, 10, figures::Font::words, pitch)) {
    EXPECT_LE(pitch.width(line, 10, figures::Font::words), 32);
    EXPECT_EQ(line.size() % 2, 0u) << "no character is cut";
  }
  EXPECT_EQ(figures::wrap("", 10, 10, figures::Font::words, pitch), (std::vector<std::string>{""}));
}

}  // namespace
}  // namespace headlight
