// The layer plan of the sandbox model. Shapes: B sentences, N queries, M keys, h heads, d = d_model, d_k = d / h.
#include <cmath>
#include <cstdio>

#include "engine/attention/positions/position.h"
#include "engine/models/plan.h"

namespace headlight::models {
namespace {

using Fill = ParameterSpec::Fill;
using Source = Node::Source;
using Stage = Node::Stage;
namespace ops = backends;

constexpr double kBiasDeviation = 0.1;  // small beside projections of unit variance
constexpr double kEpsilon = 1e-5;

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}
std::string number(std::int64_t n) { return std::to_string(n); }

// A sequence of vectors on its way through the layers.
struct Stream {
  int node = -1;
  std::int64_t length = 0;
  bool of_targets = false;
};

class Builder {
 public:
  Builder(const Document& document, const Sizes& sizes, DType real)
      : doc_(document),
        sizes_(sizes),
        real_(real),
        d_(document.d_model),
        h_(document.heads),
        d_k_(d_ / h_),
        d_ff_(document.d_ff > 0 ? document.d_ff : 4 * d_) {}

  void build();
  ModelPlan plan;

 private:
  std::int64_t rows(const Stream& s) const { return sizes_.batch * s.length; }
  Shape vectors(const Stream& s, std::int64_t width) const { return {sizes_.batch, s.length, width}; }
  const std::string& name_of(int node) const { return plan.nodes[static_cast<std::size_t>(node)].step.name; }

  int parameter(const std::string& name, Shape shape, Axes axes, Fill fill, double deviation) {
    plan.parameters.push_back({"parameters." + name, std::move(shape), std::move(axes), fill, deviation, -1});
    return static_cast<int>(plan.parameters.size()) - 1;
  }
  int embedding_table(const std::string& name, const Sizes::Tokens& tokens);
  Node node(std::string name, std::string operation, std::string formula, Shape shape, Axes axes) const {
    Node n;
    n.step.name = std::move(name);
    n.step.operation = std::move(operation);
    n.step.formula = std::move(formula);
    n.step.shape = std::move(shape);
    n.step.axes = std::move(axes);
    n.step.dtype = real_;
    n.step.kept = true;
    n.step.random_weights = true;
    return n;
  }
  int add(Node n) {
    for (const int input : n.inputs) n.step.inputs.push_back(name_of(input));
    for (const int p : n.parameters) n.step.inputs.push_back(plan.parameters[static_cast<std::size_t>(p)].name);
    plan.nodes.push_back(std::move(n));
    return static_cast<int>(plan.nodes.size()) - 1;
  }

  Stream embed(const std::string& prefix, bool of_targets);
  int norm(const std::string& prefix, const char* which, const Stream& stream, int from);
  int projection(const std::string& prefix, const char* which, const Stream& stream, int from);
  int residual(const std::string& name, const Stream& stream, int part);
  Stream attention(const std::string& prefix, masks::Site site, std::int64_t layer, const Stream& queries, const Stream& keys);
  Stream feed_forward(const std::string& prefix, const Stream& stream);
  int attention_steps(const std::string& prefix, SitePlan& site, int index);

  const Document& doc_;
  const Sizes& sizes_;
  DType real_;
  int text_table_ = -1, target_table_ = -1;  // the embedding tables among the parameters; one where the tokenizers are the same
  std::int64_t d_, h_, d_k_, d_ff_;
};

Stream Builder::embed(const std::string& prefix, bool of_targets) {
  Stream stream;
  stream.of_targets = of_targets;
  stream.length = of_targets ? sizes_.target_length : sizes_.text_length;
  const std::int64_t b = sizes_.batch, n = stream.length;
  const Sizes::Tokens& from = of_targets ? sizes_.target_tokens : sizes_.text_tokens;

  Node tokens = node(prefix + "tokens", "tokenize",
                     "ids[b, i] = number of piece i in the vocabulary of " + from.label + ", 0 .. " + number(from.vocabulary - 1),
                     {b, n}, {"batch", "position"});
  tokens.source = Source::tokens;
  tokens.of_targets = of_targets;
  tokens.step.dtype = DType::i32;
  tokens.step.random_weights = false;
  if (b > 1)
    tokens.step.note = from.pad_id >= 0 ? "shorter sentences are filled up with [PAD], id " + number(from.pad_id)
                                        : std::string("shorter sentences are filled up with -1, which is no token");
  const int ids = add(std::move(tokens));

  Node embedding = node(prefix + "embedding", "look up rows",
                        "embedding[b, i, :] = E[ids[b, i], :], E [" + number(from.vocabulary) + ", " + number(d_) + "]" +
                            (from.pad_id >= 0 ? "; the row of [PAD] is zero" : "") + " (the same as one-hot(ids) E)",
                        vectors(stream, d_), {"batch", "position", "d_model"});
  embedding.source = Source::embedding;
  embedding.of_targets = of_targets;
  embedding.inputs = {ids};
  embedding.parameters = {of_targets ? target_table_ : text_table_};
  const int looked_up = add(std::move(embedding));

  const positions::Entry* entry = positions::registry().find(doc_.position);
  if (!entry || !entry->make) {
    Node input = node(prefix + "input", "pass on", "input = embedding: no positions are added", vectors(stream, d_),
                      {"batch", "position", "d_model"});
    input.source = Source::view;
    input.inputs = {looked_up};
    stream.node = add(std::move(input));
    return stream;
  }
  Node position = node(prefix + "position", entry->label + " positions", entry->formula, {n, d_}, {"position", "d_model"});
  position.source = Source::position;
  position.of_targets = of_targets;
  position.step.random_weights = entry->random;
  const int table = add(std::move(position));

  Node input = node(prefix + "input", "add", "input[b, i, :] = embedding[b, i, :] + position[i, :]", vectors(stream, d_),
                    {"batch", "position", "d_model"});
  input.ops = {ops::Add{b, n * d_, true}};
  input.inputs = {looked_up, table};
  stream.node = add(std::move(input));
  return stream;
}

int Builder::norm(const std::string& prefix, const char* which, const Stream& stream, int from) {
  const std::string name = prefix + which;
  const bool rms = doc_.norm_kind == "rms";
  const std::string formula = rms ? "x / sqrt(mean(x^2) + " + number(kEpsilon) + ") * gamma"
                                  : "(x - mean(x)) / sqrt(var(x) + " + number(kEpsilon) + ") * gamma + beta";
  Node n = node(name, rms ? "RMSNorm" : "LayerNorm", formula + ", over d_model = " + number(d_), vectors(stream, d_),
                {"batch", "position", "d_model"});
  n.ops = {ops::LayerNorm{rows(stream), d_, kEpsilon, rms}};
  n.inputs = {from};
  n.parameters = {parameter(name + ".gamma", {d_}, {"d_model"}, Fill::ones, 0)};
  if (!rms) n.parameters.push_back(parameter(name + ".beta", {d_}, {"d_model"}, Fill::zeros, 0));
  return add(std::move(n));
}

// q, k or v: [B, L, d] -> [B, h, L, d_k].
int Builder::projection(const std::string& prefix, const char* which, const Stream& stream, int from) {
  const Shape shape{sizes_.batch, h_, stream.length, d_k_};
  const Axes axes{"batch", "head", "position", "d_k"};
  const std::string w = which;
  if (!doc_.projected) {
    Node same = node(prefix + which, "pass on", w + " = x: no projection, one head of width " + number(d_), shape, axes);
    same.source = Source::view;
    same.inputs = {from};
    return add(std::move(same));
  }
  const std::string bias = doc_.bias ? " + b_" + w : "";
  Node n =
      node(prefix + which, h_ > 1 ? "project, split into heads" : "project",
           w + " = x W_" + w + bias + " -> view [B, L, " + number(h_) + ", " + number(d_k_) + "] -> transpose [B, " + number(h_) +
               ", L, " + number(d_k_) + "]: head i owns columns " + number(d_k_) + " i .. " + number(d_k_) + " (i + 1)",
           shape, axes);
  n.ops = {ops::Linear{rows(stream), d_, d_, doc_.bias, ops::ActivationKind::none}};
  if (h_ > 1) n.ops.push_back(ops::SplitHeads{sizes_.batch, stream.length, h_, d_k_});
  n.inputs = {from};
  n.parameters = {
      parameter(prefix + "w" + w, {d_, d_}, {"d_model", "head d_k"}, Fill::normal, 1 / std::sqrt(static_cast<double>(d_)))};
  if (doc_.bias) n.parameters.push_back(parameter(prefix + "b" + w, {d_}, {"head d_k"}, Fill::normal, kBiasDeviation));
  return add(std::move(n));
}

int Builder::residual(const std::string& name, const Stream& stream, int part) {
  Node sum =
      node(name, "add", name_of(stream.node) + " + " + name_of(part), vectors(stream, d_), {"batch", "position", "d_model"});
  sum.ops = {ops::Add{1, rows(stream) * d_, false}};
  sum.inputs = {stream.node, part};
  return add(std::move(sum));
}

// scores, scaled_scores, mask, masked_scores, weights, context; returns the context's node.
int Builder::attention_steps(const std::string& prefix, SitePlan& s, int index) {
  const ops::Attention& a = s.attention;
  const Shape square{a.batch, a.heads, a.queries, a.keys};
  const Axes axes{"batch", "head", "query", "key"};
  const auto stage = [&](Node n, Stage which, std::vector<int> inputs) {
    n.source = Source::attention;
    n.stage = which;
    n.site = index;
    n.inputs = std::move(inputs);
    n.step.kept = false;
    return add(std::move(n));
  };
  const int scores =
      stage(node(prefix + "scores", "q k^T",
                 "scores[b, h, i, j] = sum over " + number(d_k_) + " dimensions of q[b, h, i, :] k[b, h, j, :]", square, axes),
            Stage::scores, {s.q, s.k});
  const std::string times = doc_.scale == "sqrt"   ? "scores / sqrt(" + number(d_k_) + ") = scores * " + number(a.scale)
                            : doc_.scale == "none" ? std::string("scores: not scaled")
                                                   : "scores * " + number(a.scale);
  const int scaled = stage(node(prefix + "scaled_scores", "scale", "scaled = " + times, square, axes), Stage::scaled, {scores});

  Node mask = node(prefix + "mask", "combine masks", "no mask: 1 everywhere", {a.batch, 1, a.queries, a.keys}, axes);
  mask.source = Source::mask;
  mask.site = index;
  mask.step.dtype = DType::u8;
  mask.step.kept = false;
  mask.step.random_weights = false;
  s.mask = add(std::move(mask));

  const bool infinite = doc_.mask_fill == ops::MaskFill::minus_infinity;
  const int masked = stage(
      node(prefix + "masked_scores", "replace where the mask is 0",
           std::string("masked = mask ? scaled : ") + (infinite ? "-inf" : "-1e9") + " (replaced, not added)", square, axes),
      Stage::masked, {scaled, s.mask});
  const std::string t = doc_.temperature == 1 ? "" : " / " + number(doc_.temperature);
  Node weights = node(prefix + "weights", "softmax over keys",
                      "weights[b, h, i, j] = exp(masked[b, h, i, j]" + t + ") / sum over " + number(a.keys) +
                          " keys of exp(masked[b, h, i, :]" + t + ")",
                      square, axes);
  weights.step.note = infinite ? "a fully masked row is all zeros under -inf (defined so; naive code gives NaN)"
                               : "a fully masked row is uniform, 1/" + number(a.keys) + ", under -1e9";
  s.weights = stage(std::move(weights), Stage::weights, {masked});

  Node context = node(prefix + "context", "weights v", "context[b, h, i, :] = sum over j of weights[b, h, i, j] v[b, h, j, :]",
                      {a.batch, a.heads, a.queries, a.d_v}, {"batch", "head", "position", "d_k"});
  context.ops = {a};
  context.site = index;
  context.inputs = {s.q, s.k, s.v};
  s.context = add(std::move(context));
  plan.nodes[static_cast<std::size_t>(s.context)].step.inputs = {prefix + "weights", prefix + "v"};
  return s.context;
}

Stream Builder::attention(const std::string& prefix, masks::Site kind, std::int64_t layer, const Stream& queries,
                          const Stream& keys) {
  const bool self = kind != masks::Site::cross;
  Stream out = queries;
  const int x = doc_.norm == "pre" ? norm(prefix, "attention_norm", queries, queries.node) : queries.node;
  const int source = self ? x : keys.node;

  SitePlan s;
  s.site.prefix = prefix;
  s.site.site = kind;
  s.site.layer = layer;
  s.site.heads = h_;
  s.site.queries = queries.length;
  s.site.keys = keys.length;
  s.site.d_k = d_k_;
  s.site.rows_are_targets = queries.of_targets;
  s.site.columns_are_targets = keys.of_targets;
  s.site.scale = scale_of(doc_, d_k_);
  s.attention.batch = sizes_.batch;
  s.attention.heads = h_;
  s.attention.queries = queries.length;
  s.attention.keys = keys.length;
  s.attention.d_k = s.attention.d_v = d_k_;
  s.attention.scale = s.site.scale;
  s.attention.temperature = doc_.temperature;
  s.attention.fill = doc_.mask_fill;
  s.q = projection(prefix, "q", queries, x);
  s.k = projection(prefix, "k", keys, source);
  s.v = projection(prefix, "v", keys, source);
  const int context = attention_steps(prefix, s, static_cast<int>(plan.sites.size()));
  plan.sites.push_back(std::move(s));

  Node concat = node(prefix + "concat", "heads side by side",
                     "transpose [B, N, " + number(h_) + ", " + number(d_k_) + "] (no longer contiguous: copied), view [B, N, " +
                         number(d_) + "]",
                     vectors(queries, d_), {"batch", "position", "d_model"});
  concat.inputs = {context};
  if (h_ > 1) {
    concat.ops = {ops::MergeHeads{sizes_.batch, queries.length, h_, d_k_}};
  } else {
    concat.source = Source::view;
  }
  int part = add(std::move(concat));
  if (doc_.projected) {
    Node output = node(prefix + "attention_output", "project", std::string("concat W_o") + (doc_.bias ? " + b_o" : ""),
                       vectors(queries, d_), {"batch", "position", "d_model"});
    output.ops = {ops::Linear{rows(queries), d_, d_, doc_.bias, ops::ActivationKind::none}};
    output.inputs = {part};
    output.parameters = {
        parameter(prefix + "wo", {d_, d_}, {"head d_k", "d_model"}, Fill::normal, 1 / std::sqrt(static_cast<double>(d_)))};
    if (doc_.bias) output.parameters.push_back(parameter(prefix + "bo", {d_}, {"d_model"}, Fill::normal, kBiasDeviation));
    part = add(std::move(output));
  }
  out.node = doc_.residual ? residual(prefix + "attention_residual", queries, part) : part;
  if (doc_.norm == "post") out.node = norm(prefix, "attention_norm", out, out.node);
  return out;
}

Stream Builder::feed_forward(const std::string& prefix, const Stream& stream) {
  Stream out = stream;
  const int x = doc_.norm == "pre" ? norm(prefix, "mlp_norm", stream, stream.node) : stream.node;
  Node hidden = node(prefix + "mlp_hidden", "project, ReLU", std::string("max(0, x W_up") + (doc_.bias ? " + b_up" : "") + ")",
                     vectors(stream, d_ff_), {"batch", "position", "d_ff"});
  hidden.ops = {ops::Linear{rows(stream), d_, d_ff_, doc_.bias, ops::ActivationKind::relu}};
  hidden.inputs = {x};
  hidden.parameters = {
      parameter(prefix + "w_up", {d_, d_ff_}, {"d_model", "d_ff"}, Fill::normal, 1 / std::sqrt(static_cast<double>(d_)))};
  if (doc_.bias) hidden.parameters.push_back(parameter(prefix + "b_up", {d_ff_}, {"d_ff"}, Fill::normal, kBiasDeviation));
  const int up = add(std::move(hidden));

  Node output = node(prefix + "mlp_output", "project", std::string("mlp_hidden W_down") + (doc_.bias ? " + b_down" : ""),
                     vectors(stream, d_), {"batch", "position", "d_model"});
  output.ops = {ops::Linear{rows(stream), d_ff_, d_, doc_.bias, ops::ActivationKind::none}};
  output.inputs = {up};
  output.parameters = {
      parameter(prefix + "w_down", {d_ff_, d_}, {"d_ff", "d_model"}, Fill::normal, 1 / std::sqrt(static_cast<double>(d_ff_)))};
  if (doc_.bias) output.parameters.push_back(parameter(prefix + "b_down", {d_}, {"d_model"}, Fill::normal, kBiasDeviation));
  out.node = add(std::move(output));
  if (doc_.residual) out.node = residual(prefix + "mlp_residual", stream, out.node);
  if (doc_.norm == "post") out.node = norm(prefix, "mlp_norm", out, out.node);
  return out;
}

// A table of which only the rows in use are made; embedding nodes name it as their input.
int Builder::embedding_table(const std::string& name, const Sizes::Tokens& tokens) {
  const int table = parameter(name, {tokens.vocabulary, d_}, {"token", "d_model"}, Fill::normal, 1);
  ParameterSpec& spec = plan.parameters[static_cast<std::size_t>(table)];
  spec.zero_row = tokens.pad_id;
  spec.by_rows = true;
  return table;
}

void Builder::build() {
  text_table_ = target_table_ = embedding_table("embedding", sizes_.text_tokens);
  if (sizes_.target_table) target_table_ = embedding_table("target_embedding", sizes_.target_tokens);
  const auto layer_name = [](std::int64_t i) { return "layer." + std::to_string(i) + "."; };
  if (sizes_.target_length == 0) {
    Stream x = embed("", false);
    for (std::int64_t i = 0; i < doc_.layers; ++i) {
      x = attention(layer_name(i), masks::Site::decoder_self, i, x, x);
      if (doc_.feed_forward) x = feed_forward(layer_name(i), x);
    }
    return;
  }
  Stream source = embed("encoder.", false);
  for (std::int64_t i = 0; i < doc_.layers; ++i) {
    const std::string prefix = "encoder." + layer_name(i);
    source = attention(prefix, masks::Site::encoder_self, i, source, source);
    if (doc_.feed_forward) source = feed_forward(prefix, source);
  }
  Stream target = embed("decoder.", true);
  for (std::int64_t i = 0; i < doc_.layers; ++i) {
    const std::string prefix = "decoder." + layer_name(i);
    target = attention(prefix, masks::Site::decoder_self, i, target, target);
    target = attention(prefix + "cross.", masks::Site::cross, i, target, source);
    if (doc_.feed_forward) target = feed_forward(prefix, target);
  }
}

}  // namespace

std::vector<NamedParameter> named(const std::vector<ParameterSpec>& specs) {
  std::vector<NamedParameter> list;
  list.reserve(specs.size());
  for (const ParameterSpec& p : specs) list.push_back({p.name, p.shape, p.axes, p.fill == Fill::normal, p.deviation, p.zero_row});
  return list;
}

ModelPlan sandbox(const Document& document, const Sizes& sizes, DType real, std::uint64_t keep_weights_bytes) {
  Builder builder(document, sizes, real);
  builder.build();
  ModelPlan plan = std::move(builder.plan);
  double bytes = 0;
  for (const SitePlan& s : plan.sites)
    bytes += static_cast<double>(s.attention.batch * s.attention.heads) * static_cast<double>(s.attention.queries) *
             static_cast<double>(s.attention.keys) * static_cast<double>(size_of(real));
  if (bytes <= static_cast<double>(keep_weights_bytes))
    for (SitePlan& s : plan.sites) {
      s.attention.keep_weights = true;
      plan.nodes[static_cast<std::size_t>(s.weights)].step.kept = true;
      plan.nodes[static_cast<std::size_t>(s.context)].ops = {s.attention};
    }
  return plan;
}

}  // namespace headlight::models
