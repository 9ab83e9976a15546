#include "app/session/views/values_view.h"

namespace headlight {

const ViewSchema<ValuesView>& values_view_schema() {
  static const ViewSchema<ValuesView> schema = {
      {"page", "values_page", &ValuesView::page},
      {"first", "values_first", &ValuesView::first, 0},
      {"dimensions", "values_dimensions", &ValuesView::dimensions, 1, 256},
      {"dimension", "values_dimension", &ValuesView::dimension, -1},
      {"one_scale", "values_one_scale", &ValuesView::one_scale},
  };
  return schema;
}

}  // namespace headlight
