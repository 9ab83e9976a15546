// The start of a training from an existing model: its weights and vocabulary take the place of drawn weights and a trained
// vocabulary.
#pragma once

#include <memory>
#include <string>

#include "engine/core/cancel.h"
#include "engine/document/stored_model.h"
#include "engine/train/config.h"
#include "engine/train/data.h"
#include "engine/train/learner.h"

namespace headlight::train {

// The task of the model that a training makes: Task::pairs gives an encoder_decoder, Task::masked an encoder, others a decoder.
ModelTask model_task(Task task);

// The model that Config::start names. `config_folder`: the folder that a relative path begins in; `where`: the configuration, for
// errors. Errors: no such model; a model with another task or size than the configuration's. The error names the first field that
// differs, with both values.
// open_start(config, "assets/models/course", "train.json").
Result<std::shared_ptr<const StoredModel>> open_start(const Config& config, const std::string& config_folder,
                                                      const std::string& where);
// Puts the model's tokenizers into `places`. Made-up data (is_made_up()) have their own vocabulary and take none.
// take_vocabulary(*start, config, places): before open_data().
Status take_vocabulary(const StoredModel& start, const Config& config, DataPlaces& places);
// Error unless the data's vocabularies have the model's pieces in the same order.
// check_vocabulary(*start, *data, "train.json"): before take_weights().
Status check_vocabulary(const StoredModel& start, const Data& data, const std::string& where);
// Puts the model's weights into the learner's parameters. The optimiser's moments and the count of steps stay as they are: 0.
// take_weights(*start, *learner, cancel): the training then begins with the model's weights.
Status take_weights(const StoredModel& start, Learner& learner, const CancelToken& cancel);

}  // namespace headlight::train
