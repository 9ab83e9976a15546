#include "engine/tokenizers/anatomy.h"

#include <algorithm>
#include <charconv>

#include "engine/text/byte_alphabet.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/models/pair_key.h"

namespace headlight::tokenizers {
namespace {

std::string_view part_of(std::string_view text, std::int64_t start, std::int64_t end) {
  return text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start));
}
template <class T>
T value_of(const Choice& choice, const char* id, T fallback) {
  const auto at = choice.values.find(id);
  const T* const value = at == choice.values.end() ? nullptr : std::get_if<T>(&at->second);
  return value ? *value : fallback;
}

// The rank of each merge: its place, or that of its group where several have one rank.
std::vector<std::int64_t> ranks_of(const Choice& model, std::size_t merges) {
  std::vector<std::int64_t> ranks(merges);
  const auto tied = value_of<std::string>(model, "tied", "");
  std::size_t at = 0;
  std::int64_t rank = 0;
  for (const char *c = tied.data(), *end = c + tied.size(); c < end; ++c) {
    std::int64_t size = 0;
    c = std::from_chars(c, end, size).ptr;
    for (; size > 0 && at < merges; --size) ranks[at++] = rank;
    ++rank;
  }
  for (; at < merges; ++at) ranks[at] = rank++;
  return ranks;
}

// The cells of a part's text, which is cut into words; `offset` is added to the places that the text knows.
void add_cells(const text::Normalized& from, const std::vector<text::Span>& words, std::int64_t offset, std::string_view input,
               StageText& stage) {
  const std::string& text = from.text();
  std::size_t word = 0;
  text::for_each_code_point(text, [&](std::int64_t at, const text::CodePoint& point) {
    while (word < words.size() && words[word].end <= at) ++word;
    const bool inside = word < words.size() && words[word].start <= at;
    const text::Span source = from.source(at, at + point.length);
    StageText::Cell cell;
    cell.text = text.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(point.length));
    cell.source = {offset + source.start, offset + source.end};
    cell.word = inside ? stage.words + static_cast<std::int64_t>(word) : -1;
    cell.changed = cell.text != part_of(input, cell.source.start, cell.source.end);
    stage.cells.push_back(std::move(cell));
  });
  stage.words += static_cast<std::int64_t>(words.size());
}

// What the places in a part's texts are counted from: behind an added token of the normalised text they go on counting.
std::int64_t offset_of(const Explained::Part& part) {
  if (part.words.empty() || part.stages.empty()) return part.source.start;
  const Explained::Word& word = part.words.front();
  return word.source.start - part.stages.back().text.source(word.place.start, word.place.end).start;
}

// Fills in the bytes of the input that no word holds any more.
void find_lost(std::string_view input, StageText& stage) {
  std::vector<bool> kept(input.size(), false);
  for (const StageText::Cell& cell : stage.cells)
    if (cell.word >= 0)
      std::fill(kept.begin() + cell.source.start, kept.begin() + std::max(cell.source.start, cell.source.end), true);
  for (std::size_t at = 0; at < kept.size(); ++at) {
    if (kept[at]) continue;
    const std::size_t begin = at;
    while (at + 1 < kept.size() && !kept[at + 1]) ++at;
    stage.lost.push_back({static_cast<std::int64_t>(begin), static_cast<std::int64_t>(at) + 1});
  }
}

}  // namespace

text::Span ModelWord::source(std::int64_t start, std::int64_t end) const {
  const text::Span from = text.source(start, end);
  return {offset + from.start, offset + from.end};
}

Result<std::shared_ptr<const Anatomy>> Anatomy::of(std::shared_ptr<const Tokenizer> tokenizer) {
  const std::shared_ptr<Anatomy> made(new Anatomy);
  const TokenizerPlan plan = tokenizer->plan();
  made->tokenizer_ = std::move(tokenizer);
  made->normalizers_ = plan.normalizers;
  made->splitters_ = plan.splitters;
  const Vocabulary& vocabulary = made->tokenizer_->vocabulary();
  if (plan.model.id == "bpe") {
    made->over_bytes_ = value_of<std::string>(plan.model, "alphabet", "bytes") == "bytes";
    const auto prefix = value_of<std::string>(plan.model, "prefix", "");
    const std::vector<std::int64_t> ranks = ranks_of(plan.model, plan.merges.size());
    made->joins_.reserve(plan.merges.size());
    for (std::size_t i = 0; i < plan.merges.size(); ++i) {
      const auto& [left, right] = plan.merges[i];
      const bool inside = !prefix.empty() && right.starts_with(prefix);
      made->joins_.try_emplace(pair_key(vocabulary.find(left), vocabulary.find(right)), ranks[i]);
      made->ranks_.try_emplace(vocabulary.find(left + (inside ? right.substr(prefix.size()) : right)), ranks[i]);
    }
  } else if (plan.model.id == "unigram") {
    made->scores_ = plan.scores;
    double least = 0;
    for (std::int32_t id = 0; id < static_cast<std::int32_t>(plan.scores.size()); ++id)
      if (vocabulary.is_text(id)) least = std::min(least, plan.scores[static_cast<std::size_t>(id)]);
    made->unknown_score_ = least - 10;
  }
  return std::shared_ptr<const Anatomy>(made);
}

std::vector<StageText> Anatomy::stages(std::string_view input) const {
  std::vector<StageText> all;
  for (const auto* choices : {&normalizers_, &splitters_})
    for (const Choice& choice : *choices) {
      StageText& stage = all.emplace_back();
      stage.id = choice.id;
      stage.splits = choices == &splitters_;
    }
  const auto explained = tokenizer_->explain(input);
  if (!explained) return all;
  for (const Explained::Part& part : explained->parts) {
    if (part.added >= 0) {
      for (StageText& stage : all)
        stage.cells.push_back(
            {std::string(part_of(input, part.source.start, part.source.end)), part.source, stage.words++, false, true});
      continue;
    }
    // A part behind an added token of the normalised text has only splitters.
    std::size_t at = !part.stages.empty() && part.stages.front().splits ? normalizers_.size() : 0;
    for (const ExplainedStage& one : part.stages) {
      StageText& stage = all[at++];
      add_cells(one.text, one.words, offset_of(part), input, stage);
      stage.changes = stage.changes || one.changed();
    }
  }
  for (StageText& stage : all) find_lost(input, stage);
  return all;
}

std::vector<ModelWord> Anatomy::words(std::string_view input) const {
  std::vector<ModelWord> words;
  const auto explained = tokenizer_->explain(input);
  if (!explained) return words;
  // SentencePiece's words may be whole sentences; no piece goes on behind a space.
  const bool sentences = tokenizer_->kind() == "unigram" || (tokenizer_->kind() == "bpe" && !over_bytes_);
  for (const Explained::Part& part : explained->parts) {
    if (part.added >= 0) continue;
    const std::int64_t offset = offset_of(part);
    const text::Normalized whole = part.stages.empty() ? text::Normalized(part.original) : part.stages.back().text;
    for (const Explained::Word& word : part.words) {
      std::int64_t start = word.place.start;
      for (std::int64_t at = start + 1; sentences && at < word.place.end; ++at)
        if (part_of(whole.text(), at, word.place.end).starts_with("▁") && !part_of(whole.text(), start, at).ends_with("▁")) {
          words.push_back({whole.slice(start, at), offset});
          start = at;
        }
      words.push_back({whole.slice(start, word.place.end), offset});
    }
  }
  return words;
}

std::int64_t Anatomy::rank_of(std::int32_t id) const {
  const auto at = ranks_.find(id);
  return at == ranks_.end() ? -1 : at->second;
}

double Anatomy::score_of(std::int32_t id) const {
  return id >= 0 && static_cast<std::size_t>(id) < scores_.size() ? scores_[static_cast<std::size_t>(id)] : 0;
}

std::int64_t Anatomy::rank_between(std::int32_t left, std::int32_t right) const {
  const auto at = joins_.find(pair_key(left, right));
  return at == joins_.end() ? -1 : at->second;
}

MergeStory Anatomy::merges(std::string_view word) const {
  MergeStory story;
  word = word.substr(0, static_cast<std::size_t>(kLongest));
  const auto explained = tokenizer_->explain_word(word);
  const auto* const trees = explained ? std::get_if<MergeTrees>(&*explained) : nullptr;
  if (!trees) return story;
  MergeStory::State now;
  story.whole = trees->whole;
  if (trees->whole) {
    const auto& vocabulary = tokenizer_->vocabulary();
    now.parts = {{0, static_cast<std::int64_t>(word.size()),
                  vocabulary.find_text(over_bytes_ ? text::to_byte_pieces(word) : std::string(word))}};
    story.states = {now};
    return story;
  }
  std::vector<std::int32_t> nodes;  // of the parts
  const auto add_part = [&](std::size_t node) {
    const MergeTrees::Node& one = trees->nodes[node];
    return MergeStory::Part{one.start, one.end, one.id};
  };
  for (std::size_t leaf = 0; leaf < trees->leaves; ++leaf) {
    nodes.push_back(static_cast<std::int32_t>(leaf));
    now.parts.push_back(add_part(leaf));
  }
  for (std::size_t join = trees->leaves; join <= trees->nodes.size(); ++join) {
    now.ranks.clear();
    now.chosen = -1;
    for (std::size_t i = 0; i + 1 < now.parts.size(); ++i)
      now.ranks.push_back(rank_between(now.parts[i].id, now.parts[i + 1].id));
    if (join == trees->nodes.size()) {
      story.states.push_back(now);
      break;
    }
    const auto left = std::ranges::find(nodes, trees->nodes[join].left) - nodes.begin();
    now.chosen = left;
    story.states.push_back(now);
    now.parts[static_cast<std::size_t>(left)] = add_part(join);
    nodes[static_cast<std::size_t>(left)] = static_cast<std::int32_t>(join);
    now.parts.erase(now.parts.begin() + left + 1);
    nodes.erase(nodes.begin() + left + 1);
  }
  return story;
}

TryStory Anatomy::tries(std::string_view word) const {
  TryStory story;
  const auto explained = tokenizer_->explain_word(word);
  const auto* const matches = explained ? std::get_if<LongestMatches>(&*explained) : nullptr;
  if (!matches) return story;
  story.covered = matches->covered;
  story.too_long = matches->too_long;
  for (const LongestMatches::Step& step : matches->steps) {
    const std::int64_t last = step.fits.empty() ? step.start + 1 : step.fits.back().end;
    for (auto end = static_cast<std::int64_t>(word.size()); end >= last; --end) {
      const bool inside = end < static_cast<std::int64_t>(word.size()) &&
                          (static_cast<unsigned char>(word[static_cast<std::size_t>(end)]) & 0xC0u) == 0x80;
      if (!inside) story.tries.push_back({step.start, end, end == last && !step.fits.empty() ? step.fits.back().id : -1});
    }
  }
  return story;
}

}  // namespace headlight::tokenizers
