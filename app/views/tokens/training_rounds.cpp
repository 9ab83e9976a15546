#include "app/views/tokens/training_rounds.h"

#include <array>
#include <cstdio>

#include "app/text/language.h"
#include "engine/text/grouped_number.h"

namespace headlight::views::tokens {
namespace {

constexpr std::size_t kTaken = 5;

// By PruningRound::Why.
constexpr std::array<const char*, 5> kReasons = {tr_later("rare"), tr_later("in no best cut"), tr_later("better cut into others"),
                                                 tr_later("missed least"), tr_later("beyond the size")};

std::string reasons_of(const tokenizers::PruningRound& round) {
  std::string words;
  for (std::size_t i = 0; i < kReasons.size(); ++i)
    if (round.taken_for[i] > 0)
      words += (words.empty() ? "" : ", ") + text::grouped_number(round.taken_for[i]) + " " + tr(kReasons[i]);
  return words;
}

}  // namespace

figures::TableInput rounds_table(const tokenizers::Training& training) {
  figures::TableInput table;
  table.title = tr("Unigram begins with too many pieces, and takes out those that are missed least");
  table.columns = {{tr("pieces"), false, true},
                   {tr("log likelihood"), false, true},
                   {tr("tokens per word"), false, true},
                   {tr("taken out"), true},
                   {tr("why")}};
  for (const tokenizers::PruningRound& round : training.rounds) {
    char likelihood[32], per_word[32];
    std::snprintf(likelihood, sizeof likelihood, "%.5g", round.log_likelihood);
    std::snprintf(per_word, sizeof per_word, "%.3f", round.tokens_per_word);
    std::string taken;
    for (std::size_t i = 0; i < round.taken.size() && i < kTaken; ++i) taken += (i ? "  " : "") + round.taken[i].piece;
    if (round.taken.size() > kTaken) taken += " …";
    auto& row = table.rows.emplace_back();
    row.push_back({text::grouped_number(round.pieces_before), figures::TableInput::Tone::plain, 0,
                   static_cast<double>(round.pieces_before)});
    row.push_back({likelihood, figures::TableInput::Tone::quiet, 0, round.log_likelihood});
    row.push_back({round.tokens_per_word > 0 ? per_word : "–", figures::TableInput::Tone::plain, 0, round.tokens_per_word});
    row.push_back({taken});
    row.push_back({reasons_of(round), figures::TableInput::Tone::quiet});
  }
  return table;
}

}  // namespace headlight::views::tokens
