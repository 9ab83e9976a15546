#include "app/fields/field_values.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headlight {
namespace {

class Naming final : public Fields {
 public:
  std::vector<FieldKey> keys;
  void operator()(FieldName name, bool&) override { add(name); }
  void operator()(FieldName name, std::int64_t&, double, double) override { add(name); }
  void operator()(FieldName name, double&, double, double) override { add(name); }
  void operator()(FieldName name, std::string&) override { add(name); }
  void operator()(FieldName name, std::vector<std::int64_t>&) override { add(name); }
  void operator()(FieldName name, std::vector<std::string>&) override { add(name); }
  void operator()(FieldName name, std::vector<HeadRef>&) override { add(name); }

 private:
  void add(FieldName name) { keys.push_back({std::string(name.key), std::string(name.former), name.undone}); }
};

class Writing final : public Fields {
 public:
  explicit Writing(std::string_view key) : key_(key) {}
  Json value;
  void operator()(FieldName name, bool& v) override { write(name, v); }
  void operator()(FieldName name, std::int64_t& v, double, double) override { write(name, v); }
  void operator()(FieldName name, double& v, double, double) override { write(name, v); }
  void operator()(FieldName name, std::string& v) override { write(name, v); }
  void operator()(FieldName name, std::vector<std::int64_t>& v) override { write(name, v); }
  void operator()(FieldName name, std::vector<std::string>& v) override { write(name, v); }
  void operator()(FieldName name, std::vector<HeadRef>& v) override {
    if (name.key != key_) return;
    value = Json::array();
    for (const HeadRef& head : v) value.push_back(Json::array({head.layer, head.head}));
  }

 private:
  template <class T>
  void write(FieldName name, const T& v) {
    if (name.key == key_) value = v;
  }
  std::string_view key_;
};

bool all_of(const Json& json, bool (*is)(const Json&)) { return json.is_array() && std::ranges::all_of(json.elements(), is); }
bool is_number(const Json& json) { return json.is_integer(); }
bool is_name(const Json& json) { return json.is_string(); }
bool is_pair(const Json& json) { return all_of(json, is_number) && json.size() == 2; }

class Reading final : public Fields {
 public:
  Reading(std::string_view key, const Json& json) : key_(key), json_(json) {}
  bool taken = false;
  void operator()(FieldName name, bool& v) override {
    if (is(name, json_.is_boolean())) v = json_.boolean();
  }
  void operator()(FieldName name, std::int64_t& v, double least, double most) override {
    if (!is(name, json_.is_integer())) return;
    v = json_.integer();
    if (static_cast<double>(v) < least) v = static_cast<std::int64_t>(least);
    if (static_cast<double>(v) > most) v = static_cast<std::int64_t>(most);
  }
  void operator()(FieldName name, double& v, double least, double most) override {
    if (is(name, json_.is_number() && std::isfinite(json_.number()))) v = std::clamp(json_.number(), least, most);
  }
  void operator()(FieldName name, std::string& v) override {
    if (is(name, json_.is_string())) v = json_.string();
  }
  void operator()(FieldName name, std::vector<std::int64_t>& v) override {
    if (!is(name, all_of(json_, is_number))) return;
    v.clear();
    for (const Json& number : json_.elements()) v.push_back(number.integer());
  }
  void operator()(FieldName name, std::vector<std::string>& v) override {
    if (!is(name, all_of(json_, is_name))) return;
    v.clear();
    for (const Json& word : json_.elements()) v.push_back(word.string());
  }
  void operator()(FieldName name, std::vector<HeadRef>& v) override {
    if (!is(name, all_of(json_, is_pair))) return;
    v.clear();
    for (const Json& pair : json_.elements()) v.push_back({pair[0].integer(), pair[1].integer()});
  }

 private:
  // Whether the value is for this field.
  bool is(FieldName name, bool fits) { return name.key == key_ && (taken = fits); }
  std::string_view key_;
  const Json& json_;
};

}  // namespace

std::vector<FieldKey> keys_of(const VisitFields& visit) {
  Naming naming;
  visit(naming);
  return std::move(naming.keys);
}
std::vector<FieldKey> keys_of(OwnState& state) {
  return keys_of([&](Fields& field) { state.visit(field); });
}
Json field_value(const VisitFields& visit, std::string_view key) {
  Writing writing(key);
  visit(writing);
  return std::move(writing.value);
}
Json field_value(OwnState& state, std::string_view key) {
  return field_value([&](Fields& field) { state.visit(field); }, key);
}
bool set_field(const VisitFields& visit, std::string_view key, const Json& value) {
  Reading reading(key, value);
  visit(reading);
  return reading.taken;
}
bool set_field(OwnState& state, std::string_view key, const Json& value) {
  return set_field([&](Fields& field) { state.visit(field); }, key, value);
}

}  // namespace headlight
