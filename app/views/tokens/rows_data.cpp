// What the rows show: a text cut by every tokenizer of the set, and the stages before the model.
#include <algorithm>
#include <cstdio>

#include "app/text/language.h"
#include "app/views/tokens/data.h"
#include "app/views/tokens/lecture_words.h"
#include "engine/document/stored_model.h"
#include "engine/text/display.h"
#include "engine/text/graphemes.h"
#include "engine/text/grouped_number.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/mask_words.h"
#include "engine/tokenizers/models/model.h"

namespace headlight::views::tokens {
namespace {

// The most bytes shown: the document tokenizes a longer text completely, but only its beginning is drawn here.
constexpr std::size_t kShownBytes = 6000, kAtOnce = 2000, kMostChanges = 3;

std::string_view part_of(std::string_view text, std::int64_t start, std::int64_t end) {
  return text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start));
}
std::string two_places(double value) {
  char number[32];
  std::snprintf(number, sizeof number, "%.2f", value);
  return number;
}

// The characters with the word that each belongs to: a space belongs to the word behind it, a Chinese character is a word.
std::vector<figures::TokenRowsInput::Character> characters_of(std::string_view text) {
  std::vector<figures::TokenRowsInput::Character> characters;
  int word = -1;
  bool was_space = false, was_ideograph = false;
  text::for_each_grapheme(text, [&](std::int64_t start, std::int64_t end) {
    const char32_t c = text::decode_at(text, start).value;
    const bool space = text::is_whitespace(c), ideograph = text::is_ideograph(c);
    if (word < 0 || (space && !was_space) || ideograph || (was_ideograph && !space)) ++word;
    was_space = space;
    was_ideograph = ideograph;
    characters.push_back({text::display_text(part_of(text, start, end)), start, end, word});
  });
  return characters;
}

// Fills in a row from its tokens. `masks`: "[MASK]" is the mask, as in a model that fills it in.
Status cut(const NamedTokenizer& one, std::string_view text, bool masks, const CancelToken& cancel, figures::TokenRow& row,
           std::vector<tokenizers::Token>& tokens) {
  const auto& tokenizer = one.tokenizer;
  HL_ASSIGN(tokens, masks ? tokenizers::encode_with_masks(*tokenizer, text, cancel) : tokenizer->encode(text, cancel));
  const tokenizers::Measured measured = tokenizers::measure(*tokenizer, text, tokens);
  row.kind = std::string(tr(tokenizers::model_registry().find(tokenizer->kind())->label.c_str())) + " · " +
             text::grouped_number(tokenizer->vocabulary_size());
  for (const auto& token : tokens) {
    const bool unknown = tokenizer->unknown_id() >= 0 && token.id == tokenizer->unknown_id() && !token.added;
    const std::string shown =
        unknown ? text::display_text(part_of(text, token.start, token.end)) : tokenizer->display_text(token.id);
    row.pieces.push_back({shown, unknown ? "[UNK]" : std::to_string(token.id), token.start, token.end, unknown, token.added});
  }
  const auto words = static_cast<double>(words_of(std::string(text)).size());
  row.numbers = {text::grouped_number(measured.tokens),
                 words > 0 ? two_places(static_cast<double>(measured.tokens) / words) : "–",
                 two_places(measured.bytes_per_token)};
  row.note = lecture_note(one.name, *tokenizer, measured);
  row.verdict_good = measured.unknown == 0;
  if (measured.unknown == 0) {
    row.verdict =
        measured.partial > 0 ? fill(tr("no unknowns, {} partial"), {std::to_string(measured.partial)}) : tr("no unknowns");
  } else {
    row.verdict = fill(tr("unknown {}"), {std::to_string(measured.unknown)});
    if (!measured.unknown_words.empty())
      row.verdict +=
          " (" + text::display_text(measured.unknown_words.front()) + (measured.unknown_words.size() > 1 ? ", …)" : ")");
  }
  return {};
}

Result<TokenRowsData> make_rows(const std::string& whole, std::vector<NamedTokenizer> set, bool fills, bool plain,
                                const CancelToken& cancel) {
  TokenRowsData data;
  data.set = std::move(set);
  data.text = whole;
  figures::TokenRowsInput& input = data.input;
  if (whole.size() > kShownBytes) {
    std::int64_t end = 0;
    while (end < static_cast<std::int64_t>(kShownBytes)) end = text::grapheme_end(whole, end);
    data.text.resize(static_cast<std::size_t>(end));
    input.note = fill(tr("the first {} of {} bytes"),
                      {text::grouped_number(end), text::grouped_number(static_cast<std::int64_t>(whole.size()))});
  }
  input.characters = characters_of(data.text);
  input.plain = plain;
  input.columns = {tr("tokens"), tr("per word"), tr("bytes/tok")};
  for (const NamedTokenizer& one : data.set) {
    figures::TokenRow& row = input.rows.emplace_back();
    row.name = one.label;
    row.current = one.current;
    auto& tokens = data.tokens.emplace_back();
    if (one.tokenizer) {
      HL_TRY(cut(one, data.text, one.current && fills, cancel, row, tokens));
    } else {
      row.kind = tr("not opened");
      row.note = one.error;
      row.verdict_good = false;
    }
  }
  return data;
}

// "A → a, ï → i": the first few different changes.
std::string changes_of(const tokenizers::StageText& stage, std::string_view text) {
  std::vector<std::string> changes;
  bool more = false;
  for (const auto& cell : stage.cells) {
    if (!cell.changed) continue;
    const std::string from = text::display_text(part_of(text, cell.source.start, cell.source.end));
    std::string one = (from.empty() ? "" : from + " ") + "→ " + text::display_text(cell.text);
    if (std::ranges::find(changes, one) != changes.end()) continue;
    more = more || changes.size() == kMostChanges;
    if (changes.size() < kMostChanges) changes.push_back(std::move(one));
  }
  std::string words;
  for (const std::string& one : changes) words += (words.empty() ? "" : ", ") + one;
  return words + (more ? ", …" : "");
}

figures::TokenRowsInput::Stage stage_of(const tokenizers::StageText& from) {
  figures::TokenRowsInput::Stage stage;
  for (const auto& cell : from.cells)
    if (cell.word >= 0) stage.cells.push_back({text::display_text(cell.text), cell.source.start, cell.source.end, cell.changed});
  for (const auto& lost : from.lost) stage.lost.emplace_back(lost.start, lost.end);
  if (!from.splits) return stage;
  for (std::size_t i = 0; i < from.cells.size();) {
    const std::int64_t word = from.cells[i].word;
    std::int64_t start = -1, end = -1;
    for (; i < from.cells.size() && from.cells[i].word == word; ++i) {
      if (from.cells[i].source.end <= from.cells[i].source.start) continue;  // it was added
      if (start < 0) start = from.cells[i].source.start;
      end = std::max(end, from.cells[i].source.end);
    }
    if (word >= 0 && start >= 0) stage.parts.emplace_back(start, end);
  }
  return stage;
}

// The word's bytes, two hexadecimal digits each.
figures::TokenRowsInput::Stage bytes_of(const tokenizers::StageText& last) {
  figures::TokenRowsInput::Stage stage;
  stage.name = tr("bytes");
  std::size_t count = 0, longest = 1;
  std::string example;
  for (const auto& cell : last.cells) {
    if (cell.word < 0) continue;
    count += cell.text.size();
    if (cell.text.size() > longest && !cell.added) {
      longest = cell.text.size();
      example = cell.text;
    }
    for (std::size_t i = 0; i < cell.text.size(); ++i) {
      char hex[4];
      std::snprintf(hex, sizeof hex, "%02x", static_cast<unsigned char>(cell.text[i]));
      const bool own = static_cast<std::int64_t>(cell.text.size()) == cell.source.end - cell.source.start;
      const std::int64_t at = cell.source.start + (own ? static_cast<std::int64_t>(i) : 0);
      stage.cells.push_back({hex, at, own ? at + 1 : cell.source.end, cell.text.size() > 1});
    }
  }
  stage.count = fill(tr("{} bytes"), {text::grouped_number(static_cast<std::int64_t>(count))});
  if (!example.empty()) stage.caption = fill(tr("{0} takes {1}"), {text::display_text(example), std::to_string(longest)});
  for (const auto& lost : last.lost) stage.lost.emplace_back(lost.start, lost.end);
  return stage;
}

// The stages of one tokenizer. `all`: each that changes something; else the last normaliser and the last splitter.
std::vector<figures::TokenRowsInput::Stage> stages_of(const tokenizers::Anatomy& anatomy, const std::string& label,
                                                      std::string_view text, bool all) {
  std::vector<figures::TokenRowsInput::Stage> shown;
  const std::vector<tokenizers::StageText> stages = anatomy.stages(text);
  const auto characters = text::count_code_points(text);
  for (const bool splits : {false, true}) {
    const tokenizers::StageText* last = nullptr;
    std::vector<const tokenizers::StageText*> changing;
    for (const auto& stage : stages)
      if (stage.splits == splits) {
        last = &stage;
        if (stage.changes) changing.push_back(&stage);
      }
    if (!all && !changing.empty()) changing = {last};
    if (changing.empty() && last && splits) changing = {last};
    for (const tokenizers::StageText* stage : changing) {
      auto& row = shown.emplace_back(stage_of(*stage));
      if (splits) {
        row.name = changing.size() == 1 ? tr("split") : tr(text::splitter_registry().find(stage->id)->label.c_str());
        row.count = fill(stage->words == 1 ? tr("{} part") : tr("{} parts"), {text::grouped_number(stage->words)});
        row.caption = changes_of(*stage, text);
        if (row.caption.empty()) row.caption = row.lost.empty() ? tr("nothing is thrown away") : tr("spaces are thrown away");
      } else {
        row.name = changing.size() == 1 ? tr("normalise") : tr(text::normalizer_registry().find(stage->id)->label.c_str());
        row.count = fill(tr("{} characters"), {text::grouped_number(static_cast<std::int64_t>(stage->cells.size()))});
        row.caption = changes_of(*stage, text);
      }
    }
    if (!splits && changing.empty()) {
      auto& row = shown.emplace_back();
      row.name = tr("normalise");
      row.caption = tr("changes nothing");
      row.count = fill(tr("{} characters"), {text::grouped_number(characters)});
      text::for_each_code_point(text, [&](std::int64_t at, const text::CodePoint& point) {
        row.cells.push_back({text::display_text(part_of(text, at, at + point.length)), at, at + point.length});
      });
    }
  }
  if (anatomy.over_bytes() && !stages.empty()) shown.push_back(bytes_of(stages.back()));
  if (!shown.empty()) shown.front().of = label;
  return shown;
}

}  // namespace

std::vector<std::pair<std::int64_t, std::int64_t>> words_of(const std::string& text) {
  std::vector<std::pair<std::int64_t, std::int64_t>> words;
  bool inside = false;
  text::for_each_code_point(text, [&](std::int64_t at, const text::CodePoint& point) {
    const bool space = point.valid && text::is_whitespace(point.value);
    if (!space && !inside) words.emplace_back(at, at);
    if (!space) words.back().second = at + point.length;
    inside = !space;
  });
  return words;
}

TokenRowsAnswer token_rows_data(const Context& context) {
  const std::string* const text = token_text(context);
  std::vector<NamedTokenizer> set = token_set(context);
  if (!text || set.empty()) return {};
  DerivedKey key = token_set_key("tokens/rows", context).add(*text).add(context.document.model);
  const bool fills = fills_in(context.document) && !context.document.plain;
  const bool quick = text->size() <= kAtOnce;
  const auto make = [text = *text, set = std::move(set), fills, plain = context.document.plain](const CancelToken& cancel) {
    return make_rows(text, set, fills, plain, cancel);
  };
  return quick ? context.derived.now<TokenRowsData>(key, make) : context.derived.later<TokenRowsData>(key, make);
}

std::vector<figures::TokenRowsInput::Stage> token_stages(const Context& context, const TokenRowsData& rows, std::size_t row,
                                                         bool all) {
  std::vector<figures::TokenRowsInput::Stage> stages;
  if (row >= rows.set.size()) return stages;
  std::size_t second = rows.set.size();
  for (std::size_t i = 0; i < rows.set.size(); ++i)
    if (i != row && rows.set[i].tokenizer && rows.set[i].name == state_of(context).second) second = i;
  // Unless one is chosen, the last one that works otherwise.
  for (std::size_t i = rows.set.size(); second == rows.set.size() && i-- > 0;)
    if (i != row && rows.set[i].tokenizer && rows.set[row].tokenizer &&
        rows.set[i].tokenizer->kind() != rows.set[row].tokenizer->kind())
      second = i;
  for (const std::size_t at : {row, second}) {
    if (at >= rows.set.size()) continue;
    const auto anatomy = anatomy_of(context, rows.set[at]);
    if (!anatomy) continue;
    for (auto& stage : stages_of(*anatomy, rows.set[at].label, rows.text, all && at == row)) stages.push_back(std::move(stage));
  }
  return stages;
}

}  // namespace headlight::views::tokens
