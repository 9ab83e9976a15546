// The report: its text is text and describes the session, nothing extends beyond a page, and it can be opened again.
#include "app/export/report.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "app/export/figure_text.h"
#include "app/export/pager.h"
#include "app/figures/base/axis_labels.h"
#include "app/files/embedded.h"
#include "engine/core/files.h"
#include "tests/support/trace_of.h"

namespace headlight::figures {
namespace {

using tests::trace_of;

namespace fs = std::filesystem;

Session session_of(std::vector<std::string> texts, std::vector<std::string> targets = {}) {
  Session session;
  session.document.texts = std::move(texts);
  session.document.targets = std::move(targets);
  session.document.masks = masks::parse_list("causal,padding,window:3").value();
  session.document.layers = 2;
  session.document.heads = 3;
  session.document.d_model = 24;
  session.document.seed = 41;
  session.view.chosen_heads = {{1, 2}, {0, 1}};
  return session;
}

// Everything is between the margins, whatever the sentence is.
void expect_inside_report(const std::vector<Figure>& pages, const TextMeasure& measure) {
  for (std::size_t p = 0; p < pages.size(); ++p)
    for (const Item& item : pages[p].items) {
      if (const auto* text = std::get_if<Text>(&item); text && text->rotation == 0) {
        float width = measure.width(text->text, text->size, text->font);
        if (text->max_width > 0) width = std::min(width, text->max_width);
        const float left = text->at.x - (text->horizontal == Align::start    ? 0
                                         : text->horizontal == Align::middle ? width / 2
                                                                             : width);
        EXPECT_GE(left, Pager::kMargin - 2) << text->text << " on page " << p + 1;
        EXPECT_LE(left + width, Pager::kWidth - Pager::kMargin + 2) << text->text << " on page " << p + 1;
        const bool label = text->tag.kind == Tag::row || text->tag.kind == Tag::column;  // these get smaller in files
        EXPECT_GE(text->size, label ? kLeastInFiles : 12) << text->text;
        EXPECT_LE(text->at.y, Pager::kHeight - 16) << text->text << " on page " << p + 1;
      }
      if (const auto* cells = std::get_if<Cells>(&item)) {
        EXPECT_LE(cells->box.x + cells->box.w, Pager::kWidth - Pager::kMargin + 2);
        EXPECT_LE(cells->box.y + cells->box.h, Pager::kHeight - Pager::kMargin);
      }
    }
}

TEST(Report, NothingRunsOffAPage) {
  std::string many;
  for (int i = 0; i < 60; ++i) many += "word" + std::to_string(i) + " ";
  const FigureText measure;
  for (const auto& texts : std::vector<std::vector<std::string>>{
           {"a b"}, {many}, {"注意力机制 👩‍👩‍👧‍👦 is all"}, {"man bites dog", "dog bites man today"}}) {
    const Session session = session_of(texts);
    const auto trace = trace_of(session.document);
    const auto pages = report_pages(*trace, session, measure, {});
    ASSERT_TRUE(pages.ok()) << pages.error().sentence();
    EXPECT_GE(pages->size(), 3u);
    expect_inside_report(*pages, measure);
  }
}

TEST(Report, ItsTextSaysWhatTheSessionIs) {
  std::string pattern = testing::TempDir() + "headlight-report-XXXXXX";
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const fs::path folder = pattern;
  const Session session = session_of({"man bites dog"}, {"hund beisst mann"});
  const auto trace = trace_of(session.document);
  ReportOptions options;
  options.version = "9.8.7";
  std::vector<double> shares;
  options.progress = [&](double share) { shares.push_back(share); };
  ASSERT_TRUE(save_report(folder / "r.pdf", *trace, session, options).ok());
  EXPECT_EQ(shares.back(), 1);
  EXPECT_TRUE(may_embed_document(folder / "r.pdf"));
  EXPECT_EQ(session_from_json(embedded_document(folder / "r.pdf").value(), "r.pdf").value(), session);
  if (std::system("pdftotext -v 2>/dev/null") == 0) {
    ASSERT_EQ(std::system(("pdftotext '" + (folder / "r.pdf").string() + "' '" + (folder / "t").string() + "'").c_str()), 0);
    const std::string text = read_file(folder / "t").value();
    for (const char* words :
         {"man bites dog", "hund beisst mann", "random weights, seed 41", "9.8.7", "headlight open \"r.pdf\"", "d_model",
          "Settings", "WordPiece", "Masks", "layer 1, head 2", "layer 0, head 1", "row entropy", "page 1 of"})
      EXPECT_NE(text.find(words), std::string::npos) << words << " in\n" << text;
    // The strongest weight with its real number.
    EXPECT_NE(text.find("One weight written out"), std::string::npos);
  }
  if (std::system("pdffonts -v 2>/dev/null") == 0) {
    ASSERT_EQ(std::system(("pdffonts '" + (folder / "r.pdf").string() + "' > '" + (folder / "f").string() + "'").c_str()), 0);
    const std::string fonts = read_file(folder / "f").value();
    EXPECT_EQ(fonts.find(" no "), std::string::npos) << "every font is embedded, as a subset, with its characters:\n" << fonts;
  }
  fs::remove_all(folder);
}

TEST(Report, AStoppedOneLeavesNothing) {
  const Session session = session_of({"man bites dog"});
  const auto trace = trace_of(session.document);
  CancelSource stop;
  stop.cancel();
  const fs::path path = fs::path(testing::TempDir()) / "never-written.pdf";
  fs::remove(path);
  EXPECT_EQ(save_report(path, *trace, session, {"", stop.token(), {}}).error().kind, ErrorKind::cancelled);
  EXPECT_FALSE(fs::exists(path));
}

TEST(Pager, AFigureHigherThanAPageIsCutBetweenItsLines) {
  const FigureText measure;
  const Theme& theme = *themes().find("light");
  Pager pager(theme, measure);
  Figure tall;
  tall.width = 300;
  const Composer pen{tall, theme, measure};
  for (int i = 0; i < 200; ++i)
    pen.text(0, 10 + 20.0f * static_cast<float>(i), "line " + std::to_string(i), 14, Font::words, theme.text);
  tall.height = 4000;
  pager.figure(tall);
  const std::vector<Figure> pages = pager.finish("a long one");
  EXPECT_EQ(pages.size(), 5u);  // 4000 points in pages of 982.5: each holds 49 lines of 20 whole
  std::size_t lines = 0;
  for (const Figure& page : pages)
    for (const Item& item : page.items)
      if (const auto* text = std::get_if<Text>(&item); text && text->text.starts_with("line ")) {
        ++lines;
        EXPECT_LE(text->at.y + 10, Pager::kHeight - Pager::kMargin);
        EXPECT_GE(text->at.y - 8, Pager::kMargin - 1);
      }
  EXPECT_EQ(lines, 200u);
}

}  // namespace
}  // namespace headlight::figures
