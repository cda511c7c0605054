// The data of tasks other than labelled texts: images, running text, translations.
#pragma once

#include "train/rows/task_data.h"

namespace headroom::inline train {

TaskData load_image_task(const TaskRequest& request);

// Validation is the end of the training text: a twentieth of it, as rows beside one another would
// show the model what it is to predict.
TaskData load_language_task(const TaskRequest& request);

// One vocabulary of word pieces for both languages, as written: German needs its capitals and
// umlauts.
TaskData load_translation_task(const TaskRequest& request);

// What a finished model of these tasks is scored on, read as it was trained.
EncodedDataset form_rows(const ModelConfig& config, const Tokenizer& tokenizer,
                         const std::string& spec, const std::filesystem::path& data_dir);

// Sizes that follow from the data: vocabulary, positions, labels, patches; and what the task does
// not have.
ModelShape fit_shape(ModelShape shape, const TaskData& data);

}  // namespace headroom::inline train
