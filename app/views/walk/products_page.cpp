#include "app/views/walk/products_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/figures/base/compose.h"
#include "app/figures/base/non_finite.h"
#include "app/figures/base/stack.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/attention_nodes.h"
#include "app/views/base/derived_value.h"
#include "app/views/walk/products_picture.h"
#include "engine/core/fingerprint.h"
#include "engine/insight/head_loop.h"

namespace headlight::views::walk {
namespace {

using figures::HeadProductsInput;

constexpr std::int64_t kHeadProductsAtOnce = 128 * 1024;  // numbers that a frame has time to read
constexpr std::int64_t kCells = 64;                       // a side of a block
constexpr std::int64_t kMostSentences = 12;

// The blocks of the shown sentences, with what is said of all.
struct Products {
  std::vector<HeadProductsInput::Block> blocks;
  std::array<double, 3> largest{};
  std::int64_t query_block = 1, key_block = 1, d_block = 1;
  std::uint64_t bytes() const {
    std::uint64_t all = 0;
    for (const auto& block : blocks)
      for (const Tensor& cells : block.cells) all += cells.bytes();
    return all;
  }
};

// Why there is no product of the two grids to show; empty: there is one.
std::string no_product(const AttentionChoice& choice) {
  if (!choice.site || choice.site->queries == 0 || choice.site->keys == 0)
    return tr("There is nothing to attend to yet: type a sentence.");
  const AttentionSite& site = *choice.site;
  if (!site.score_vector.empty())
    return tr("These scores are no product of two rows: an additive score adds them and takes tanh.");
  if (!site.relative_keys.empty()) return tr("These scores are more than a product: rows by distance join the keys.");
  return {};
}

// Every by-th row and column of a matrix.
Tensor thinned(const Tensor& matrix, std::int64_t rows_by, std::int64_t columns_by, double& largest) {
  const Tensor whole = matrix.as(DType::f32).compact();
  const auto count = [](std::int64_t n, std::int64_t by) { return (n + by - 1) / by; };
  Tensor out(DType::f32, {count(whole.dim(0), rows_by), count(whole.dim(1), columns_by)}, {}, true);
  const float* const in = whole.data<float>();
  for (std::int64_t i = 0; i < whole.count(); ++i)
    if (std::isfinite(in[i])) largest = std::max(largest, std::abs(static_cast<double>(in[i])));
  for (std::int64_t r = 0; r < out.dim(0); ++r)
    for (std::int64_t c = 0; c < out.dim(1); ++c) {
      float shown = in[r * rows_by * whole.dim(1) + c * columns_by];
      // What is left out hides no NaN and no infinity.
      for (std::int64_t i = r * rows_by; i < std::min(whole.dim(0), (r + 1) * rows_by); ++i)
        for (std::int64_t j = c * columns_by; j < std::min(whole.dim(1), (c + 1) * columns_by); ++j)
          if (const float v = in[i * whole.dim(1) + j]; figures::non_finite(v) > figures::non_finite(shown)) shown = v;
      out.data<float>()[r * out.dim(1) + c] = shown;
    }
  return out;
}

Tensor transposed(const Tensor& matrix) {
  const Tensor from = matrix.as(DType::f32).compact();
  Tensor to(DType::f32, {from.dim(1), from.dim(0)}, {}, true);
  for (std::int64_t r = 0; r < from.dim(0); ++r)
    for (std::int64_t c = 0; c < from.dim(1); ++c)
      to.data<float>()[c * from.dim(0) + r] = from.data<float>()[r * from.dim(1) + c];
  return to;
}

// Rows of q or k, all of one sentence and head, or one of them.
Result<Tensor> head_rows(const Trace& trace, const std::string& name, std::int64_t sentence, std::int64_t head,
                         std::int64_t row = 0, std::int64_t rows = -1) {
  const Step* const step = trace.find(name);
  if (!step || step->shape.size() != 4) return not_found("there is no step '{}'", name);
  return trace.tile(name, {std::min(sentence, step->shape[0] - 1), std::min(head, step->shape[1] - 1), row, rows, 0, -1});
}

std::int64_t key_head(const AttentionSite& site, std::int64_t head) {
  return head / std::max<std::int64_t>(1, site.heads / std::max<std::int64_t>(1, site.kv_heads));
}

Result<Products> products_of(const Trace& trace, const AttentionSite& site, std::int64_t first, std::int64_t sentences,
                             const CancelToken& cancel) {
  Products made;
  const auto by = [](std::int64_t n) { return std::max<std::int64_t>(1, (n + kCells - 1) / kCells); };
  made.query_block = by(site.queries);
  made.key_block = by(site.keys);
  made.d_block = by(site.d_k);
  const std::string scores = trace.name_at(site.prefix, Role::scores);
  for (std::int64_t b = first; b < first + sentences; ++b)
    for (std::int64_t h = 0; h < site.heads; ++h) {
      if (cancel.cancelled()) return cancelled();
      HL_ASSIGN(const Tensor q, head_rows(trace, site.q, b, h));
      HL_ASSIGN(const Tensor k, head_rows(trace, site.k, b, key_head(site, h)));
      HL_ASSIGN(const Tensor s, head_rows(trace, scores, b, h));
      HeadProductsInput::Block block;
      block.sentence = b;
      block.head = h;
      block.cells[HeadProductsInput::of_q] = thinned(q, made.query_block, made.d_block, made.largest[0]);
      block.cells[HeadProductsInput::of_k] = thinned(transposed(k), made.d_block, made.key_block, made.largest[1]);
      block.cells[HeadProductsInput::of_scores] = thinned(s, made.query_block, made.key_block, made.largest[2]);
      Fingerprint key;
      key.add(trace.generation()).add(site.prefix).add(static_cast<std::uint64_t>(b)).add(static_cast<std::uint64_t>(h));
      block.key = key.a | 1;
      made.blocks.push_back(std::move(block));
    }
  return made;
}

const AttentionSite* found(const Trace& trace, const std::string& prefix) {
  for (const AttentionSite& site : trace.sites())
    if (site.prefix == prefix) return &site;
  return nullptr;
}

DerivedKey head_products_key_of(DerivedKey::Tag tag, const Context& context, const AttentionChoice& choice) {
  return DerivedKey(tag, {context.trace->generation(), choice.prefix()});
}

// The loop over the heads, or why there is none.
void add_loop(const Context& context, const AttentionChoice& choice, HeadProductsInput& input) {
  const auto trace = context.trace;
  std::string error;
  const std::int64_t d = trace->document().d_model;
  const auto loop = derived_value<HeadLoop>(
      context, head_products_key_of("walk/head loop", context, choice),
      static_cast<std::int64_t>(trace->texts().size()) * (choice.site->queries + 2 * choice.site->keys) * d * d,
      std::int64_t{1} << 20,
      [trace, prefix = choice.prefix()](const CancelToken& cancel) {
        return heads_one_by_one(*trace, *found(*trace, prefix), cancel);
      },
      &error);
  if (!loop) {
    input.loop_words = error.empty() ? tr("the loop over the heads is being computed …")
                                     : fill(tr("No loop over the heads beside it: {}"), {error});
    return;
  }
  input.difference = loop->by_head;
  char largest[32];
  std::snprintf(largest, sizeof largest, "%.2f", loop->largest);
  if (context.view.presentation) {
    // The grids have the room.
    input.loop_words = fill(tr("A loop over {0} heads differs by {1} at most."),
                            {std::to_string(loop->heads), figures::tiny_number(loop->difference)});
    input.note.clear();
    return;
  }
  const std::string width = std::to_string(loop->d_k);
  input.loop_words = fill(
      tr("The same as a loop over {0} heads, with slices W[:, {1} i : {1} (i + 1)] of {2} of W_q, W_k and W_v {3}, in float64. "
         "Largest difference of the heads side by side, over all sentences: {4}, from numbers up to {5}."),
      {std::to_string(loop->heads), width, to_string(Shape{loop->d_model, loop->d_k}),
       to_string(Shape{loop->d_model, loop->heads * loop->d_k}), figures::tiny_number(loop->difference), largest});
}

// The row of q and the row of k that meet in the lit score.
void add_dot(const Context& context, const AttentionChoice& choice, HeadProductsInput& input) {
  const Trace& trace = *context.trace;
  const AttentionSite& site = *choice.site;
  const auto& block = input.blocks[static_cast<std::size_t>(input.chosen)];
  const auto q = head_rows(trace, site.q, block.sentence, block.head, input.query, 1);
  const auto k = head_rows(trace, site.k, block.sentence, key_head(site, block.head), input.key, 1);
  const auto score =
      trace.tile(trace.name_at(site.prefix, Role::scores), {block.sentence, block.head, input.query, 1, input.key, 1});
  if (!q.ok() || !k.ok() || !score.ok()) return;
  for (std::int64_t d = 0; d < q->dim(1); ++d) {
    input.q.push_back(q->at({0, d}));
    input.k.push_back(k->at({0, d}));
  }
  input.score = score->at({0, 0});
  const auto label = [](const std::vector<std::string>& labels, std::int64_t at) {
    return at < static_cast<std::int64_t>(labels.size()) ? labels[static_cast<std::size_t>(at)] : std::to_string(at);
  };
  AttentionChoice of_block = choice;
  of_block.batch = block.sentence;
  input.query_label = label(row_labels(context, of_block), input.query);
  input.key_label = label(column_labels(context, of_block), input.key);
  input.score_name = std::string(tr("scores")) + "[" + fill(tr("head {}"), {std::to_string(block.head)}) + ", " +
                     input.query_label + ", " + input.key_label + "]";
}

// Of one sentence the heads in a grid of their own.
int columns_of(std::int64_t heads, bool by_sentence) {
  if (by_sentence || heads <= 4) return static_cast<int>(heads);
  return static_cast<int>(std::ceil(std::sqrt(static_cast<double>(heads))));
}

// Nothing where `why` says so.
std::optional<HeadProductsInput> products_input(const Context& context, const WalkScene& scene, float height, std::string& why) {
  const AttentionChoice& choice = scene.choice;
  why = no_product(choice);
  if (!why.empty()) return std::nullopt;
  const AttentionSite& site = *choice.site;
  const auto trace = context.trace;
  const auto batch = static_cast<std::int64_t>(trace->texts().size());
  const bool by_sentence = batch > 1;
  const std::int64_t rows =
      by_sentence ? std::min({batch, kMostSentences, static_cast<std::int64_t>(figures::head_products_rows(height))}) : 1;
  const std::int64_t first = std::clamp<std::int64_t>(choice.batch - rows / 2, 0, batch - rows);
  const auto products = derived_value<Products>(
      context, head_products_key_of("walk/products", context, choice).add(first).add(rows),
      rows * site.heads * (site.queries * site.keys + (site.queries + site.keys) * site.d_k), kHeadProductsAtOnce,
      [trace, prefix = choice.prefix(), first, rows](const CancelToken& cancel) {
        return products_of(*trace, *found(*trace, prefix), first, rows, cancel);
      },
      &why);
  if (!products) {
    if (why.empty()) why = tr("computing …");
    return std::nullopt;
  }
  HeadProductsInput input;
  input.blocks = products->blocks;
  input.largest = products->largest;
  input.query_block = products->query_block;
  input.key_block = products->key_block;
  input.d_block = products->d_block;
  input.by_sentence = by_sentence;
  input.columns = columns_of(site.heads, by_sentence);
  input.shapes[0] = to_string(Shape{batch, site.heads, site.queries, site.d_k});
  input.shapes[1] = to_string(Shape{batch, site.kv_heads, site.d_k, site.keys});
  input.shapes[2] = to_string(Shape{batch, site.heads, site.queries, site.keys});
  input.chosen = static_cast<int>((by_sentence ? choice.batch - first : 0) * site.heads + choice.head);
  input.query = scene.focus.query;
  input.key = scene.focus.key;
  input.note = random_note(*trace, site.q);
  if (const std::string shared = shared_key_words(site, choice.head); !shared.empty())
    input.note = shared + (input.note.empty() ? "" : "; ") + input.note;
  if (rows < batch)
    input.note = fill(tr("sentences {0} to {1} of {2}"),
                      {std::to_string(first + 1), std::to_string(first + rows), std::to_string(batch)}) +
                 (input.note.empty() ? "" : "; ") + input.note;
  if (std::max({input.query_block, input.key_block, input.d_block}) > 1)
    input.note += (input.note.empty() ? "" : "; ") +
                  fill(tr("one query of {0}, one key of {1} and one number of {2} is shown"),
                       {std::to_string(input.query_block), std::to_string(input.key_block), std::to_string(input.d_block)});
  return input;
}

// Which cell is lit: the one under the mouse, or what the text beside the diagram is about.
void light(const Context& context, const WalkTransient& kept, HeadProductsInput& input) {
  const Hot& hot = context.hover.now;
  if (hot.row >= 0) input.query = hot.row;
  if (hot.column >= 0) input.key = hot.column;
  if (kept.product_block < 0 || kept.product_block >= static_cast<int>(input.blocks.size())) return;
  input.chosen = kept.product_block;
  input.d = kept.product_d;
}

// What is under the mouse is remembered for the next frame, and lights its tokens everywhere; a click keeps it.
void follow(const Context& context, const WalkScene& scene, const HeadProductsInput& input, const gl::Hit& hit) {
  auto& kept = context.transient->of<WalkTransient>();
  kept.product_block = -1;
  kept.product_d = -1;
  if (!hit.hovered || hit.tag.kind != figures::Tag::cell_area || hit.row < 0) return;
  const figures::HeadProductsPlace place = figures::head_products_place(hit.row);
  if (place.block >= static_cast<int>(input.blocks.size())) return;
  const AttentionSite& site = *scene.choice.site;
  const auto& block = input.blocks[static_cast<std::size_t>(place.block)];
  const bool of_k = place.which == HeadProductsInput::of_k, of_q = place.which == HeadProductsInput::of_q;
  const std::int64_t query = of_k ? input.query : std::min(place.row * input.query_block, site.queries - 1);
  const std::int64_t key = of_q ? input.key : std::min(hit.column * input.key_block, site.keys - 1);
  kept.product_block = place.block;
  if (of_q) kept.product_d = hit.column * input.d_block;
  if (of_k) kept.product_d = place.row * input.d_block;
  context.hover.next.row = query;
  context.hover.next.column = key;
  context.hover.next.value = {context.trace->name_at(site.prefix, Role::scores), {block.sentence, block.head, query, key}};
  if (!hit.clicked) return;
  context.view.head = block.head;
  context.view.batch = block.sentence;
  context.view.pinned_row = query;
  context.view.pinned_column = key;
}

// For paper: nothing is lit but what the text is about.
figures::Figure products_on_paper(const Context& context, const WalkScene& scene, float width, float height) {
  std::string why;
  auto input = products_input(context, scene, height - 32, why);
  if (!input) return {};
  add_dot(context, scene.choice, *input);
  add_loop(context, scene.choice, *input);
  figures::Figure figure =
      figures::stacked({head_products(*input, width - 32, height - 32, context.theme, context.measure)}, 0, 16);
  figure.background = context.theme.background;
  figure.title = tr("Q's heads times Kᵀ's");
  return figure;
}

sheet::Node product_grids(Sheet& sheet, const Shared& frame) {
  const auto shown = std::make_shared<std::optional<HeadProductsInput>>();  // what the picture was made of
  const auto draw = [frame, shown](Size s, const Pen& pen) {
    const Context& context = frame->context;
    std::string why;
    *shown = products_input(context, frame->walk, s.h, why);
    if (!*shown) {
      figures::Figure waiting;
      waiting.width = s.w;
      waiting.height = s.h;
      figures::Composer{waiting, pen.theme, pen.measure}.text(0, 12, why, ui::kBody, figures::Font::words, pen.theme.secondary,
                                                              figures::Align::start, s.w);
      return waiting;
    }
    HeadProductsInput& input = **shown;
    light(context, context.transient->of<WalkTransient>(), input);
    add_dot(context, frame->walk.choice, input);
    add_loop(context, frame->walk.choice, input);
    return head_products(input, s.w, s.h, pen.theme, pen.measure);
  };
  return sheet.picture(
      {.id = "products",
       .picture = draw,
       .hit =
           [frame, shown](const Drawn& drawn) {
             if (*shown) follow(frame->context, frame->walk, **shown, drawn.hit);
           },
       .paper = {1200, 760},
       .on_paper = [frame](Size s, const Pen&) { return products_on_paper(frame->context, frame->walk, s.w, s.h); }},
      {0, 0, sheet::kAny}, sheet::Span{0, 0, sheet::kAny});
}

}  // namespace

sheet::Node products_page(Sheet& sheet, const Shared& frame) {
  return page_by_hand(sheet, [frame](Size room) {
    const AttentionChoice& choice = frame->walk.choice;
    Sheet inside(frame->scene);
    std::vector<sheet::Node> all;
    if (choice.site) all.push_back(Sheet::flow("attention", 16, attention_nodes(inside, choice)));
    const std::string why = no_product(choice);
    all.push_back(why.empty() ? product_grids(inside, frame) : inside.notice(why, frame->look.theme.secondary));
    inside.root = Sheet::column("products page", 8, std::move(all));
    draw_node(inside, "walk", inside.root, room.w, room.h);
  });
}

figures::Figure products_figure(const Context& context, float width, float height) {
  const WalkScene walk = walk_scene(context);
  if (!walk.graph) return {};
  return products_on_paper(context, walk, std::max(width, 900.0f), std::max(height, 620.0f));
}

}  // namespace headlight::views::walk
