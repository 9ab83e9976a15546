// Names and shapes.
#include "engine/arrays/reading.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "engine/core/sorting.h"

namespace headlight::arrays {
namespace {

constexpr std::array kWhats = {std::pair(What::weights, "weights"),
                               std::pair(What::scores, "scores"),
                               std::pair(What::scaled_scores, "scaled_scores"),
                               std::pair(What::masked_scores, "masked_scores"),
                               std::pair(What::q, "q"),
                               std::pair(What::k, "k"),
                               std::pair(What::v, "v"),
                               std::pair(What::mask, "mask")};

// A name with its numbers taken out: "blocks.#.attn", {0}, {"blocks"}.
struct Numbered {
  std::string pattern;
  std::vector<std::int64_t> numbers;
  std::vector<std::string> words;
};
Numbered take_numbers(const std::string& name) {
  Numbered out;
  std::string word;
  for (std::size_t i = 0; i < name.size();) {
    const auto is_digit = [&](std::size_t at) { return at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])); };
    if (is_digit(i)) {
      std::int64_t n = 0;
      for (; is_digit(i) && n < 1'000'000; ++i) n = n * 10 + (name[i] - '0');
      out.numbers.push_back(n);
      out.words.push_back(word);
      out.pattern += '#';
      word.clear();
      continue;
    }
    const char c = name[i++];
    out.pattern += c;
    if (std::isalpha(static_cast<unsigned char>(c)))
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (i < name.size() && !is_digit(i))
      word.clear();
  }
  return out;
}

}  // namespace

const char* name_of(What what) { return kWhats[static_cast<std::size_t>(what)].second; }
const char* words_of(What what) {
  switch (what) {
    case What::scaled_scores: return "scaled scores";
    case What::masked_scores: return "masked scores";
    case What::q: return "queries";
    case What::k: return "keys";
    case What::v: return "values";
    default: return name_of(what);
  }
}
std::optional<What> what_from(std::string_view name) {
  for (const auto& [what, its_name] : kWhats)
    if (name == its_name) return what;
  return {};
}
bool is_score(What what) { return what == What::scores || what == What::scaled_scores || what == What::masked_scores; }
bool is_matrix(What what) { return what == What::weights || what == What::mask || is_score(what); }

Shape Group::shape() const {
  Shape all = outer;
  all.insert(all.end(), arrays.front()->shape.begin(), arrays.front()->shape.end());
  return all;
}

std::vector<Group> groups_of(const File& file) {
  struct Member {
    const Array* array;
    Numbered name;
  };
  std::vector<std::string> order;
  std::map<std::string, std::vector<Member>> by_pattern;
  for (const Array& array : file.arrays) {
    Member member{&array, take_numbers(array.name)};
    auto& list = by_pattern[member.name.pattern];
    if (list.empty()) order.push_back(member.name.pattern);
    list.push_back(std::move(member));
  }
  std::vector<Group> groups;
  for (const std::string& pattern : order) {
    std::vector<Member>& members = by_pattern[pattern];
    const std::size_t axes = members.front().name.numbers.size();
    sort_stably(members, [](const Member& a, const Member& b) { return a.name.numbers < b.name.numbers; });
    Group group;
    group.pattern = pattern;
    group.numbers.resize(axes);
    bool fits = members.size() > 1;
    for (const Member& member : members) {
      fits =
          fits && member.array->shape == members.front().array->shape && member.array->element == members.front().array->element;
      for (std::size_t axis = 0; axis < axes; ++axis) {
        auto& of_axis = group.numbers[axis];
        if (std::find(of_axis.begin(), of_axis.end(), member.name.numbers[axis]) == of_axis.end())
          of_axis.push_back(member.name.numbers[axis]);
      }
      group.arrays.push_back(member.array);
    }
    std::size_t product = 1;
    for (auto& numbers : group.numbers) {
      sort_stably(numbers);
      product *= numbers.size();
    }
    if (fits && product == members.size()) {
      // A number that is the same in all names is a part of the name.
      std::size_t axis = 0, at = 0;
      for (std::size_t i = 0; i < axes; ++i) {
        at = group.pattern.find('#', at);
        if (group.numbers[axis].size() > 1) {
          group.outer.push_back(static_cast<std::int64_t>(group.numbers[axis].size()));
          group.outer_words.push_back(members.front().name.words[i]);
          ++axis;
          ++at;
          continue;
        }
        const std::string digits = std::to_string(group.numbers[axis].front());
        group.pattern.replace(at, 1, digits);
        at += digits.size();
        group.numbers.erase(group.numbers.begin() + static_cast<std::ptrdiff_t>(axis));
      }
      groups.push_back(std::move(group));
      continue;
    }
    for (const Member& member : members) groups.push_back({member.array->name, {member.array}, {}, {}, {}});
  }
  return groups;
}

std::string to_text(const Reading& reading) {
  std::string all;
  for (const Use& use : reading.uses) {
    all += (all.empty() ? "" : " ") + (use.part.empty() ? "" : use.part + ".") + name_of(use.what) + "=" + use.pattern + "[";
    for (std::size_t i = 0; i < use.axes.size(); ++i) all += (i ? "," : "") + use.axes[i];
    all += "]";
  }
  if (!reading.tokens.empty()) all += " tokens=" + reading.tokens;
  if (!reading.source_tokens.empty()) all += " source_tokens=" + reading.source_tokens;
  if (!reading.tokenizer.empty()) all += " tokenizer=" + reading.tokenizer;
  return all;
}

std::optional<std::int64_t> heads_beside(std::string_view axis) {
  if (!axis.ends_with("*d")) return {};
  axis.remove_suffix(2);
  std::int64_t heads = 0;
  const auto [end, problem] = std::from_chars(axis.data(), axis.data() + axis.size(), heads);
  if (problem != std::errc() || end != axis.data() + axis.size() || heads < 1) return {};
  return heads;
}
std::string heads_beside_name(std::int64_t heads) { return heads < 2 ? "d" : std::to_string(heads) + "*d"; }

Result<AxisNames> axes_from(std::string_view text, const std::string& option) {
  AxisNames names;
  std::set<std::string> seen;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string name(text.substr(begin, end - begin));
    begin = end + 1;
    name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
    if (name == "sentence") name = "batch";
    if (name == "position") name = "query";
    if (name != "layer" && name != "batch" && name != "head" && name != "query" && name != "key" && name != "d" && name != "-" &&
        !heads_beside(name))
      return usage_error("'{}' is no axis", name)
          .at(option)
          .mend(
              "name each axis: layer, sentence, head, query, key, d of vectors, 12*d of 12 heads side by side, or - for an axis "
              "of "
              "size 1");
    if (heads_beside(name)) seen.insert("d");
    if (name != "-" && !seen.insert(name).second)
      return usage_error("the axis '{}' is named twice", name).at(option).mend("name every axis once");
    names.push_back(std::move(name));
  }
  if (!seen.contains("query") || (!seen.contains("key") && !seen.contains("d")))
    return usage_error("there is no axis of queries and of keys").at(option).mend("give for example layer,head,query,key");
  return names;
}

// --- resolving

namespace {

enum Axis : std::size_t { layer, batch, head, row, column, kAxes };

std::optional<Axis> axis_of(const std::string& name, What what) {
  if (name == "layer") return layer;
  if (name == "batch") return batch;
  if (name == "head") return head;
  if (name == "query") return row;
  if (name == (is_matrix(what) ? "key" : "d")) return column;
  return {};
}

std::string words_of(const AxisNames& axes) {
  std::string all;
  for (const std::string& axis : axes) all += (all.empty() ? "" : ", ") + (axis == "batch" ? std::string("sentence") : axis);
  return all;
}

Result<Cells> cells_of(const std::shared_ptr<const File>& file, const std::vector<Group>& groups, const Use& use) {
  const auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& one) { return one.pattern == use.pattern; });
  if (group == groups.end())
    return not_found("there is no array '{}'", use.pattern).at(file->where).mend("open the file that the session was made with");
  const Shape shape = group->shape();
  const auto bad = [&](const Message& why) {
    return usage_error("'{}' is {}, and its axes are said to be {}: {}", use.pattern, to_string(shape), words_of(use.axes), why)
        .at(file->where)
        .mend("name an axis for each of its sizes, as in --axes layer,head,query,key");
  };
  if (shape.size() != use.axes.size()) return bad(Message("the numbers of axes differ"));
  Cells cells;
  cells.what = use.what;
  cells.name = use.pattern;
  cells.group = *group;
  cells.file = file;
  cells.outer_of.assign(kAxes, -1);
  cells.inner_of.assign(kAxes, -1);
  std::array<std::int64_t, kAxes> sizes{1, 1, 1, 1, 1};
  const std::size_t outer = group->outer.size();
  std::int64_t beside_heads = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (use.axes[i] == "-") {
      if (shape[i] != 1) return bad(Message("an axis without a name has size {}", shape[i]));
      continue;
    }
    const auto beside = heads_beside(use.axes[i]);
    const auto axis = axis_of(beside ? "d" : use.axes[i], use.what);
    if (!axis) return bad(Message("'{}' is no axis of {}", use.axes[i], Message::term(words_of(use.what))));
    if (cells.outer_of[*axis] >= 0 || cells.inner_of[*axis] >= 0) return bad(Message("'{}' is named twice", use.axes[i]));
    (i < outer ? cells.outer_of : cells.inner_of)[*axis] = static_cast<std::int64_t>(i < outer ? i : i - outer);
    sizes[*axis] = shape[i];
    if (!beside) continue;
    if (i < outer || shape[i] % *beside != 0)
      return bad(Message("{} heads do not lie side by side in {} numbers", *beside, shape[i]));
    cells.beside = true;
    sizes[column] = shape[i] / *beside;
    beside_heads = *beside;
  }
  if (cells.beside) {
    if (cells.outer_of[head] >= 0 || cells.inner_of[head] >= 0) return bad(Message("'{}' is named twice", "head"));
    sizes[head] = beside_heads;
  }
  const auto has = [&](Axis axis) { return cells.outer_of[axis] >= 0 || cells.inner_of[axis] >= 0; };
  if (!has(column) || (!has(row) && use.what != What::mask)) return bad(Message("queries and keys are not both there"));
  cells.layers = sizes[layer];
  cells.sentences = sizes[batch];
  cells.heads = sizes[head];
  cells.rows = sizes[row];
  cells.columns = sizes[column];
  const Element element = group->arrays.front()->element;
  cells.real = real_of(element);
  cells.as_bfloat16 = element == Element::u16 && use.what != What::mask;
  return cells;
}

template <class Real>
void fill(const Cells& cells, const Array& array, std::int64_t offset, std::int64_t rows, std::int64_t columns, Real* out) {
  const auto stride = [&](std::size_t axis) {
    return cells.inner_of[axis] < 0 ? 0 : array.strides[static_cast<std::size_t>(cells.inner_of[axis])];
  };
  for (std::int64_t r = 0; r < rows; ++r) {
    Real* const to = out + r * columns;
    read_run(array, offset + r * stride(row), stride(column), columns, to);
    if (is_score(cells.what) && cells.file->kind == ".json")
      for (std::int64_t c = 0; c < columns; ++c)
        if (is_null(static_cast<double>(to[c]))) to[c] = -std::numeric_limits<Real>::infinity();
  }
}

}  // namespace

Tensor Cells::tile(std::int64_t at_layer, std::int64_t sentence, std::int64_t at_head, std::int64_t first_row,
                   std::int64_t row_count, std::int64_t first_column, std::int64_t column_count) const {
  const std::array<std::int64_t, kAxes> at{at_layer, sentence, at_head, first_row, first_column};
  // Rows or columns that lie in arrays of their own are no form that is guessed; each cell of them is read alone.
  Tensor out(real, {row_count, column_count}, {}, true);
  const auto array_at = [&](const std::array<std::int64_t, kAxes>& index) -> const Array& {
    std::size_t which = 0;
    for (std::size_t o = 0; o < group.outer.size(); ++o) {
      std::int64_t i = 0;
      for (std::size_t axis = 0; axis < kAxes; ++axis)
        if (outer_of[axis] == static_cast<std::int64_t>(o)) i = index[axis];
      which = which * static_cast<std::size_t>(group.outer[o]) + static_cast<std::size_t>(i);
    }
    return *group.arrays[which];
  };
  const auto offset_of = [&](const Array& array, const std::array<std::int64_t, kAxes>& index) {
    std::int64_t offset = beside ? index[head] * columns * array.strides[static_cast<std::size_t>(inner_of[column])] : 0;
    for (std::size_t axis = 0; axis < kAxes; ++axis)
      if (inner_of[axis] >= 0) offset += index[axis] * array.strides[static_cast<std::size_t>(inner_of[axis])];
    return offset;
  };
  const auto read = [&](const std::array<std::int64_t, kAxes>& index, std::int64_t rows_now, std::int64_t columns_now,
                        std::int64_t place) {
    Array array = array_at(index);
    if (as_bfloat16) array.element = Element::bf16;
    const std::int64_t offset = offset_of(array, index);
    if (real == DType::f64)
      fill(*this, array, offset, rows_now, columns_now, out.data<double>() + place);
    else
      fill(*this, array, offset, rows_now, columns_now, out.data<float>() + place);
  };
  if (outer_of[row] < 0 && outer_of[column] < 0) {
    read(at, row_count, column_count, 0);
    return out;
  }
  for (std::int64_t r = 0; r < row_count; ++r)
    for (std::int64_t c = 0; c < column_count; ++c) {
      auto index = at;
      index[row] += r;
      index[column] += c;
      read(index, 1, 1, r * column_count + c);
    }
  return out;
}

const Cells* Part::find(What what) const {
  for (const Cells& one : cells)
    if (one.what == what) return &one;
  return nullptr;
}

namespace {

// Takes a size over, or compares it with what another array said.
Status agree(std::int64_t& size, std::int64_t its, const char* axis, const Cells& cells, std::string& from) {
  if (size == 0) {
    size = its;
    from = cells.name;
    return {};
  }
  if (size == its) return {};
  return usage_error("'{}' has {} {}, and '{}' has {}", cells.name, its, Message::term(axis), from, size)
      .at(cells.file->where)
      .mend("give arrays of the same run, or correct their axes");
}

Status add_sizes(Part& part) {
  std::string layers, sentences, heads, key_heads, queries, keys, width;
  part.layers = part.sentences = part.heads = part.key_heads = 0;
  for (const Cells& cells : part.cells) {
    if (cells.what == What::mask) continue;
    HL_TRY(agree(part.layers, cells.layers, "layers", cells, layers));
    HL_TRY(agree(part.sentences, cells.sentences, "sentences", cells, sentences));
    const bool of_keys = cells.what == What::k || cells.what == What::v;
    HL_TRY(agree(of_keys ? part.key_heads : part.heads, cells.heads, "heads", cells, of_keys ? key_heads : heads));
    if (is_matrix(cells.what)) {
      HL_TRY(agree(part.queries, cells.rows, "queries", cells, queries));
      HL_TRY(agree(part.keys, cells.columns, "keys", cells, keys));
    } else {
      HL_TRY(
          agree(of_keys ? part.keys : part.queries, cells.rows, of_keys ? "keys" : "queries", cells, of_keys ? keys : queries));
      if (cells.what == What::v)
        part.d_v = cells.columns;
      else
        HL_TRY(agree(part.d_k, cells.columns, "numbers a vector", cells, width));
    }
  }
  if (part.heads == 0) part.heads = part.key_heads;
  if (part.key_heads == 0) part.key_heads = part.heads;
  if (part.key_heads == 0 || part.heads % part.key_heads != 0)
    return usage_error("{} heads of queries cannot share {} heads of keys", part.heads, part.key_heads)
        .at(part.cells.front().file->where)
        .mend("correct the axes of q, k and v");
  const bool has_weights = part.find(What::weights) || part.find(What::scores) || part.find(What::scaled_scores) ||
                           part.find(What::masked_scores) || (part.find(What::q) && part.find(What::k));
  if (!has_weights)
    return usage_error("there is nothing that attention weights are, or could be computed from")
        .at(part.cells.front().file->where)
        .mend("give weights, scores, or q and k");
  for (const std::int64_t size : {part.layers, part.sentences, part.heads, part.queries, part.keys})
    if (size == 0)
      return usage_error("'{}' is {}: it holds no attention", part.cells.front().name,
                         to_string(part.cells.front().group.shape()))
          .at(part.cells.front().file->where)
          .mend("give at least one layer, head, query and key");
  if (const Cells* mask = part.find(What::mask)) {
    const auto fits = [](std::int64_t its, std::int64_t size) { return its == 1 || its == size; };
    if (!fits(mask->layers, part.layers) || !fits(mask->sentences, part.sentences) || !fits(mask->heads, part.heads) ||
        !fits(mask->rows, part.queries) || mask->columns != part.keys)
      return usage_error("the mask '{}' is {}, and there are {} queries and {} keys", mask->name, to_string(mask->group.shape()),
                         part.queries, part.keys)
          .at(mask->file->where)
          .mend("leave it out, or correct its axes");
  }
  return {};
}

}  // namespace

Result<std::vector<Part>> parts_of(const std::shared_ptr<const File>& file, const Reading& reading) {
  const std::vector<Group> groups = groups_of(*file);
  std::vector<Part> parts;
  for (const char* name : {"", "encoder", "decoder", "cross"}) {
    Part part;
    part.name = name;
    for (const Use& use : reading.uses) {
      if (use.part != name) continue;
      HL_ASSIGN(Cells cells, cells_of(file, groups, use));
      part.cells.push_back(std::move(cells));
    }
    if (part.cells.empty()) continue;
    HL_TRY(add_sizes(part));
    parts.push_back(std::move(part));
  }
  if (parts.empty())
    return usage_error("no array is said to be attention").at(file->where).mend("say which one holds the weights");
  for (const Part& part : parts)
    if (part.sentences != parts.front().sentences)
      return usage_error("'{}' has {} sentences, and '{}' has {}", part.cells.front().name, part.sentences,
                         parts.front().cells.front().name, parts.front().sentences)
          .at(file->where)
          .mend("give arrays of the same sentences");
  return parts;
}

TokenLists token_lists(const File& file, const Reading& reading) {
  TokenLists lists;
  if (const Texts* texts = file.text(reading.tokens); texts && !texts->alone) lists.queries = texts->lists;
  if (const Texts* texts = file.text(reading.source_tokens); texts && !texts->alone) lists.keys = texts->lists;
  if (lists.keys == lists.queries) lists.keys.clear();
  return lists;
}

}  // namespace headlight::arrays
