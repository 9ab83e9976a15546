#include "app/views/embeddings/learnt_data.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "app/text/language.h"

namespace headlight::views::word_vectors {
namespace {

constexpr std::size_t kMostPlaneWords = 24, kChosenWords = 16;
constexpr const char* kCourseWords =
    "aunt uncle woman man girl boy sister brother mother father queen king red green blue forest valley garden";

bool is_shown(const EmbeddingSpace& space, std::int32_t token) {
  return token >= 0 && token < space.tokens() && space.lengths[static_cast<std::size_t>(token)] > 0;
}

// A whole word of the text; -1: it is none.
std::int32_t token_of_word(const EmbeddingSpace& space, const std::string& word) {
  const auto tokens = space.tokenizer->encode(word);
  if (!tokens.ok() || tokens->size() != 1 || tokens->front().id == space.tokenizer->unknown_id()) return -1;
  return is_shown(space, tokens->front().id) ? tokens->front().id : -1;
}

std::vector<std::int32_t> tokens_of_words(const EmbeddingSpace& space, const std::string& words) {
  std::vector<std::int32_t> tokens;
  std::istringstream pieces(words);
  for (std::string word; pieces >> word && tokens.size() < kMostPlaneWords;) {
    while (!word.empty() && (word.back() == ',' || word.back() == ';')) word.pop_back();
    const std::int32_t token = token_of_word(space, word);
    if (token >= 0 && std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.push_back(token);
  }
  return tokens;
}

VectorPaths paths_of(const std::vector<std::shared_ptr<const WordCheckpoint>>& kept, const std::vector<std::int32_t>& words) {
  std::vector<std::vector<std::vector<double>>> states;
  for (const auto& one : kept) {
    auto& state = states.emplace_back();
    for (const std::int32_t token : words) state.push_back(row_of_token(*one->space, token));
  }
  return vector_paths(states);
}

// The arrows of the calculator's a - b + c and its answer: from b to a, and from c to the answer, where the plane has them.
void add_arrows(const Context& context, const SharedSpace& shared, const std::vector<std::int32_t>& words,
                figures::WordPlaneInput& input) {
  const auto answer = answer_of(context, shared, context.view.own.of<State>().sum, nullptr);
  if (!answer || !is_analogy(answer->sum)) return;
  const auto place = [&](std::int32_t token) {
    const auto found = std::find(words.begin(), words.end(), token);
    return found == words.end() ? std::int64_t{-1} : static_cast<std::int64_t>(found - words.begin());
  };
  std::int64_t plus[2] = {-1, -1}, minus = -1;
  std::size_t next = 0;
  for (const EmbeddingTerm& term : answer->sum.terms) {
    const std::int64_t at = term.tokens.size() == 1 ? place(term.tokens.front()) : -1;
    if (term.sign < 0)
      minus = at;
    else if (next < 2)
      plus[next++] = at;
  }
  const std::int64_t best = answer->nearest.empty() ? -1 : place(answer->nearest.front().token);
  if (minus >= 0 && plus[0] >= 0) input.arrows.emplace_back(minus, plus[0]);
  if (plus[1] >= 0 && best >= 0) input.arrows.emplace_back(plus[1], best);
}

DerivedKey training_key(const WordFilmState& state) {
  const WordFilmSettings& s = state.settings;
  return DerivedKey("learnt/training", {state.training, s.bag, s.dimensions, s.epochs, s.path});
}

}  // namespace

WordFilmSettings word_film_settings(const State& state) {
  WordFilmSettings settings;
  settings.bag = state.kind == "cbow";
  settings.dimensions = state.width;
  settings.epochs = state.epochs;
  if (state.text == "file") settings.path = state.path;
  return settings;
}

LearntShown learnt_shown(const Context& context, const WordFilmState& state) {
  LearntShown shown;
  if (state.checkpoints.empty()) return shown;
  const std::int64_t wanted = context.view.own.of<State>().step, count = static_cast<std::int64_t>(state.checkpoints.size());
  shown.index = static_cast<std::size_t>(wanted < 0 || wanted >= count ? count - 1 : wanted);
  shown.shared.space = state.checkpoints[shown.index]->space;
  shown.shared.key = DerivedKey("learnt", {training_key(state), shown.index});
  return shown;
}

std::vector<std::int32_t> plane_words(const State& view, const EmbeddingSpace& space) {
  if (auto named = tokens_of_words(space, view.shown_words); named.size() >= 3) return named;
  if (auto course = tokens_of_words(space, kCourseWords); course.size() >= 12) return course;
  // Frequent words come first in the vocabulary; the shortest among them say little.
  std::vector<std::int32_t> tokens;
  for (std::int32_t token = 0; token < space.tokens() && tokens.size() < kChosenWords; ++token)
    if (is_shown(space, token) && word_of(space, token).size() >= 4) tokens.push_back(token);
  for (std::int32_t token = 0; token < space.tokens() && tokens.size() < 3; ++token)
    if (is_shown(space, token) && std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.push_back(token);
  return tokens;
}

std::int32_t learnt_word(const State& view, const EmbeddingSpace& space) {
  if (!view.word.empty()) return token_of_word(space, view.word);
  const auto words = plane_words(view, space);
  return words.empty() ? -1 : words.front();
}

figures::WordPlaneInput learnt_plane_input(const Context& context, const WordFilmState& state, const LearntShown& shown,
                                           LearntHeld* held) {
  figures::WordPlaneInput input;
  if (!shown.shared.space) return input;
  const EmbeddingSpace& space = *shown.shared.space;
  const std::vector<std::int32_t> words = plane_words(context.view.own.of<State>(), space);
  DerivedKey key("learnt/paths", {training_key(state), state.checkpoints.size()});
  for (const std::int32_t word : words) key.add(word);
  auto paths =
      context.derived
          .later<VectorPaths>(
              key, [kept = state.checkpoints, words](const CancelToken&) -> Result<VectorPaths> { return paths_of(kept, words); })
          .value;
  if (held && paths) *held = {state.training, words, paths};
  if (held && !paths && held->training == state.training && held->words == words) paths = held->paths;
  if (!paths || shown.index >= paths->points.size()) return input;
  input.points = paths->points;
  input.share = paths->share;
  input.shown = shown.index;
  const std::int32_t selected = learnt_word(context.view.own.of<State>(), space);
  for (std::size_t i = 0; i < words.size(); ++i) {
    input.words.push_back(word_of(space, words[i]));
    if (words[i] == selected) input.selected = static_cast<std::int64_t>(i);
  }
  if (shown.index > 0) add_arrows(context, shown.shared, words, input);
  input.note = epochs_words(state, state.checkpoints[shown.index]->done);
  return input;
}

figures::CurvesInput learnt_loss_input(const WordFilmState& state, const LearntShown& shown) {
  figures::CurvesInput input;
  input.x_axis = tr("epochs");
  input.y_axis = tr("loss, nat");
  input.points = true;
  auto& curve = input.curves.emplace_back();
  curve.label = tr("mean since the checkpoint before");
  // Of what stands before the first place nothing is known yet.
  for (std::size_t i = 1; i < state.checkpoints.size(); ++i) {
    const WordCheckpoint& one = *state.checkpoints[i];
    input.x.push_back(static_cast<double>(one.done) / static_cast<double>(std::max<std::int64_t>(1, state.places)));
    curve.y.push_back(one.loss);
  }
  input.hot = static_cast<std::int64_t>(shown.index) - 1;
  return input;
}

std::string epochs_words(const WordFilmState& state, std::int64_t done) {
  char number[32];
  std::snprintf(number, sizeof number, "%.1f",
                static_cast<double>(done) / static_cast<double>(std::max<std::int64_t>(1, state.places)));
  return fill(tr("{} of {} epochs"), {number, std::to_string(state.settings.epochs)});
}

}  // namespace headlight::views::word_vectors
