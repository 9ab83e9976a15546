// The Document's schema: one list from which the command line, the JSON and the window's pickers are made.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/attention/combiners/combiner.h"
#include "engine/attention/positions/position.h"
#include "engine/attention/scores/score.h"
#include "engine/backends/backends.h"
#include "engine/core/sorting.h"
#include "engine/document/array_source.h"
#include "engine/document/document.h"
#include "engine/document/mask_text.h"
#include "engine/document/model_names.h"
#include "engine/document/stored_model.h"
#include "engine/operations/activation.h"
#include "engine/operations/attention_fill.h"

namespace headlight {
namespace {

using Kind = Parameter::Kind;
using Texts = std::vector<std::string>;

std::string option_of(const std::string& id) {
  std::string option = id;
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

// The error of a wrong value names the option as the person wrote it.
Error at_option(Error error, const Field& field) {
  error.where = "--" + field.option;
  return error;
}

Status one_text(const Field& field, const Texts& texts) {
  if (texts.size() == 1) return {};
  return usage_error("one value is wanted, {} were given", texts.size()).at("--{}", field.option).mend("give it once");
}

Field base(const char* id, const char* label, const std::string& help, Kind kind) {
  Field f;
  f.parameter.id = id;
  f.parameter.label = label;
  f.parameter.help = help;
  f.parameter.kind = kind;
  f.option = option_of(id);
  return f;
}

// A field with one value of a parameter's kind: `read` and `write` pass it between the Document and a Value.
template <class Read, class Write>
Field single(Field f, Read read, Write write) {
  const Document plain;
  f.parameter.fallback = read(plain);
  f.get = [read](const Document& d) { return Texts{to_string(Value(read(d)))}; };
  f.set = [write, f](Document& d, const Texts& texts) -> Status {
    HL_TRY(one_text(f, texts));
    auto value = parse_value(f.parameter, texts[0]);
    if (!value) return at_option(value.error(), f);
    write(d, *value);
    return {};
  };
  return f;
}

Field flag(const char* id, const char* label, const char* help, bool Document::*member) {
  return single(
      base(id, label, help, Kind::boolean), [member](const Document& d) { return Value(d.*member); },
      [member](Document& d, const Value& v) { d.*member = std::get<bool>(v); });
}

template <class Integer>
Field whole(const char* id, const char* label, const char* help, Integer Document::*member, double least, double most) {
  Field f = base(id, label, help, Kind::integer);
  f.parameter.least = least;
  f.parameter.most = most;
  return single(
      std::move(f), [member](const Document& d) { return Value(static_cast<std::int64_t>(d.*member)); },
      [member](Document& d, const Value& v) { d.*member = static_cast<Integer>(std::get<std::int64_t>(v)); });
}

Field real(const char* id, const char* label, const char* help, double Document::*member, double least, double most) {
  Field f = base(id, label, help, Kind::real);
  f.parameter.least = least;
  f.parameter.most = most;
  return single(
      std::move(f), [member](const Document& d) { return Value(d.*member); },
      [member](Document& d, const Value& v) { d.*member = std::get<double>(v); });
}

Field choice(const char* id, const char* label, const char* help, std::string Document::*member,
             std::vector<std::string> choices) {
  Field f = base(id, label, help, Kind::choice);
  f.parameter.choices = std::move(choices);
  return single(
      std::move(f), [member](const Document& d) { return Value(d.*member); },
      [member](Document& d, const Value& v) { d.*member = std::get<std::string>(v); });
}

Field text_field(const char* id, const char* label, const char* help, std::string Document::*member) {
  return single(
      base(id, label, help, Kind::text), [member](const Document& d) { return Value(d.*member); },
      [member](Document& d, const Value& v) { d.*member = std::get<std::string>(v); });
}

Field list(const char* id, const char* option, const char* label, const char* help, Texts Document::*member) {
  Field f = base(id, label, help, Kind::text);
  f.parameter.fallback = std::string();
  f.option = option;
  f.repeatable = true;
  f.get = [member](const Document& d) { return d.*member; };
  f.set = [member](Document& d, const Texts& texts) -> Status {
    d.*member = texts;
    return {};
  };
  return f;
}

template <class Entry>
std::vector<std::string> ids_of(const Registry<Entry>& registry) {
  std::vector<std::string> ids;
  for (const Entry& entry : registry.entries()) ids.push_back(entry.id);
  return ids;
}

std::vector<std::string> activation_ids() {
  std::vector<std::string> ids;
  for (const operations::Activation& one : operations::activations())
    if (one.kind != operations::ActivationKind::none) ids.push_back(one.id);
  return ids;
}

// A stored model brings its architecture and its tokenizer with it.
Field model_field() {
  Field f =
      base("model", "model",
           "sandbox: a Transformer with seeded random weights; or a trained model's name or folder, which sets sizes, tokenizer "
           "and masks.",
           Kind::choice);
  f.parameter.choices = ids_of(model_names());
  f.parameter.fallback = std::string("sandbox");
  f.get = [](const Document& d) { return Texts{d.model}; };
  f.set = [f](Document& d, const Texts& texts) -> Status {
    HL_TRY(one_text(f, texts));
    if (texts[0] == "sandbox") {
      if (is_of_arrays(d)) d.scale = "sqrt";
      d.model = texts[0];
      return {};
    }
    if (texts[0].starts_with(kArraysPrefix)) {
      HL_TRY(array_source_from_name(texts[0]));
      d.model = texts[0];
      return {};
    }
    const auto model = open_stored_model(texts[0]);
    if (!model && model.error().kind == ErrorKind::not_found && model.error().where.empty())
      return usage_error(model.error().what).at("--{}", f.option).mend(model.error().mend);
    if (!model) return model.error();
    use_model(d, **model);
    return {};
  };
  return f;
}

Field mask_list() {
  Field f = base("masks", "masks", masks::help(), Kind::text);
  f.parameter.fallback = std::string();
  f.option = "mask";
  f.repeatable = true;
  f.get = [](const Document& d) {
    Texts texts;
    for (const Choice& c : d.masks) texts.push_back(to_string(c));
    return texts;
  };
  f.set = [f](Document& d, const Texts& texts) -> Status {
    std::string joined;
    for (const std::string& part : texts)
      if (part != "none") joined += (joined.empty() ? "" : ",") + part;
    auto choices = masks::parse_list(joined);
    if (!choices) {
      Error error = choices.error();
      error.where = error.where.empty() ? Message::name("--mask") : Message("--mask {}", error.where);
      return error;
    }
    d.masks = std::move(choices).value();
    return {};
  };
  return f;
}

Field given_matrices() {
  Field f = base("matrices", "given matrices",
                 "A matrix in numbers instead of the model's own, rows divided by '/': layer.0.wq=1 0/0 1; or one token's row of "
                 "the embedding table: embedding[word]=1 0. Repeatable.",
                 Kind::text);
  f.parameter.fallback = std::string();
  f.option = "matrix";
  f.repeatable = f.omitted_default = true;
  f.get = [](const Document& d) {
    Texts texts;
    for (const GivenMatrix& given : d.matrices) texts.push_back(to_text(given));
    return texts;
  };
  f.set = [f](Document& d, const Texts& texts) -> Status {
    std::vector<GivenMatrix> matrices;
    for (const std::string& text_field : texts) {
      auto given = given_matrix_from_text(text_field);
      if (!given) return at_option(given.error(), f);
      matrices.push_back(std::move(given).value());
    }
    d.matrices = std::move(matrices);
    return {};
  };
  return f;
}

// The interventions of one kind, each as a text.
Field interventions(const char* id, const char* label, const char* help, Intervention::Kind kind) {
  Field f = base(id, label, help, Kind::text);
  f.parameter.fallback = std::string();
  f.repeatable = f.omitted_default = true;
  f.get = [kind](const Document& d) {
    Texts texts;
    for (const Intervention& one : d.interventions)
      if (one.kind == kind) texts.push_back(to_text(one));
    return texts;
  };
  f.set = [kind, f](Document& d, const Texts& texts) -> Status {
    std::vector<Intervention> all;
    for (const std::string& text_field : texts) {
      auto read = interventions_from_text(kind, text_field);
      if (!read) {
        Error error = read.error();
        error.where = error.where.empty() ? Message("--{}", f.option) : Message("--{} {}", f.option, error.where);
        return error;
      }
      for (Intervention& one : *read)
        if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
    }
    std::erase_if(d.interventions, [kind](const Intervention& one) { return one.kind == kind; });
    d.interventions.insert(d.interventions.end(), all.begin(), all.end());
    sort_stably(d.interventions, [](const Intervention& a, const Intervention& b) { return a.kind < b.kind; });
    return {};
  };
  return f;
}

Field fill() {
  Field f =
      base("mask_fill", "masked scores become", "What replaces a masked score before softmax: -inf, or -1e9.", Kind::choice);
  f.parameter.choices = {"-inf", "-1e9"};
  return single(
      std::move(f),
      [](const Document& d) { return Value(std::string(d.mask_fill == operations::MaskFill::minus_infinity ? "-inf" : "-1e9")); },
      [](Document& d, const Value& v) {
        d.mask_fill = std::get<std::string>(v) == "-inf" ? operations::MaskFill::minus_infinity : operations::MaskFill::minus_1e9;
      });
}

Field custom() {
  Field f = base("custom_mask", "own mask", "The matrix of the mask 'custom': rows of 0 and 1 (1 = may attend) divided by '/'.",
                 Kind::text);
  f.parameter.fallback = std::string();
  f.get = [](const Document& d) { return Texts{d.custom_mask ? matrix_to_text(*d.custom_mask) : std::string()}; };
  f.set = [f](Document& d, const Texts& texts) -> Status {
    HL_TRY(one_text(f, texts));
    if (texts[0].empty()) {
      d.custom_mask = nullptr;
      return {};
    }
    auto matrix = matrix_from_text(texts[0]);
    if (!matrix) return at_option(matrix.error(), f);
    d.custom_mask = std::make_shared<const masks::Matrix>(std::move(matrix).value());
    return {};
  };
  return f;
}

Field score() {
  using D = Document;
  return choice("score", "score function",
                "scaled_dot: q k^T / sqrt(d_k); dot: q k^T; cosine: of the angle between q and k; general: q W k^T; "
                "additive: v^T tanh(W q + U k); location: W_j q, a row for each place.",
                &D::score, ids_of(scores::registry()));
}

Field scale() {
  Field f = base("scale", "scale",
                 "What the scores q k^T are multiplied by: sqrt for what the score function says (1/sqrt(d_k) with scaled_dot), "
                 "none for 1, or a "
                 "number.",
                 Kind::text);
  f.parameter.fallback = std::string("sqrt");
  f.get = [](const Document& d) { return Texts{d.scale}; };
  f.set = [f](Document& d, const Texts& texts) -> Status {
    HL_TRY(one_text(f, texts));
    const std::string& s = texts[0];
    if (s != "sqrt" && s != "none") {
      double number = 0;
      const auto read = std::from_chars(s.data(), s.data() + s.size(), number);
      if (read.ec != std::errc{} || read.ptr != s.data() + s.size() || !std::isfinite(number) || std::abs(number) > 1e6)
        return usage_error("'{}' is no scale", s).at("--scale").mend("give sqrt, none or a number from -1000000 to 1000000");
    }
    d.scale = s;
    return {};
  };
  return f;
}

// Documents did not have it from the beginning.
Field logits_field() {
  Field f =
      flag("logits", "logits",
           "Of the sandbox: a linear map to a score for every token behind the last layer, and the losses of predicting the "
           "text, or the target, with it.",
           &Document::logits);
  f.omitted_default = true;
  return f;
}

Field chat_field() {
  Field f = flag("chat", "chat",
                 "Puts each text into the frame that a model was tuned to answer in: who speaks, and where the answer begins.",
                 &Document::chat);
  f.omitted_default = true;
  return f;
}

Field plain_field() {
  Field f = flag("plain", "special tokens as text",
                 "Reads special tokens that a text names, such as [MASK] or <|endoftext|>, as plain text.", &Document::plain);
  f.omitted_default = true;
  return f;
}

// Left out of the JSON where they are as in a new document, like every later field.
Field qkv_field() {
  Field f =
      choice("qkv", "Q, K and V",
             "separate: three projections of their own; shared: K = V, one projection is both key and value; one: Q = K = V, "
             "one projection is all three (K = V in cross-attention, whose queries are another text's).",
             &Document::qkv, {"separate", "shared", "one"});
  f.omitted_default = true;
  return f;
}
Field combiner_field() {
  return choice("combiner", "heads combined by",
                "concat: heads side by side, then W^O; stack2d: tanh(tanh(Stack W^H) W^O) over heads of full width.",
                &Document::combiner, ids_of(combiners::registry()));
}
Field stack_hidden_field() {
  Field f = whole("stack_hidden", "n_hidden", "Of the combiner stack2d: the hidden numbers between W_H and W_O.",
                  &Document::stack_hidden, 1, 4096);
  f.omitted_default = true;
  return f;
}
Field padding_field() {
  Field f = choice("padding", "padding index",
                   "What fills up shorter sentences. token: [PAD], a token of the vocabulary. row: the index V behind it: the "
                   "embedding table has V + 1 rows, the logits have V columns.",
                   &Document::padding, {"token", "row"});
  f.omitted_default = true;
  return f;
}

Field relative_clip_field() {
  Field f = whole("relative_clip", "clip of relative positions",
                  "Of relative positions: distances beyond it share the row of the farthest; the tables have 2 k + 1 rows.",
                  &Document::relative_clip, 0, 1024);
  f.omitted_default = true;
  return f;
}

}  // namespace

const std::vector<Field>& document_schema() {
  using D = Document;
  static const std::vector<Field> fields = {
      list("texts", "text", "sentence", "The sentence; given several times, a batch of sentences.", &D::texts),
      list("targets", "target", "second sentence",
           "A second sentence, one for each text: an encoder reads the text, a decoder the target, joined by cross-attention.",
           &D::targets),
      text_field("tokenizer", "tokenizer",
                 "characters, words, bpe, wordpiece, a bundled vocabulary's name or a tokenizer's folder.", &D::tokenizer),
      text_field("target_tokenizer", "target tokenizer",
                 "The tokenizer of the second sentence, named likewise; empty for that of the first.", &D::target_tokenizer),
      plain_field(),
      chat_field(),
      flag("add_begin", "[BOS] first", "Puts [BOS] before each sentence.", &D::add_begin),
      flag("add_end", "[EOS] last", "Puts [EOS] after each sentence.", &D::add_end),
      model_field(),
      whole("d_model", "d_model", "Width of the vectors; the heads divide it among them.", &D::d_model, 1, 16384),
      whole("heads", "heads", "Number of attention heads; must divide d_model.", &D::heads, 1, 1024),
      whole("layers", "layers", "Number of layers, in encoder and decoder alike.", &D::layers, 1, 128),
      whole("d_ff", "d_ff", "Hidden width of the feed-forward part; 0 for 4 d_model.", &D::d_ff, 0, 65536),
      flag("projected", "projections", "Off: queries, keys and values are the vectors themselves, with one head.", &D::projected),
      qkv_field(),
      flag("bias", "biases", "Adds biases to the projections and the feed-forward part.", &D::bias),
      flag("residual", "residual connections", "Adds each part's result to what went in.", &D::residual),
      choice("norm", "norm", "pre: before each part; post: after its residual sum, as in the 2017 paper; none.", &D::norm,
             {"none", "pre", "post"}),
      choice("norm_kind", "kind of norm",
             "layer: LayerNorm, to mean 0 and variance 1; rms: RMSNorm, to mean square 1, without a shift. Both add 1e-5 to the "
             "variance or mean square before its root.",
             &D::norm_kind, {"layer", "rms"}),
      flag("final_norm", "final norm", "One more norm after the last layer, as models with norm pre have.", &D::final_norm),
      flag("feed_forward", "feed-forward", "The two-layer network after attention, f(x W_up + b) W_down + b.", &D::feed_forward),
      choice("activation", "activation", "f of the feed-forward part.", &D::activation, activation_ids()),
      flag("gated", "gated", "The hidden values f(x W_gate) are multiplied by a second projection x W_up, number by number.",
           &D::gated),
      logits_field(),
      whole("seed", "seed", "Draws the random weights; the same seed gives the same weights everywhere.", &D::seed, 0,
            9007199254740991.0),
      given_matrices(),
      interventions("without", "taken out",
                    "Takes a head or a part of a layer out: what it adds becomes 0. layer.2.head.3, layer.2.attention, "
                    "layer.2.feed_forward or layer.2, several divided by commas; with a target encoder.layer.0.head.1, "
                    "decoder.layer.0.cross.head.1. positions: nothing tells where a token stands; encoder.positions, "
                    "decoder.positions.",
                    Intervention::Kind::zero),
      interventions(
          "mean", "mean",
          "Replaces what a head or a part of a layer adds by its mean over the text's positions; places as with without.",
          Intervention::Kind::mean),
      interventions("uniform", "uniform",
                    "Gives a head equal weights over the keys that the mask allows: layer.2.head.3, or layer.2.attention for all "
                    "heads.",
                    Intervention::Kind::uniform),
      interventions("scale_head", "scaled head", "Multiplies a head's weighted sum by a factor: layer.2.head.3=0.5.",
                    Intervention::Kind::scale),
      interventions(
          "pattern_from", "pattern from",
          "Gives a head the weights that it has on another sentence of as many tokens: layer.2.head.3=another sentence.",
          Intervention::Kind::pattern),
      interventions("mask_cells", "masked cells",
                    "Masks single cells of a head by hand, query:key: layer.2.head.3=4:1,5:0; layer.2.attention for all heads.",
                    Intervention::Kind::cells),
      choice("position", "positions", "What is added to the embeddings to say where a token stands.", &D::position,
             ids_of(positions::registry())),
      relative_clip_field(),
      mask_list(),
      fill(),
      custom(),
      score(),
      scale(),
      real("temperature", "temperature", "Divides the scores inside softmax: below 1 sharpens the pattern, above 1 flattens it.",
           &D::temperature, 0.001, 1000),
      combiner_field(),
      stack_hidden_field(),
      padding_field(),
      choice("backend", "backend",
             "Where it is computed: reference (double), cpu, cuda (a GPU; cuda:1 the next, cuda:tf32 with faster products).",
             &D::backend, backends::known_ids()),
  };
  return fields;
}

const Field* find_field(std::string_view id) {
  for (const Field& field : document_schema())
    if (field.parameter.id == id) return &field;
  return nullptr;
}

std::vector<std::string> to_arguments(const Document& document) {
  std::vector<std::string> arguments;
  const Document plain;
  for (const Field& field : document_schema()) {
    const Texts texts = field.get(document);
    if (texts == field.get(plain)) continue;
    if (&field == find_field("masks")) {
      arguments.insert(arguments.end(), {"--mask", document.masks.empty() ? "none" : masks::to_text(document.masks)});
      continue;
    }
    for (const std::string& t : texts) arguments.insert(arguments.end(), {"--" + field.option, t});
  }
  return arguments;
}

}  // namespace headlight
