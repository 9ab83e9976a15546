#include "engine/insight/head_loop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/insight/residual_stream.h"
#include "engine/operations/rotary.h"
#include "engine/operations/softmax.h"

namespace headlight {
namespace {

// y [rows, d_k] of one head: x times the head's columns of W, and its part of b.
struct Projection {
  std::vector<double> x, w, b;  // [rows, d_model], [d_model, width]; [width] or nothing
  std::int64_t d_model = 0, width = 0;

  std::vector<double> of_head(std::int64_t sentence, std::int64_t rows, std::int64_t head, std::int64_t d_k) const {
    std::vector<double> y(static_cast<std::size_t>(rows * d_k));
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t c = 0; c < d_k; ++c) {
        const std::int64_t column = head * d_k + c;
        double sum = b.empty() ? 0 : b[static_cast<std::size_t>(column)];
        for (std::int64_t j = 0; j < d_model; ++j)
          sum +=
              x[static_cast<std::size_t>((sentence * rows + i) * d_model + j)] * w[static_cast<std::size_t>(j * width + column)];
        y[static_cast<std::size_t>(i * d_k + c)] = sum;
      }
    return y;
  }
};

// Turns the rows [length, d_k] of one sentence's head by their positions, with the model's own angles (operations/rotary.h has
// the formula).
void turn(std::vector<double>& rows, const operations::Rotary& op) {
  const std::int64_t d_k = op.d_k, length = static_cast<std::int64_t>(rows.size()) / d_k, pairs = op.pairs();
  for (std::int64_t t = 0; t < length; ++t)
    for (std::int64_t i = 0; i < pairs; ++i) {
      const double angle = operations::angle_of(op, t, i);
      const double cosine = op.magnitude * std::cos(angle), sine = op.magnitude * std::sin(angle);
      double& a = rows[static_cast<std::size_t>(t * d_k + (op.halves ? i : 2 * i))];
      double& b = rows[static_cast<std::size_t>(t * d_k + (op.halves ? i + pairs : 2 * i + 1))];
      const double turned = a * cosine - b * sine;
      b = a * sine + b * cosine;
      a = turned;
    }
}

Result<std::vector<double>> all_of(const Trace& trace, const std::string& name, const CancelToken& cancel) {
  HL_ASSIGN(const Tensor values, trace.values(name, cancel));
  return as_doubles(values);
}

Result<Projection> projection_of(const Trace& trace, const std::string& step_name, const CancelToken& cancel) {
  const Step* step = trace.find(step_name);
  if (!step || step->inputs.size() < 2)
    return failure(ErrorKind::unavailable, "this attention has no projections to cut into heads").at(step_name);
  Projection p;
  p.width = step->shape.back();
  HL_ASSIGN(p.x, all_of(trace, step->inputs[0], cancel));
  HL_ASSIGN(p.w, all_of(trace, step->inputs[1], cancel));
  p.d_model = static_cast<std::int64_t>(p.w.size()) / p.width;
  if (step->inputs.size() > 2) {
    HL_ASSIGN(p.b, all_of(trace, step->inputs[2], cancel));
  }
  return p;
}

const operations::Rotary* rotary_of(const Trace& trace, const Step& scored) {
  const operations::Operation* const own = trace.operation(scored.name);
  return own ? own->get_if<operations::Rotary>() : nullptr;
}

Status check_site(const Trace& trace, const AttentionSite& site) {
  const std::string where = site.prefix.substr(0, site.prefix.size() - (site.prefix.ends_with('.') ? 1 : 0));
  const auto no = [&](const Message& why) { return failure(ErrorKind::unavailable, why).at(where); };
  const Document& document = trace.document();
  if (!document.interventions.empty()) return no(Message("with an intervention the heads are no longer alike"));
  if (!trace.step_at(site.prefix, Role::q_projected)) return no(Message("this attention has no projections to cut into heads"));
  if (trace.step_at(site.prefix, Role::heads_stacked)) return no(Message("its heads are stacked, not side by side"));
  if (!trace.step_at(site.prefix, Role::k_projected) || !trace.step_at(site.prefix, Role::v_projected))
    return no(Message("its keys or values are another projection's rows"));
  const Step* const scored = trace.step_at(site.prefix, Role::q_scored);
  const bool turned = scored && scored->computed_by.is<operations::Rotary>() && !scored->inputs.empty() &&
                      scored->inputs.front() == trace.name_at(site.prefix, Role::q) && rotary_of(trace, *scored);
  if ((scored && !turned) || site.score_cap > 0 || trace.step_at(site.prefix, Role::position_bias) ||
      (document.score != "scaled_dot" && document.score != "dot"))
    return no(Message("its scores are more than the product of two rows"));
  return {};
}

}  // namespace

Result<HeadLoop> heads_one_by_one(const Trace& trace, const AttentionSite& site, const CancelToken& cancel) {
  HL_TRY(check_site(trace, site));
  HL_ASSIGN(const Projection of_q, projection_of(trace, trace.name_at(site.prefix, Role::q_projected), cancel));
  HL_ASSIGN(const Projection of_k, projection_of(trace, trace.name_at(site.prefix, Role::k_projected), cancel));
  HL_ASSIGN(const Projection of_v, projection_of(trace, trace.name_at(site.prefix, Role::v_projected), cancel));
  const Step& mask_step = *trace.step_at(site.prefix, Role::mask);
  HL_ASSIGN(const Tensor mask, trace.values(mask_step.name, cancel));
  HL_ASSIGN(const std::vector<double> model, all_of(trace, trace.name_at(site.prefix, Role::concat), cancel));
  const std::int64_t n = site.queries, m = site.keys, d_k = site.d_k, width = site.heads * d_k;
  const double fill =
      trace.document().mask_fill == operations::MaskFill::minus_infinity ? -std::numeric_limits<double>::infinity() : -1e9;
  const Step* const scored = trace.step_at(site.prefix, Role::q_scored);
  const operations::Rotary* const turns = scored ? rotary_of(trace, *scored) : nullptr;
  const std::int64_t group = site.heads / site.kv_heads;  // heads of queries that read one head of keys and values
  HeadLoop loop{site.heads, of_q.d_model, d_k, 0, 0, std::vector<double>(static_cast<std::size_t>(site.heads))};
  std::vector<double> row(static_cast<std::size_t>(m));
  for (std::int64_t b = 0; b < mask.dim(0); ++b)
    for (std::int64_t h = 0; h < site.heads; ++h) {
      if (cancel.cancelled()) return cancelled();
      std::vector<double> q = of_q.of_head(b, n, h, d_k), k = of_k.of_head(b, m, h / group, d_k);
      const std::vector<double> v = of_v.of_head(b, m, h / group, d_k);
      if (turns) {
        turn(q, *turns);
        turn(k, *turns);
      }
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < m; ++j) {
          double dot = 0;
          for (std::int64_t c = 0; c < d_k; ++c)
            dot += q[static_cast<std::size_t>(i * d_k + c)] * k[static_cast<std::size_t>(j * d_k + c)];
          const bool may = mask.data<std::uint8_t>()[(b * n + i) * m + j] != 0;
          row[static_cast<std::size_t>(j)] = may ? dot * site.scale : fill;
        }
        operations::plain::softmax(row.data(), m, trace.document().temperature, row.data());
        for (std::int64_t c = 0; c < d_k; ++c) {
          double sum = 0;
          for (std::int64_t j = 0; j < m; ++j) sum += row[static_cast<std::size_t>(j)] * v[static_cast<std::size_t>(j * d_k + c)];
          const double own = model[static_cast<std::size_t>((b * n + i) * width + h * d_k + c)];
          loop.largest = std::max(loop.largest, std::abs(own));
          double& of_head = loop.by_head[static_cast<std::size_t>(h)];
          of_head = std::max(of_head, std::abs(own - sum));
        }
      }
    }
  for (const double of_head : loop.by_head) loop.difference = std::max(loop.difference, of_head);
  return loop;
}

}  // namespace headlight
