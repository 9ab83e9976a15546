#include "engine/tokenizers/explained.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "engine/text/utf8.h"

namespace headlight::tokenizers {
namespace {

using text::Normalized;
using text::Span;

// The characters of a text that have no partner in the other: one with the same bytes that came from the same place.
std::vector<Span> without_partner(const Normalized& text, const Normalized& other) {
  const auto characters = [](const Normalized& of, const auto& visit) {
    text::for_each_code_point(of.text(), [&](std::int64_t at, const text::CodePoint& point) {
      const Span source = of.source(at, at + point.length);
      visit(Span{at, at + point.length}, std::tuple(source.start, source.end, point.value, point.valid));
    });
  };
  std::map<std::tuple<std::int64_t, std::int64_t, char32_t, bool>, int> partners;
  characters(other, [&](const Span&, const auto& key) { ++partners[key]; });
  std::vector<Span> alone;
  characters(text, [&](const Span& place, const auto& key) {
    if (const auto found = partners.find(key); found != partners.end() && found->second > 0) {
      --found->second;
    } else if (!alone.empty() && alone.back().end == place.start) {
      alone.back().end = place.end;
    } else {
      alone.push_back(place);
    }
  });
  return alone;
}

// What the stage has changed since `before` and `words`.
ExplainedStage stage_of(bool splits, const Choice& choice, const std::string& label, const Normalized& before,
                        const std::vector<Span>& words, text::Split now) {
  ExplainedStage stage{splits, choice, label, std::move(now.text), std::move(now.words), {}, {}, false};
  if (stage.text.text() != before.text()) {
    stage.written = without_partner(stage.text, before);
    stage.gone = without_partner(before, stage.text);
  }
  stage.cut = splits && (words.size() != stage.words.size() || (stage.written.empty() && words != stage.words));
  return stage;
}

std::vector<Span> whole_of(const Normalized& text) {
  if (text.text().empty()) return {};
  return {{0, static_cast<std::int64_t>(text.text().size())}};
}

std::string_view slice(std::string_view text, Span span) {
  return text.substr(static_cast<std::size_t>(span.start), static_cast<std::size_t>(span.end - span.start));
}

}  // namespace

Result<Explained> Tokenizer::explain(std::string_view input, const CancelToken& cancel) const {
  Explained made;
  HL_ASSIGN(made.tokens, encode(input, cancel));
  std::size_t token = 0;
  const auto add_added = [&](std::int32_t id, Span source) {
    Explained::Part& part = made.parts.emplace_back();
    part.source = source, part.added = id, part.token = token++;
    part.original = slice(input, source);
  };
  // The splitters and the words of `text`, which begins at byte `begin` of the input.
  const auto add_words = [&](Explained::Part part, const Normalized& text, std::int64_t begin, bool at_start) -> Status {
    text::Split now{text, whole_of(text), at_start};
    for (const auto& splitter : splitters_) {
      if (cancel.cancelled()) return cancelled();
      const text::Split before = now;
      splitter->split(now);
      part.stages.push_back(stage_of(true, splitter.choice, text::splitter_registry().find(splitter.choice.id)->label,
                                     before.text, before.words, now));
    }
    std::vector<Piece> pieces;
    for (const Span& span : now.words) {
      Explained::Word& word = part.words.emplace_back();
      word.text = slice(now.text.text(), span), word.place = span;
      const Span source = now.text.source(span.start, span.end);
      word.source = {begin + source.start, begin + source.end};
      HL_TRY(model_->encode(word.text, pieces, cancel));
      word.first_token = token, word.tokens = pieces.size();
      token += pieces.size();
    }
    made.parts.push_back(std::move(part));
    return {};
  };
  std::vector<AddedTokens::Piece> pieces{{-1, 0, static_cast<std::int64_t>(input.size())}};
  if (added_.any(false)) pieces = added_.pieces(input, false, plain_);
  for (const AddedTokens::Piece& piece : pieces) {
    const Span source{piece.start, piece.end};
    if (piece.id >= 0) {
      add_added(piece.id, source);
      continue;
    }
    if (piece.start == piece.end) continue;
    Explained::Part part;
    part.source = source;
    part.original = slice(input, source);
    Normalized normal(part.original);
    for (const auto& normalizer : normalizers_) {
      const Normalized before = normal;
      normalizer->apply(normal);
      part.stages.push_back(stage_of(false, normalizer.choice, text::normalizer_registry().find(normalizer.choice.id)->label,
                                     before, {}, {normal, whole_of(normal), true}));
    }
    const bool at_start = piece.start == 0;
    std::vector<AddedTokens::Piece> inside{{-1, 0, static_cast<std::int64_t>(normal.text().size())}};
    if (added_.any(true)) inside = added_.pieces(normal.text(), true, plain_);
    if (inside.size() < 2 && (inside.empty() || inside.front().id < 0)) {
      HL_TRY(add_words(std::move(part), normal, piece.start, at_start));
      continue;
    }
    for (const AddedTokens::Piece& one : inside) {
      if (one.start == one.end) continue;
      const Span from = normal.source(one.start, one.end);
      const Span at{piece.start + from.start, piece.start + from.end};
      if (one.id >= 0) {
        add_added(one.id, at);
        continue;
      }
      Explained::Part between;
      between.source = at;
      between.original = slice(normal.text(), {one.start, one.end});
      between.stages = std::exchange(part.stages, {});
      HL_TRY(add_words(std::move(between), normal.slice(one.start, one.end), piece.start, at_start));
    }
  }
  return made;
}

Result<Explanation> Tokenizer::explain_word(std::string_view word, const CancelToken& cancel) const {
  if (word.empty()) return Explanation();
  return model_->explain(word, cancel);
}

}  // namespace headlight::tokenizers
