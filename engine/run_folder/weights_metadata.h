#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/config/choices.h"

namespace lockstep::run_folder {

/// The categories that a model's weights were trained on, as their safetensors metadata names them;
/// empty: it does not.
std::vector<coco::Category> categoriesOfWeights(const std::filesystem::path& file);

/// The resolved experiment that a model's weights were trained with, as YAML; nullopt: the metadata
/// do not have it (older weights, and those of other programs).
std::optional<std::string> experimentOfWeights(const std::filesystem::path& file);

/// The training step that a model's weights are of, as their metadata say; nullopt as above.
std::optional<std::int64_t> trainedStepOfWeights(const std::filesystem::path& file);

/// What only the metadata of a safetensors file tell about its model, not the tensors.
struct WeightsFacts {
  config::Norm norm{};
  double normEpsilon = 1e-5;
};

/// Reads only the header. Empty when the metadata lack them (weights of other programs) or the file
/// is not a safetensors file: the worker, which reads all of it, reports the error.
std::optional<WeightsFacts> weightsFacts(const std::filesystem::path& file);

}  // namespace lockstep::run_folder
