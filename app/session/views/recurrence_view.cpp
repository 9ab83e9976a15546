#include "app/session/views/recurrence_view.h"

namespace headlight {

const ViewSchema<RecurrenceView>& recurrence_view_schema() {
  using View = RecurrenceView;
  static const ViewSchema<View> schema = {
      {"kind", "recurrence_kind", &View::kind},
      {"source", "recurrence_source", &View::source},
      {"page", "recurrence_page", &View::page},
      {"side", "recurrence_side", &View::side},
      {"units", "recurrence_units", &View::units, 1, 64},
      {"states", "recurrence_states", &View::states, 1, 16},
      {"selective", "recurrence_selective", &View::selective},
      {"at", "recurrence_at", &View::at, -1, 1e6},
      {"first", "recurrence_first", &View::first, 0, 1e6},
      {"channel", "recurrence_channel", &View::channel, 0, 63},
      {"learnt", "recurrence_learnt", &View::learnt, 0, 5000},
      {"weights_times", "recurrence_weights_times", &View::weights_times, 0.25, 4},
  };
  return schema;
}

}  // namespace headlight
