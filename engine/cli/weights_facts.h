#pragma once

#include <filesystem>
#include <optional>

#include "engine/config/choices.h"

namespace lockstep::cli {

/// What only the metadata of a safetensors file tell about its model, not the tensors.
struct WeightsFacts {
  config::Norm norm{};
  double normEpsilon = 1e-5;
};

/// Reads only the header. Empty when the metadata lack them (weights of other programs) or the file
/// is not a safetensors file: the worker, which reads all of it, reports the error.
std::optional<WeightsFacts> weightsFacts(const std::filesystem::path& file);

}  // namespace lockstep::cli
