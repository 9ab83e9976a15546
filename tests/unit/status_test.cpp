#include "engine/core/status.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/core/function_ref.h"

namespace headlight {
namespace {

using Owned = std::unique_ptr<std::string>;

Result<Owned> made(bool well) {
  if (!well) return invalid("it is broken").at("a file").mend("mend it");
  return std::make_unique<std::string>("whole");
}
Result<std::string> read(bool well) {
  HL_ASSIGN(const Owned owned, made(well));
  return *owned;
}
Status checked(bool well) {
  HL_TRY(read(well));
  return {};
}

static_assert(places_in("") == 0 && places_in("{} of {}") == 2 && places_in("{{\"en\": {}}} 100 %") == 1);

TEST(Error, KeepsItsTextsApartFromTheirValues) {
  const Failure failed = not_found("there is no task '{}' among {}", std::string("x{}"), 3)
                             .at("{}:{}", std::string_view("a.json"), std::uint8_t{7})
                             .mend("known are {}", Message("{} and {}", "a", -1));
  const Error& error = failed;
  EXPECT_EQ(error.kind, ErrorKind::not_found);
  EXPECT_EQ(error.what.text(), "there is no task '{}' among {}");
  ASSERT_EQ(error.what.values().size(), 2u);
  EXPECT_TRUE(error.what.values()[0].is_plain());
  EXPECT_EQ(error.mend.values()[0].text(), "{} and {}");
  EXPECT_EQ(error.sentence(), "a.json:7: there is no task 'x{}' among 3; known are a and -1");
  EXPECT_EQ(invalid("no").error().sentence(), "no");
  EXPECT_EQ(invalid("no").at("here").error().sentence(), "here: no");
  EXPECT_EQ(invalid(Message::term("no {")).mend(Message::name("{}")).error().sentence(), "no {; {}");
}

TEST(Error, PlacesAreFilledInAnyOrderAndNeverHalf) {
  EXPECT_EQ(fill_places("{1} von {0}", {"a", "b"}), "b von a");
  EXPECT_EQ(fill_places("{{{}}}", {"a"}), "{a}");
  EXPECT_EQ(fill_places("{} {}", {"a"}), std::nullopt);
  EXPECT_EQ(fill_places("{", {}), std::nullopt);
}

TEST(Result, PassesAnErrorOnThroughOtherResults) {
  ASSERT_TRUE(read(true).ok());
  EXPECT_EQ(*read(true), "whole");
  EXPECT_TRUE(checked(true).ok());
  const Status status = checked(false);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().sentence(), "a file: it is broken; mend it");
  EXPECT_EQ(status.error().kind, ErrorKind::invalid);
}

TEST(Result, CopiesAndMovesEitherAlternative) {
  Result<std::string> value(std::string("a text too long for the string's own memory"));
  Result<std::string> error(not_found("nothing is here"));
  const Result<std::string> copy = value;
  EXPECT_EQ(*copy, *value);
  Result<std::string> taken = std::move(value);
  EXPECT_EQ(*taken, *copy);
  taken = error;  // an error where a value was
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.error().what, "nothing is here");
  EXPECT_EQ(error.error().what, "nothing is here");
  error = copy;  // and the other way
  EXPECT_EQ(*error, *copy);
  std::vector<Result<Owned>> many;
  for (int i = 0; i < 20; ++i) many.push_back(made(i % 2 == 0));
  for (std::size_t i = 0; i < many.size(); ++i) EXPECT_EQ(many[i].ok(), i % 2 == 0);
  EXPECT_FALSE(std::is_copy_constructible_v<Result<Owned>>);
}

TEST(Result, AStatusIsCopiedWithItsError) {
  const Status first = usage_error("too many");
  Status second = first;
  EXPECT_EQ(second.error().what, first.error().what.english());
  second = Status();
  EXPECT_TRUE(second.ok());
  EXPECT_FALSE(first.ok());
}

TEST(FunctionRef, CallsWhatItRefersTo) {
  int sum = 0;
  const auto add = [&sum](int x) { return sum += x; };
  const FunctionRef<int(int)> reference = add;
  EXPECT_EQ(reference(2), 2);
  EXPECT_EQ(reference(3), 5);
  const auto apply = [](FunctionRef<std::string(const std::string&)> f) { return f("b"); };
  EXPECT_EQ(apply([](const std::string& x) { return "a" + x; }), "ab");
}

}  // namespace
}  // namespace headlight
