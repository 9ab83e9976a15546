// A monkey test: tens of thousands of random events with a fixed seed; the window must neither crash nor grow.
// HEADLIGHT_MONKEY_EVENTS sets the number of events; builds with sanitizers use fewer. Where every event is rendered, in
// software, a quarter of them is enough for ./test; the Wide tests, of ./test --all, render them all.
#include <glad/gl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "app/views/base/view.h"
#include "app/window/screen/graphics.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using window::Shell;

constexpr std::uint64_t kSeed = 20261121;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kEvents = 2000;
#else
constexpr int kEvents = 20000;
#endif

int events_wanted(int otherwise) {
  const char* text = std::getenv("HEADLIGHT_MONKEY_EVENTS");
  const int events = text ? std::atoi(text) : 0;
  return events > 0 ? events : otherwise;
}

// A temporary folder for everything the monkey saves, so that nothing of the user's is touched.
class Cage {
 public:
  Cage() : path_(fs::temp_directory_path() / ("headlight-monkey-" + std::to_string(::getpid()))), before_(fs::current_path()) {
    fs::create_directories(path_);
    fs::current_path(path_);
    ::setenv("HEADLIGHT_CONFIG_DIR", path_.c_str(), 1);
    ::setenv("HOME", path_.c_str(), 1);
    ::setenv("PIP_NO_INDEX", "1", 1);  // a click on "Get" fetches nothing
  }
  ~Cage() {
    fs::current_path(before_);
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

 private:
  fs::path path_, before_;
};

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Two heads in two layers, so that pictures are computed quickly.
window::Setup setup() {
  Document document = test::small_document();
  document.heads = 2;
  return test::Room::setup_of(std::move(document), {});
}

class Monkey {
 public:
  explicit Monkey(float width, float height, float widest = 2600, float highest = 1600)
      : width_(width), height_(height), widest_(widest), highest_(highest) {}

  // Adds one event to ImGui's queue. Returns its description, to help find what went wrong.
  std::string act(Shell& shell) {
    ImGuiIO& io = ImGui::GetIO();
    const int kind = pick(100);
    if (kind < 38) {
      x_ = real(width_);
      y_ = real(height_);
      io.AddMousePosEvent(x_, y_);
      return "move";
    }
    if (kind < 60) {
      const int button = pick(8) == 0 ? 1 : 0;
      down_[button] = !down_[button];
      io.AddMouseButtonEvent(button, down_[button]);
      return "button";
    }
    if (kind < 66) {
      io.AddMouseWheelEvent(0, static_cast<float>(pick(9) - 4));
      return "wheel";
    }
    if (kind < 76) {
      static constexpr const char* kTexts[] = {"a",
                                               "the ",
                                               " forest",
                                               "Wort",
                                               "我爱",
                                               "注意力",
                                               "\xF0\x9F\x90\x95",
                                               "é",
                                               "1",
                                               "12",
                                               ",",
                                               "-",
                                               " ",
                                               "\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7",
                                               "مرحبا"};
      io.AddInputCharactersUTF8(kTexts[pick(std::size(kTexts))]);
      return "text";
    }
    if (kind < 96) {
      static constexpr ImGuiKey kKeys[] = {
          ImGuiKey_Tab,      ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow, ImGuiKey_PageUp,
          ImGuiKey_PageDown, ImGuiKey_Home,      ImGuiKey_End,        ImGuiKey_Delete,  ImGuiKey_Backspace, ImGuiKey_Space,
          ImGuiKey_Enter,    ImGuiKey_Escape,    ImGuiKey_Escape,     ImGuiKey_A,       ImGuiKey_C,         ImGuiKey_D,
          ImGuiKey_E,        ImGuiKey_I,         ImGuiKey_L,          ImGuiKey_M,       ImGuiKey_O,         ImGuiKey_P,
          ImGuiKey_Q,        ImGuiKey_S,         ImGuiKey_T,          ImGuiKey_V,       ImGuiKey_X,         ImGuiKey_Y,
          ImGuiKey_Z,        ImGuiKey_0,         ImGuiKey_1,          ImGuiKey_2,       ImGuiKey_Equal,     ImGuiKey_Minus,
          ImGuiKey_F1,       ImGuiKey_F5,        ImGuiKey_F6,         ImGuiKey_F11};
      const ImGuiKey key = kKeys[pick(std::size(kKeys))];
      const int mods = pick(10);
      io.AddKeyEvent(ImGuiMod_Ctrl, mods < 4);
      io.AddKeyEvent(ImGuiMod_Shift, mods % 3 == 0);
      io.AddKeyEvent(ImGuiMod_Alt, mods == 9);
      io.AddKeyEvent(key, true);
      io.AddKeyEvent(key, false);
      io.AddKeyEvent(ImGuiMod_Ctrl, false);
      io.AddKeyEvent(ImGuiMod_Shift, false);
      io.AddKeyEvent(ImGuiMod_Alt, false);
      return std::string("key ") + ImGui::GetKeyName(key) + " with " + std::to_string(mods);
    }
    if (kind < 97) {
      const auto& tabs = views::registry().entries();
      shell.view().tab = tabs[pick(tabs.size())].id;
      return "tab " + shell.view().tab;
    }
    if (kind < 98) {
      static constexpr float kScales[] = {0.75f, 1, 1, 1.25f, 1.5f, 2, 3};
      scale_ = kScales[pick(std::size(kScales))];
      return "scale";
    }
    width_ = 400 + real(widest_ - 400);
    height_ = 300 + real(highest_ - 300);
    return "resize";
  }

  // Prevents or ends what the monkey must not do: quit, write elsewhere, ask for a model of a gigabyte.
  void tame(Shell& shell) {
    shell.wants_quit = false;
    if (shell.files.open() || shell.exports.open()) {
      ImGui::GetIO().AddKeyEvent(ImGuiKey_Escape, true);
      ImGui::GetIO().AddKeyEvent(ImGuiKey_Escape, false);
    }
    const Document& d = shell.document();
    std::size_t letters = 0;
    for (const auto& text : d.texts) letters += text.size();
    for (const auto& text : d.targets) letters += text.size();
    if (letters > 160 || d.d_model > 96 || d.layers > 6 || d.heads > 8 || d.d_ff > 512) {
      Document next = setup().session.document;
      next.texts = {"man bites dog"};
      shell.edit(std::move(next));
    }
  }

  int pick(std::size_t n) { return static_cast<int>(random_() % n); }
  float real(float most) { return static_cast<float>(random_() % 10000) / 10000.0f * most; }
  float width() const { return width_; }
  float height() const { return height_; }
  float scale() const { return scale_; }

 private:
  std::mt19937_64 random_{kSeed};
  float width_, height_, widest_, highest_, x_ = 0, y_ = 0, scale_ = 1;
  bool down_[2] = {false, false};
};

void check(Shell& shell, const std::string& doing) {
  if (const auto& error = shell.published().error) {
    ASSERT_NE(error->kind, ErrorKind::internal) << doing << ": " << error->sentence();
  }
  const Derived::Statistics derived = shell.derived().statistics();
  ASSERT_LE(derived.values, 4096u + 64u) << doing;
  ASSERT_LE(derived.bytes, Derived::kBudget + (std::uint64_t{64} << 20)) << doing;
}

TEST(Monkey, TheWindowStandsTensOfThousandsOfRandomEvents) {
  const Cage cage;
  const int events = events_wanted(kEvents);
  test::NullWindow null(1600, 1000);
  Shell shell(setup());
  Monkey monkey(1600, 1000);
  std::size_t early = 0;
  int done = 0;
  while (done < events) {
    std::string doing;
    for (int i = monkey.pick(3); i >= 0 && done < events; --i, ++done) doing += monkey.act(shell) + "; ";
    null.resize(monkey.width(), monkey.height(), monkey.scale());
    null.frame(shell);
    monkey.tame(shell);
    ASSERT_EQ(null.errors(), 0) << "event " << done << ": " << doing;
    if (done % 64 < 3) {
      ASSERT_NO_FATAL_FAILURE(check(shell, "event " + std::to_string(done) + ": " + doing));
    }
    if (!early && done > events / 3) early = resident_bytes();
  }
  // The sentence still accepts letters, and a picture appears.
  Document document = setup().session.document;
  shell.edit(document);
  for (int i = 0; i < 8; ++i) null.key(shell, ImGuiKey_Escape);
  shell.worker().wait();
  null.frames(shell, 3);
  EXPECT_TRUE(shell.published().trace);
  EXPECT_FALSE(shell.published().error);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Derived values may fill their budget in the last two thirds; nothing else may grow.
  const std::size_t grown = resident_bytes() > early ? resident_bytes() - early : 0;
  EXPECT_LE(grown, Derived::kBudget + (std::size_t{96} << 20)) << "memory grew from " << early << " by " << grown;
  RecordProperty("grown_bytes", std::to_string(grown));
  std::printf("%d events, resident %zu MB, %zu MB more than after a third of them\n", done, resident_bytes() >> 20, grown >> 20);
#endif
}

void render_without_errors(int events) {
  const Cage cage;
  auto made = window::Graphics::make({64, 64, false, false, false});
  if (!made.ok()) GTEST_SKIP() << made.error().sentence();
  window::Graphics& graphics = **made;
  Shell shell(setup());
  // Several events come between two pictures, as from a mouse and fast typing; the pictures are small because they are rendered
  // in software.
  Monkey monkey(640, 400, 900, 600);
  std::int64_t most_textures = 0;
  for (int done = 0; done < events;) {
    std::string doing;
    for (int i = monkey.pick(12); i >= 0 && done < events; --i, ++done) doing += monkey.act(shell) + "; ";
    const auto pixels = graphics.picture(shell, static_cast<int>(monkey.width()), static_cast<int>(monkey.height()),
                                         shell.wanted_scale(monkey.scale()));
    ASSERT_TRUE(pixels.ok()) << doing << pixels.error().sentence();
    ASSERT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)) << "event " << done << ": " << doing;
    monkey.tame(shell);
    const gl::FigureView::Statistics s = graphics.figures().statistics();
    most_textures = std::max(most_textures, s.textures);
    ASSERT_LE(s.bytes, std::uint64_t{300} << 20) << doing;
  }
  EXPECT_GT(most_textures, 0);
  // Pictures that are no longer drawn are released: after some hundred quiet frames only the shown tab's pictures remain. No
  // event of the monkey is still waiting, and no key is held down.
  ImGui::GetIO().ClearEventsQueue();
  ImGui::GetIO().ClearInputKeys();
  ImGui::GetIO().ClearInputMouse();
  shell.edit(setup().session.document);
  shell.pin(false);
  shell.view() = ViewState();
  for (int i = 0; i < 8; ++i) {
    ImGui::GetIO().AddKeyEvent(ImGuiKey_Escape, true);
    ImGui::GetIO().AddKeyEvent(ImGuiKey_Escape, false);
    (void)graphics.picture(shell, 640, 400, 1);
  }
  shell.worker().wait();
  // What is released is counted in frames, whatever their size.
  for (int i = 0; i < 690; ++i) ASSERT_TRUE(graphics.picture(shell, 160, 100, 1).ok());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(graphics.picture(shell, 640, 400, 1).ok());
  const std::int64_t quiet = graphics.figures().statistics().textures;
  EXPECT_LE(quiet, 16) << "four heads and one large one, and a little more";
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(graphics.picture(shell, 1280, 720, 1).ok());
  EXPECT_GT(graphics.figures().statistics().textures, 0) << "and what is shown is there";
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
  std::printf("%d events, at most %lld textures, %lld at rest\n", events, static_cast<long long>(most_textures),
              static_cast<long long>(quiet));
}

TEST(Monkey, OpenGlHasNoErrorAndNoTextureIsLeftBehind) { render_without_errors(events_wanted(kEvents / 4)); }
TEST(WideMonkey, OpenGlHasNoErrorAndNoTextureIsLeftBehind) { render_without_errors(events_wanted(kEvents)); }

// A frame paints only what differs from the one before. Whatever the monkey does, the result equals the completely painted
// picture.
void render_both_ways(int events) {
  const Cage cage;
  auto made = window::Graphics::make({64, 64, false, false, false});
  if (!made.ok()) GTEST_SKIP() << made.error().sentence();
  window::Graphics& graphics = **made;
  Shell shell(setup());
  Monkey monkey(1280, 720);
  std::int64_t painted = 0, all = 0;
  for (int done = 0; done < events;) {
    std::string doing;
    for (int i = monkey.pick(3); i >= 0 && done < events; --i, ++done) doing += monkey.act(shell) + "; ";
    for (int frame = 0; frame < 2; ++frame) {  // the effect of a press may show only in the next frame
      const int width = static_cast<int>(monkey.width()), height = static_cast<int>(monkey.height());
      const auto both = graphics.both_ways(shell, width, height, shell.wanted_scale(monkey.scale()));
      ASSERT_TRUE(both.ok()) << doing << both.error().sentence();
      const auto differs = std::mismatch(both->kept.begin(), both->kept.end(), both->anew.begin(), both->anew.end());
      const std::int64_t at = (differs.first - both->kept.begin()) / 4;
      ASSERT_TRUE(differs.first == both->kept.end()) << "event " << done << ": " << doing << "pixel " << at % width << ", "
                                                     << at / width << " of " << width << " x " << height;
      for (const gl::Area& area : graphics.painted_areas()) painted += area.pixels();
      all += static_cast<std::int64_t>(width) * height;
    }
    monkey.tame(shell);
  }
  EXPECT_LT(painted, all / 2) << "and that is much less";
  EXPECT_GT(painted, all / 100);
  std::printf("%.1f %% of the pixels were painted\n", 100.0 * static_cast<double>(painted) / static_cast<double>(all));
}

TEST(Monkey, OnlyTheChangedPartsArePaintedAndNobodySees) { render_both_ways(events_wanted(kEvents / 4) / 60); }
TEST(WideMonkey, OnlyTheChangedPartsArePaintedAndNobodySees) { render_both_ways(events_wanted(kEvents) / 60); }

}  // namespace
}  // namespace headlight
