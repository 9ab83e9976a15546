// Figures as files: the document can be read back, text is text, and pixels have the colours of the map.
#include <cairo.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "app/export/cell_colors.h"
#include "app/export/figure_file.h"
#include "app/export/figure_text.h"
#include "app/files/data_file.h"
#include "app/files/embedded.h"
#include "engine/core/base64.h"
#include "engine/core/files.h"
#include "tests/figures/figure_items.h"
#include "tests/figures/samples.h"

namespace headlight::figures {
namespace {

namespace fs = std::filesystem;

// A folder used only by this test.
class FigureFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "headlight-figures-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { fs::remove_all(folder); }
  Figure example() const { return heatmap(samples::attention(samples::many_scripts(), true), 900, 700, dark(), FigureText()); }
  std::string output(const std::string& command) const {
    const fs::path file = folder / "output";
    return std::system((command + " > '" + file.string() + "' 2>/dev/null").c_str()) == 0 ? read_file(file).value() : "failed";
  }
  fs::path folder;
};

std::string awkward_document() {
  return R"({"headlight": 1, "document": {"texts": ["<b> & \"quotes\" ]]> \\ (brackets) 注意力 👩‍👩‍👧‍👦 \u0000 )"
         "\xef\xbf\xbf \xc2\x85"
         R"("]}})";
}

TEST_F(FigureFiles, EveryKindGivesItsDocumentBack) {
  for (const char* name : {"f.png", "f.svg", "f.PDF"}) {
    for (const std::string& document :
         {awkward_document(), std::string("{}"), "{\"long\": \"" + std::string(200000, 'x') + "\"}"}) {
      FileOptions options;
      options.document = document;
      ASSERT_TRUE(save_figure(folder / name, example(), dark(), options).ok());
      EXPECT_TRUE(may_embed_document(folder / name));
      const Result<std::string> back = embedded_document(folder / name);
      ASSERT_TRUE(back.ok()) << name << ": " << back.error().sentence();
      // SVG writes the one character that XML does not allow as its JSON escape.
      std::string expected = document;
      if (const std::size_t at = expected.find("\xef\xbf\xbf"); at != std::string::npos && std::string(name) == "f.svg")
        expected.replace(at, 3, "\\uffff");
      EXPECT_EQ(*back, expected) << name;
    }
    ASSERT_TRUE(save_figure(folder / name, example(), dark(), {}).ok());
    EXPECT_EQ(embedded_document(folder / name).error().kind, ErrorKind::not_found);
  }
  ASSERT_TRUE(write_file(folder / "text", "no picture").ok());
  EXPECT_FALSE(may_embed_document(folder / "text"));
  EXPECT_FALSE(embedded_document(folder / "text").ok());
  EXPECT_FALSE(may_embed_document(folder / "missing"));
}

TEST_F(FigureFiles, CutOffPicturesAreRefused) {
  FileOptions options;
  options.document = awkward_document();
  for (const char* name : {"f.png", "f.svg", "f.pdf"}) {
    ASSERT_TRUE(save_figure(folder / name, example(), dark(), options).ok());
    const std::string whole = read_file(folder / name).value();
    const std::string document = embedded_document(folder / name).value();
    for (std::size_t size = 0; size < whole.size(); size += whole.size() / 97 + 1) {
      // write_file would wait for the disk each time.
      std::ofstream(folder / "cut", std::ios::binary | std::ios::trunc).write(whole.data(), static_cast<std::streamsize>(size));
      const Result<std::string> back = embedded_document(folder / "cut");
      if (back.ok()) {
        EXPECT_EQ(*back, document);  // the cut-off part came after the document
      }
    }
  }
}

TEST_F(FigureFiles, TheSameFigureGivesTheSameBytes) {
  for (const FileKind kind : {FileKind::png, FileKind::svg, FileKind::pdf}) {
    FileOptions options;
    options.document = "{}";
    EXPECT_EQ(encode_figure(example(), kind, dark(), options).value(), encode_figure(example(), kind, dark(), options).value());
  }
}

TEST_F(FigureFiles, SvgIsWellFormedAndItsTextIsText) {
  FileOptions options;
  options.document = awkward_document();
  ASSERT_TRUE(save_figure(folder / "f.svg", example(), dark(), options).ok());
  const std::string svg = read_file(folder / "f.svg").value();
  for (const char* text : {">注意力<", ">الانتباه<", ">ध्यान<", ">👩‍👩‍👧‍👦<", ">&lt;&amp;&gt;&quot;'<",
                           ">query (attends)<", ">1.00<"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
  for (const char c : svg) ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n') << "a control character";
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "no python3 to parse XML with";
  EXPECT_EQ(output("python3 -c 'import sys, xml.etree.ElementTree as t; r = t.parse(sys.argv[1]).getroot(); "
                   "print(sum(e.tag.endswith(\"}text\") for e in r.iter()) > 20, sum(e.tag.endswith(\"}rect\") for e in "
                   "r.iter()) >= 100)' '" +
                   (folder / "f.svg").string() + "'"),
            "True True\n");
}

TEST_F(FigureFiles, PdfTextIsFound) {
  ASSERT_TRUE(save_figure(folder / "f.pdf",
                          heatmap(samples::attention(samples::eight_tokens(), true), 900, 700, dark(), FigureText()), dark(), {})
                  .ok());
  if (std::system("pdftotext -v 2>/dev/null") != 0) GTEST_SKIP() << "pdftotext is not installed";
  const std::string text = output("pdftotext '" + (folder / "f.pdf").string() + "' -");
  for (const char* word : {"fluffy", "creature", "1.00", "key (is attended to)", "random weights, seed 0", "layer 0, head 3"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << " in\n" << text;
  }
}

TEST_F(FigureFiles, ArabicAndHebrewAreFoundInAPdf) {
  const std::vector<std::string> words{"القطة", "جلست", "على", "السجادة", "שלום", "abc"};
  HeatmapInput input = samples::attention(words, false);
  ASSERT_TRUE(save_figure(folder / "f.pdf", heatmap(input, 900, 700, dark(), FigureText()), dark(), {}).ok());
  if (std::system("pdftotext -v 2>/dev/null") != 0) GTEST_SKIP() << "pdftotext is not installed";
  for (const char* mode : {"", "-raw ", "-layout "}) {  // in the order of reading, of the file, and of the page
    const std::string text = output(std::string("pdftotext ") + mode + "'" + (folder / "f.pdf").string() + "' -");
    for (const std::string& word : words) {
      std::size_t count = 0;
      for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
      EXPECT_GE(count, 2u) << mode << word << ", of a row and of a column, in\n" << text;
    }
  }
}

struct Png {
  std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface;
  explicit Png(const fs::path& path) : surface(cairo_image_surface_create_from_png(path.c_str()), cairo_surface_destroy) {}
  int width() const { return cairo_image_surface_get_width(surface.get()); }
  int height() const { return cairo_image_surface_get_height(surface.get()); }
  Color at(int x, int y) const {
    const auto* row =
        reinterpret_cast<const std::uint32_t*>(cairo_image_surface_get_data(surface.get()) +
                                               static_cast<std::ptrdiff_t>(y) * cairo_image_surface_get_stride(surface.get()));
    return rgb(row[x] & 0xffffff);
  }
};

TEST_F(FigureFiles, PixelsHaveTheColoursOfTheMap) {
  for (const int dpi : {72, 96, 200}) {
    for (const char* map : {"viridis", "magma", "cividis"}) {
      HeatmapInput input = samples::attention(samples::eight_tokens(), true);
      input.colormap = map;
      const Figure figure = heatmap(input, 900, 700, dark(), FigureText());
      FileOptions options;
      options.dpi = dpi;
      ASSERT_TRUE(save_figure(folder / "f.png", figure, dark(), options).ok());
      const Png png(folder / "f.png");
      EXPECT_EQ(png.width(), static_cast<int>(std::ceil(static_cast<double>(figure.width) * dpi / 96)));
      EXPECT_EQ(png.height(), static_cast<int>(std::ceil(static_cast<double>(figure.height) * dpi / 96)));
      const Cells* cells = nullptr;
      for (const Item& item : figure.items)
        if (const auto* c = std::get_if<Cells>(&item); c && c->rows == 8) cells = c;
      ASSERT_NE(cells, nullptr);
      for (int r = 0; r < 8; ++r) {
        for (int c = 0; c < 8; ++c) {
          // A fifth into the cell, so that neither its number nor its gap is hit.
          const float scale = static_cast<float>(dpi) / 96;
          const Color seen = png.at(static_cast<int>((cells->box.x + (static_cast<float>(c) + 0.2f) * cells->box.w / 8) * scale),
                                    static_cast<int>((cells->box.y + (static_cast<float>(r) + 0.2f) * cells->box.h / 8) * scale));
          if (c > r) {
            // Hatching: between the two colours of masked cells, far from the colour of zero.
            EXPECT_LE(seen.r, dark().masked_hatch.r + 0.01f);
            EXPECT_GE(seen.g, dark().masked.g - 0.01f);
            continue;
          }
          const Color want = colormaps().find(map)->at(static_cast<float>(input.values.at({r, c})), dark());
          // Half a step of 8 bits, and another for Cairo's own rounding.
          EXPECT_NEAR(seen.r, want.r, 1.01 / 255);
          EXPECT_NEAR(seen.g, want.g, 1.01 / 255);
          EXPECT_NEAR(seen.b, want.b, 1.01 / 255);
        }
      }
      const Color corner = png.at(0, 0);
      EXPECT_NEAR(corner.r, dark().background.r, 1.01 / 255);
    }
  }
}

TEST(CellColors, AReductionIsTheLargestOrTheMeanOfTheVisible) {
  Cells cells;
  cells.rows = 2;
  cells.columns = 4;
  cells.values = Tensor::of<float>({0, 0.5f, 1, 0.25f, 1, 0, 0.25f, 0.25f}, {2, 4});
  cells.mask = Tensor::of<std::uint8_t>({1, 1, 0, 1, 0, 0, 0, 1}, {2, 4});
  const Colormap& map = *colormaps().find("viridis");
  const CellColors largest = colors_of(cells, dark(), 1, 2);
  Color left = map.at(0.5f, dark()), right = map.at(0.25f, dark());
  left.a = right.a = 0.5f;  // the visible share
  EXPECT_EQ(largest.at(0, 0), left);
  EXPECT_EQ(largest.at(0, 1), right);
  cells.reduction = Reduction::mean;
  left = map.at(0.25f, dark());
  left.a = 0.5f;
  EXPECT_EQ(colors_of(cells, dark(), 1, 2).at(0, 0), left);
  EXPECT_EQ(colors_of(cells, dark(), 9, 9).rows, 2);  // never more rows than there are
  EXPECT_EQ(colors_of(cells, dark(), 9, 9).at(1, 0).a, 0);
  cells.colormap = "signed";
  cells.low = -1;
  cells.reduction = Reduction::max;
  cells.mask = {};
  cells.values = Tensor::of<float>({-1, 0.5f, 0, 0, 0, 0, 0, 0}, {2, 4});
  EXPECT_EQ(colors_of(cells, dark(), 1, 2).at(0, 0), dark().signed_low);  // farthest from zero
}

TEST_F(FigureFiles, WrongWishesAreSaid) {
  FileOptions options;
  options.dpi = 50;
  EXPECT_EQ(save_figure(folder / "f.png", example(), dark(), options).error().kind, ErrorKind::usage);
  options.dpi = 1200;
  Figure large = example();
  large.width = large.height = 3000;
  EXPECT_EQ(save_figure(folder / "f.png", large, dark(), options).error().kind, ErrorKind::too_large);
  EXPECT_TRUE(encode_figure(large, FileKind::pdf, dark(), {}).ok());
  const auto jpeg = save_figure(folder / "f.jpg", example(), dark(), {});
  EXPECT_EQ(jpeg.error().kind, ErrorKind::usage);
  EXPECT_NE(jpeg.error().sentence().find("use " + (folder / "f.png").string()), std::string::npos) << jpeg.error().sentence();
  EXPECT_NE(save_figure(folder / "none" / "f.png", example(), dark(), {}).error().sentence().find("does not exist"),
            std::string::npos);
  EXPECT_FALSE(encode_figure({}, FileKind::svg, dark(), {}).ok());
  EXPECT_TRUE(fs::is_empty(folder));  // no partial file is left
}

TEST(FigureText, TextIsMadePrintableAndShortenedByGraphemes) {
  EXPECT_EQ(printable("a\tb\n"), "a␉b␊");
  EXPECT_EQ(printable(std::string_view("\0x", 2)), "␀x");
  EXPECT_EQ(printable("\xff\xe2\x82"), "���");
  EXPECT_EQ(printable("注意力"), "注意力");
  const FigureText text;
  const std::string family =
      "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦";
  const std::string cut = text.fitted(family, 15, Font::mono, text.width(family, 15, Font::mono) * 0.7f);
  ASSERT_LT(cut.size(), family.size());
  EXPECT_EQ((cut.size() - std::string("…").size()) % (family.size() / 4), 0u) << cut;
  EXPECT_EQ(text.fitted("short", 15, Font::mono, 500), "short");
  EXPECT_LE(text.width(text.fitted(std::string(300, 'w'), 15, Font::words, 100), 15, Font::words), 100.5f);
}

TEST_F(FigureFiles, CsvQuotesAndNumbersReadBack) {
  DataTable table;
  table.name = "layer.0.weights";
  table.values = Tensor::of<float>({0.1f, 1, -2.5f, 1e-30f}, {1, 2, 2});
  table.labels = {{"0"}, {"a,b", "say \"hi\""}, {"line\nend", "注意力"}};
  table.axes = {"head", "query", "key"};
  EXPECT_EQ(to_csv(table), "head,query,\"line\nend\",注意力\n0,\"a,b\",0.1,1\n0,\"say \"\"hi\"\"\",-2.5,1e-30\n");
  ASSERT_TRUE(save_data(folder / "x.npz", table, "{}").ok());
  const NamedTensors back = read_npz(folder / "x.npz").value();
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].first, "layer.0.weights");
  ASSERT_TRUE(save_data(folder / "x.NPY", table, "").ok());
  EXPECT_EQ(read_npy(read_file(folder / "x.NPY").value(), "x").value().shape(), (Shape{1, 2, 2}));
  EXPECT_EQ(save_data(folder / "x.xls", table, "").error().kind, ErrorKind::usage);
}

TEST(Base64, IsThatOfTheRfc) {
  // RFC 4648, section 10.
  const std::pair<const char*, const char*> vectors[] = {{"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
                                                         {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, packed] : vectors) {
    EXPECT_EQ(to_base64(plain), packed);
    EXPECT_EQ(from_base64(packed).value(), plain);
  }
  for (const char* bad : {"Zg=", "Z===", "Zg==Zg==", "Zm9*", "=Zm9"}) EXPECT_FALSE(from_base64(bad)) << bad;
}

}  // namespace
}  // namespace headlight::figures
