#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

namespace lockstep::model {

/// Distribution a tensor is drawn from before training.
struct Initialiser {
  enum class Kind { Constant, Normal, Uniform };
  Kind kind = Kind::Constant;
  double scale =
      0;  ///< the value; the standard deviation; the bound of a uniform in [-scale, scale]

  static Initialiser constant(double value) { return {Kind::Constant, value}; }
  static Initialiser normal(double deviation) { return {Kind::Normal, deviation}; }
  static Initialiser uniform(double bound) { return {Kind::Uniform, bound}; }
};

/// Fills a tensor on the CPU: a pure function of seed, name and the element's index, so that
/// neither order nor threads matter and no random state is used.
void initialise(at::Tensor& tensor, const Initialiser& initialiser, std::string_view name,
                std::uint64_t seed);

}  // namespace lockstep::model
