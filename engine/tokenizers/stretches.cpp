#include "engine/tokenizers/stretches.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "engine/text/charsmaps/charsmap.h"

namespace headlight::tokenizers {
namespace {

constexpr std::string_view kSpaceSign = "▁", kWhitespace = " \n\t\r";

bool is_one_of(const std::string& id, std::initializer_list<std::string_view> ids) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// What a normaliser does with ASCII.
struct OnAscii {
  bool keeps = false;      // visible characters stay where others of ASCII stand around them
  std::string spaces;      // those of whitespace that are a space, whatever stands around them
  std::string whitespace;  // those that are whitespace of any kind
};
OnAscii of_table(const Choice& normalizer) {
  const auto map = text::Charsmap::of_base64(std::get<std::string>(normalizer.values.at("charsmap")));
  if (!map.ok()) return {};
  OnAscii made;
  std::string visible;
  for (char c = '!'; c < '\x7f'; ++c) visible += c;
  const auto changed = map->texts_of(visible);
  made.keeps = changed && changed->empty();
  for (const char c : map->standing_alone(kWhitespace)) {
    const auto found = map->longest({&c, 1});
    if (found ? found->replacement == " " : c == ' ') made.spaces += c;
    if (!found || found->replacement == " ") made.whitespace += c;
  }
  // A sign that a table makes is not told from a space.
  if (map->makes(kSpaceSign)) return {};
  return made;
}
OnAscii on_ascii(const Choice& normalizer) {
  const std::string whitespace(kWhitespace);
  if (normalizer.id == "precompiled") return of_table(normalizer);
  if (normalizer.id == "replace") {
    const auto& pattern = std::get<std::string>(normalizer.values.at("pattern"));
    if (std::get<bool>(normalizer.values.at("regular"))) return {true, pattern == " {2,}" ? " " : "", ""};
    if (pattern.empty() || pattern.find_first_of(kWhitespace) != std::string::npos) return {};
    const auto& content = std::get<std::string>(normalizer.values.at("content"));
    return {false, content.empty() || content.find(' ') != std::string::npos ? "" : " ", whitespace};
  }
  if (normalizer.id == "strip_spaces")
    return {true, std::get<bool>(normalizer.values.at("left")) ? std::string() : std::string(" "), whitespace};
  if (is_one_of(normalizer.id, {"nmt", "nfc", "nfd", "nfkc", "nfkd", "strip_accents"})) return {true, " ", whitespace};
  if (normalizer.id == "lowercase") return {false, " ", whitespace};
  return {};
}

// The words of SentencePiece's own normaliser and of its models.
Stretches running_words(const Choice& normalizer) {
  Stretches made;
  const auto is = [&](const char* option) { return std::get<bool>(normalizer.values.at(option)); };
  if (normalizer.id != "sentence" || !is("prefix") || is("suffix") || !is("removes") || !is("escapes") ||
      !std::get<std::string>(normalizer.values.at("user_defined")).empty())
    return made;
  const OnAscii ascii = of_table(normalizer);
  if (ascii.spaces.find(' ') == std::string::npos) return made;
  made.kind = Stretches::Kind::words;
  made.runs = made.anywhere = true;
  made.keeps_ascii = ascii.keeps;
  for (const char c : ascii.spaces) made.spaces[static_cast<unsigned char>(c)] = true;
  return made;
}

}  // namespace

Stretches stretches_of(const text::Normalizers& normalizers, const text::Splitters& splitters, const Model& model, bool added) {
  Stretches made;
  if (normalizers.empty() || added) return made;
  if (model.running()) return normalizers.size() == 1 && splitters.empty() ? running_words(normalizers.front().choice) : made;
  if (!model.may_cut()) return made;
  const auto splitter = [&](std::size_t i) { return i < splitters.size() ? splitters[i].choice.id : std::string(); };
  if (splitters.size() == 1 && splitter(0) == "words" &&
      std::all_of(normalizers.begin(), normalizers.end(), [](const auto& stage) {
        return is_one_of(stage.choice.id,
                         {"clean_text", "space_ideographs", "nfc", "nfd", "nfkc", "nfkd", "strip_accents", "lowercase"});
      })) {
    made.kind = Stretches::Kind::between_whitespace;
    return made;
  }
  const bool whitespace_first = splitter(0) == "pattern" &&
                                splitters.front().choice.values.at("expression") == Value(std::string("\\s")) &&
                                splitters.front().choice.values.at("matches") == Value(std::string("removed"));
  const std::size_t metaspace = whitespace_first ? 1 : 0;
  if (splitter(metaspace) != "metaspace" || splitters.size() != metaspace + 1) return made;
  const Values& values = splitters[metaspace].choice.values;
  if ((!whitespace_first && !std::get<bool>(values.at("cuts"))) || values.at("prepend") == Value(std::string("first")))
    return made;
  OnAscii all{true, std::string(kWhitespace), std::string(kWhitespace)};
  for (const auto& stage : normalizers) {
    const OnAscii ascii = on_ascii(stage.choice);
    const auto keep = [](std::string& kept, const std::string& others) {
      std::erase_if(kept, [&](char c) { return others.find(c) == std::string::npos; });
    };
    all.keeps = all.keeps && ascii.keeps;
    keep(all.spaces, ascii.spaces);
    keep(all.whitespace, ascii.whitespace);
  }
  made.keeps_ascii =
      all.keeps && values.at("sign") == Value(std::string(kSpaceSign)) && values.at("prepend") == Value(std::string("always"));
  made.signs = whitespace_first && values.at("sign") == Value(std::string(kSpaceSign)) &&
               values.at("prepend") == Value(std::string("always"));
  if (whitespace_first && !all.whitespace.empty()) {
    made.kind = Stretches::Kind::words;
    for (const char c : all.whitespace) made.spaces[static_cast<unsigned char>(c)] = true;
  } else if (all.spaces.find(' ') != std::string::npos) {
    made.kind = Stretches::Kind::before_spaces;
  }
  return made;
}

}  // namespace headlight::tokenizers
