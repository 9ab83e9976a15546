#include "engine/train/corpus_files.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>
#include <unordered_set>

#include "engine/core/fingerprint.h"
#include "engine/core/sorting.h"
#include "engine/core/text_file.h"
#include "engine/train/grammar.h"
#include "engine/train/permutation.h"

namespace headlight::train {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargest = std::uint64_t{1} << 30, kLargestGrammar = std::uint64_t{16} << 20;

// Whether a name is what a pattern says, in which '*' stands for any characters.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++, resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1, n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// The next line from `at` on, without its end; moves `at` behind it.
std::string_view next_line(std::string_view text, std::size_t& at) {
  const std::size_t end = std::min(text.find('\n', at), text.size());
  std::string_view line = text.substr(at, end - at);
  at = end + 1;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

struct Paragraph {
  std::string text;
  std::size_t begin = 0;  // in the file
};

std::vector<Paragraph> blocks_of(std::string_view text) {
  std::vector<Paragraph> paragraphs;
  std::string block;
  std::size_t begin = 0;
  const auto close = [&] {
    if (!block.empty()) paragraphs.push_back({std::move(block), begin});
    block.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t here = at;
    const std::string_view line = next_line(text, at);
    if (line.empty()) {
      close();
    } else {
      if (block.empty()) begin = here;
      block.append(block.empty() ? "" : "\n").append(line);
    }
  }
  close();
  return paragraphs;
}

// A column of a line, from 1; no value where the line has fewer.
std::optional<std::string_view> column_of(std::string_view line, std::int64_t column) {
  for (; column > 1; --column) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) return std::nullopt;
    line.remove_prefix(tab + 1);
  }
  return line.substr(0, line.find('\t'));
}

Error lacks_column(const fs::path& file, std::size_t number, std::int64_t column) {
  return invalid("this line has no column {}", column).at("{}:{}", file.string(), number).mend("write a tab between columns");
}

Result<std::vector<Paragraph>> lines_of(std::string_view text, const Corpus& corpus, const fs::path& file) {
  std::vector<Paragraph> paragraphs;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t here = at;
    std::string_view line = next_line(text, at);
    ++number;
    if (line.empty()) continue;
    if (corpus.column > 0) {
      const auto column = column_of(line, corpus.column);
      if (!column) return lacks_column(file, number, corpus.column);
      line = *column;
    }
    if (!line.empty()) paragraphs.push_back({std::string(line), here});
  }
  return paragraphs;
}

using Seen = std::unordered_set<std::string_view>;

void divide_in_order(std::vector<Paragraph> paragraphs, std::size_t file_size, double held_out, Split<std::string>& split) {
  const double from = static_cast<double>(file_size) * (1 - held_out);
  for (Paragraph& paragraph : paragraphs)
    (static_cast<double>(paragraph.begin) < from ? split.training : split.held_out).push_back(std::move(paragraph.text));
}

void divide_by_hash(const std::vector<Paragraph>& paragraphs, double held_out, Split<std::string>& split) {
  Seen seen;
  std::vector<std::string_view> distinct;
  for (const Paragraph& paragraph : paragraphs)
    if (seen.insert(paragraph.text).second) distinct.push_back(paragraph.text);
  const Permutation order(0, "paragraphs", 0, static_cast<std::int64_t>(std::max<std::size_t>(distinct.size(), 1)));
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    const std::string_view text = distinct[static_cast<std::size_t>(order.at(static_cast<std::int64_t>(i)))];
    (is_held_out(text, held_out) ? split.held_out : split.training).emplace_back(text);
  }
}

// What is held out may stand elsewhere once more, as "Yes." does: not in the training, then.
void keep_apart(Split<std::string>& split) {
  const Seen kept(split.held_out.begin(), split.held_out.end());
  std::erase_if(split.training, [&](const std::string& text) { return kept.contains(text); });
}

template <class Item>
Status check_split(const Split<Item>& split, double held_out, const std::string& where) {
  const std::size_t all = split.training.size() + split.held_out.size();
  if (all == 0) return invalid("the data hold no text").at(where).mend("give files with text in them");
  const Message leaves("a share of {} of {} texts leaves nothing", to_string(Value(held_out)), all);
  if (split.training.empty()) return invalid("{} to train on", leaves).at(where).mend("give more data, or change 'held_out'");
  if (split.held_out.empty()) return invalid("{} to hold out", leaves).at(where).mend("give more data, or change 'held_out'");
  return {};
}

}  // namespace

bool is_held_out(std::string_view text, double share) {
  constexpr double kRange = 0x1.0p-64;
  return static_cast<double>(Fingerprint().add(text).a) * kRange < share;
}

Result<std::vector<fs::path>> matching_files(const Corpus& corpus, const std::string& data_folder) {
  const fs::path path = fs::path(data_folder) / corpus.files;
  const std::string pattern = path.filename().string();
  if (pattern.find('*') == std::string::npos) return std::vector<fs::path>{path};
  std::vector<fs::path> files;
  std::error_code problem;
  for (const auto& item : fs::directory_iterator(path.parent_path(), problem)) {
    const std::string name = item.path().filename().string();
    std::error_code none;
    if (matches(pattern, name) && !matches(corpus.except, name) && item.is_regular_file(none)) files.push_back(item.path());
  }
  if (problem)
    return not_found("this folder cannot be read: {}", Message::term(problem.message()))
        .at(path.parent_path().string())
        .mend("name the folder of the data with --data");
  if (files.empty())
    return not_found("no file has a name like '{}'", pattern).at(path.parent_path().string()).mend("check 'files' and 'except'");
  sort_stably(files);
  return files;
}

Result<Split<std::string>> read_paragraphs(const std::vector<Corpus>& corpus, const std::string& data_folder, double held_out,
                                           const std::string& where) {
  Split<std::string> split;
  for (const Corpus& one : corpus) {
    HL_ASSIGN(const std::vector<fs::path> files, matching_files(one, data_folder));
    for (const fs::path& file : files) {
      HL_ASSIGN(const std::string text, read_text_file(file, kLargest));
      std::vector<Paragraph> paragraphs;
      if (one.paragraphs == "blocks") {
        paragraphs = blocks_of(text);
      } else {
        HL_ASSIGN(paragraphs, lines_of(text, one, file));
      }
      if (one.shuffled) {
        divide_by_hash(paragraphs, held_out, split);
      } else {
        divide_in_order(std::move(paragraphs), text.size(), held_out, split);
      }
    }
  }
  keep_apart(split);
  HL_TRY(check_split(split, held_out, where));
  return split;
}

Result<Split<std::string>> write_paragraphs(const GrammarText& wanted, const std::string& folder, double held_out,
                                            const std::string& where) {
  const fs::path file = fs::path(folder) / wanted.file;
  HL_ASSIGN(const std::string text, read_text_file(file, kLargestGrammar));
  HL_ASSIGN(const Grammar grammar, Grammar::parse(text, file.string()));
  Split<std::string> split;
  for (std::int64_t i = 0; i < wanted.paragraphs; ++i)
    split.training.push_back(grammar.paragraph(true, static_cast<std::uint64_t>(i)));
  std::unordered_set<std::string> written;
  const auto count = static_cast<std::int64_t>(static_cast<double>(wanted.paragraphs) * held_out);
  for (std::int64_t i = 0; i < count; ++i)
    if (std::string one = grammar.paragraph(false, static_cast<std::uint64_t>(i)); written.insert(one).second)
      split.held_out.push_back(std::move(one));
  keep_apart(split);
  HL_TRY(check_split(split, held_out, where));
  return split;
}

Result<Split<std::string>> read_texts(const Config& config, const std::string& data_folder, const std::string& config_folder,
                                      const std::string& where) {
  return config.grammar.file.empty() ? read_paragraphs(config.corpus, data_folder, config.held_out, where)
                                     : write_paragraphs(config.grammar, config_folder, config.held_out, where);
}

Result<Split<TextPair>> read_pairs(const std::vector<Corpus>& corpus, const std::string& data_folder, double held_out,
                                   const std::string& where) {
  Split<TextPair> split;
  for (const Corpus& one : corpus) {
    HL_ASSIGN(const std::vector<fs::path> files, matching_files(one, data_folder));
    for (const fs::path& file : files) {
      HL_ASSIGN(const std::string text, read_text_file(file, kLargest));
      std::size_t number = 0;
      for (std::size_t at = 0; at < text.size();) {
        const std::string_view line = next_line(text, at);
        ++number;
        if (line.empty()) continue;
        const auto source = column_of(line, 1), target = column_of(line, 2);
        if (!target) return lacks_column(file, number, 2);
        if (source->empty() || target->empty()) continue;
        (is_held_out(*source, held_out) ? split.held_out : split.training).emplace_back(*source, *target);
      }
    }
  }
  HL_TRY(check_split(split, held_out, where));
  return split;
}

}  // namespace headlight::train
