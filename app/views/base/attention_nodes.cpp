#include "app/views/base/attention_nodes.h"

#include <algorithm>

#include "app/text/language.h"

namespace headlight::views {

std::vector<sheet::Node> sentence_nodes(Sheet& sheet, const AttentionChoice& choice) {
  ViewState& view = sheet.scene.view;
  std::vector<sheet::Node> all;
  if (choice.kinds.size() > 1) {
    std::vector<std::string> labels, ids;
    int selected = 0;
    for (const auto& kind : choice.kinds) {
      if (kind.id == choice.kind) selected = static_cast<int>(ids.size());
      labels.emplace_back(tr(kind.label.c_str()));
      ids.push_back(kind.id);
    }
    all.push_back(sheet.choice("site", std::move(labels), selected,
                               {tr("Which attention is looked at: the encoder's, the decoder's, or the one between them")},
                               [&view, ids](int kind) {
                                 view.site = ids[static_cast<std::size_t>(kind)];
                                 view.pinned_row = view.pinned_column = -1;
                               }));
  }
  if (const auto sentences = static_cast<std::int64_t>(sheet.scene.context.trace->texts().size()); sentences > 1)
    all.push_back(sheet.stepper(
        "sentence", fill(tr("sentence {} of {}"), {std::to_string(choice.batch + 1), std::to_string(sentences)}), choice.batch,
        sentences, tr("Another sentence of the batch"), [&view](std::int64_t to) { view.batch = to; }));
  return all;
}

std::vector<sheet::Node> attention_nodes(Sheet& sheet, const AttentionChoice& choice) {
  ViewState& view = sheet.scene.view;
  std::vector<sheet::Node> all = sentence_nodes(sheet, choice);
  const auto layers = static_cast<std::int64_t>(choice.layers.size());
  const std::int64_t layer = std::clamp<std::int64_t>(view.layer, 0, std::max<std::int64_t>(0, layers - 1));
  const auto counted = [](const char* alone, const char* among, std::int64_t at, std::int64_t count) {
    return count < 2 ? fill(alone, {std::to_string(at)}) : fill(among, {std::to_string(at), std::to_string(count - 1)});
  };
  all.push_back(sheet.stepper("layer", counted(tr("layer {}"), tr("layer {} (0 to {})"), layer, layers), layer, layers,
                              tr("Another layer (Alt+Up, Alt+Down); counted from 0"),
                              [&view](std::int64_t to) { view.layer = to; }));
  all.push_back(sheet.stepper("head", counted(tr("head {}"), tr("head {} (0 to {})"), choice.head, choice.site->heads),
                              choice.head, choice.site->heads, tr("Another head (Alt+Left, Alt+Right); counted from 0"),
                              [&view](std::int64_t to) { view.head = to; }));
  return all;
}

std::optional<sheet::Node> no_attention(Sheet& sheet, const AttentionChoice& choice) {
  if (choice.site && choice.site->queries > 0 && choice.site->keys > 0) return std::nullopt;
  const Context& context = sheet.scene.context;
  return sheet.notice(context.error       ? ""
                      : context.trace     ? tr("There is nothing to attend to yet: type a sentence.")
                      : context.computing ? tr("computing …")
                                          : tr("Nothing is computed yet."),
                      sheet.scene.pen.theme.secondary);
}

}  // namespace headlight::views
