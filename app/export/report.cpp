#include "app/export/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "app/export/figure_file.h"
#include "app/export/figure_text.h"
#include "app/export/pager.h"
#include "app/export/trace_figure.h"
#include "app/figures/attention/layouts.h"
#include "app/figures/explanation/explanation_figure.h"
#include "app/figures/tokens/chip_rows.h"
#include "app/text/device_words.h"
#include "app/text/language.h"
#include "engine/core/files.h"
#include "engine/insight/explain.h"
#include "engine/insight/head_statistics.h"
#include "engine/text/display.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/tokenizers/training/training.h"

namespace headlight::figures {
namespace {

constexpr std::size_t kMostHeads = 12, kMostTokens = 400, kMostSentences = 16;
constexpr std::int64_t kMostGridCells = 24'000'000;

std::string number(double value, const char* format) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// "decoder.layer.1.cross." has the kind "decoder.cross.", as the view names it.
std::string kind_of(const AttentionSite& site) {
  return site.prefix.substr(0, site.prefix.find("layer.")) + (site.site == masks::Site::cross ? "cross." : "");
}

class Report {
 public:
  Report(const Trace& trace, const Session& session, const TextMeasure& measure, const ReportOptions& options)
      : trace_(trace),
        document_(session.document),
        view_(session.view),
        measure_(measure),
        options_(options),
        theme_(*themes().find("light")),
        page_(theme_, measure) {
    batch_ =
        std::clamp<std::int64_t>(view_.batch, 0, std::max<std::int64_t>(0, static_cast<std::int64_t>(trace.texts().size()) - 1));
    for (const AttentionSite& site : trace.sites())
      if (kind_of(site) == view_.site) layers_.push_back(&site);
    if (layers_.empty() && !trace.sites().empty())
      for (const AttentionSite& site : trace.sites())
        if (kind_of(site) == kind_of(trace.sites().front())) layers_.push_back(&site);
  }

  Result<std::vector<Figure>> pages() {
    front();
    HL_TRY(go_on(0.05));
    HL_TRY(tokens());
    HL_TRY(go_on(0.2));
    if (layers_.empty() || sentence().tokens.empty()) {
      page_.heading(tr("Attention"));
      page_.words(tr("There are no tokens or no layers, so there is no attention to show."), 14, Font::words, theme_.secondary);
    } else {
      masks();
      HL_TRY(go_on(0.3));
      HL_TRY(grid());
      HL_TRY(go_on(0.5));
      HL_TRY(heads());
      HL_TRY(go_on(0.9));
      HL_TRY(strongest());
    }
    HL_TRY(go_on(1));
    std::string title = document_.texts.empty() ? std::string() : document_.texts[static_cast<std::size_t>(batch_)];
    return page_.finish("Headlight: " + title.substr(0, std::min<std::size_t>(title.size(), 400)));
  }

 private:
  Status go_on(double share) const {
    if (options_.progress) options_.progress(share);
    return options_.cancel.cancelled() ? Status(cancelled()) : Status();
  }
  const Sentence& sentence() const { return trace_.texts()[static_cast<std::size_t>(batch_)]; }

  std::string weights_words() const {
    const bool random =
        std::any_of(trace_.steps().begin(), trace_.steps().end(), [](const Step& s) { return s.origin == Origin::random; });
    if (random) return fill(tr("random weights, seed {}"), {std::to_string(document_.seed)});
    return document_.matrices.empty() ? tr("trained weights") : tr("weights given in numbers");
  }

  void front() {
    page_.words("Headlight", 14, Font::words_bold, theme_.selected);
    page_.skip(4);
    const std::size_t shown = std::min(kMostSentences, document_.texts.size());
    for (std::size_t i = 0; i < shown; ++i) {
      page_.words(document_.texts[i].empty() ? tr("(an empty sentence)") : document_.texts[i],
                  i == 0 && document_.texts[i].size() < 160 ? 22.0f : 15.0f, Font::words_bold, theme_.text);
      if (i < document_.targets.size() && !document_.targets[i].empty())
        page_.words("→ " + document_.targets[i], 16, Font::words, theme_.secondary);
    }
    if (shown < document_.texts.size())
      page_.words(fill(tr("and {} more sentences"), {std::to_string(document_.texts.size() - shown)}), 13, Font::words,
                  theme_.secondary);
    page_.skip(6);
    std::size_t tokens = 0;
    for (const Sentence& s : trace_.texts()) tokens += s.tokens.size();
    for (const Sentence& s : trace_.targets()) tokens += s.tokens.size();
    page_.words(
        fill(tr("{} tokens"), {std::to_string(tokens)}) + " · " + weights_words() + " · " + device_words(trace_.backend_label()),
        13, Font::words, theme_.secondary);

    page_.heading(tr("Settings"));
    static const std::set<std::string> elsewhere{"texts", "targets"};
    for (const Field& field : document_schema()) {
      if (elsewhere.contains(field.parameter.id)) continue;
      if (field.parameter.id == "target_tokenizer" && document_.target_tokenizer.empty()) continue;  // as the first
      if (field.parameter.id == "matrices" && document_.matrices.empty()) continue;
      std::string value;
      for (const std::string& one : field.get(document_)) value += (value.empty() ? "" : ", ") + one;
      page_.entry(tr(field.parameter.label.c_str()), value.empty() ? tr("none") : words_for(field.parameter.id, value));
    }
    page_.heading(tr("Open it again"), 80);
    page_.words(tr("This file carries the whole session. In Headlight, open it with Ctrl+O, or on the command line:"), 13,
                Font::words, theme_.text);
    page_.words("headlight open \"" + options_.file_name + "\"", 13, Font::mono, theme_.text, 16);
    if (!options_.version.empty())
      page_.words(fill(tr("Made with Headlight {}."), {options_.version}), 13, Font::words, theme_.secondary);
  }

  // A value in the words of the interface.
  std::string words_for(const std::string& id, const std::string& value) const {
    if (id == "tokenizer")
      return trace_.tokenizer() ? value + ", " + fill(tr("{} entries"), {std::to_string(trace_.tokenizer()->vocabulary_size())})
                                : value;
    if (id == "d_ff" && document_.d_ff == 0) return "0 = " + std::to_string(4 * document_.d_model);
    if (id == "scale" && !layers_.empty()) return value + " = " + number(layers_.front()->scale, "%.4g");
    if (id == "model" && value == "sandbox") return value + ", " + weights_words();
    if (value == "true") return tr("yes");
    if (value == "false") return tr("no");
    return value;
  }

  static std::vector<Chip> chips_of(const std::vector<tokenizers::Token>& tokens, const tokenizers::Tokenizer& tokenizer) {
    std::vector<Chip> chips;
    for (std::size_t i = 0; i < std::min(tokens.size(), kMostTokens); ++i) {
      Chip chip;
      chip.text = tokenizer.display_text(tokens[i].id);
      chip.id = std::to_string(tokens[i].id);
      chip.hue = static_cast<int>(i % 12);
      chip.unknown = tokenizer.unknown_id() >= 0 && tokens[i].id == tokenizer.unknown_id();
      chips.push_back(std::move(chip));
    }
    return chips;
  }

  // Token chips with words above them; both stay on one page.
  void chips(const std::string& name, const std::string& words, std::vector<Chip> list, std::size_t total, int rows) {
    ChipRowsInput input;
    input.total = static_cast<std::int64_t>(total);
    input.chips = std::move(list);
    input.rows = rows;
    Figure figure = input.chips.empty() ? Figure() : chip_rows(input, Pager::kInner, theme_, measure_);
    if (page_.room() < figure.height + 60) page_.new_page();
    if (!name.empty()) page_.words(name, 15, Font::words_bold, theme_.text);
    page_.words(words, 13, Font::words, theme_.secondary);
    page_.skip(4);
    if (figure.items.empty())
      page_.words(tr("(an empty sentence)"), 13, Font::words, theme_.secondary);
    else
      page_.figure(std::move(figure));
    page_.skip(12);
  }

  Status tokens() {
    page_.heading(tr("Tokens"), 160);
    const auto sentences = [&](std::span<const Sentence> list, const auto& own, const char* words) {
      if (!own) return;
      for (std::size_t i = 0; i < std::min(kMostSentences, list.size()); ++i)
        chips({}, fill(words, {std::to_string(i + 1), std::to_string(list[i].tokens.size())}), chips_of(list[i].tokens, *own),
              list[i].tokens.size(), 10);
    };
    sentences(trace_.texts(), trace_.tokenizer(), tr("sentence {}: {} tokens, piece above, id below"));
    sentences(trace_.targets(), trace_.target_tokenizer(), tr("target {}: {} tokens, piece above, id below"));
    if (document_.texts.empty()) return {};
    page_.heading(tr("The same sentence under every tokenizer"), 160);
    const std::string& text = document_.texts[static_cast<std::size_t>(batch_)];
    for (const tokenizers::Entry& entry : tokenizers::registry().entries()) {
      HL_TRY(go_on(0.1));
      const auto tokenizer = tokenizers::open(entry.id);
      if (!tokenizer.ok()) continue;  // a vocabulary that is not installed
      HL_ASSIGN(const auto cut, (*tokenizer)->encode(text, options_.cancel));
      const tokenizers::Measured measured = tokenizers::measure(**tokenizer, text, cut);
      chips(tr(entry.label.c_str()),
            fill(tr("{} tokens, vocabulary {}, {} bytes a token, {} unknown"),
                 {std::to_string(cut.size()), std::to_string((*tokenizer)->vocabulary_size()),
                  number(measured.bytes_per_token, "%.2f"), std::to_string(measured.unknown)}),
            chips_of(cut, **tokenizer), cut.size(), 5);
    }
    return {};
  }

  const AttentionSite& chosen_layer() const {
    return *layers_[static_cast<std::size_t>(
        std::clamp<std::int64_t>(view_.layer, 0, static_cast<std::int64_t>(layers_.size()) - 1))];
  }

  // What each mask lets every query see, as a small picture, with the shape it is stored in.
  void masks() {
    const AttentionSite& site = chosen_layer();
    page_.heading(tr("Masks"), 240);
    if (site.mask.parts.empty()) {
      page_.words(tr("No mask: every query sees every key."), 14, Font::words, theme_.secondary);
      return;
    }
    const std::int64_t rows = site.queries, columns = site.keys, batches = static_cast<std::int64_t>(trace_.texts().size());
    const auto picture = [&](const std::string& title, const Tensor& mask) {
      MatrixView view;
      view.title = title;
      view.stored = to_string(mask.shape());
      view.mask = mask.broadcast_to({batches, site.heads, rows, columns}).select(0, batch_).select(0, 0).compact();
      return view;
    };
    std::vector<MatrixView> views;
    for (const auto& part : site.mask.parts) {
      const masks::Entry* entry = masks::registry().find(part.choice.id);
      std::string name = entry ? tr(entry->label.c_str()) : part.choice.id;
      if (const std::string said = to_string(part.choice); said.find(':') != std::string::npos)
        name += ", " + said.substr(said.find(':') + 1);
      views.push_back(picture(name, part.mask));
    }
    if (views.size() > 1) views.push_back(picture(tr("together"), site.mask.mask));
    constexpr float kSide = 150, kStep = Pager::kInner / 4;
    for (std::size_t i = 0; i < views.size(); i += 4) {
      Figure row;
      row.width = Pager::kInner;
      row.height = kSide + 62;
      const Composer pen{row, theme_, measure_};
      for (std::size_t k = i; k < std::min(views.size(), i + 4); ++k) {
        const float x = static_cast<float>(k - i) * kStep;
        pen.text(x, 8, views[k].title, 13, Font::words, theme_.text, Align::start, kStep - 8);
        Cells cells;
        cells.rows = rows;
        cells.columns = columns;
        const float longest = static_cast<float>(std::max(rows, columns));
        cells.box = {x, 22, std::max(4.0f, kSide * static_cast<float>(columns) / longest),
                     std::max(4.0f, kSide * static_cast<float>(rows) / longest)};
        cells.values = Tensor(DType::f32, {rows, columns});
        std::fill_n(cells.values.data<float>(), rows * columns, 0.62f);
        cells.mask = views[k].mask;
        row.add(std::move(cells));
        pen.text(x, 22 + kSide + 12, views[k].stored, 12, Font::mono, theme_.secondary, Align::start, kStep - 8);
      }
      page_.figure(std::move(row));
    }
    page_.words(tr("Row = query, column = key; hatched: may not be attended to. Below each the shape it is stored in, [batch, "
                   "head, query, key]."),
                13, Font::words, theme_.secondary);
  }
  struct MatrixView {
    std::string title, stored;
    Tensor mask;
  };

  StepView step_view() const {
    StepView view;
    view.batch = batch_;
    view.transposed = view_.transposed;
    if (view_.colormap != "signed") view.colormap = view_.colormap;
    return view;
  }

  // Colours weights from 0 to 1, unless the user chose another range or all weights are so small that they would get one dark
  // colour.
  template <class Input>
  void stretch(Input& input, float largest) const {
    constexpr float kDark = 0.2f;
    if (largest <= 0 || (largest >= kDark && view_.range != "own")) return;
    input.high = largest;
    input.range_words = fill(tr("weight, up to the largest, {}"), {input.colormap});
  }

  Status grid() {
    page_.heading(
        fill(tr("All heads: {} layers × {} heads"), {std::to_string(layers_.size()), std::to_string(layers_.front()->heads)}),
        400);
    const auto tokens = static_cast<std::int64_t>(sentence().tokens.size());
    std::vector<std::string> steps;
    const std::int64_t cells = layers_.front()->queries * layers_.front()->keys * layers_.front()->heads;
    for (const AttentionSite* site : layers_)
      if (cells * static_cast<std::int64_t>(steps.size() + 1) <= kMostGridCells)
        steps.push_back(trace_.name_at(site->prefix, Role::weights));
    if (steps.empty()) {
      page_.words(fill(tr("{} tokens are too many for the pictures of all heads on a page."), {std::to_string(tokens)}), 14,
                  Font::words, theme_.secondary);
      return {};
    }
    HL_ASSIGN(GridInput input, heads_input(trace_, steps, step_view()));
    input.title.clear();
    float largest = 0;
    for (const Tensor& values : input.values)
      for (const float w : values.values<float>()) largest = std::max(largest, w);
    stretch(input, largest);
    Figure figure = head_grid(input, Pager::kInner, std::min(page_.room(), 760.0f), theme_, measure_);
    page_.figure(std::move(figure));
    if (steps.size() < layers_.size())
      page_.words(fill(tr("the first {} of {} layers"), {std::to_string(steps.size()), std::to_string(layers_.size())}), 13,
                  Font::words, theme_.secondary);
    return {};
  }

  std::vector<HeadRef> chosen() const {
    std::vector<HeadRef> list = view_.heads.chosen;
    if (list.empty()) list.push_back({view_.layer, view_.head});
    for (HeadRef& ref : list) {
      ref.layer = std::clamp<std::int64_t>(ref.layer, 0, static_cast<std::int64_t>(layers_.size()) - 1);
      ref.head = std::clamp<std::int64_t>(ref.head, 0, layers_[static_cast<std::size_t>(ref.layer)]->heads - 1);
    }
    std::vector<HeadRef> once;
    for (const HeadRef& ref : list)
      if (std::find(once.begin(), once.end(), ref) == once.end() && once.size() < kMostHeads) once.push_back(ref);
    return once;
  }

  Status heads() {
    const std::vector<HeadRef> list = chosen();
    for (std::size_t i = 0; i < list.size(); ++i) {
      HL_TRY(go_on(0.5 + 0.4 * static_cast<double>(i) / static_cast<double>(list.size())));
      const AttentionSite& site = *layers_[static_cast<std::size_t>(list[i].layer)];
      StepView view = step_view();
      view.head = list[i].head;
      view.transposed = false;
      HL_ASSIGN(HeatmapInput input, step_input(trace_, trace_.name_at(site.prefix, Role::weights), view));
      const std::string title = input.title;
      input.title.clear();
      std::vector<std::int32_t> ids;
      if (site.site != headlight::masks::Site::cross) {
        const auto& tokens = (site.rows_are_targets ? trace_.targets() : trace_.texts())[static_cast<std::size_t>(batch_)].tokens;
        for (const auto& token : tokens) ids.push_back(token.id);
        ids.resize(static_cast<std::size_t>(input.values.dim(0)), -1);
      }
      float largest = 0;
      for (const float w : input.values.values<float>()) largest = std::max(largest, w);
      stretch(input, largest);
      const HeadStatistics s = head_statistics(input.values, input.mask, ids);
      Figure figure = heatmap(input, Pager::kInner, 560, theme_, measure_);
      page_.heading(title, figure.height + 80);
      if (!s.words.empty()) page_.words(s.words, 14, Font::words, theme_.text);
      std::string line =
          fill(tr("row entropy {} nat ({} of the largest)"), {number(s.entropy, "%.2f"), number(s.relative_entropy, "%.2f")});
      line += " · " + fill(tr("mass on the first token {}"), {number(s.first_token, "%.2f")});
      if (!ids.empty()) line += " · " + fill(tr("mean distance {} tokens"), {number(s.distance, "%.2f")});
      page_.words(line, 13, Font::words, theme_.secondary);
      page_.skip(4);
      page_.figure(std::move(figure));
    }
    return {};
  }

  Status strongest() {
    const HeadRef ref = chosen().front();
    const AttentionSite& site = *layers_[static_cast<std::size_t>(ref.layer)];
    HL_ASSIGN(const CellAddress address, strongest_cell(trace_, site.prefix, batch_, ref.head));
    HL_ASSIGN(const CellExplanation cell, explain_cell(trace_, address));
    Figure figure = explanation(cell, weights_words(), Pager::kInner, theme_, measure_).figure;
    page_.heading(tr("One weight written out"), std::min(figure.height + 40, Pager::kHeight * 0.8f));
    page_.words(fill(tr("The strongest weight of layer {}, head {}, from the dot product to what it adds."),
                     {std::to_string(site.layer), std::to_string(ref.head)}),
                13, Font::words, theme_.secondary);
    page_.skip(6);
    page_.figure(std::move(figure));
    return {};
  }

  const Trace& trace_;
  const Document& document_;
  const ViewState& view_;
  const TextMeasure& measure_;
  const ReportOptions& options_;
  const Theme& theme_;
  Pager page_;
  std::int64_t batch_ = 0;
  std::vector<const AttentionSite*> layers_;  // of the kind of attention that is shown
};

}  // namespace

Result<std::vector<Figure>> report_pages(const Trace& trace, const Session& session, const TextMeasure& measure,
                                         const ReportOptions& options) {
  return Report(trace, session, measure, options).pages();
}

Status save_report(const std::filesystem::path& path, const Trace& trace, const Session& session, const ReportOptions& options) {
  const FigureText measure;
  ReportOptions named = options;
  named.file_name = path.filename().string();
  HL_ASSIGN(const std::vector<Figure> pages, report_pages(trace, session, measure, named));
  FileOptions file;
  file.document = to_json(session);
  HL_ASSIGN(const std::string bytes, encode_pages(pages, *themes().find("light"), file));
  return write_file(path, bytes);
}

}  // namespace headlight::figures
