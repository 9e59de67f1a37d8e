#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

namespace lockstep::model {

/// The distribution that a tensor is initialised from.
struct Initialiser {
  enum class Kind { Constant, Normal, Uniform };
  Kind kind = Kind::Constant;
  double scale =
      0;  ///< constant: the value; normal: the standard deviation; uniform: in [-scale, scale]

  static Initialiser constant(double value) { return {Kind::Constant, value}; }
  static Initialiser normal(double deviation) { return {Kind::Normal, deviation}; }
  static Initialiser uniform(double bound) { return {Kind::Uniform, bound}; }
};

/// Fills a tensor on the CPU: each element is a pure function of seed, name and index, so that
/// neither order nor threads matter and no random state is used.
void initialise(at::Tensor& tensor, const Initialiser& initialiser, std::string_view name,
                std::uint64_t seed);

}  // namespace lockstep::model
