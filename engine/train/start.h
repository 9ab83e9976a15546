// Where a training begins: with the weights and the vocabulary of a model that there is, in place of drawn and trained ones.
#pragma once

#include <memory>
#include <string>

#include "engine/core/cancel.h"
#include "engine/document/stored_model.h"
#include "engine/train/config.h"
#include "engine/train/data.h"
#include "engine/train/learner.h"

namespace headlight::train {

ModelTask model_task(Task task);  // of the model that a training makes

// The model that Config::start names. `config_folder`: of a path that is not absolute; `where`: the configuration, for errors.
// Errors: there is no such model; it is of another task or of other sizes than the configuration's, with the first of them that
// differs and both values.
Result<std::shared_ptr<const StoredModel>> open_start(const Config& config, const std::string& config_folder,
                                                      const std::string& where);
// Its tokenizers, where the data are files; random sequences bring their own along.
Status take_vocabulary(const StoredModel& start, const Config& config, DataPlaces& places);
// Error unless the data's vocabularies have the same pieces in the same order.
Status check_vocabulary(const StoredModel& start, const Data& data, const std::string& where);
// Its weights as the learner's parameters. The optimiser's moments and the count of steps stay as they are: 0.
Status take_weights(const StoredModel& start, Learner& learner, const CancelToken& cancel);

}  // namespace headlight::train
