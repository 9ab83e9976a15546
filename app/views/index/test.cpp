// The Index lab in use: on one screen, on the machine's devices (a GPU's kernels emulated on the CPU), and every picture as a
// file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "app/export/figure_data.h"
#include "app/export/figure_file.h"
#include "app/views/base/context.h"
#include "app/views/base/view.h"
#include "app/views/index/data.h"
#include "engine/backends/backends.h"
#include "engine/backends/cuda/cuda_backend.h"
#include "engine/core/files.h"
#include "gpu/emulation/emulated_module.h"
#include "tests/ui/room.h"

namespace headlight::test {
namespace {

namespace fs = std::filesystem;

// A CPU and a GPU with all three precisions.
LabMachine with_gpu() {
  namespace cuda = backends::cuda;
  LabMachine machine;
  machine.devices = [] {
    return std::vector<backends::Device>{{"reference", "Reference", true, {}},
                                         {"cpu", "CPU, 2 threads", true, {}},
                                         {"cuda", "Emulated GPU 0, 1.1 GB", true, {}},
                                         {"cuda:tf32", "Emulated GPU 0, tf32", true, {}},
                                         {"cuda:bf16", "Emulated GPU 0, bf16", true, {}}};
  };
  machine.open = [](std::string_view id) -> Result<std::shared_ptr<backends::Backend>> {
    if (!id.starts_with("cuda")) return backends::open(id);
    HL_ASSIGN(const cuda::Choice choice, cuda::parse(id));
    return cuda::make_backend(emulation::module(), choice.device, choice.precision);
  };
  return machine;
}

views::lab::State& lab_of(ViewState& view) { return view.own.of<views::lab::State>(); }

// Sizes that even the emulation computes at once.
ViewState small_lab() {
  ViewState view;
  view.tab = "index";
  lab_of(view).words = 3;
  lab_of(view).length = 4;
  lab_of(view).vocab = 6;
  lab_of(view).d = 8;
  return view;
}

// No test reads how long anything took.
constexpr double kBriefly = 0.02;

window::Setup lab_setup(ViewState view, LabMachine machine) {
  window::Setup setup = test::Room::setup_of(small_document(), std::move(view));
  setup.measure_isdpa = true;
  setup.lab_machine = std::move(machine);
  setup.lab_machine.patience = kBriefly;
  return setup;
}

struct LabRoom : test::Room {
  explicit LabRoom(ViewState view, LabMachine machine, float width = 1600, float height = 1000)
      : test::Room(lab_setup(std::move(view), std::move(machine)), width, height) {
    settle();
  }
  views::Context context() { return shell->context(window.as_frame()); }
};

std::vector<std::string> labels_of(const figures::Figure& figure, const std::string& name) {
  for (const figures::Data& data : figure.data)
    if (data.name == name) return data.labels[0];
  return {};
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

TEST(IndexDevices, PrecisionsBelongToTheirDevice) {
  const auto devices = views::lab::devices_among({{"reference", "Reference", true, {}},
                                                  {"cpu", "CPU, 2 threads", true, {}},
                                                  {"cuda", "NVIDIA H200, 141 GB", true, {}},
                                                  {"cuda:tf32", "NVIDIA H200, tf32", true, {}},
                                                  {"cuda:bf16", "", false, Message::name("too old")},
                                                  {"cuda:1", "NVIDIA H200, 141 GB", true, {}}});
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[0].label, "CPU");
  EXPECT_EQ(devices[0].precisions, (std::vector<std::string>{"f32"}));
  EXPECT_EQ(devices[1].label, "NVIDIA H200");
  EXPECT_EQ(devices[1].precisions, (std::vector<std::string>{"f32", "tf32"}));
  EXPECT_EQ(devices[2].id, "cuda:1");
  EXPECT_EQ(devices[2].label, "NVIDIA H200 1");
  const auto none = views::lab::devices_among({{"cpu", "CPU", true, {}}, {"cuda", "CUDA", false, Message::name("no driver")}});
  ASSERT_EQ(none.size(), 2u);
  EXPECT_EQ(none[1].label, "GPU");
  EXPECT_FALSE(none[1].available);
  EXPECT_EQ(none[1].why, "no driver");
  EXPECT_TRUE(none[1].precisions.empty());
}

TEST(IndexDevices, RowsOfBothDevicesStandBesideEachOther) {
  ViewState view = small_lab();
  lab_of(view).devices = {"cpu", "cuda"};
  lab_of(view).precisions = {"f32", "bf16"};
  LabRoom room(view, with_gpu());
  const auto choices = views::lab::choices_of(room.context());
  ASSERT_EQ(choices.size(), 3u);  // the CPU has float32 alone
  EXPECT_EQ(choices[0].backend, "cpu");
  EXPECT_EQ(choices[1].backend, "cuda");
  EXPECT_EQ(choices[2].backend, "cuda:bf16");
  const views::lab::Answer answer = views::lab::answer_of(room.context());
  EXPECT_EQ(answer.error, "");
  EXPECT_FALSE(answer.measuring);
  ASSERT_EQ(answer.parts.size(), 3u);
  for (const views::lab::Measured& part : answer.parts) {
    ASSERT_TRUE(part.rows) << part.choice.backend;
    EXPECT_TRUE(part.rows->all) << part.choice.backend;
    for (const bench::Row& row : part.rows->rows) {
      EXPECT_EQ(row.backend, part.choice.backend);
      EXPECT_EQ(row.launch > 0, part.choice.backend != "cpu");
    }
  }
  const figures::Figure figure = views::lab::times_figure(room.context(), 900, 0);
  const auto bars = labels_of(figure, "seconds");
  for (const char* name : {"ISDPA, CPU f32", "ISDPA, Emulated GPU 0 f32 replayed", "ISDPA, Emulated GPU 0 bf16 replayed",
                           "SDPA as in the notebook, Emulated GPU 0 bf16 replayed"})
    EXPECT_TRUE(has(bars, name)) << name;
  // Every row says how it was computed and how far it is from double. (The emulation's products do not round; the table does.)
  const char* const precisions[] = {"float32", "float32", "bf16"};
  for (std::size_t i = 0; i < answer.parts.size(); ++i)
    for (const bench::Row& row : answer.parts[i].rows->rows) {
      EXPECT_EQ(row.precision, precisions[i]);
      if (row.variant == "layer:index" && row.error) {
        EXPECT_LT(row.error->relative, i == 2 ? 4e-3 : 1e-5);
        if (i == 2) {
          EXPECT_GT(row.error->relative, 1e-5) << "its table is in two bytes a number";
        }
      }
    }
}

// Of many samples only percentiles are kept, so that a frame has little to sort: the figures must stay the same.
TEST(IndexLab, PercentilesOfManySamplesStay) {
  bench::Row many, few;
  for (int i = 0; i < 7001; ++i) many.samples.push_back(static_cast<double>((i * 4999) % 7001) * 1e-6);
  few.samples = {3, 1, 2};
  const views::lab::Rows rows = views::lab::rows_of({many, few});
  EXPECT_EQ(rows.runs, 7001u);
  ASSERT_EQ(rows.rows[0].samples.size(), 101u);
  for (const double share : {0.1, 0.5, 0.9})
    EXPECT_NEAR(bench::percentile(rows.rows[0].samples, share), bench::percentile(many.samples, share), 1e-12);
  EXPECT_EQ(rows.rows[1].samples, few.samples);
}

// Methods that take long at these sizes are not run; the others are measured all the same.
TEST(IndexLab, OnlyShortWaysAreWaitedFor) {
  ViewState view;
  EXPECT_EQ(views::lab::ways_of(lab_of(view)).size(), 7u);
  lab_of(view).heads = 8;
  EXPECT_EQ(views::lab::ways_of(lab_of(view)).size(), 5u) << "folding saves nothing with several heads";
  lab_of(view).heads = 1;
  lab_of(view).d = 1024;  // 100 GFLOP as written
  EXPECT_EQ(views::lab::ways_of(lab_of(view)), (std::vector<std::string>{"folded", "distinct", "distinct-folded"}));
  EXPECT_EQ(views::lab::ways_of(lab_of(view), "cuda:bf16").size(), 7u) << "a GPU does more in the time";
  lab_of(view).words = 1 << 16;
  EXPECT_TRUE(views::lab::ways_of(lab_of(view)).empty());
}

TEST(IndexDevices, AGpusTimeIsShownWithItsLaunchAndTransfers) {
  ViewState view = small_lab();
  lab_of(view).devices = {"cuda"};
  LabRoom room(view, with_gpu());
  const auto parts = labels_of(views::lab::times_figure(room.context(), 900, 0), "parts");
  EXPECT_TRUE(has(parts, "launch"));
  EXPECT_TRUE(has(parts, "transfers"));
}

TEST(IndexDevices, WithoutAGpuTheCpuIsMeasuredWhateverWasChosen) {
  ViewState view = small_lab();
  lab_of(view).devices = {"cuda:3"};  // from another machine's session
  lab_of(view).precisions = {"bf16"};
  LabMachine machine = with_gpu();
  machine.devices = [] {
    return std::vector<backends::Device>{{"cpu", "CPU", true, {}}, {"cuda", "CUDA", false, Message::name("no driver")}};
  };
  LabRoom room(view, machine);
  const auto choices = views::lab::choices_of(room.context());
  ASSERT_EQ(choices.size(), 1u);
  EXPECT_EQ(choices[0].backend, "cpu");
  EXPECT_EQ(choices[0].precision, "f32");
  EXPECT_TRUE(views::lab::answer_of(room.context()).any());
}

TEST(IndexDevices, AClickTakesADeviceInAndTheLastOneStays) {
  LabRoom room(small_lab(), with_gpu());
  const auto click = [&](float share) { room.click_part("index:devices", share); };
  EXPECT_EQ(views::lab::choices_of(room.context()).size(), 1u);
  click(0.5f);  // the last button of that part is the GPU's
  EXPECT_EQ(views::lab::choices_of(room.context()).size(), 2u);
  click(0.5f);
  ASSERT_EQ(views::lab::choices_of(room.context()).size(), 1u);
  EXPECT_EQ(views::lab::choices_of(room.context())[0].backend, "cpu");
}

// The lab with the fonts it was designed with: they determine how much fits.
struct FontRoom {
  FontRoom(ViewState view, float width, float height)
      : window(width, height, 1, true), shell(lab_setup(std::move(view), LabMachine{})) {
    for (int i = 0; i < 6; ++i) {
      shell.worker().wait();
      shell.lane().wait();
      window.frame(shell);
    }
  }
  bool has(const std::string& part) const { return shell.parts.places.contains(part); }
  views::Parts::Place part(const std::string& name) const {
    EXPECT_TRUE(has(name)) << name;
    return has(name) ? shell.parts.places.at(name) : views::Parts::Place{};
  }
  NullWindow window;
  window::Shell shell;
};

// The whole lab fits on one screen of the design's size. In a small window the word is a page of its own, and times and map are
// complete.
TEST(IndexLab, IsSeenAtOnce) {
  constexpr float kStatus = 32;
  for (const auto& [width, height, whole] : {std::tuple{1600.0f, 1000.0f, true}, std::tuple{1280.0f, 720.0f, false}}) {
    const FontRoom room(small_lab(), width, height);
    if (!room.window.has_design_fonts()) GTEST_SKIP() << "the fonts of the design are not here";
    for (const char* part : {"index:times", "index:map", "index:sizes", "index:switches", "index:measure", "index:sentence"}) {
      const auto at = room.part(part);
      EXPECT_LE(at.y1, height - kStatus) << part;
      EXPECT_LE(at.x1, width) << part;
    }
    EXPECT_LT(room.part("index:times").x1, room.part("index:map").x0) << "side by side";
    EXPECT_EQ(room.has("index:terms"), whole);
    if (whole) {
      EXPECT_LE(room.part("index:terms").y1, room.part("index:times").y0);
    }
  }
  ViewState view = small_lab();
  lab_of(view).page = "word";
  const FontRoom room(view, 1280, 720);
  EXPECT_LE(room.part("index:terms").y1, 720 - kStatus);
  EXPECT_FALSE(room.has("index:times"));
}

// When the map is shown, it measures some points without being asked and says how far the cost model is from them; then it
// measures nothing more.
TEST(IndexLab, TheMapMeasuresItsFirstPointsByItself) {
  ViewState view = small_lab();
  lab_of(view).heads = 2;
  LabRoom room(view, LabMachine{});
  for (int i = 0; i < 4; ++i) room.settle();
  const views::Context context = room.context();
  const std::vector<views::lab::SweepPoint> points = views::lab::sweep_of(context)->results();
  ASSERT_GE(points.size(), 3u);
  EXPECT_LE(points.size(), 8u);
  for (const views::lab::SweepPoint& point : points) {
    EXPECT_EQ(point.heads, 2);
    EXPECT_EQ(point.length, 4);
    EXPECT_EQ(point.d, 8);
  }
  const auto measured = [&] {
    const figures::Figure figure = views::lab::map_figure(context, 760, 720);
    std::int64_t count = 0;
    for (const figures::Data& data : figure.data)
      for (std::int64_t i = 0; data.name == "measured" && i < data.values.count(); ++i)
        count += std::isnan(data.values.data<double>()[i]) ? 0 : 1;
    return count;
  };
  EXPECT_EQ(measured(), static_cast<std::int64_t>(points.size()));
  std::string words;
  for (const figures::Item& item : views::lab::map_figure(context, 760, 720).items)
    if (const auto* text = std::get_if<figures::Text>(&item)) words += text->text + " ";
  EXPECT_NE(words.find("off by a factor of"), std::string::npos) << words;
  const std::uint64_t version = views::lab::sweep_of(context)->version();
  room.settle();
  EXPECT_EQ(views::lab::sweep_of(context)->version(), version) << "it goes on";
  // Nothing is measured yet for one head: its map does not show these points.
  lab_of(room.shell->view()).heads = 1;
  EXPECT_EQ(measured(), 0);
}

// The switch shows other rows of the benchmark, and the counted operations change with it.
TEST(IndexLab, EveryQuerysOutputCanBeKept) {
  ViewState view = small_lab();
  lab_of(view).every_query = true;
  LabRoom room(view, LabMachine{});
  const views::lab::Answer answer = views::lab::answer_of(room.context());
  ASSERT_EQ(answer.parts.size(), 1u);
  ASSERT_TRUE(answer.parts[0].rows);
  for (const bench::Row& row : answer.parts[0].rows->rows) EXPECT_TRUE(row.variant.ends_with("-unpooled")) << row.variant;
  const views::lab::Times times = views::lab::times_of(lab_of(room.shell->view()), *answer.parts[0].rows);
  EXPECT_GT(times.index, 0);
  EXPECT_GT(times.fastest, 0);
  EXPECT_EQ(times.notebook, 0);
  const auto bars = labels_of(views::lab::times_figure(room.context(), 900, 0), "seconds");
  EXPECT_TRUE(has(bars, "ISDPA, f32"));
  EXPECT_TRUE(has(bars, "SDPA fused, f32"));
  ViewState small_view = small_lab();
  const views::lab::State& small = lab_of(small_view);
  EXPECT_GT(bench::index_flops(views::lab::counted_sizes(lab_of(room.shell->view())), false),
            bench::index_flops(views::lab::counted_sizes(small), false));
}

// The switch, the word's four terms, the bars and the map's points follow it, and it is saved.
TEST(IndexLab, PositionsMayHaveWeightsOfTheirOwn) {
  ViewState view = small_lab();
  const auto terms = [](LabRoom& of) {
    std::map<std::string, Tensor> out;
    for (const figures::Data& data : views::lab::word_figure(of.context(), 1100, 320).data) out[data.name] = data.values;
    return out;
  };
  std::map<std::string, Tensor> before;
  {  // a window at a time
    LabRoom shared(view, LabMachine{});
    before = terms(shared);
  }
  const std::string key_before = views::lab::key_of(lab_of(view));
  lab_of(view).own_positions = true;
  LabRoom room(view, LabMachine{});
  const views::lab::Answer answer = views::lab::answer_of(room.context());
  ASSERT_EQ(answer.parts.size(), 1u);
  ASSERT_TRUE(answer.parts[0].rows);
  std::set<std::string> variants;
  for (const bench::Row& row : answer.parts[0].rows->rows) {
    variants.insert(row.variant);
    EXPECT_NE(std::find(row.sizes.begin(), row.sizes.end(), std::pair<std::string, std::int64_t>("position_weights", 1)),
              row.sizes.end());
  }
  EXPECT_EQ(variants,
            (std::set<std::string>{"layer:index", "layer:index-scores", "layer:notebook", "layer:fused", "layer:pooled"}));
  EXPECT_TRUE(views::lab::request_of(room.context(), answer.parts[0].choice).position_weights);
  EXPECT_NE(views::lab::key_of(lab_of(room.shell->view())), key_before);
  std::string note;
  for (const figures::Item& item : views::lab::times_figure(room.context(), 900, 0).items)
    if (const auto* text = std::get_if<figures::Text>(&item)) note += text->text + " ";
  EXPECT_NE(note.find("positions by W_P"), std::string::npos) << note;
  // The terms of the symbols alone stay as they are; those with positions are others.
  const auto now = terms(room);
  ASSERT_EQ(before.size(), now.size());
  double same = 0, other = 0;
  for (const auto& [name, values] : now) {
    const double apart = difference(values, before.at(name)).max_abs;
    (name == "mm" ? same : other) = std::max(name == "mm" ? same : other, apart);
  }
  EXPECT_EQ(same, 0);
  EXPECT_GT(other, 0.01);
  const Result<ViewState> again = view_state_from_json(to_json(room.shell->view()), "here");
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->own.of<views::lab::State>().own_positions);
}

// Map, errors and table belong to the device chosen for them; if it is no longer measured, to the first one.
TEST(IndexDevices, OneOfThemIsShownBesideTheBars) {
  // It is about devices that are listed; none of them opens, so that nothing is measured.
  LabMachine machine = with_gpu();
  machine.open = [](std::string_view id) -> Result<std::shared_ptr<backends::Backend>> {
    return failure(ErrorKind::unavailable, "busy").at(id);
  };
  {
    LabRoom alone(small_lab(), machine);
    EXPECT_FALSE(alone.has("index:shown"));
  }
  ViewState view = small_lab();
  lab_of(view).devices = {"cpu", "cuda"};
  LabRoom room(view, machine);
  EXPECT_TRUE(room.has("index:shown"));
  EXPECT_EQ(views::lab::shown_choice(room.context()).backend, "cpu");
  room.click_part("index:shown", 0.9f);
  EXPECT_EQ(views::lab::shown_choice(room.context()).backend, "cuda");
  lab_of(room.shell->view()).devices = {"cpu"};
  EXPECT_EQ(views::lab::shown_choice(room.context()).backend, "cpu");
}

TEST(IndexLab, EveryPageIsDrawnAloneWhenPresented) {
  ViewState view = small_lab();
  view.presentation = true;
  const std::pair<const char*, const char*> pages[] = {{"word", "index:terms"},    {"times", "index:times"},
                                                       {"map", "index:map"},       {"table", "index:table"},
                                                       {"errors", "index:errors"}, {"notebook", "index:pages"}};
  for (const auto& [page, part] : pages) {
    lab_of(view).page = page;
    LabRoom room(view, LabMachine{}, 1280, 720);
    EXPECT_TRUE(room.has(part)) << page;
    for (const auto& [other, others] : pages) {
      if (std::string_view(others) == part || std::string_view(others) == "index:pages") continue;
      EXPECT_FALSE(room.has(others)) << page << ' ' << other;
    }
  }
}

// What is shown anyway is no page that one turns to; the strip and F7 leave it out, too.
TEST(IndexLab, PagesAreWhatIsNotShownAnyway) {
  const auto values = [](LabRoom& room) {
    const views::View& lab = *views::registry().find("index");
    std::vector<std::string> all;
    for (const std::size_t i : lab.pages_now(room.context())) all.emplace_back(lab.value_of(lab.pages[i]));
    return all;
  };
  ViewState view = small_lab();
  {
    LabRoom whole(view, LabMachine{});
    EXPECT_EQ(values(whole), (std::vector<std::string>{"map", "table", "errors", "notebook"}));
  }
  {
    LabRoom low(view, LabMachine{}, 1280, 720);
    EXPECT_EQ(values(low), (std::vector<std::string>{"word", "map", "table", "errors", "notebook"}));
  }
  view.presentation = true;
  LabRoom alone(view, LabMachine{});
  EXPECT_EQ(values(alone), (std::vector<std::string>{"times", "word", "map", "table", "errors", "notebook"}));
}

TEST(IndexLab, ButtonsHalveAndDoubleASize) {
  LabRoom room(small_lab(), LabMachine{});
  room.click_part("index:size words", 0.95f);
  EXPECT_EQ(lab_of(room.shell->view()).words, 6);
  room.settle();
  const auto field = room.part("index:size words");
  room.click(field.x1 - 100, (field.y0 + field.y1) / 2);  // 24 and 52 points and two gaps from the right end
  EXPECT_EQ(lab_of(room.shell->view()).words, 3);
}

TEST(IndexLab, SaysFirstWhatItCompares) {
  for (const auto& [width, height] : {std::pair{1600.0f, 1000.0f}, {1280.0f, 720.0f}}) {
    ViewState view;
    view.tab = "index";
    Room room(small_document("words"), view, width, height);
    room.settle();
    ASSERT_TRUE(room.has("index:compared")) << width;
    const auto said = room.part("index:compared");
    for (const auto& [name, place] : room.shell->parts.places)
      if (name.starts_with("index:") && name != "index:compared" && name != "index:pages") {
        EXPECT_LE(said.y1, place.y0 + 1) << name;
      }
  }
}

// Every picture as PNG, SVG and PDF, and its numbers as CSV.
TEST(IndexLab, EveryPictureIsAFile) {
  LabRoom room(small_lab(), LabMachine{});
  const views::Context context = room.context();
  room.settle();
  struct Shown {
    const char* name;
    figures::Figure figure;
    std::vector<std::string> arrays;
  };
  (void)views::lab::errors_figure(context, 700, 400);  // requested here, ready later
  (void)views::lab::notebook_figure(context, 700, 0);
  room.settle();
  const std::vector<Shown> all{
      {"terms", views::lab::word_figure(context, 1100, 320), {"mm", "mp", "pm", "pp", "QK", "weights", "pooled"}},
      {"times", views::lab::times_figure(context, 860, 0), {"seconds", "error", "parts"}},
      {"map", views::lab::map_figure(context, 760, 720), {"model", "measured"}},
      {"table", views::lab::table_figure(context, 800, 760), {"table"}},
      {"errors", views::lab::errors_figure(context, 720, 420), {"counts"}},
      {"notebook", views::lab::notebook_figure(context, 720, 0), {"notebook"}},
  };
  std::string pattern = testing::TempDir() + "headlight-lab-XXXXXX";
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const fs::path folder = pattern;
  for (const Shown& shown : all) {
    SCOPED_TRACE(shown.name);
    ASSERT_FALSE(shown.figure.items.empty());
    for (const auto& [ending, begins] : {std::pair{".png", "\x89PNG"}, std::pair{".svg", "<"}, std::pair{".pdf", "%PDF"}}) {
      const fs::path path = folder / (std::string(shown.name) + ending);
      const Status saved = figures::save_figure(path, shown.figure, context.theme, {});
      ASSERT_TRUE(saved.ok()) << saved.error().sentence();
      const auto bytes = read_file(path);
      ASSERT_TRUE(bytes.ok());
      EXPECT_TRUE(bytes->starts_with(begins));
      EXPECT_GT(bytes->size(), 1000u);
    }
    const auto tables = figures::tables_of(shown.figure);
    ASSERT_FALSE(tables.empty());
    for (std::size_t i = 0; i < tables.size(); ++i) {
      EXPECT_EQ(tables[i].name, shown.arrays.at(i));
      const fs::path path = folder / (std::string(shown.name) + std::to_string(i) + ".csv");
      const Status saved = figures::save_tables(path, tables, i, {});
      ASSERT_TRUE(saved.ok()) << saved.error().sentence();
      const auto text = read_file(path);
      ASSERT_TRUE(text.ok());
      // A header, and one row per index of all axes but the last.
      std::int64_t rows = 1;
      for (int axis = 0; axis + 1 < tables[i].values.rank(); ++axis) rows *= tables[i].values.dim(axis);
      EXPECT_EQ(std::count(text->begin(), text->end(), '\n'), rows + 1);
    }
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace headlight::test
