#pragma once

#include <string>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/dataset_check/check_dataset.h"
#include "engine/dataset_check/clean_dataset.h"

namespace lockstep::dataset_check {

/// Why training refuses the dataset or, if it was cleaned, what was written of it; empty: it does
/// not. `cleaned`: null: it was not asked for.
std::vector<std::string> refusalsOf(const DatasetCheck& check, const CleanedDataset* cleaned);

/// All that was found, as JSON. `cleaned`: null: it was not asked for.
std::string jsonOf(const DatasetCheck& check, const config::Experiment& experiment,
                   const CleanedDataset* cleaned);

/// What was found, for people: the facts of each part, and the first findings of each kind.
std::string summaryOf(const DatasetCheck& check, const config::Experiment& experiment,
                      const CleanedDataset* cleaned);

}  // namespace lockstep::dataset_check
