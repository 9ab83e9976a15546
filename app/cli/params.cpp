// headlight params: how many numbers a model of some sizes has, where they stand, and what they weigh.
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include "app/cli/command.h"
#include "app/cli/model_option.h"
#include "engine/core/json.h"
#include "engine/core/text_file.h"
#include "engine/insight/parameter_count.h"
#include "engine/text/grouped_number.h"

namespace headlight::cli {
namespace {

constexpr std::uint64_t kLongestConfig = 1 << 20;  // bytes

// A size that an option sets.
struct Knob {
  const char *id, *option, *help;
  std::int64_t ModelSizes::*value;
};
const std::array<Knob, 9> kKnobs = {{
    {"d_model", "--d-model", "numbers of a token's vector", &ModelSizes::d_model},
    {"heads", "--heads", "heads a layer", &ModelSizes::heads},
    {"d_k", "--d-k", "numbers of a head's query and key", &ModelSizes::d_k},
    {"key_heads", "--key-heads", "heads of keys and values, where queries share them", &ModelSizes::key_heads},
    {"layers", "--layers", "layers", &ModelSizes::layers},
    {"neurons", "--neurons", "width inside the feed-forward part", &ModelSizes::neurons},
    {"vocabulary", "--vocabulary", "tokens of the vocabulary", &ModelSizes::vocabulary},
    {"context", "--context", "tokens of the longest text", &ModelSizes::context},
    {"stack_hidden", "--stack-hidden", "hidden numbers of a 2-D stack that combines heads of full width",
     &ModelSizes::stack_hidden},
}};

struct ParamsOptions {
  std::string preset = "gpt3", model, config;
  std::array<std::optional<std::int64_t>, kKnobs.size()> sizes;
  std::int64_t tokens = 0;
  bool full_rank = false, json = false;
};

// "9.0 GiB"
std::string weighed(double bytes) {
  const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  char text[48];
  std::snprintf(text, sizeof text, "%.1f %s", bytes, units[unit]);
  return text;
}

Result<ModelSizes> base(const ParamsOptions& options) {
  if (!options.config.empty()) {
    HL_ASSIGN(const std::string text, read_text_file(options.config, kLongestConfig));
    return sizes_from_config(text, options.config);
  }
  if (!options.model.empty()) {
    ModelOptions model;
    model.model = options.model;
    HL_ASSIGN(const auto opened, open_model(model));
    return sizes_of(*opened);
  }
  for (const ModelSizes& preset : counted_presets())
    if (preset.id == options.preset) return preset;
  return usage_error("there is no such preset: {}", options.preset).at("--preset").mend("choose gpt3, gpt2 or bert");
}

Result<ModelSizes> sizes(const ParamsOptions& options) {
  HL_ASSIGN(ModelSizes s, base(options));
  for (std::size_t i = 0; i < kKnobs.size(); ++i)
    if (options.sizes[i]) s.*kKnobs[i].value = *options.sizes[i];
  // The heads of a 2-D stack are of full width.
  if (s.stack_hidden > 0 && !options.sizes[2]) {
    s.d_k = s.d_model;
    s.full_rank_values = options.full_rank;
    HL_TRY(check(s));
    return s;
  }
  // A width that is given without the width of a head is divided among the heads.
  if ((options.sizes[0] || options.sizes[1]) && !options.sizes[2]) {
    s.d_k = 1;  // which any size has room for, so that a size that cannot be counted is named itself
    HL_TRY(check(s));
    if (s.d_model % s.heads != 0)
      return usage_error("{} heads do not divide d_model = {}", s.heads, s.d_model)
          .at("--heads")
          .mend("choose a divisor, or give --d-k");
    s.d_k = s.d_model / s.heads;
  }
  s.full_rank_values = options.full_rank;
  HL_TRY(check(s));
  return s;
}

// What one head and one layer have in all, and what a head's value map would have if it were not two thin matrices; of the models
// with one stack, whose attentions are alike.
std::string attention_in_all(const ModelSizes& s, const ParameterCount& c) {
  if (s.encoder_layers > 0) return {};
  std::int64_t head = 0, layer = 0;
  for (const CountedMatrix& m : c.lines) {
    if (m.part != CountedMatrix::Part::attention) continue;
    head += m.a_head;
    layer += m.a_layer;
  }
  return "attention: one head " + text::grouped_number(head) + ", one layer " + text::grouped_number(layer) +
         (s.full_rank_values
              ? std::string()
              : "; a value map of full rank would have " + text::grouped_number(s.d_model * s.d_model) + " a head") +
         "\n";
}

std::string params_as_table(const ModelSizes& s, const ParameterCount& c, double tokens) {
  char line[256];
  std::string text = s.label + " (" + s.source + "): " + text::grouped_number(c.total) + " parameters in " +
                     text::grouped_number(c.matrices) + " matrices\n";
  std::snprintf(line, sizeof line, "%-18s %20s %16s %18s %22s %9s %8s\n", "matrix", "rows x columns", "one head", "one layer",
                "whole model", "matrices", "share");
  text += line;
  for (const CountedMatrix& m : c.lines) {
    const std::string shape = text::grouped_number(m.rows) + " x " + text::grouped_number(m.columns);
    std::snprintf(line, sizeof line, "%-18s %20s %16s %18s %22s %9s %7.2f%%\n", m.label.c_str(), shape.c_str(),
                  m.a_head ? text::grouped_number(m.a_head).c_str() : "-",
                  m.a_layer ? text::grouped_number(m.a_layer).c_str() : "-", text::grouped_number(m.numbers).c_str(),
                  text::grouped_number(m.matrices).c_str(), 100 * static_cast<double>(m.numbers) / static_cast<double>(c.total));
    text += line;
  }
  text += attention_in_all(s, c);
  const auto share = [&](std::int64_t part) {
    std::snprintf(line, sizeof line, "%s (%.1f%%)", text::grouped_number(part).c_str(),
                  100 * static_cast<double>(part) / static_cast<double>(c.total));
    return std::string(line);
  };
  text +=
      "attention " + share(c.attention) + ", feed-forward " + share(c.feed_forward) + ", embeddings " + share(c.embedding) + "\n";
  text += "left out: biases " + text::grouped_number(c.biases) + ", norms " + text::grouped_number(c.norms) + ", positions " +
          text::grouped_number(c.positions) + (c.others ? ", others " + text::grouped_number(c.others) : std::string()) +
          "; with them " + text::grouped_number(c.total + c.left_out()) + "\n";
  if (s.shared) text += "the output matrix is the embedding table, turned, and is counted once\n";
  if (s.stack_hidden > 0)
    text += "the 2-D stack of a layer has " + text::grouped_number((s.heads + 1) * s.stack_hidden) +
            " numbers, Concat W_O would have " + text::grouped_number(s.heads * s.d_k * s.d_model) + "\n";
  if (tokens > 0) {
    const double cache = cache_bytes(s, tokens, 2);
    text += "in float16: weights " + weighed(2 * static_cast<double>(c.total)) + "; at " +
            text::grouped_number(static_cast<std::int64_t>(tokens)) + " tokens " +
            (cache > 0 ? "key-value cache " + weighed(cache) + ", " : std::string()) + "one layer's maps " +
            weighed(map_bytes(s, tokens, 2)) + "\n";
    std::snprintf(line, sizeof line, "the next word: %.4g GFLOP through the matrices, %.4g GFLOP to look back\n",
                  matrix_flops(s) / 1e9, look_back_flops(s, tokens) / 1e9);
    text += line;
  }
  return text;
}

std::string params_as_json(const ModelSizes& s, const ParameterCount& c, double tokens) {
  Json lines = Json::array(), sizes = Json::object({}), doubled = Json::object({});
  for (const CountedMatrix& m : c.lines)
    lines.push_back(Json::object({{"matrix", m.id},
                                  {"rows", m.rows},
                                  {"columns", m.columns},
                                  {"one_head", m.a_head},
                                  {"one_layer", m.a_layer},
                                  {"parameters", m.numbers},
                                  {"matrices", m.matrices}}));
  for (const Knob& knob : kKnobs) {
    sizes[knob.id] = Json(s.*knob.value);
    ModelSizes twice = s;
    twice.*knob.value *= 2;
    if (s.*knob.value > 0 && check(twice).ok()) doubled[knob.id] = Json(count_parameters(twice).total);
  }
  Json json = Json::object(
      {{"model", s.label},
       {"source", s.source},
       {"sizes", std::move(sizes)},
       {"lines", std::move(lines)},
       {"total", c.total},
       {"matrices", c.matrices},
       {"attention", c.attention},
       {"feed_forward", c.feed_forward},
       {"embedding", c.embedding},
       {"left_out", Json::object({{"biases", c.biases}, {"norms", c.norms}, {"positions", c.positions}, {"others", c.others}})},
       {"total_if_doubled", std::move(doubled)}});
  if (tokens > 0)
    json["at_tokens"] = Json::object({{"tokens", static_cast<std::int64_t>(tokens)},
                                      {"cache_bytes_float16", cache_bytes(s, tokens, 2)},
                                      {"map_bytes_float16", map_bytes(s, tokens, 2)},
                                      {"matrix_flops", matrix_flops(s)},
                                      {"look_back_flops", look_back_flops(s, tokens)}});
  return json.dump() + "\n";
}

Status params(const ParamsOptions& options) {
  HL_ASSIGN(const ModelSizes s, sizes(options));
  const ParameterCount c = count_parameters(s);
  const auto tokens = static_cast<double>(options.tokens > 0 ? options.tokens : s.context);
  return print(options.json ? params_as_json(s, c, tokens) : params_as_table(s, c, tokens));
}

std::function<int()> define_params(Arguments& arguments) {
  auto options = std::make_shared<ParamsOptions>();
  const Option preset =
      arguments.option("--preset", options->preset, "gpt3 (as the lecture counts it), gpt2 or bert").shows_default();
  const Option model = arguments.option("--model", options->model, "a trained model's name or folder").excludes(preset);
  arguments.option("--config", options->config, "a model's config.json: Headlight's, or with the keys of GPT-2, BERT or Llama")
      .excludes(preset)
      .excludes(model);
  for (std::size_t i = 0; i < kKnobs.size(); ++i)
    arguments.option(kKnobs[i].option, options->sizes[i], std::string(kKnobs[i].help) + ", in place of the model's").type("N");
  arguments.option("--tokens", options->tokens, "length of the text that memory is told for [the context]").within(0, 1 << 30);
  arguments.flag("--full-rank-values", options->full_rank, "each head's value map is d x d, not two thin ones");
  arguments.flag("--json", options->json, "as JSON, with the total if a size were doubled");
  return [options] {
    const Status done = params(*options);
    return done.ok() ? kDone : fail("params", done.error());
  };
}

}  // namespace

Entry params_command() { return {"params", "Count a model's parameters, memory and operations", "", "S20", define_params}; }

}  // namespace headlight::cli
