#include "app/lessons/exercise.h"

#include <algorithm>
#include <cmath>

namespace headlight::lessons {
namespace {

// What two computed numbers may differ by and still count as equal.
constexpr double kEqual = 1e-6;

std::string sign_words(const std::string& sign) { return sign == ">=" ? "≥" : sign == "<=" ? "≤" : sign == "!=" ? "≠" : sign; }

// How far `a` is from standing in the relation to `b`; 0: it does.
double distance_of(double a, const std::string& sign, double b) {
  if (std::isnan(a) || std::isnan(b)) return 1;
  const bool equal = std::abs(a - b) <= kEqual * std::max(1.0, std::abs(b));
  if (sign == "=") return equal ? 0 : std::abs(a - b);
  if (sign == "!=") return equal ? 1 : 0;
  if (equal) return sign.size() == 2 ? 0 : kEqual;
  return sign[0] == '>' ? std::max(0.0, b - a) : std::max(0.0, a - b);
}

Nearness near(const Condition& condition, const Source& source) {
  Nearness now{"—", "", false, 1, {}};
  const auto read = relation_of(condition.that);
  if (!read.ok()) {
    now.why = read.error();
    return now;
  }
  const auto left = evaluate(read->left, source), right = evaluate(read->right, source);
  if (right.ok()) now.wanted = sign_words(read->sign) + " " + right->text;
  if (left.ok()) now.value = left->text;
  if (!left.ok() || !right.ok()) {
    now.why = left.ok() ? right.error() : left.error();
    return now;
  }
  if (left->number && right->number)
    now.distance = distance_of(*left->number, read->sign, *right->number);
  else if (read->sign == "=" || read->sign == "!=")
    now.distance = (left->text == right->text) == (read->sign == "=") ? 0 : 1;
  now.holds = now.distance == 0;
  return now;
}

}  // namespace

std::vector<Nearness> nearness(const Exercise& exercise, const Source& source) {
  std::vector<Nearness> goal;
  for (const Condition& condition : exercise.goal) goal.push_back(near(condition, source));
  return goal;
}

bool solved(const std::vector<Nearness>& goal) {
  return std::all_of(goal.begin(), goal.end(), [](const Nearness& one) { return one.holds; });
}

double share_of(const Nearness& now, double begun) {
  if (now.holds) return 1;
  if (now.why) return 0;
  const double all = begun > 0 ? begun : std::max(1.0, now.distance);
  return std::clamp(1 - now.distance / all, 0.0, 0.97);  // the whole way is gone when it holds, not just before
}

}  // namespace headlight::lessons
