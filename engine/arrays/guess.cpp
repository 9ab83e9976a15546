// What the arrays of a file are, from names, shapes and a look at some of the numbers.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "engine/arrays/reading.h"

namespace headlight::arrays {
namespace {

using Words = std::vector<std::string>;

// "decoderInputIds_2" has the words decoder, input, ids.
Words words_of_name(const std::string& name) {
  Words words;
  std::string word;
  const auto end = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (!std::isalpha(c)) {
      end();
      continue;
    }
    if (std::isupper(c) && i > 0 && std::islower(static_cast<unsigned char>(name[i - 1]))) end();
    word += static_cast<char>(std::tolower(c));
  }
  end();
  return words;
}
bool has(const Words& words, std::initializer_list<std::string_view> any) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(any.begin(), any.end(), std::string_view(word)) != any.end();
  });
}

std::string part_of(const Words& words) {
  if (has(words, {"cross", "xattn"})) return "cross";
  if (has(words, {"encoder", "enc"})) return "encoder";
  if (has(words, {"decoder", "dec"})) return "decoder";
  return {};
}

// What a name says of its array; `strength`: of two arrays for one thing the stronger name counts.
struct Named {
  std::optional<What> what;
  int strength = 0;
};
Named named(const Words& words) {
  if (words.empty()) return {};
  const std::string& last = words.back();
  if (has(words, {"mask"})) return {What::mask, 1};
  if (has(words, {"masked"})) return {What::masked_scores, 2};
  if (has(words, {"softmax"})) return {What::weights, 5};
  if (has(words, {"weights", "probs", "probabilities", "pattern"})) return {What::weights, 4};
  if (has(words, {"scaled"})) return {What::scaled_scores, 2};
  if (has(words, {"scores", "score"})) return {What::scores, 2};
  if (last == "q" || last == "query" || last == "queries") return {What::q, 2};
  if (last == "k" || last == "key" || last == "keys") return {What::k, 2};
  if (last == "v" || last == "value" || last == "values") return {What::v, 2};
  if (has(words, {"dropout"})) return {What::weights, 2};
  if (has(words, {"attentions"})) return {What::weights, 3};
  if (has(words, {"attention", "attn", "att", "alpha", "alphas"})) return {What::weights, 1};
  if (has(words, {"encoder", "decoder", "cross"}) && words.size() == 1) return {What::weights, 3};
  return {};
}

// What a look at all rows, or of many numbers at some rows of every map, says.
struct Look {
  bool whole = false;
  std::int64_t rows = 0, even = 0;              // looked at; of them, those that sum to 1 or hold nothing
  std::int64_t nan = 0, below = 0, masked = 0;  // numbers: NaN, below 0, minus infinity
  bool ahead = false;                           // something other than 0 or minus infinity above the diagonal
  bool looks_like_weights() const { return below == 0 && masked == 0 && rows > 0 && even * 10 >= rows * 9; }
};

void look_at_row(std::span<const double> numbers, std::int64_t row, Look& look) {
  constexpr double kRowSum = 0.01;  // float16 weights of a thousand columns sum to 1 so closely
  double sum = 0;
  bool any = false;
  for (std::size_t c = 0; c < numbers.size(); ++c) {
    const double n = numbers[c];
    if (std::isnan(n)) ++look.nan;
    if (n < 0) ++(std::isinf(n) ? look.masked : look.below);
    if (static_cast<std::int64_t>(c) > row && n != 0 && !(std::isinf(n) && n < 0)) look.ahead = true;
    if (n != 0) any = true;
    sum += n;
  }
  ++look.rows;
  if (!any || std::abs(sum - 1) <= kRowSum) ++look.even;
}

Look look_at(const Cells& cells) {
  constexpr std::int64_t kWhole = std::int64_t{1} << 24, kWholeMaps = 1 << 16;  // numbers, maps: read within a tenth of a second
  constexpr std::int64_t kMaps = 256, kRows = 16, kBlock = 1 << 14;
  Look look;
  const std::int64_t maps = cells.layers * cells.sentences * cells.heads;
  look.whole =
      maps <= kWholeMaps && static_cast<double>(maps) * static_cast<double>(cells.rows) * static_cast<double>(cells.columns) <=
                                static_cast<double>(kWhole);
  const std::int64_t taken = look.whole ? maps : std::min(maps, kMaps), rows = std::min(cells.rows, kRows);
  const auto read = [&](std::int64_t map, std::int64_t first, std::int64_t count) {
    const Tensor numbers = cells
                               .tile(map / (cells.sentences * cells.heads), map / cells.heads % cells.sentences,
                                     map % cells.heads, first, count, 0, cells.columns)
                               .as(DType::f64);
    const auto width = static_cast<std::size_t>(cells.columns);
    for (std::int64_t r = 0; r < count; ++r)
      look_at_row(numbers.values<double>().subspan(static_cast<std::size_t>(r) * width, width), first + r, look);
  };
  for (std::int64_t m = 0; m < taken; ++m) {
    if (look.whole) {
      const std::int64_t block = std::max<std::int64_t>(1, kBlock / std::max<std::int64_t>(1, cells.columns));
      for (std::int64_t first = 0; first < cells.rows; first += block) read(m, first, std::min(block, cells.rows - first));
      continue;
    }
    const std::int64_t map = maps <= kMaps ? m : m * (maps - 1) / (kMaps - 1);
    for (std::int64_t r = 0; r < rows; ++r) read(map, rows < 2 ? 0 : r * (cells.rows - 1) / (rows - 1), 1);
  }
  return look;
}

bool is_head_word(const std::string& word) { return word == "head" || word == "heads"; }
bool is_sentence_word(const std::string& word) {
  return word == "batch" || word == "sentence" || word == "sentences" || word == "example" || word == "sample";
}

struct Counts {
  std::int64_t queries = 0, keys = 0, sentences = 0;  // as the tokens say; 0: unknown
};

// What the arrays of a part say of its heads before q, k and v are looked at.
struct Sizes {
  std::int64_t layers = 0, heads = 0;
  std::string from;  // the array that says how many heads there are
  bool has_queries = false;
  std::int64_t width = 0;  // of a head's query, where they lie side by side; 0: they do not
};

Sizes sizes_of(const File& file, const std::vector<Group>& groups, const Reading& reading, const std::string& part) {
  Sizes sizes;
  for (const Use& use : reading.uses) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& one) { return one.pattern == use.pattern; });
    if (use.part != part || use.what == What::mask || group == groups.end()) continue;
    const Shape shape = group->shape();
    sizes.has_queries = sizes.has_queries || use.what == What::q;
    for (std::size_t i = 0; i < std::min(shape.size(), use.axes.size()); ++i) {
      const auto beside = heads_beside(use.axes[i]);
      if (use.axes[i] == "layer") sizes.layers = shape[i];
      if (is_matrix(use.what) && use.axes[i] == "head") {
        sizes.heads = shape[i];
        sizes.from = use.pattern;
      }
      if (use.what != What::q || !beside || shape[i] % *beside != 0) continue;
      sizes.width = shape[i] / *beside;
      sizes.heads = *beside;
    }
  }
  if (sizes.heads > 0) return sizes;
  for (const Array& array : file.arrays) {
    const Words words = words_of_name(array.name);
    if (array.count() != 1 || !has(words, {"heads", "head", "nhead", "nheads"}) || array.element < Element::i8) continue;
    double heads = 0;
    read_run(array, 0, 1, 1, &heads);
    if (!(heads >= 1 && heads <= 4096)) continue;
    sizes.heads = static_cast<std::int64_t>(heads);
    sizes.from = array.name;
  }
  return sizes;
}

// How many heads lie side by side in the last axis of q, k or v: [sentence, position, 12 * d]. 0: heads have an axis of their
// own, or nothing says how many there are. `why` gets what says it.
std::int64_t guess_beside(const Group& group, What what, const Counts& counts, const Sizes& sizes, std::vector<Message>& why) {
  constexpr std::int64_t kUsualWidth = 64, kWide = 256;
  const Shape shape = group.shape();
  if (is_matrix(what) || group.arrays.front()->shape.size() < 2) return 0;
  const std::int64_t width = shape.back();
  if (what != What::q && sizes.has_queries) {
    if (sizes.width == 0 || width % sizes.width != 0 || sizes.heads % (width / sizes.width) != 0) return 0;
    const std::int64_t heads = width / sizes.width;  // several queries may share a key
    why.push_back(Message("'{}' holds {} heads of {} numbers side by side, as the queries' heads are so wide", group.pattern,
                          heads, sizes.width));
    return heads;
  }
  // An axis of heads stands before the positions, or between them and the numbers.
  const std::size_t last = shape.size() - 2;
  const bool positions_last = counts.queries == 0 || shape[last] == counts.queries;
  for (std::size_t i = 0; i <= last; ++i)
    if (sizes.heads > 1 && shape[i] == sizes.heads && (positions_last ? i < last : shape[i] != counts.queries)) return 0;
  if (sizes.heads > 1 && width % sizes.heads == 0) {
    why.push_back(Message("'{}' holds {} heads of {} numbers side by side: '{}' says how many heads there are", group.pattern,
                          sizes.heads, width / sizes.heads, sizes.from));
    return sizes.heads;
  }
  if (sizes.heads > 0 || width <= kWide || width % kUsualWidth != 0) return 0;
  why.push_back(
      Message("'{}' has {} numbers a vector: they are taken as {} heads of {} side by side, as wide as most models' are",
              group.pattern, width, width / kUsualWidth, kUsualWidth));
  return width / kUsualWidth;
}

// The axes of a group; `beside`: heads that lie side by side in its last one.
AxisNames guess_axes(const Group& group, What what, const Counts& counts, std::int64_t beside = 0, std::int64_t layers = 0) {
  AxisNames axes;
  std::set<std::string> used;
  const auto name = [&](std::string axis) {
    used.insert(axis);
    axes.push_back(std::move(axis));
  };
  for (std::size_t i = 0; i < group.outer.size(); ++i) {
    const std::string& word = group.outer_words[i];
    std::string axis = is_head_word(word) ? "head" : is_sentence_word(word) ? "batch" : used.contains("layer") ? "head" : "layer";
    if (used.contains(axis)) axis = used.contains("head") ? "batch" : "head";
    name(std::move(axis));
  }
  const Shape& shape = group.arrays.front()->shape;
  std::size_t ends = 2;
  if (what == What::mask) {
    const bool pairs =
        shape.size() >= 2 && (shape[shape.size() - 2] == counts.queries || shape.size() > 2 || counts.sentences < 2);
    ends = pairs ? 2 : 1;
  }
  if (shape.size() < ends) return {};
  const std::size_t before = shape.size() - ends;
  // The axis of positions may stand before that of the heads: [sentence, position, head, d].
  const std::int64_t positions =
      what == What::k || what == What::v ? (counts.keys ? counts.keys : counts.queries) : counts.queries;
  const bool vectors = !is_matrix(what);
  const bool turned =
      vectors && beside == 0 && before >= 1 && positions > 0 && shape[before] != positions && shape[before - 1] == positions;
  // Heads may stand last: [query, key, head].
  const bool heads_last = is_matrix(what) && what != What::mask && before >= 1 && counts.queries > 0 &&
                          shape[before - 1] == counts.queries && shape[before] == (counts.keys ? counts.keys : counts.queries) &&
                          shape.back() != shape[before] && !used.contains("head");
  std::vector<std::string> free;
  for (const char* axis : {"layer", "batch", "head"})
    if (!used.contains(axis)) free.emplace_back(axis);
  if (heads_last || turned || beside > 0) std::erase(free, "head");
  std::size_t leading = heads_last || turned ? before - 1 : before;
  AxisNames front;
  const bool sentences_first = counts.sentences > 1 && leading > 0 && shape.front() == counts.sentences;
  if (leading == 1) {
    const bool only_batch = free.empty() || (sentences_first && std::find(free.begin(), free.end(), "head") == free.end());
    front = {only_batch                                                                           ? "batch"
             : !free.empty() && free.back() == "head" && !(what == What::mask && sentences_first) ? "head"
                                                                                                  : "batch"};
    if (turned) front = {"batch"};
    if (beside > 0 && layers > 1 && shape.front() == layers && !used.contains("layer")) front = {"layer"};
  } else if (leading == 2 && free.size() >= 2) {
    const bool has_layer = free.front() == "layer";
    front = !has_layer                              ? AxisNames{"batch", "head"}
            : free.back() != "head"                 ? AxisNames{"layer", "batch"}
            : sentences_first || what == What::mask ? AxisNames{"batch", "head"}
                                                    : AxisNames{"layer", "head"};
  } else if (leading >= free.size() && !free.empty()) {
    front.assign(leading - free.size(), "-");
    front.insert(front.end(), free.begin(), free.end());
    if (free.size() == 3 && sentences_first && shape[1] != counts.sentences) std::swap(front[0], front[1]);
  } else {
    front.assign(leading, "-");
  }
  if (what == What::mask)
    for (std::size_t i = 0; i < front.size(); ++i)
      if (shape[i] == 1) front[i] = "-";
  for (std::string& axis : front) name(std::move(axis));
  if (heads_last) {
    for (const char* axis : {"query", "key", "head"}) name(axis);
  } else if (turned) {
    for (const char* axis : {"query", "head", "d"}) name(axis);
  } else if (ends == 1) {
    name("key");
  } else {
    name(what == What::mask && shape[before] == 1 && counts.queries > 1 ? "-" : "query");
    name(vectors ? heads_beside_name(beside) : "key");
  }
  return axes;
}

std::string say_axes(const AxisNames& axes) {
  std::string all;
  for (const std::string& axis : axes) all += (all.empty() ? "" : ", ") + (axis == "batch" ? std::string("sentence") : axis);
  return all;
}

std::string holds(const File& file) {
  std::string all;
  const std::vector<Group> groups = groups_of(file);
  constexpr std::size_t kMost = 6;
  for (std::size_t i = 0; i < groups.size() && i < kMost; ++i)
    all += (i ? ", " : "") + ("'" + groups[i].pattern + "' " + to_string(groups[i].shape()));
  if (groups.size() > kMost) all += ", …";
  return all;
}

// The list of texts that names the tokens of the queries, and of the keys where they are others.
void guess_tokens(const File& file, Reading& reading) {
  int best = 0, best_source = 0;
  for (const Texts& texts : file.texts) {
    if (texts.alone || texts.lists.empty()) continue;
    const Words words = words_of_name(texts.name);
    if (has(words, {"model"})) continue;
    const bool tokens = has(words, {"tokens", "token", "pieces", "words", "labels"});
    const bool source = has(words, {"source", "src", "key", "keys", "encoder", "memory", "column", "columns", "right"});
    const bool target = has(words, {"target", "tgt", "query", "queries", "decoder", "row", "rows", "left"});
    // A list whose name says nothing has as many texts as an array has rows or columns.
    const bool fits = std::any_of(file.arrays.begin(), file.arrays.end(), [&](const Array& array) {
      return std::find(array.shape.begin(), array.shape.end(), static_cast<std::int64_t>(texts.lists.front().size())) !=
             array.shape.end();
    });
    if (!tokens && !source && !target && !fits && texts.lists.size() == 1) continue;
    const int strength = 1 + (tokens ? 2 : 0) + (source || target ? 1 : 0) + (words.size() == 1 && tokens ? 1 : 0);
    if (source && !target) {
      if (strength > best_source) {
        best_source = strength;
        reading.source_tokens = texts.name;
      }
    } else if (strength > best) {
      best = strength;
      reading.tokens = texts.name;
    }
  }
  if (reading.tokens.empty()) std::swap(reading.tokens, reading.source_tokens);
  for (const Texts& texts : file.texts) {
    if (!texts.alone) continue;
    const Words words = words_of_name(texts.name);
    if (words == Words{"tokenizer"}) reading.tokenizer = texts.lists.front().front();
    // A sentence alone is cut by a tokenizer, or where it has spaces.
    if (reading.tokens.empty() && has(words, {"text", "prompt", "sentence"})) reading.tokens = texts.name;
  }
  if (!reading.tokens.empty() && file.text(reading.tokens)->alone == false) return;
  for (const Array& array : file.arrays) {
    const Words words = words_of_name(array.name);
    if (reading.tokenizer.empty() || !has(words, {"ids"}) || array.shape.empty() || array.shape.size() > 2 ||
        (array.element < Element::i8 && file.kind != ".json"))
      continue;
    reading.tokens = array.name;
    return;
  }
}

Counts counts_of(const File& file, const Reading& reading) {
  Counts counts;
  const TokenLists lists = token_lists(file, reading);
  const auto longest = [](const std::vector<std::vector<std::string>>& all) {
    std::size_t most = 0;
    for (const auto& one : all) most = std::max(most, one.size());
    return static_cast<std::int64_t>(most);
  };
  counts.queries = longest(lists.queries);
  counts.keys = lists.keys.empty() ? counts.queries : longest(lists.keys);
  counts.sentences = static_cast<std::int64_t>(lists.queries.size());
  for (const Array& array : file.arrays)
    if (array.name == reading.tokens && !array.shape.empty()) {
      counts.queries = counts.keys = array.shape.back();
      counts.sentences = array.shape.size() == 2 ? array.shape.front() : 1;
    }
  return counts;
}

Result<Cells> cells_alone(const std::shared_ptr<const File>& file, const Use& use) {
  // A part of one use: what a look needs.
  Reading one;
  one.uses = {use};
  if (!is_matrix(use.what)) one.uses.push_back({use.part, use.what == What::q ? What::k : What::q, use.pattern, use.axes});
  HL_ASSIGN(std::vector<Part> parts, parts_of(file, one));
  return std::move(parts.front().cells.front());
}

void say_numbers(const Cells& cells, const Look& look, std::vector<Message>& remarks) {
  if (look.nan > 0)
    remarks.push_back(
        look.whole ? Message("'{}' holds NaN: {} in its {} rows; these cells are shown as NaN", cells.name, look.nan, look.rows)
                   : Message("'{}' holds NaN: {} in the {} rows that were looked at; these cells are shown as NaN", cells.name,
                             look.nan, look.rows));
  if (cells.what != What::weights) return;
  if (look.below > 0)
    remarks.push_back(Message("'{}' holds numbers below 0, which no softmax gives: they are shown as they are", cells.name));
  if (look.even < look.rows)
    remarks.push_back(look.whole
                          ? Message("{} of the {} rows of '{}' do not sum to 1: they are shown as they are",
                                    look.rows - look.even, look.rows, cells.name)
                          : Message("{} of the {} rows of '{}' that were looked at do not sum to 1: they are shown as they are",
                                    look.rows - look.even, look.rows, cells.name));
}

// Causal where every map of every square part is, and what is unusual.
Status look_again(const std::shared_ptr<const File>& file, Guess& guess) {
  HL_ASSIGN(const std::vector<Part> parts, parts_of(file, guess.reading));
  bool square = false, ahead = false;
  for (const Part& part : parts)
    for (const Cells& cells : part.cells) {
      if (!is_matrix(cells.what) || cells.what == What::mask) continue;
      const Look look = look_at(cells);
      say_numbers(cells, look, guess.remarks);
      const bool tells =
          cells.what == What::weights || cells.what == What::masked_scores || (is_score(cells.what) && look.masked > 0);
      if (!tells || part.name == "cross" || part.name == "encoder" || cells.rows != cells.columns || cells.rows < 2) continue;
      square = true;
      ahead = ahead || look.ahead;
    }
  guess.causal = square && !ahead;
  return {};
}

// The arrays that have something to say, by part and by what they are.
struct Candidate {
  const Group* group;
  Named named;
  std::string part;
};

// Weights by name that are none by their numbers are scores.
What by_numbers(const std::shared_ptr<const File>& file, const Use& use, int strength, std::vector<Message>& why) {
  const auto cells = cells_alone(file, use);
  if (!cells) return use.what;
  const Look look = look_at(*cells);
  if (use.what == What::scores && look.masked > 0) {
    why.push_back(Message("'{}' holds minus infinity: these are scores behind the mask", use.pattern));
    return What::masked_scores;
  }
  if (use.what != What::weights) return use.what;
  if (look.looks_like_weights()) {
    why.push_back(Message("its numbers are 0 or more and its rows sum to 1: '{}' is taken as weights", use.pattern));
    return What::weights;
  }
  if (strength >= 4 || (look.below == 0 && look.masked == 0)) {
    why.push_back(Message("'{}' is taken as weights by its name or because nothing in it is below 0", use.pattern));
    return What::weights;
  }
  why.push_back(
      look.masked > 0
          ? Message("'{}' holds minus infinity: these are scores behind the mask, and softmax makes weights of them", use.pattern)
          : Message("the rows of '{}' do not sum to 1: these are scores, and softmax makes weights of them", use.pattern));
  return look.masked > 0 ? What::masked_scores : What::scores;
}

std::vector<Candidate> candidates_of(const std::vector<Group>& groups) {
  std::vector<Candidate> all;
  for (const Group& group : groups) {
    const Words words = words_of_name(group.pattern);
    if (has(words, {"ids"}) || group.arrays.front()->shape.empty()) continue;
    Candidate one{&group, named(words), part_of(words)};
    if (one.named.what && (one.named.what == What::mask || group.shape().size() >= 2)) all.push_back(std::move(one));
  }
  if (!all.empty()) return all;
  // No name says anything: the largest array of two axes or more.
  const Group* largest = nullptr;
  for (const Group& group : groups)
    if (group.shape().size() >= 2 && (!largest || element_count(group.shape()) > element_count(largest->shape())))
      largest = &group;
  if (largest) all.push_back({largest, {What::weights, 0}, part_of(words_of_name(largest->pattern))});
  return all;
}

}  // namespace

Result<Guess> guess(const File& given, const Asked& asked) {
  // The cells of a reading keep the file; a look only borrows it.
  const std::shared_ptr<const File> file(std::shared_ptr<const void>(), &given);
  const std::vector<Group> groups = groups_of(given);
  if (groups.empty()) {
    if (!given.left_out.empty())
      return invalid("holds no array of numbers: {}", given.left_out.front()).at(given.where).mend("give lists of equal lengths");
    return invalid("holds no array of numbers").at(given.where).mend("give attention weights as [layer, head, query, key]");
  }
  Guess guess;
  guess_tokens(given, guess.reading);
  const Counts counts = counts_of(given, guess.reading);
  const std::vector<Candidate> candidates = candidates_of(groups);
  if (candidates.empty())
    return invalid("holds {}: none of them has rows and columns", holds(given))
        .at(given.where)
        .mend("give attention weights as [layer, head, query, key]");
  for (const char* part : {"", "encoder", "decoder", "cross"}) {
    for (const What what :
         {What::weights, What::scores, What::scaled_scores, What::masked_scores, What::q, What::k, What::v, What::mask}) {
      const Candidate* best = nullptr;
      for (const Candidate& one : candidates)
        if (one.part == part && one.named.what == what && (!best || one.named.strength > best->named.strength)) best = &one;
      if (!best) continue;
      Use use{part, what, best->group->pattern, {}};
      const bool asked_here =
          !asked.axes.empty() && (is_matrix(what) && what != What::mask
                                      ? std::find(asked.axes.begin(), asked.axes.end(), "key") != asked.axes.end()
                                      : std::any_of(asked.axes.begin(), asked.axes.end(),
                                                    [](const std::string& axis) { return axis == "d" || heads_beside(axis); }));
      const Sizes sizes = sizes_of(given, groups, guess.reading, part);
      const std::int64_t beside = asked_here ? 0 : guess_beside(*best->group, what, counts, sizes, guess.why);
      use.axes = asked_here ? asked.axes : guess_axes(*best->group, what, counts, beside, sizes.layers);
      if (asked_here && what != What::q && sizes.width > 0)
        for (std::string& axis : use.axes)  // several queries may share a key
          if (const std::int64_t width = best->group->shape().back(); heads_beside(axis) && width % sizes.width == 0)
            axis = heads_beside_name(width / sizes.width);
      if (use.axes.empty()) continue;
      if (best->group->arrays.front()->element == Element::u16 && what != What::mask)
        guess.why.push_back(Message("'{}' is uint16: its numbers are read as the bits of bfloat16", use.pattern));
      // A raw score beside weights keeps its name.
      const bool alone = std::none_of(guess.reading.uses.begin(), guess.reading.uses.end(),
                                      [&](const Use& other) { return other.part == part && other.what == What::weights; });
      use.what = alone && (what == What::weights || what == What::scores) ? by_numbers(file, use, best->named.strength, guess.why)
                                                                          : what;
      const bool taken = std::any_of(guess.reading.uses.begin(), guess.reading.uses.end(),
                                     [&](const Use& other) { return other.part == part && other.what == use.what; });
      if (taken) continue;
      guess.why.push_back(Message("'{}' {} is {}: {}", use.pattern, to_string(best->group->shape()),
                                  Message::term(words_of(use.what)), say_axes(use.axes)));
      guess.reading.uses.push_back(std::move(use));
    }
  }
  // Raw scores often go by the bare name of the attention: "attn" beside "attn_softmax".
  for (const Candidate& one : candidates) {
    const auto in_use = [&](auto&& fits) { return std::any_of(guess.reading.uses.begin(), guess.reading.uses.end(), fits); };
    const bool bare = one.named.what == What::weights && one.named.strength == 1;
    if (!bare || in_use([&](const Use& use) { return use.pattern == one.group->pattern; }) ||
        in_use([&](const Use& use) { return use.part == one.part && use.what == What::scores; }))
      continue;
    Use use{one.part, What::weights, one.group->pattern, guess_axes(*one.group, What::weights, counts)};
    const auto cells = cells_alone(file, use);
    if (!cells || look_at(*cells).below == 0) continue;
    use.what = What::scores;
    guess.why.push_back(Message("'{}' {} is {}: {}", use.pattern, to_string(one.group->shape()),
                                Message::term(words_of(use.what)), say_axes(use.axes)));
    guess.reading.uses.push_back(std::move(use));
  }
  // An encoder alone is a model of one stack.
  const bool one_part = std::none_of(guess.reading.uses.begin(), guess.reading.uses.end(),
                                     [](const Use& use) { return use.part != "encoder" && use.part != "decoder"; }) &&
                        std::all_of(guess.reading.uses.begin(), guess.reading.uses.end(),
                                    [&](const Use& use) { return use.part == guess.reading.uses.front().part; });
  if (one_part)
    for (Use& use : guess.reading.uses) use.part.clear();
  if (guess.reading.uses.empty())
    return invalid("holds {}: none of them is attention", holds(given))
        .at(given.where)
        .mend("give attention weights as [layer, head, query, key]");
  if (!guess.reading.tokens.empty())
    guess.why.push_back(guess.reading.source_tokens.empty() ? Message("the tokens are '{}'", guess.reading.tokens)
                                                            : Message("the queries' tokens are '{}', the keys' are '{}'",
                                                                      guess.reading.tokens, guess.reading.source_tokens));
  else
    guess.why.push_back(Message("there is no list of tokens: they are numbered"));
  for (const Message& left : given.left_out) guess.why.push_back(left);
  HL_TRY(look_again(file, guess));
  if (guess.causal) guess.why.push_back(Message("above the diagonal every weight looked at is 0: causal"));
  return guess;
}

TokenLists guessed_tokens(const File& file) {
  Reading reading;
  guess_tokens(file, reading);
  return token_lists(file, reading);
}

Result<Guess> look_again(const File& given, const Reading& reading) {
  const std::shared_ptr<const File> file(std::shared_ptr<const void>(), &given);
  Guess guess;
  guess.reading = reading;
  HL_TRY(look_again(file, guess));
  return guess;
}

}  // namespace headlight::arrays
