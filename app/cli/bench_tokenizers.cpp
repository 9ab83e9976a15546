// headlight bench tokenizers: how fast texts become ids and ids texts again, in turns with the peers that a Python has.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "app/cli/bench.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/text_file.h"
#include "engine/tokenizers/files/open.h"

namespace headlight::cli {
namespace {

// Reads one text by a peer and prints its name, the seconds that it takes, and the number and checksum of the ids. A file of
// ranks is read by tiktoken, a .model by sentencepiece, everything else by tokenizers.
constexpr const char* kPeer = R"py(import json, sys, time, zlib
from array import array
file, pattern, corpus = sys.argv[1:4]
text = open(corpus, encoding="utf-8").read()
if file.endswith(".tiktoken"):
    import base64, tiktoken
    ranks = {base64.b64decode(l.split()[0]): int(l.split()[1]) for l in open(file, "rb") if l.strip()}
    e = tiktoken.Encoding("bench", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    name, encode = "tiktoken " + tiktoken.__version__, e.encode_ordinary
elif file.endswith(".model"):
    import sentencepiece
    p = sentencepiece.SentencePieceProcessor(model_file=file)
    name, encode = "sentencepiece " + sentencepiece.__version__, p.encode
else:
    import tokenizers
    t = tokenizers.Tokenizer.from_file(file)
    t.no_truncation(); t.no_padding(); t.encode_special_tokens = True
    name, encode = "tokenizers " + tokenizers.__version__, lambda s: t.encode(s, add_special_tokens=False).ids
begun = time.perf_counter()
ids = encode(text)
seconds = time.perf_counter() - begun
print(json.dumps({"name": name, "seconds": seconds, "count": len(ids), "sum": zlib.adler32(array("i", ids).tobytes())}))
)py";

constexpr int kSentences = 50;  // calls a round

struct TokenizerBench {
  std::vector<std::string> tokenizers{"bpe"}, corpora;
  std::string peers;
  std::int64_t rounds = 5;
  bool json = false;
};

// Adler-32 (RFC 1950) of the ids' bytes, by which ids are compared with a peer's.
std::uint32_t checksum(const std::vector<std::int32_t>& ids) {
  std::uint32_t a = 1, b = 0;
  for (const std::int32_t id : ids)
    for (int shift = 0; shift < 32; shift += 8) {
      a = (a + (static_cast<std::uint32_t>(id) >> shift & 0xFFu)) % 65521u;
      b = (b + a) % 65521u;
    }
  return b << 16 | a;
}

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The pattern that tiktoken's files do not have: that of the tokenizer that reads them here.
std::string pattern_of(const tokenizers::Tokenizer& tokenizer) {
  constexpr std::pair<const char*, const char*> kPatterns[] = {
      {"gpt2", R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"},
      {"cl100k",
       R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"}};
  const std::vector<Choice> splitters = tokenizer.plan().splitters;
  if (splitters.empty()) return "";
  for (const auto& [id, pattern] : kPatterns)
    if (splitters.front().id == id) return pattern;
  const auto expression = splitters.front().values.find("expression");
  return expression == splitters.front().values.end() ? "" : std::get<std::string>(expression->second);
}

// What a peer prints; null if there is none.
Json ask_peer(const std::string& python, const std::filesystem::path& script, const std::string& tokenizer,
              const std::string& pattern, const std::string& corpus) {
  std::string file = tokenizer;
  std::error_code none;
  for (const char* inside : {"tokenizer.json", "tokenizer.model", "spiece.model"})
    if (std::filesystem::is_regular_file(std::filesystem::path(tokenizer) / inside, none))
      file = (std::filesystem::path(tokenizer) / inside).string();
  const std::string line = shell_quoted(python) + " " + shell_quoted(script.string()) + " " + shell_quoted(file) + " " +
                           shell_quoted(pattern) + " " + shell_quoted(corpus) + " 2>/dev/null";
  std::string printed;
  if (FILE* const pipe = popen(line.c_str(), "r")) {
    char buffer[512];
    while (std::fgets(buffer, sizeof buffer, pipe)) printed += buffer;
    pclose(pipe);
  }
  const auto json = Json::parse(printed);
  return json.ok() ? *json : Json();
}

bench::Row new_row(const std::string& variant, const char* mode, const std::string& text) {
  bench::Row row;
  row.what = "tokenizers";
  row.variant = variant;
  row.mode = mode;
  row.backend = "cpu";
  row.bytes = static_cast<double>(text.size());
  row.sizes = {{"bytes", static_cast<std::int64_t>(text.size())}};
  return row;
}

std::vector<std::string_view> halves_of(const std::string& text) {
  const std::size_t middle = text.find('\n', text.size() / 2);
  if (middle == std::string::npos) return {text};
  return {std::string_view(text).substr(0, middle), std::string_view(text).substr(middle)};
}

// One tokenizer over one text; the first row is ours.
Result<std::vector<bench::Row>> measure_tokenizer(const std::string& name, const std::string& corpus,
                                                  const TokenizerBench& options, const std::filesystem::path& script) {
  HL_ASSIGN(const auto opened, tokenizers::open(name));
  const auto tokenizer = opened->as_plain();
  HL_ASSIGN(const std::string text, read_text_file(corpus));
  const std::string label = tokenizers::short_name(name) + " " + std::filesystem::path(corpus).filename().string();
  bench::Row cold = new_row(label, "cold", text), warm = new_row(label, "warm", text), two = new_row(label, "two threads", text),
             decode = new_row(label, "decode", text), sentence = new_row(label, "sentence", text);
  std::optional<bench::Row> peer;
  const std::string pattern = pattern_of(*tokenizer), typed = "a fluffy blue creature roamed the verdant forest";
  for (std::int64_t round = 0; round < options.rounds; ++round) {
    const auto timed = [](bench::Row& row, const auto& call) -> Status {
      const double begun = bench::steady_seconds();
      HL_TRY(call());
      row.samples.push_back(bench::steady_seconds() - begun);
      return {};
    };
    std::vector<std::int32_t> ids;
    const auto encode = [&]() -> Status {
      HL_ASSIGN(ids, tokenizer->encode_ids(text, interrupt_token()));
      return {};
    };
    tokenizer->forget_words();
    HL_TRY(timed(cold, encode));
    HL_TRY(timed(warm, encode));
    const std::vector<std::string_view> halves = halves_of(text);
    HL_TRY(timed(two, [&]() -> Status {
      HL_ASSIGN(const auto all, tokenizer->encode_all(halves, interrupt_token()));
      return {};
    }));
    std::string back;
    HL_TRY(timed(decode, [&]() -> Status {
      back = tokenizer->decode(ids);
      return {};
    }));
    decode.bytes = static_cast<double>(back.size());
    // The first call behind the long text is not counted: it brings the tables back into the caches.
    for (int call = 0; call < kSentences; ++call) {
      HL_TRY(timed(sentence, [&]() -> Status {
        HL_ASSIGN(const auto few, tokenizer->encode_ids(typed));
        return {};
      }));
      if (call == 0) sentence.samples.pop_back();
    }
    sentence.bytes = static_cast<double>(typed.size());
    if (options.peers.empty()) continue;
    const Json answer = ask_peer(options.peers, script, name, pattern, corpus);
    if (answer["name"].string().empty()) continue;
    if (!peer) peer = new_row(label + ": " + answer["name"].string(), "warm", text);
    peer->samples.push_back(answer["seconds"].number());
    const bool same = answer["count"].integer() == static_cast<std::int64_t>(ids.size()) &&
                      answer["sum"].integer() == static_cast<std::int64_t>(checksum(ids));
    peer->error = bench::ErrorFigures{};
    if (!same) peer->error->max_abs = 1;
  }
  std::vector<bench::Row> rows{cold, warm, two, decode, sentence};
  if (peer) rows.push_back(*peer);
  return rows;
}

std::string lines_of(const std::vector<bench::Row>& rows) {
  std::string text;
  const double ours = bench::percentile(rows.front().samples, 0.5);
  for (const bench::Row& row : rows) {
    const double median = bench::percentile(row.samples, 0.5);
    char line[400];
    std::snprintf(line, sizeof line, "%-60s %-12s %10s %9.1f MB/s", row.variant.c_str(), row.mode.c_str(),
                  duration(median).c_str(), median > 0 ? row.bytes / median / 1e6 : 0);
    text += line;
    if (row.error) {
      std::snprintf(line, sizeof line, "   ours is %.1f times as fast, %s", ours > 0 ? median / ours : 0,
                    row.error->max_abs > 0 ? "and the ids differ" : "the ids are the same");
      text += line;
    }
    text += "\n";
  }
  return text;
}

Status run_tokenizers(const TokenizerBench& options) {
  const std::filesystem::path script =
      std::filesystem::temp_directory_path() / ("headlight-peer-" + std::to_string(std::rand()) + ".py");
  if (!options.peers.empty()) HL_TRY(write_file(script, kPeer));
  std::vector<bench::Row> all;
  Status done;
  for (const std::string& name : options.tokenizers)
    for (const std::string& corpus : options.corpora) {
      if (!done) break;
      auto rows = measure_tokenizer(name, corpus, options, script);
      if (!rows.ok()) {
        done = std::move(rows).failure();
        break;
      }
      if (!options.json) done = print(lines_of(*rows));
      all.insert(all.end(), rows->begin(), rows->end());
    }
  std::error_code none;
  std::filesystem::remove(script, none);
  HL_TRY(done);
  return options.json ? print(json_of(all)) : Status();
}

}  // namespace

void define_bench_tokenizers(Arguments& arguments, const std::shared_ptr<std::function<int()>>& chosen) {
  auto options = std::make_shared<TokenizerBench>();
  Arguments sub =
      arguments.command("tokenizers", "Texts as ids, cold, warm and on two threads, and ids as texts, in turns with peers");
  sub.option("--tokenizer", options->tokenizers, "its name, folder or file; may be given several times").shows_default("bpe");
  sub.option("--corpus", options->corpora, "the text to read; may be given several times").required();
  sub.option("--peers", options->peers, "a Python whose tiktoken, tokenizers and sentencepiece are measured in turn")
      .type("PYTHON");
  sub.option("--rounds", options->rounds, "how many times").within(1, 1000).shows_default();
  sub.flag("--json", options->json, "rows as JSON instead of lines");
  sub.when_chosen([chosen, options] {
    *chosen = [options] {
      const Status status = run_tokenizers(*options);
      return status ? kDone : fail("bench tokenizers", status.error());
    };
  });
}

}  // namespace headlight::cli
