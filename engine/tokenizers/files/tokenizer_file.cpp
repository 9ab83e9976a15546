#include "engine/tokenizers/files/tokenizer_file.h"

#include <nlohmann/json.hpp>
#include <system_error>

#include "engine/core/files.h"

namespace headlight::tokenizers {
namespace {

using nlohmann::json;

constexpr const char* kFormat = "headlight.tokenizer";
constexpr int kVersion = 1;
constexpr const char* kMend = "train the tokenizer again or copy the whole file";
constexpr std::uint64_t kLimit = std::uint64_t{256} << 20;

std::filesystem::path file_of(const std::filesystem::path& folder) {
  std::error_code none;
  return std::filesystem::is_regular_file(folder, none) ? folder : folder / "tokenizer.json";
}

Result<json> read_json(const std::filesystem::path& path) {
  HL_ASSIGN(const std::string bytes, read_file(path, kLimit));
  json data = json::parse(bytes, nullptr, false);
  if (data.is_discarded()) return invalid("this is not JSON, or it is cut off", path.string(), kMend);
  if (!data.is_object() || data.value("format", json()) != kFormat)
    return invalid("this is not a tokenizer of ours: \"format\" should be \"" + std::string(kFormat) + "\"", path.string(),
                   "give a folder that `headlight train-tokenizer` wrote");
  const json version = data.value("version", json());
  if (!version.is_number_integer() || version.get<std::int64_t>() < 1)
    return invalid("\"version\" should be a whole number from 1", path.string(), kMend);
  if (version.get<std::int64_t>() > kVersion)
    return invalid(
        "this tokenizer has version " + version.dump() + ", newer than the " + std::to_string(kVersion) + " known here",
        path.string(), "open it with a newer Headlight");
  return data;
}

Result<std::string> text_field(const json& data, const char* key, const std::string& where) {
  const auto it = data.find(key);
  if (it == data.end() || !it->is_string()) return invalid("\"" + std::string(key) + "\" should be a text", where, kMend);
  return it->get<std::string>();
}

Result<std::vector<std::string>> texts_field(const json& data, const char* key, const std::string& where) {
  const auto it = data.find(key);
  if (it == data.end() || !it->is_array()) return invalid("\"" + std::string(key) + "\" should be a list of texts", where, kMend);
  std::vector<std::string> texts;
  texts.reserve(it->size());
  for (const json& item : *it) {
    if (!item.is_string())
      return invalid("\"" + std::string(key) + "\"[" + std::to_string(texts.size()) + "] is not a text", where, kMend);
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

}  // namespace

Result<std::string> read_tokenizer_kind(const std::filesystem::path& folder) {
  const std::filesystem::path path = file_of(folder);
  HL_ASSIGN(const json data, read_json(path));
  return text_field(data, "kind", path.string());
}

Result<TokenizerFile> read_tokenizer_file(const std::filesystem::path& folder, const std::string& kind) {
  const std::filesystem::path path = file_of(folder);
  const std::string where = path.string();
  HL_ASSIGN(const json data, read_json(path));
  TokenizerFile file;
  HL_ASSIGN(file.kind, text_field(data, "kind", where));
  if (file.kind != kind) return invalid("\"kind\" is '" + file.kind + "', not '" + kind + "'", where, kMend);
  HL_ASSIGN(file.vocabulary, texts_field(data, "vocabulary", where));
  if (file.vocabulary.empty()) return invalid("\"vocabulary\" is empty", where, kMend);
  HL_ASSIGN(const auto normalizers, texts_field(data, "normalizers", where));
  for (const std::string& name : normalizers) {
    auto normalizer = text::normalizer_named(name);
    if (!normalizer) return Error{ErrorKind::invalid, normalizer.error().what, where, normalizer.error().mend};
    file.normalizers.push_back(*normalizer);
  }
  HL_ASSIGN(const std::string pre_tokenizer, text_field(data, "pre_tokenizer", where));
  if (pre_tokenizer != "words" && pre_tokenizer != "gpt2")
    return invalid("\"pre_tokenizer\" is '" + pre_tokenizer + "'", where, "known are words, gpt2");
  file.pre_tokenizer = pre_tokenizer == "gpt2" ? text::PreTokenizer::gpt2 : text::PreTokenizer::words;
  HL_ASSIGN(file.alphabet, text_field(data, "alphabet", where));
  if (file.alphabet != "bytes" && file.alphabet != "corpus")
    return invalid("\"alphabet\" is '" + file.alphabet + "'", where, "known are bytes, corpus");
  if (const auto it = data.find("merges"); it != data.end()) {
    if (!it->is_array()) return invalid("\"merges\" should be a list of pairs", where, kMend);
    file.merges.reserve(it->size());
    for (const json& pair : *it) {
      if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
        return invalid("\"merges\"[" + std::to_string(file.merges.size()) + "] is not a pair of texts", where, kMend);
      file.merges.emplace_back(pair[0].get<std::string>(), pair[1].get<std::string>());
    }
  }
  return file;
}

Status write_tokenizer_file(const std::filesystem::path& folder, const TokenizerFile& file) {
  nlohmann::ordered_json data;
  data["format"] = kFormat;
  data["version"] = kVersion;
  data["kind"] = file.kind;
  data["alphabet"] = file.alphabet;
  data["pre_tokenizer"] = text::name_of(file.pre_tokenizer);
  data["normalizers"] = json::array();
  for (const text::Normalizer normalizer : file.normalizers) data["normalizers"].push_back(text::name_of(normalizer));
  data["vocabulary"] = file.vocabulary;
  if (file.kind == "bpe") {
    data["merges"] = json::array();
    for (const auto& [left, right] : file.merges) data["merges"].push_back({left, right});
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return Error{ErrorKind::io, "this folder cannot be made: " + error.message(), folder.string(),
                 "choose one that you may write to"};
  return write_file(folder / "tokenizer.json", data.dump() + "\n");
}

}  // namespace headlight::tokenizers
