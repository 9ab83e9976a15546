#include "engine/insight/cached_heads.h"

#include <cstdio>
#include <system_error>
#include <utility>

#include "engine/backends/backends.h"
#include "engine/core/files.h"
#include "engine/core/text_file.h"
#include "engine/core/user_folder.h"
#include "engine/insight/found_roles.h"
#include "engine/pipeline/predict.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSentences = 60;  // of the text: enough for a mean, and some seconds of work for a small model
constexpr std::uint64_t kLargestScores = std::uint64_t{64} << 20;
constexpr const char* kText = "sample.txt";

// The first lines of the bundled text.
Result<std::string> measured_text() {
  HL_ASSIGN(const fs::path assets, assets_folder());
  HL_ASSIGN(std::string text, read_text_file(assets / "corpus" / kText, kLargestScores));
  std::size_t end = 0;
  for (std::int64_t line = 0; line < kSentences && end != std::string::npos && end < text.size(); ++line)
    end = text.find('\n', end + (line > 0 ? 1 : 0));
  if (end != std::string::npos) text.resize(end);
  return text;
}

}  // namespace

Result<fs::path> cached_heads_file(const StoredModel& model) {
  HL_ASSIGN(const std::uint32_t weights, weights_checksum(model));
  HL_ASSIGN(const std::vector<MarkedText> marked, open_marked_texts());
  char name[96];
  std::snprintf(name, sizeof name, "%08x-%lldx%lld-%lld-%zu.json", static_cast<unsigned>(weights),
                static_cast<long long>(model.document.layers), static_cast<long long>(model.document.heads),
                static_cast<long long>(kSentences), marked.size());
  return user_folder("XDG_CACHE_HOME", ".cache") / "heads" / name;
}

Result<MeasuredHeads> cached_heads(const StoredModel& model) {
  HL_ASSIGN(const fs::path file, cached_heads_file(model));
  HL_ASSIGN(const std::string text, read_text_file(file, kLargestScores));
  HL_ASSIGN(const std::uint32_t weights, weights_checksum(model));
  return measured_heads_from_json(text, file.string(), model, weights);
}

Result<MeasuredHeads> measure_heads(const std::shared_ptr<const StoredModel>& model, const CancelToken& cancel,
                                    const std::function<void(std::int64_t, std::int64_t)>& progress) {
  if (model->task == ModelTask::encoder_decoder)
    return failure(ErrorKind::unavailable, "there is no bundled text of pairs in two languages")
        .at(model->folder.string())
        .mend("measure its heads with `headlight heads --out`");
  HL_ASSIGN(const std::string text, measured_text());
  HL_ASSIGN(const WordLists words, WordLists::open({}));
  HL_ASSIGN(const std::vector<MarkedText> marked, open_marked_texts());
  HL_ASSIGN(auto backend, backends::open("cpu"));
  HL_ASSIGN(const Predictor predictor, Predictor::open(model, std::move(backend)));
  HL_ASSIGN(MeasuredHeads measured, score_heads(predictor, text, kText, words, cancel, progress, marked));
  measured.corpus = kText;
  const auto file = cached_heads_file(*model);
  const auto weights = weights_checksum(*model);
  std::error_code failed;
  if (file.ok() && weights.ok() && (fs::create_directories(file->parent_path(), failed), !failed))
    static_cast<void>(write_file(*file, measured_heads_to_json(measured, *weights)).ok());
  return measured;
}

}  // namespace headlight
