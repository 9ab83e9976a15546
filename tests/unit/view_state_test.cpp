// The state of all views: every field is saved under its name, and files saved before views had structs of their own still open.
#include "app/session/view_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "app/session/session.h"
#include "app/session/view_fields.h"
#include "app/views/heads/state.h"
#include "app/views/index/state.h"
#include "app/views/masks/state.h"
#include "app/views/positions/state.h"
#include "app/views/tokens/state.h"
#include "app/views/walk/state.h"
#include "test_data.h"

namespace headlight {
namespace {

std::string saved_before(const std::string& name) { return std::string(HEADLIGHT_TEST_DATA) + "/sessions/" + name; }

// What tests/data/sessions/ holds: written by the program when all fields of a view lay in one object (commit d07a209).
ViewState heads_before() {
  ViewState view;
  view.tab = "heads";
  view.theme = "light";
  view.colormap = "magma";
  view.shown = "scores";
  view.batch = 1;
  view.layer = 1;
  view.head = 2;
  view.pinned_row = 2;
  view.pinned_column = 1;
  view.transposed = true;
  view.zoom = 1.5;
  view.pan_x = 0.5;
  view.pan_y = 0.25;
  view.ui_scale = 1.25;
  view.presentation = true;
  view.range = "row";
  view.reduction = "mean";
  view.chosen_heads = {{0, 1}, {1, 2}};
  view.own.of<views::heads::State>() = {"arcs", "overlay", "entropy", "previous", 0.75};
  // What was always written then; today the program chooses where nothing is.
  view.own.of<views::placed::State>().picture = "heatmap";
  return view;
}
ViewState other_tabs_before() {
  ViewState view;
  view.tab = "masks";
  view.own.of<views::walk::State>() = {"scores", "q"};
  view.own.of<views::masked::State>() = {"cell", true, "difference", "shapes", 2};
  view.own.of<views::tokens::State>().picture = "training";
  view.own.of<views::placed::State>() = {"curves", {0, 3, 7}, 24};
  view.inspector = {"layer.1.q", {0, 2, 1, 3}};
  view.lesson = "masks";
  view.lesson_step = 2;
  return view;
}
ViewState index_lab_before() {
  ViewState view;
  view.tab = "index_lab";
  view.own.of<views::placed::State>().picture = "heatmap";
  view.own.of<views::lab::State>() = {
      "pear",          120,   16,  40,       96,       2, true, true, true, false, true, true, "cpu", {"cpu", "cuda"},
      {"f32", "bf16"}, "map", "d", "length", "written"};
  return view;
}

TEST(ViewState, SessionsSavedBeforeOpenAsTheyWere) {
  for (const auto& [name, expected] : {std::pair{"heads.json", heads_before()},
                                       {"other_tabs.json", other_tabs_before()},
                                       {"index_lab.json", index_lab_before()}}) {
    SCOPED_TRACE(name);
    const auto session = load_session(saved_before(name));
    ASSERT_TRUE(session) << session.error().sentence();
    EXPECT_EQ(session->view, expected) << to_json(session->view);
    EXPECT_EQ(session->document.texts, (std::vector<std::string>{"man bites dog", "dog bites man"}));
    EXPECT_EQ(session->pinned.has_value(), std::string(name) == "other_tabs.json");
    const auto again = session_from_json(to_json(*session), "again");
    ASSERT_TRUE(again) << again.error().sentence();
    EXPECT_EQ(*again, *session) << "what is saved now reads back as the same";
  }
}

TEST(ViewState, AFigureExportedBeforeOpensAsItWas) {
  const auto session = load_session(saved_before("figure.svg"));  // export --session heads.json --what weights --view dots
  ASSERT_TRUE(session) << session.error().sentence();
  ViewState expected = heads_before();
  expected.shown = "weights";
  expected.own.of<views::heads::State>().picture = "dots";
  expected.layer = session->view.layer;
  EXPECT_EQ(session->view, expected) << to_json(session->view);
}

// Changes each field that a view's state names.
class Changing final : public Fields {
 public:
  int count = 0;
  void operator()(FieldName, bool& v) override { v = !v, ++count; }
  void operator()(FieldName, std::int64_t& v, double, double most) override {
    v += static_cast<double>(v) < most ? 1 : -1, ++count;
  }
  void operator()(FieldName, double& v, double least, double most) override {
    v = v + 0.25 <= most ? v + 0.25 : v - 0.25 >= least ? v - 0.25 : (v + most) / 2, ++count;
  }
  void operator()(FieldName, std::string& v) override { v += "x", ++count; }
  void operator()(FieldName, std::vector<std::int64_t>& v) override { v.push_back(3), ++count; }
  void operator()(FieldName, std::vector<std::string>& v) override { v.emplace_back("x"), ++count; }
  void operator()(FieldName, std::vector<HeadRef>& v) override { v.push_back({1, 2}), ++count; }
};

TEST(ViewState, EveryFieldIsSavedAndReadBack) {
  ViewState changed;
  Changing changing;
  changed.fields(changing);
  changed.fields_in_heads(changing);
  changed.inspector.fields(changing);
  changed.sampling.fields(changing);
  for (std::size_t kind = 0; kind < state_kinds().size(); ++kind) changed.own.at(kind).visit(changing);
  EXPECT_EQ(saved_fields().size(), static_cast<std::size_t>(changing.count));
  for (const SavedField& field : saved_fields()) {
    SCOPED_TRACE(field.path());
    EXPECT_FALSE(field.same(changed, ViewState()));
    ViewState one;
    ASSERT_TRUE(field.set(one, field.value(changed)));
    EXPECT_TRUE(field.same(one, changed));
    EXPECT_FALSE(one == ViewState()) << "a field that is named is none of the struct";
    const auto again = view_state_from_json(to_json(one), "again");
    ASSERT_TRUE(again) << again.error().sentence();
    EXPECT_EQ(*again, one);
  }
}

TEST(ViewState, EveryFieldThatAViewNamesIsSavedAndReadBack) {
  ASSERT_GE(state_kinds().size(), 2u);
  int without_fields = 0;
  for (std::size_t kind = 0; kind < state_kinds().size(); ++kind) {
    SCOPED_TRACE(state_kinds()[kind].key);
    ViewState changed;
    Changing changing;
    changed.own.at(kind).visit(changing);
    without_fields += changing.count == 0 ? 1 : 0;
    int differ = 0;
    for (const SavedField& field : saved_fields()) differ += field.same(changed, ViewState()) ? 0 : 1;
    EXPECT_EQ(differ, changing.count) << "no other view has its fields";
    const auto again = view_state_from_json(to_json(changed), "again");
    ASSERT_TRUE(again) << again.error().sentence();
    EXPECT_EQ(*again, changed);
    const ViewState copy = changed;
    EXPECT_EQ(copy, changed);
    EXPECT_EQ(copy == ViewState(), changing.count == 0);
  }
  EXPECT_LE(without_fields, 1) << "one view shows only what all views share";
}

TEST(ViewState, APanelsFieldsLieInAnObjectOfTheirOwn) {
  ViewState view;
  view.own.of<views::heads::State>().picture = "dots";
  view.own.of<views::lab::State>().words = 7;
  const auto json = Json::parse(to_json(view));
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["heads"]["picture"].string(), "dots");
  EXPECT_EQ((*json)["index_lab"]["words"].integer(), 7);
  EXPECT_FALSE(json->contains("head_view"));
  // Where a file has both, the present key counts.
  const auto both = view_state_from_json(R"({"head_view": "arcs", "heads": {"picture": "neuron"}})", "t");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->own.of<views::heads::State>().picture, "neuron");
}

TEST(ViewState, AFieldIsReadAndSetByItsPath) {
  ViewState view;
  EXPECT_TRUE(set_at(view, "heads.picture", "dots"));
  EXPECT_TRUE(set_at(view, "heads.together", "mean"));
  EXPECT_TRUE(set_at(view, "layer", 3));
  EXPECT_EQ(view.own.of<views::heads::State>().picture, "dots");
  EXPECT_EQ(view.layer, 3);
  EXPECT_EQ(value_at(view, "heads.together").string(), "mean");
  EXPECT_EQ(value_at(view, "heads.arc_share").number(), 0);
  EXPECT_FALSE(set_at(view, "heads.picture", 3)) << "another type";
  EXPECT_FALSE(set_at(view, "heads.pictures", "arcs")) << "no such field";
  EXPECT_TRUE(value_at(view, "heads.pictures").is_null());
  EXPECT_EQ(view.own.of<views::heads::State>().picture, "dots");
}

TEST(ViewState, AWrongTypeIsNamedAndANumberIsPutIntoRange) {
  const auto says = [](const char* json) {
    const auto view = view_state_from_json(json, "f.json");
    return view ? std::string("accepted") : view.error().sentence();
  };
  EXPECT_NE(says(R"({"heads": {"picture": 3}})").find("'heads.picture' has the wrong type"), std::string::npos);
  EXPECT_NE(says(R"({"head_view": 3})").find("'head_view' has the wrong type"), std::string::npos);
  EXPECT_NE(says(R"({"heads": "arcs"})").find("'heads' has the wrong type"), std::string::npos);
  EXPECT_NE(says(R"({"chosen_heads": [[0]]})").find("'chosen_heads' has the wrong type"), std::string::npos);
  EXPECT_NE(says("[]").find("this is not a view"), std::string::npos);
  EXPECT_EQ(says(R"({"heads": {"later_field": 1}, "later_panel": {}})"), "accepted");
  const auto view = view_state_from_json(R"({"zoom": 0, "lab_words": 0, "index_lab": {"d": 99999}, "ui_scale": 90})", "t");
  ASSERT_TRUE(view);
  EXPECT_EQ(view->zoom, 1e-3);
  EXPECT_EQ(view->own.of<views::lab::State>().words, 1);
  EXPECT_EQ(view->own.of<views::lab::State>().d, 4096);
  EXPECT_EQ(view->ui_scale, 8);
}

}  // namespace
}  // namespace headlight
