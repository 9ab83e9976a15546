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
#include "engine/insight/attention_kind.h"
#include "engine/insight/explain.h"
#include "engine/insight/head_statistics.h"
#include "engine/text/display.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/tokenizers/training/training.h"

namespace headlight::figures {
namespace {

constexpr std::size_t kMostHeads = 12, kMostTokens = 400, kShownSentences = 16;
constexpr std::int64_t kMostGridCells = 24'000'000;

std::string report_number(double value, const char* format) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// "decoder.layer.1.cross." has the kind "decoder.cross.", as the view names it.
std::vector<Chip> chips_of(const std::vector<tokenizers::Token>& tokens, const tokenizers::Tokenizer& tokenizer) {
  std::vector<Chip> chips;
  for (std::size_t i = 0; i < std::min(tokens.size(), kMostTokens); ++i) {
    Chip chip;
    chip.text = tokenizer.display_text(tokens[i].id);
    chip.id = std::to_string(tokens[i].id);
    chip.hue = static_cast<int>(i % 12);
    chip.added = tokens[i].added;
    chip.unknown = tokenizer.unknown_id() >= 0 && tokens[i].id == tokenizer.unknown_id() && !chip.added;
    chips.push_back(std::move(chip));
  }
  return chips;
}

// Colours weights from 0 to 1, unless the user chose another range or all weights are so small that they would get one dark
// colour.
template <class Input>
void stretch(Input& input, float largest, const ViewState& view) {
  constexpr float kDark = 0.2f;
  if (largest <= 0 || (largest >= kDark && view.range != "own")) return;
  input.high = largest;
  input.range_words = fill(tr("weight, up to the largest, {}"), {input.colormap});
}

}  // namespace

Result<std::vector<Figure>> report_pages(const Trace& trace, const Session& session, const TextMeasure& measure,
                                         const ReportOptions& options) {
  const Document& document = session.document;
  const ViewState& view = session.view;
  const Theme& theme = *themes().find("light");
  Pager page(theme, measure);
  const auto go_on = [&](double share) {
    if (options.progress) options.progress(share);
    return options.cancel.cancelled() ? Status(cancelled()) : Status();
  };
  const std::int64_t batch =
      std::clamp<std::int64_t>(view.batch, 0, std::max<std::int64_t>(0, static_cast<std::int64_t>(trace.texts().size()) - 1));
  std::vector<const AttentionSite*> layers;  // of the kind of attention that is shown
  for (const AttentionSite& site : trace.sites())
    if (attention_kind(site) == view.site) layers.push_back(&site);
  if (layers.empty() && !trace.sites().empty())
    for (const AttentionSite& site : trace.sites())
      if (attention_kind(site) == attention_kind(trace.sites().front())) layers.push_back(&site);
  const auto weights_words = [&]() -> std::string {
    const bool random =
        std::any_of(trace.steps().begin(), trace.steps().end(), [](const Step& s) { return s.origin == Origin::random; });
    if (random) return fill(tr("random weights, seed {}"), {std::to_string(document.seed)});
    return document.matrices.empty() ? tr("trained weights") : tr("weights given in numbers");
  };
  // A value in the words of the interface.
  const auto words_for = [&](const std::string& id, const std::string& value) -> std::string {
    if (id == "tokenizer")
      return trace.tokenizer() ? value + ", " + fill(tr("{} entries"), {std::to_string(trace.tokenizer()->vocabulary_size())})
                               : value;
    if (id == "d_ff" && document.d_ff == 0) return "0 = " + std::to_string(4 * document.d_model);
    if (id == "scale" && !layers.empty()) return value + " = " + report_number(layers.front()->scale, "%.4g");
    if (id == "model" && value == "sandbox") return value + ", " + weights_words();
    if (value == "true") return tr("yes");
    if (value == "false") return tr("no");
    return value;
  };

  page.words("Headlight", 14, Font::words_bold, theme.selected);
  page.skip(4);
  const std::size_t shown = std::min(kShownSentences, document.texts.size());
  for (std::size_t i = 0; i < shown; ++i) {
    page.words(document.texts[i].empty() ? tr("(an empty sentence)") : document.texts[i],
               i == 0 && document.texts[i].size() < 160 ? 22.0f : 15.0f, Font::words_bold, theme.text);
    if (i < document.targets.size() && !document.targets[i].empty())
      page.words("→ " + document.targets[i], 16, Font::words, theme.secondary);
  }
  if (shown < document.texts.size())
    page.words(fill(tr("and {} more sentences"), {std::to_string(document.texts.size() - shown)}), 13, Font::words,
               theme.secondary);
  page.skip(6);
  std::size_t all_tokens = 0;
  for (const Sentence& s : trace.texts()) all_tokens += s.tokens.size();
  for (const Sentence& s : trace.targets()) all_tokens += s.tokens.size();
  page.words(
      fill(tr("{} tokens"), {std::to_string(all_tokens)}) + " · " + weights_words() + " · " + device_words(trace.backend_label()),
      13, Font::words, theme.secondary);

  page.heading(tr("Settings"));
  static const std::set<std::string> elsewhere{"texts", "targets"};
  for (const Field& field : document_schema()) {
    if (elsewhere.contains(field.parameter.id)) continue;
    if (field.parameter.id == "target_tokenizer" && document.target_tokenizer.empty()) continue;  // as the first
    if (field.parameter.id == "matrices" && document.matrices.empty()) continue;
    std::string value;
    for (const std::string& one : field.get(document)) value += (value.empty() ? "" : ", ") + one;
    page.entry(tr(field.parameter.label.c_str()), value.empty() ? tr("none") : words_for(field.parameter.id, value));
  }
  page.heading(tr("Open it again"), 80);
  page.words(tr("This file carries the whole session. In Headlight, open it with Ctrl+O, or on the command line:"), 13,
             Font::words, theme.text);
  page.words("headlight open \"" + options.file_name + "\"", 13, Font::mono, theme.text, 16);
  if (!options.version.empty())
    page.words(fill(tr("Made with Headlight {}."), {options.version}), 13, Font::words, theme.secondary);

  HL_TRY(go_on(0.05));
  // Token chips with words above them; both stay on one page.
  const auto chips = [&](const std::string& name, const std::string& words, std::vector<Chip> list, std::size_t total, int rows) {
    ChipRowsInput input;
    input.total = static_cast<std::int64_t>(total);
    input.chips = std::move(list);
    input.rows = rows;
    Figure figure = input.chips.empty() ? Figure() : chip_rows(input, Pager::kInner, theme, measure);
    if (page.room() < figure.height + 60) page.new_page();
    if (!name.empty()) page.words(name, 15, Font::words_bold, theme.text);
    page.words(words, 13, Font::words, theme.secondary);
    page.skip(4);
    if (figure.items.empty())
      page.words(tr("(an empty sentence)"), 13, Font::words, theme.secondary);
    else
      page.figure(std::move(figure));
    page.skip(12);
  };
  page.heading(tr("Tokens"), 160);
  const auto sentences = [&](std::span<const Sentence> list, const auto& own, const char* words) {
    if (!own) return;
    for (std::size_t i = 0; i < std::min(kShownSentences, list.size()); ++i)
      chips({}, fill(words, {std::to_string(i + 1), std::to_string(list[i].tokens.size())}), chips_of(list[i].tokens, *own),
            list[i].tokens.size(), 10);
  };
  sentences(trace.texts(), trace.tokenizer(), tr("sentence {}: {} tokens, piece above, id below"));
  sentences(trace.targets(), trace.target_tokenizer(), tr("target {}: {} tokens, piece above, id below"));
  if (!document.texts.empty()) {
    page.heading(tr("The same sentence under every tokenizer"), 160);
    const std::string& text = document.texts[static_cast<std::size_t>(batch)];
    for (const tokenizers::Entry& entry : tokenizers::registry().entries()) {
      HL_TRY(go_on(0.1));
      const auto tokenizer = tokenizers::open(entry.id);
      if (!tokenizer.ok()) continue;  // a vocabulary that is not installed
      HL_ASSIGN(const auto cut, (*tokenizer)->encode(text, options.cancel));
      const tokenizers::Measured measured = tokenizers::measure(**tokenizer, text, cut);
      chips(tr(entry.label.c_str()),
            fill(tr("{} tokens, vocabulary {}, {} bytes a token, {} unknown"),
                 {std::to_string(cut.size()), std::to_string((*tokenizer)->vocabulary_size()),
                  report_number(measured.bytes_per_token, "%.2f"), std::to_string(measured.unknown)}),
            chips_of(cut, **tokenizer), cut.size(), 5);
    }
  }

  HL_TRY(go_on(0.2));
  const std::size_t tokens = layers.empty() ? 0 : trace.texts()[static_cast<std::size_t>(batch)].tokens.size();
  if (tokens == 0) {
    page.heading(tr("Attention"));
    page.words(tr("There are no tokens or no layers, so there is no attention to show."), 14, Font::words, theme.secondary);
  } else {
    // What each mask lets every query see, as a small picture, with the shape it is stored in.
    const AttentionSite& layer =
        *layers[static_cast<std::size_t>(std::clamp<std::int64_t>(view.layer, 0, static_cast<std::int64_t>(layers.size()) - 1))];
    page.heading(tr("Masks"), 240);
    if (layer.mask.parts.empty()) {
      page.words(tr("No mask: every query sees every key."), 14, Font::words, theme.secondary);
    } else {
      struct MatrixView {
        std::string title, stored;
        Tensor mask;
      };
      const std::int64_t rows = layer.queries, columns = layer.keys, batches = static_cast<std::int64_t>(trace.texts().size());
      const auto picture = [&](const std::string& title, const Tensor& mask) {
        MatrixView one;
        one.title = title;
        one.stored = to_string(mask.shape());
        one.mask = mask.broadcast_to({batches, layer.heads, rows, columns}).select(0, batch).select(0, 0).compact();
        return one;
      };
      std::vector<MatrixView> views;
      for (const auto& part : layer.mask.parts) {
        const masks::Entry* entry = masks::registry().find(part.choice.id);
        std::string name = entry ? tr(entry->label.c_str()) : part.choice.id;
        if (const std::string said = to_string(part.choice); said.find(':') != std::string::npos)
          name += ", " + said.substr(said.find(':') + 1);
        views.push_back(picture(name, part.mask));
      }
      if (views.size() > 1) views.push_back(picture(tr("together"), layer.mask.mask));
      constexpr float kSide = 150, kStep = Pager::kInner / 4;
      for (std::size_t i = 0; i < views.size(); i += 4) {
        Figure row;
        row.width = Pager::kInner;
        row.height = kSide + 62;
        const Composer pen{row, theme, measure};
        for (std::size_t k = i; k < std::min(views.size(), i + 4); ++k) {
          const float x = static_cast<float>(k - i) * kStep;
          pen.text(x, 8, views[k].title, 13, Font::words, theme.text, Align::start, kStep - 8);
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
          pen.text(x, 22 + kSide + 12, views[k].stored, 12, Font::mono, theme.secondary, Align::start, kStep - 8);
        }
        page.figure(std::move(row));
      }
      page.words(tr("Row = query, column = key; hatched: may not be attended to. Below each the shape it is stored in, [batch, "
                    "head, query, key]."),
                 13, Font::words, theme.secondary);
    }

    // All heads as thumbnails.
    HL_TRY(go_on(0.3));
    const auto step_view = [&] {
      StepView step;
      step.batch = batch;
      step.transposed = view.transposed;
      step.names_read = view.row_word == "read";
      step.words = view.words_together;
      if (view.colormap != "signed") step.colormap = view.colormap;
      return step;
    };
    page.heading(
        fill(tr("All heads: {} layers × {} heads"), {std::to_string(layers.size()), std::to_string(layers.front()->heads)}), 400);
    std::vector<std::string> steps;
    const std::int64_t cells = layers.front()->queries * layers.front()->keys * layers.front()->heads;
    for (const AttentionSite* site : layers)
      if (cells * static_cast<std::int64_t>(steps.size() + 1) <= kMostGridCells)
        steps.push_back(trace.name_at(site->prefix, Role::weights));
    if (steps.empty()) {
      page.words(fill(tr("{} tokens are too many for the pictures of all heads on a page."), {std::to_string(tokens)}), 14,
                 Font::words, theme.secondary);
    } else {
      HL_ASSIGN(GridInput input, heads_input(trace, steps, step_view()));
      input.title.clear();
      float largest = 0;
      for (const Tensor& values : input.values)
        for (const float w : values.values<float>()) largest = std::max(largest, w);
      stretch(input, largest, view);
      Figure figure = head_grid(input, Pager::kInner, std::min(page.room(), 760.0f), theme, measure);
      page.figure(std::move(figure));
      if (steps.size() < layers.size())
        page.words(fill(tr("the first {} of {} layers"), {std::to_string(steps.size()), std::to_string(layers.size())}), 13,
                   Font::words, theme.secondary);
    }

    // The chosen heads, each as a heatmap.
    HL_TRY(go_on(0.5));
    std::vector<HeadRef> wanted = view.chosen_heads;
    if (wanted.empty()) wanted.push_back({view.layer, view.head});
    for (HeadRef& ref : wanted) {
      ref.layer = std::clamp<std::int64_t>(ref.layer, 0, static_cast<std::int64_t>(layers.size()) - 1);
      ref.head = std::clamp<std::int64_t>(ref.head, 0, layers[static_cast<std::size_t>(ref.layer)]->heads - 1);
    }
    std::vector<HeadRef> list;
    for (const HeadRef& ref : wanted)
      if (std::find(list.begin(), list.end(), ref) == list.end() && list.size() < kMostHeads) list.push_back(ref);
    for (std::size_t i = 0; i < list.size(); ++i) {
      HL_TRY(go_on(0.5 + 0.4 * static_cast<double>(i) / static_cast<double>(list.size())));
      const AttentionSite& site = *layers[static_cast<std::size_t>(list[i].layer)];
      StepView step = step_view();
      step.head = list[i].head;
      step.transposed = false;
      HL_ASSIGN(HeatmapInput input, step_input(trace, trace.name_at(site.prefix, Role::weights), step));
      const std::string title = input.title;
      input.title.clear();
      std::vector<std::int32_t> ids;
      if (site.site != headlight::masks::Site::cross) {
        const auto& sentences_of = site.rows_are_targets ? trace.targets() : trace.texts();
        for (const auto& token : sentences_of[static_cast<std::size_t>(batch)].tokens) ids.push_back(token.id);
        ids.resize(static_cast<std::size_t>(input.values.dim(0)), -1);
      }
      float largest = 0;
      for (const float w : input.values.values<float>()) largest = std::max(largest, w);
      stretch(input, largest, view);
      const HeadStatistics s = head_statistics(input.values, input.mask, ids);
      Figure figure = heatmap(input, Pager::kInner, 560, theme, measure);
      page.heading(title, figure.height + 80);
      if (!s.words.empty()) page.words(s.words, 14, Font::words, theme.text);
      std::string line = fill(tr("row entropy {} nat ({} of the largest)"),
                              {report_number(s.entropy, "%.2f"), report_number(s.relative_entropy, "%.2f")});
      line += " · " + fill(tr("mass on the first token {}"), {report_number(s.first_token, "%.2f")});
      if (!ids.empty()) line += " · " + fill(tr("mean distance {} tokens"), {report_number(s.distance, "%.2f")});
      page.words(line, 13, Font::words, theme.secondary);
      page.skip(4);
      page.figure(std::move(figure));
    }

    // The strongest weight of the first of them, written out.
    HL_TRY(go_on(0.9));
    const HeadRef ref = list.front();
    const AttentionSite& site = *layers[static_cast<std::size_t>(ref.layer)];
    // Arrays may lack what a weight follows from.
    if (!site.q.empty() && !site.k.empty() && !site.v.empty()) {
      HL_ASSIGN(const CellAddress address, strongest_cell(trace, site.prefix, batch, ref.head));
      HL_ASSIGN(const CellExplanation cell, explain_cell(trace, address));
      Figure figure = explanation(cell, weights_words(), Pager::kInner, theme, measure).figure;
      page.heading(tr("One weight written out"), std::min(figure.height + 40, Pager::kHeight * 0.8f));
      page.words(fill(tr("The strongest weight of layer {}, head {}, from the dot product to what it adds."),
                      {std::to_string(site.layer), std::to_string(ref.head)}),
                 13, Font::words, theme.secondary);
      page.skip(6);
      page.figure(std::move(figure));
    }
  }
  HL_TRY(go_on(1));
  std::string title = document.texts.empty() ? std::string() : document.texts[static_cast<std::size_t>(batch)];
  return page.finish("Headlight: " + title.substr(0, std::min<std::size_t>(title.size(), 400)));
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
