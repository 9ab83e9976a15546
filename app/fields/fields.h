// What a view saves: a struct whose function `fields` names each of its members once. Sessions, figures, lessons, undo and the
// command line read and write the struct through that one function.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

namespace headlight {

// One head of the shown kind of attention.
struct HeadRef {
  std::int64_t layer = 0, head = 0;
  bool operator==(const HeadRef&) const = default;
};

struct FieldName {
  std::string_view key;          // in the view's object
  std::string_view former = {};  // in files whose fields all lay in one object; empty: it was in none
  bool undone = false;           // Ctrl+Z takes a change back while the view is open
};
inline constexpr bool kUndone = true;

// A visitor of a view's fields. A number beyond `least` or `most` is clamped when it is read.
class Fields {
 public:
  virtual ~Fields() = default;
  virtual void operator()(FieldName name, bool& value) = 0;
  virtual void operator()(FieldName name, std::int64_t& value, double least = -kUnbounded, double most = kUnbounded) = 0;
  virtual void operator()(FieldName name, double& value, double least = -kUnbounded, double most = kUnbounded) = 0;
  virtual void operator()(FieldName name, std::string& value) = 0;
  virtual void operator()(FieldName name, std::vector<std::int64_t>& value) = 0;
  virtual void operator()(FieldName name, std::vector<std::string>& value) = 0;
  virtual void operator()(FieldName name, std::vector<HeadRef>& value) = 0;
  static constexpr double kUnbounded = std::numeric_limits<double>::infinity();
};

// The state of one view without its type.
class OwnState {
 public:
  virtual ~OwnState() = default;
  virtual std::unique_ptr<OwnState> copy() const = 0;
  virtual bool same(const OwnState& other) const = 0;  // of a state of the same type
  virtual void visit(Fields& fields) = 0;
  virtual std::type_index type() const = 0;
};
template <class S>
class OwnStateOf final : public OwnState {
 public:
  S value;
  std::unique_ptr<OwnState> copy() const override { return std::make_unique<OwnStateOf>(*this); }
  bool same(const OwnState& other) const override { return value == static_cast<const OwnStateOf&>(other).value; }
  void visit(Fields& fields) override { value.fields(fields); }
  std::type_index type() const override { return typeid(S); }
};

// The list of views, as far as their states go.
struct StateKind {
  const char* key = "";  // of the view's object in a session
  std::unique_ptr<OwnState> (*make)() = nullptr;
};
// state_kind<counting::State>("counting") is the line of the Counting view.
template <class S>
StateKind state_kind(const char* key) {
  return {key, [] { return std::unique_ptr<OwnState>(std::make_unique<OwnStateOf<S>>()); }};
}
const std::vector<StateKind>& state_kinds();  // app/views/states.cpp

// One state of each view. A copy has states of its own.
class OwnStates {
 public:
  OwnStates();
  OwnStates(const OwnStates& other);
  OwnStates(OwnStates&&) noexcept = default;
  OwnStates& operator=(const OwnStates& other);
  OwnStates& operator=(OwnStates&&) noexcept = default;
  ~OwnStates() = default;
  bool operator==(const OwnStates& other) const;

  // own.of<counting::State>().base is "gpt3" in a new session.
  template <class S>
  S& of() {
    return static_cast<OwnStateOf<S>&>(find(typeid(S))).value;
  }
  template <class S>
  const S& of() const {
    return static_cast<OwnStateOf<S>&>(find(typeid(S))).value;
  }
  OwnState& at(std::size_t kind) const { return *states_[kind]; }  // in the order of state_kinds()

 private:
  OwnState& find(std::type_index type) const;
  std::vector<std::unique_ptr<OwnState>> states_;
};

}  // namespace headlight
