#pragma once

#include <filesystem>
#include <optional>

#include "engine/config/choices.h"

namespace lockstep::cli {

/// What the metadata of a safetensors file say of its model and no tensor shows.
struct WeightsFacts {
  config::Norm norm{};
  double normEpsilon = 1e-5;
};

/// Reads the header alone. Nothing when the file does not have them (weights of others) or is no
/// safetensors file: the worker, which reads all of it, says what is wrong.
std::optional<WeightsFacts> weightsFacts(const std::filesystem::path& file);

}  // namespace lockstep::cli
