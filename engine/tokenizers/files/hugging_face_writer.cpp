#include "engine/tokenizers/files/hugging_face_writer.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/sorting.h"
#include "engine/text/byte_alphabet.h"
#include "engine/text/graphemes.h"
#include "engine/tokenizers/files/hugging_face_stages.h"
#include "engine/tokenizers/models/byte_tokens.h"

namespace headlight::tokenizers {
namespace {

constexpr const char* kIdeographs =
    "[\u4E00-\u9FFF\u3400-\u4DBF\uF900-\uFAFF\U00020000-\U0002A6DF\U0002A700-\U0002CEAF\U0002F800-\U0002FA1F]";

Json typed(const char* type, std::initializer_list<Json::Member> more = {}) {
  Json part = Json::object({{"type", type}});
  for (const Json::Member& member : more) part[member.key] = member.value;
  return part;
}

const std::string& text_value(const Choice& choice, const char* key) { return std::get<std::string>(choice.values.at(key)); }
bool flag_value(const Choice& choice, const char* key) { return std::get<bool>(choice.values.at(key)); }
std::int64_t number_value(const Choice& choice, const char* key) { return std::get<std::int64_t>(choice.values.at(key)); }

Failure no_hugging_form(const Choice& choice) {
  return invalid("'{}' has no form in tokenizer.json", choice.id).mend("keep it as headlight-tokenizer.json");
}

// One part, or a Sequence of several; null: there is none.
Json sequence_of(const std::vector<Json>& parts, const char* name) {
  if (parts.empty()) return nullptr;
  if (parts.size() == 1) return parts.front();
  Json all = typed("Sequence");
  all[name] = parts;
  return all;
}

Json bert(bool clean, bool ideographs, bool accents) {
  return typed("BertNormalizer",
               {{"clean_text", clean}, {"handle_chinese_chars", ideographs}, {"strip_accents", accents}, {"lowercase", false}});
}

Json json_of_replace(const Choice& choice) {
  Json pattern = Json::object();
  pattern[flag_value(choice, "regular") ? "Regex" : "String"] = text_value(choice, "pattern");
  return typed("Replace", {{"pattern", pattern}, {"content", text_value(choice, "content")}});
}

Result<Json> json_of_normalizer(const Choice& choice) {
  const std::string& id = choice.id;
  if (id == "nfc" || id == "nfd" || id == "nfkc" || id == "nfkd") {
    std::string type = id;
    for (char& c : type) c = static_cast<char>(c - 32);
    return typed(type.c_str());
  }
  if (id == "lowercase") return typed("Lowercase");
  if (id == "strip_accents") return text_value(choice, "marks") == "all" ? typed("StripAccents") : bert(false, false, true);
  if (id == "clean_text") return bert(true, false, false);
  if (id == "space_ideographs") return bert(false, true, false);
  if (id == "nmt") return typed("Nmt");
  if (id == "byte_alphabet") return typed("ByteLevel");
  if (id == "prepend") return typed("Prepend", {{"prepend", text_value(choice, "content")}});
  if (id == "precompiled") return typed("Precompiled", {{"precompiled_charsmap", text_value(choice, "charsmap")}});
  if (id == "strip_spaces")
    return typed("Strip", {{"strip_left", flag_value(choice, "left")}, {"strip_right", flag_value(choice, "right")}});
  if (id == "replace") return json_of_replace(choice);
  return no_hugging_form(choice);
}

Json split_by(const std::string& expression, const char* behavior = "Isolated", bool inverted = false) {
  return typed("Split", {{"pattern", Json::object({{"Regex", expression}})}, {"behavior", behavior}, {"invert", inverted}});
}

const char* behavior_named(const std::string& matches) {
  if (matches == "removed") return "Removed";
  if (matches == "with_previous") return "MergedWithPrevious";
  if (matches == "with_next") return "MergedWithNext";
  return matches == "contiguous" ? "Contiguous" : "Isolated";
}

Json byte_level(bool prefixed, bool cuts) {
  return typed("ByteLevel", {{"add_prefix_space", prefixed}, {"trim_offsets", true}, {"use_regex", cuts}});
}

// bytes: the model reads bytes, which the library's models read as the letters that ByteLevel makes of them.
Result<Json> json_of_splitters(const std::vector<Choice>& choices, bool bytes) {
  std::vector<Json> parts;
  bool prefixed = false;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const Choice& choice = choices[i];
    const std::string& id = choice.id;
    const bool is_last = i + 1 == choices.size();
    if (id == "prefix_space") {  // a part of ByteLevel there
      const bool followed = !is_last && choices[i + 1].id == "gpt2" &&
                            (bytes ? i + 2 == choices.size() : i + 2 < choices.size() && choices[i + 2].id == "byte_level");
      if (!followed) return no_hugging_form(choice);
      prefixed = true;
    } else if (id == "gpt2" && prefixed) {
      parts.push_back(byte_level(true, true));
      i += bytes ? 0 : 1;
      bytes = prefixed = false;
    } else if (id == "words") {
      parts.push_back(typed("BertPreTokenizer"));
      if (flag_value(choice, "ideographs")) parts.push_back(split_by(kIdeographs));
    } else if (id == "gpt2" || id == "cl100k") {
      if (id == "gpt2" && bytes && is_last) {
        parts.push_back(byte_level(false, true));
        bytes = false;
      } else {
        parts.push_back(split_by(id == "gpt2" ? kGpt2Pattern : kCl100kPattern));
      }
    } else if (id == "graphemes") {
      parts.push_back(split_by(text::grapheme_expression()));
    } else if (id == "byte_level") {
      parts.push_back(byte_level(false, false));
    } else if (id == "punctuation") {
      parts.push_back(typed("Punctuation", {{"behavior", behavior_named(text_value(choice, "matches"))}}));
    } else if (id == "pattern") {
      parts.push_back(split_by(text_value(choice, "expression"), behavior_named(text_value(choice, "matches")),
                               flag_value(choice, "inverted")));
    } else if (id == "metaspace") {
      parts.push_back(typed("Metaspace", {{"replacement", text_value(choice, "sign")},
                                          {"prepend_scheme", text_value(choice, "prepend")},
                                          {"split", flag_value(choice, "cuts")}}));
    } else if (id == "scripts") {
      parts.push_back(typed("UnicodeScripts"));
    } else if (id == "fixed_length") {
      parts.push_back(typed("FixedLength", {{"length", number_value(choice, "length")}}));
    } else {
      return no_hugging_form(choice);
    }
  }
  if (bytes) parts.push_back(byte_level(false, false));
  return sequence_of(parts, "pretokenizers");
}

Result<Json> json_of_decoders(const std::vector<Choice>& choices, bool clusters) {
  std::vector<Json> parts;
  if (clusters) return typed("ByteLevel", {{"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", false}});
  for (const Choice& choice : choices) {
    const std::string& id = choice.id;
    if (id == "plain") {
      parts.push_back(typed("Fuse"));
    } else if (id == "words" || id == "spaced") {  // the library puts a space between pieces by itself
      if (choices.size() > 1) return no_hugging_form(choice);
    } else if (id == "byte_level") {
      parts.push_back(byte_level(false, true));
    } else if (id == "byte_fallback") {
      parts.push_back(typed("ByteFallback"));
    } else if (id == "wordpiece") {
      parts.push_back(
          typed("WordPiece", {{"prefix", text_value(choice, "prefix")}, {"cleanup", text_value(choice, "spaces") != "always"}}));
    } else if (id == "suffix") {
      parts.push_back(typed("BPEDecoder", {{"suffix", text_value(choice, "suffix")}}));
    } else if (id == "replace") {
      parts.push_back(json_of_replace(choice));
    } else if (id == "metaspace") {
      parts.push_back(typed("Metaspace", {{"replacement", text_value(choice, "sign")},
                                          {"prepend_scheme", flag_value(choice, "prepended") ? "always" : "never"},
                                          {"split", true}}));
    } else if (id == "strip") {
      parts.push_back(typed("Strip", {{"content", text_value(choice, "content")},
                                      {"start", number_value(choice, "left")},
                                      {"stop", number_value(choice, "right")}}));
    } else if (id == "ctc") {
      parts.push_back(typed("CTC", {{"pad_token", text_value(choice, "pad")},
                                    {"word_delimiter_token", text_value(choice, "delimiter")},
                                    {"cleanup", flag_value(choice, "tidies")}}));
    } else {
      return no_hugging_form(choice);
    }
  }
  return sequence_of(parts, "decoders");
}

// "[CLS] $A:0" as its parts, and the special tokens that it names.
Json json_of_template(const std::string& text, const Vocabulary& vocabulary, Json& specials) {
  Json parts = Json::array();
  for (const TemplateWord& word : template_words(text)) {
    Json inner = Json::object({{"id", word.name}, {"type_id", static_cast<std::int64_t>(word.type)}});
    parts.push_back(Json::object({{word.sentence ? "Sequence" : "SpecialToken", std::move(inner)}}));
    if (!word.sentence)
      specials[word.name] = Json::object(
          {{"id", word.name}, {"ids", Json::array({vocabulary.find(word.name)})}, {"tokens", Json::array({word.name})}});
  }
  return parts;
}

Json json_of_post_processor(const TokenizerPlan& plan) {
  if (text_value(plan.post_processor, "single") == "$A" && text_value(plan.post_processor, "pair").starts_with("$A $B"))
    return nullptr;
  Json specials = Json::object();
  Json single = json_of_template(text_value(plan.post_processor, "single"), plan.vocabulary, specials);
  Json pair = json_of_template(text_value(plan.post_processor, "pair"), plan.vocabulary, specials);
  return typed("TemplateProcessing", {{"single", single}, {"pair", pair}, {"special_tokens", specials}});
}

// The pieces and ids of the characters' model for a BPE over bytes that takes whole words: each cluster in the byte alphabet, and
// each byte token as its byte's letter, unless a cluster is written so. Then that byte has a piece already.
std::string cluster_piece(const Vocabulary& vocabulary, std::int32_t id) {
  const std::string& piece = vocabulary.piece(id);
  if (vocabulary.is_special(id)) return piece;
  if (const int byte = byte_of_token(piece); byte >= 0) {
    const std::string bytes(1, static_cast<char>(static_cast<unsigned char>(byte)));
    return vocabulary.find(bytes) >= 0 ? piece : text::to_byte_pieces(bytes);
  }
  return text::to_byte_pieces(piece);
}

Json json_of_vocabulary(const Vocabulary& vocabulary, bool clusters) {
  std::vector<Json::Member> members;
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    // The library gives added tokens that the model lacks their ids by itself.
    const std::string& piece = vocabulary.piece(id);
    if (piece.empty() || std::binary_search(vocabulary.no_texts().begin(), vocabulary.no_texts().end(), id)) continue;
    members.push_back({clusters ? cluster_piece(vocabulary, id) : piece, id});
  }
  return Json::object_of(std::move(members));
}

Result<Json> json_of_model(const TokenizerPlan& plan, bool clusters) {
  const std::string& id = plan.model.id;
  const Vocabulary& vocabulary = plan.vocabulary;
  const std::int32_t unknown = vocabulary.special(Role::unknown);
  const Json unknown_name = unknown < 0 ? Json() : Json(vocabulary.piece(unknown));
  const Json pieces = id == "unigram" ? Json() : json_of_vocabulary(vocabulary, clusters);
  if (id == "words") return typed("WordLevel", {{"vocab", pieces}, {"unk_token", unknown < 0 ? Json("[UNK]") : unknown_name}});
  if (id == "wordpiece")
    return typed("WordPiece", {{"unk_token", unknown < 0 ? Json("[UNK]") : unknown_name},
                               {"continuing_subword_prefix", text_value(plan.model, "prefix")},
                               {"max_input_chars_per_word", number_value(plan.model, "longest_word")},
                               {"vocab", pieces}});
  if (id == "unigram") {
    if (flag_value(plan.model, "single") || !text_value(plan.model, "user_defined").empty()) return no_hugging_form(plan.model);
    Json list = Json::array();
    for (std::int32_t i = 0; i < vocabulary.size(); ++i)
      if (!std::binary_search(vocabulary.no_texts().begin(), vocabulary.no_texts().end(), i))
        list.push_back(Json::array({vocabulary.piece(i), plan.scores[static_cast<std::size_t>(i)]}));
    return typed("Unigram", {{"unk_id", unknown < 0 ? Json() : Json(unknown)},
                             {"vocab", std::move(list)},
                             {"byte_fallback", flag_value(plan.model, "byte_fallback")}});
  }
  if (id != "bpe" && !clusters) return no_hugging_form(plan.model);
  const bool bytes = clusters || text_value(plan.model, "alphabet") == "bytes";
  if (!clusters && (!text_value(plan.model, "tied").empty() || !text_value(plan.model, "user_defined").empty()))
    return no_hugging_form(plan.model);
  Json merges = Json::array();
  for (const auto& [left, right] : plan.merges) merges.push_back(Json::array({left, right}));
  return typed("BPE", {{"dropout", nullptr},
                       {"unk_token", bytes ? Json() : unknown_name},
                       {"continuing_subword_prefix",
                        clusters || text_value(plan.model, "prefix").empty() ? Json() : Json(text_value(plan.model, "prefix"))},
                       {"end_of_word_suffix",
                        clusters || text_value(plan.model, "suffix").empty() ? Json() : Json(text_value(plan.model, "suffix"))},
                       {"fuse_unk", !clusters && flag_value(plan.model, "joins_unknown")},
                       {"byte_fallback", !bytes && text_value(plan.model, "alphabet") == "fallback"},
                       {"ignore_merges", clusters || flag_value(plan.model, "whole_words")},
                       {"vocab", pieces},
                       {"merges", std::move(merges)}});
}

Json json_of_added(const TokenizerPlan& plan) {
  std::vector<AddedToken> added = plan.added;
  if (!plan.vocabulary.is_published())
    for (std::int32_t id = 0; id < plan.vocabulary.size(); ++id)
      if (plan.vocabulary.is_special(id)) added.push_back({plan.vocabulary.piece(id), id, true});
  sort_stably(added, [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
  Json list = Json::array();
  for (const AddedToken& token : added)
    list.push_back(Json::object({{"id", token.id},
                                 {"content", token.content},
                                 {"single_word", token.single_word},
                                 {"lstrip", token.lstrip},
                                 {"rstrip", token.rstrip},
                                 {"normalized", token.normalized},
                                 {"special", token.special}}));
  return list;
}

}  // namespace

Result<std::string> to_hugging_face(const Tokenizer& tokenizer) {
  const TokenizerPlan plan = tokenizer.plan();
  const bool clusters = plan.model.id == "characters";
  const bool bytes = clusters || (plan.model.id == "bpe" && text_value(plan.model, "alphabet") == "bytes");
  Json json =
      Json::object({{"version", "1.0"}, {"truncation", nullptr}, {"padding", nullptr}, {"added_tokens", json_of_added(plan)}});
  std::vector<Json> normalizers;
  for (const Choice& choice : plan.normalizers) {
    HL_ASSIGN(Json one, json_of_normalizer(choice));
    normalizers.push_back(std::move(one));
  }
  json["normalizer"] = sequence_of(normalizers, "normalizers");
  HL_ASSIGN(json["pre_tokenizer"], json_of_splitters(plan.splitters, bytes));
  json["post_processor"] = json_of_post_processor(plan);
  HL_ASSIGN(json["decoder"], json_of_decoders(plan.decoders, clusters));
  HL_ASSIGN(json["model"], json_of_model(plan, clusters));
  return json.dump();
}

Status save_hugging_face(const Tokenizer& tokenizer, const std::filesystem::path& folder) {
  HL_ASSIGN(const std::string json, to_hugging_face(tokenizer));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return failure(ErrorKind::io, "this folder cannot be made: {}", Message::term(error.message()))
        .at(folder.string())
        .mend("choose one that you may write to");
  HL_TRY(write_file(folder / "tokenizer.json", json + "\n"));
  const TokenizerPlan plan = tokenizer.plan();
  if (plan.model.id == "bpe" && text_value(plan.model, "alphabet") == "bytes") {
    HL_TRY(write_file(folder / "vocab.json", json_of_vocabulary(plan.vocabulary, false).dump() + "\n"));
    std::string merges = "#version: 0.2\n";
    for (const auto& [left, right] : plan.merges) merges += left + " " + right + "\n";
    HL_TRY(write_file(folder / "merges.txt", merges));
  } else if (plan.model.id == "wordpiece") {
    std::string pieces;
    for (const std::string& piece : plan.vocabulary.pieces()) pieces += piece + "\n";
    HL_TRY(write_file(folder / "vocab.txt", pieces));
  }
  return {};
}

}  // namespace headlight::tokenizers
