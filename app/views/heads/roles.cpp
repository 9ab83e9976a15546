#include "app/views/heads/roles.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <string>
#include <system_error>

#include "app/session/role_finder.h"
#include "app/text/language.h"
#include "app/views/heads/parts.h"
#include "engine/core/sorting.h"
#include "engine/document/array_source.h"
#include "engine/insight/word_joins.h"

namespace headlight::views::heads {
namespace {

constexpr std::int64_t kRolesAtOnce = 128 * 128;  // cells looked through within a frame

std::string site_name(const AttentionChoice& choice) {
  if (choice.kind == "encoder.") return "encoder";
  if (choice.kind == "decoder.") return "decoder";
  return choice.kind.empty() ? "self" : "cross";
}

// The scores of one kind of attention, of `layers` layers with `heads` heads each.
HeadRoles roles_from(const MeasuredHeads& measured, const std::string& site, std::int64_t layers, std::int64_t heads) {
  HeadRoles all;
  all.texts = measured.texts;
  all.marked = measured.marked;
  if (!measured.links.empty()) all.alignment = std::make_shared<const WordAlignment>(WordAlignment::of(measured.links));
  all.scores.resize(static_cast<std::size_t>(layers * heads));
  all.roles.resize(all.scores.size());
  all.chance.resize(all.scores.size());
  for (const HeadScores& head : measured.heads) {
    if (head.site != site || head.layer >= layers || head.head >= heads) continue;
    const auto at = static_cast<std::size_t>(head.layer * heads + head.head);
    all.scores[at] = head.scores;
    all.chance[at] = head.chance;
    all.roles[at] = found_role(head.scores, head.chance);
  }
  return all;
}

Result<HeadRoles> read_roles(const std::string& model, const std::string& site, std::int64_t layers, std::int64_t heads) {
  HL_ASSIGN(const auto stored, open_stored_model(model));
  HL_ASSIGN(const auto measured, open_measured_heads(*stored));
  if (!measured || layers != stored->document.layers || heads != stored->document.heads) return HeadRoles();
  return roles_from(*measured, site, layers, heads);
}

// What the selected head was last said to do.
struct HeadHereBefore {
  std::string of;
  std::shared_ptr<const HeadHere> here;
};

// When the file was last looked for, and what was found.
struct FileState {
  std::string model, state;
  double at = 0;  // Context::now
};
constexpr double kLookAgain = 1;  // seconds

// When the file was written last, so that new scores are noticed.
std::string state_of_file(const std::string& model) {
  const auto stored = open_stored_model(model);
  if (!stored) return "gone";
  std::error_code none;
  const auto time = std::filesystem::last_write_time((*stored)->folder / kModelHeadsFile, none);
  return none ? "none" : std::to_string(time.time_since_epoch().count());
}

std::string state_of_file(const Context& context, const std::string& model) {
  if (!context.transient) return state_of_file(model);
  FileState& known = context.transient->of<FileState>();
  if (known.model != model || known.state.empty() || std::abs(context.now - known.at) >= kLookAgain)
    known = {model, state_of_file(model), context.now};
  return known.state;
}

// The same of tokens that a file gives as texts, which no tokenizer knows.
PatternText pattern_text_of(const Sentence& sentence, const WordLists& lists) {
  PatternText text;
  for (const tokenizers::Token& token : sentence.tokens) {
    TokenWords::Word word;
    bool letters = false;
    for (std::int64_t i = token.start; i < token.end; ++i) {
      const auto c = static_cast<unsigned char>(sentence.text[static_cast<std::size_t>(i)]);
      if (std::isspace(c)) continue;
      letters = letters || !std::ispunct(c);
      word.text += static_cast<char>(std::tolower(c));
    }
    word.punctuation = !letters && !word.text.empty();
    text.ids.push_back(token.id);
    text.words.push_back(std::move(word));
  }
  text.nouns = lists.described_nouns(sentence.text, sentence.tokens);
  text.joins = joins_to_words(sentence);
  return text;
}

// What is known of the words of one sentence.
Result<PatternText> pattern_text_of(const Trace& trace, bool of_targets, const Sentence& sentence, const WordLists& lists) {
  if (is_of_arrays(trace.document()) && !trace.tokenizer()) return pattern_text_of(sentence, lists);
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer = trace.tokenizer();
  if (!is_of_arrays(trace.document())) {
    HL_ASSIGN(tokenizer, open_tokenizer(trace.document(), of_targets));
  }
  TokenWords words(*tokenizer);
  std::vector<std::int32_t> ids;
  for (const tokenizers::Token& token : sentence.tokens) ids.push_back(token.id);
  // Tokens that were added stand for no text, and would end it where they stand behind it.
  std::size_t first = 0, last = sentence.tokens.size();
  const auto added = [&](std::size_t i) { return tokenizer->vocabulary().is_special(sentence.tokens[i].id); };
  while (first < last && added(first)) ++first;
  while (last > first && added(last - 1)) --last;
  auto nouns = lists.described_nouns(sentence.text, std::span(sentence.tokens).subspan(first, last - first));
  for (WordLists::Described& noun : nouns) {
    noun.noun += static_cast<std::int64_t>(first);
    for (std::int64_t& adjective : noun.adjectives) adjective += static_cast<std::int64_t>(first);
  }
  return pattern_text(words, std::move(ids), std::move(nouns), joins_to_words(sentence));
}

Result<HeadHere> make_here(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                           std::optional<HeadPattern> role, const WordLists& lists, const WordAlignment* alignment) {
  Trace::Tile tile;
  tile.batch = batch;
  tile.head = head;
  HL_ASSIGN(Tensor weights, trace.tile(trace.name_at(site.prefix, Role::weights), tile));
  Tensor mask = site_mask(site, batch, head);
  const auto at = static_cast<std::size_t>(batch);
  const Sentence& rows = (site.rows_are_targets ? trace.targets() : trace.texts())[at];
  const Sentence& columns = (site.columns_are_targets ? trace.targets() : trace.texts())[at];
  // What pads a shorter sentence of several is none of it.
  const auto cut = [&](Tensor& t) {
    t = t.slice(0, 0, std::min<std::int64_t>(t.dim(0), static_cast<std::int64_t>(rows.tokens.size())))
            .slice(1, 0, std::min<std::int64_t>(t.dim(1), static_cast<std::int64_t>(columns.tokens.size())))
            .compact();
  };
  cut(weights);
  if (!mask.empty()) cut(mask);
  const HeadMap map(weights, mask);
  SayingText text;
  text.self = site.site != masks::Site::cross;
  text.rows = words_of(rows);
  text.columns = words_of(columns);
  HL_ASSIGN(text.patterns, pattern_text_of(trace, site.columns_are_targets, columns, lists));
  HeadHere here;
  std::vector<std::int64_t> translated;
  if (!text.self && alignment) {
    HL_ASSIGN(const PatternText read, pattern_text_of(trace, site.rows_are_targets, rows, lists));
    translated = translated_by(*alignment, text.patterns, read);
    if (!translated.empty()) translated.erase(translated.begin());  // row i predicts token i + 1
  }
  here.scores = text.self ? self_scores(map, text.patterns) : cross_scores(map, text.patterns, translated);
  here.saying = head_saying(map, text, role);
  here.brief = head_saying(map, text, role, 1);
  return here;
}

// Of attention that was read from arrays nothing else is known: the roles that its heads have in the sentence at hand.
Result<HeadRoles> roles_here(const Trace& trace, const std::vector<AttentionSite>& sites, std::int64_t batch,
                             const WordLists& lists, const CancelToken& cancel) {
  constexpr std::int64_t kMostCells = 1024 * 1024;
  HeadRoles all;
  all.texts = 1;
  for (const AttentionSite& site : sites)
    for (std::int64_t head = 0; head < site.heads; ++head) {
      if (cancel.cancelled()) return cancelled();
      if (site.queries * site.keys > kMostCells) return HeadRoles();
      HL_ASSIGN(const HeadHere here, make_here(trace, site, batch, head, {}, lists, nullptr));
      all.scores.push_back(here.scores);
      // One sentence has too few places for what a distance might explain as well.
      PatternScores plain = here.scores;
      for (const HeadPattern pattern : {HeadPattern::sentence, HeadPattern::previous_punctuation, HeadPattern::pieces})
        plain[static_cast<std::size_t>(pattern)].reset();
      all.chance.emplace_back();
      all.roles.push_back(found_role(plain));
    }
  return all;
}

}  // namespace

std::int64_t HeadRoles::named() const {
  return std::count_if(roles.begin(), roles.end(), [](const auto& role) { return role.has_value(); });
}

std::vector<std::pair<HeadPattern, std::int64_t>> HeadRoles::counts() const {
  std::vector<std::pair<HeadPattern, std::int64_t>> all;
  for (const HeadPattern pattern : kHeadPatterns) {
    const auto count =
        std::count_if(roles.begin(), roles.end(), [&](const auto& role) { return role && role->pattern == pattern; });
    if (count > 0) all.emplace_back(pattern, count);
  }
  sort_stably(all, [](const auto& a, const auto& b) { return a.second > b.second; });
  return all;
}

std::shared_ptr<const HeadRoles> head_roles(const Context& context, const AttentionChoice& choice, const Error** error) {
  if (error) *error = nullptr;
  static const auto kNone = std::make_shared<const HeadRoles>();
  const std::string model = context.trace->document().model;
  if (is_of_arrays(context.trace->document())) {
    const auto lists =
        context.derived.later<WordLists>(DerivedKey("word lists"), [](const CancelToken&) { return WordLists::open({}); }).value;
    if (!lists) return nullptr;
    std::vector<AttentionSite> sites;
    for (const AttentionSite* one : choice.layers) sites.push_back(*one);
    return context.derived
        .later<HeadRoles>(DerivedKey("heads/roles here", {context.trace->generation(), choice.kind, choice.batch}),
                          [trace = context.trace, sites = std::move(sites), batch = choice.batch,
                           lists](const CancelToken& cancel) { return roles_here(*trace, sites, batch, *lists, cancel); })
        .value;
  }
  if (model == "sandbox" || has_random_weights(*context.trace, choice)) return kNone;
  const std::string site = site_name(choice);
  const auto layers = static_cast<std::int64_t>(choice.layers.size()), heads = choice.site->heads;
  const DerivedKey key("heads/roles", {site, layers, heads, state_of_file(context, model), model});
  const auto answer = context.derived.later<HeadRoles>(
      key, [model, site, layers, heads](const CancelToken&) { return read_roles(model, site, layers, heads); });
  if (error) *error = answer.error;
  auto* const roles = answer.value && !answer.value->measured() ? job_of<RoleFinder>(context, "heads") : nullptr;
  if (!roles) return answer.value;
  const RoleFinder::Answer found = roles->of(model);
  if (error && found.error) *error = found.error.get();
  if (!found.heads) return answer.value;
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(found.heads.get()));
  return context.derived
      .now<HeadRoles>(DerivedKey("heads/roles found", {site, layers, heads, address, model}),
                      [&](const CancelToken&) -> Result<HeadRoles> { return roles_from(*found.heads, site, layers, heads); })
      .value;
}

std::string measuring_words(const Context& context) {
  const std::string model = context.trace ? context.trace->document().model : std::string("sandbox");
  const auto* const roles = model == "sandbox" ? nullptr : job_of<RoleFinder>(context, "heads");
  if (!roles) return {};
  const RoleFinder::Answer found = roles->asked(model);
  if (!found.running || found.total == 0) return {};
  return fill(tr("measuring what the heads do: {} of {} sentences"), {std::to_string(found.done), std::to_string(found.total)});
}

std::shared_ptr<const HeadHere> head_here(const Context& context, const AttentionChoice& choice, HeadRef head,
                                          const HeadRoles& roles) {
  const Document& document = context.trace->document();
  if ((document.model == "sandbox" && !is_of_arrays(document)) || has_random_weights(*context.trace, choice)) return nullptr;
  const auto lists =
      context.derived.later<WordLists>(DerivedKey("word lists"), [](const CancelToken&) { return WordLists::open({}); }).value;
  if (!lists) return nullptr;
  const std::size_t at = static_cast<std::size_t>(head.layer * choice.site->heads + head.head);
  std::optional<HeadPattern> role;
  if (at < roles.roles.size() && roles.roles[at]) role = roles.roles[at]->pattern;
  const AttentionSite& site = *choice.layers[static_cast<std::size_t>(head.layer)];
  const DerivedKey key("heads/here", {context.trace->generation(), site.prefix, head.head, choice.batch,
                                      role ? name_of(*role) : "", roles.alignment != nullptr});
  const auto make = [trace = context.trace, site, batch = choice.batch, head = head.head, role, lists,
                     alignment = roles.alignment](const CancelToken&) {
    return make_here(*trace, site, batch, head, role, *lists, alignment.get());
  };
  if (site.queries * site.keys <= kRolesAtOnce) return context.derived.now<HeadHere>(key, make).value;
  // While that of a long text is made, the one before stays, as everything does that is being computed.
  auto here = context.derived.later<HeadHere>(key, make).value;
  if (!context.transient) return here;
  auto& [of, before] = context.transient->of<HeadHereBefore>();
  const std::string which = site.prefix + std::to_string(head.head);
  if (!here) return of == which ? before : nullptr;
  of = which;
  before = here;
  return here;
}

}  // namespace headlight::views::heads
