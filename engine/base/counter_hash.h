#pragma once

#include <cstdint>
#include <initializer_list>

namespace lockstep::base {

/// The purpose of a random choice; part of its key, so that choices for different purposes are
/// independent.
enum class RandomPurpose : std::uint64_t {
  Order = 1,
  HorizontalFlip,
  VerticalFlip,
  Brightness,
  Contrast,
  Saturation,
  MinSize,
  ScaleJitter,
  Crop,
  AnchorPositives,
  AnchorNegatives,
  RoiPositives,
  RoiNegatives,
  Initialisation,
  MadeScene,
  Repeat,
  Resample,
  QuarterTurn,
  Blur,
  Noise,
  CopyPaste,
  PastedObjects,
  PastedPlace,
};

/// One round of splitmix64's output function: a bijection of 64-bit words that passes avalanche
/// tests.
constexpr std::uint64_t mixBits(std::uint64_t word) {
  word += 0x9e3779b97f4a7c15ULL;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
  return word ^ (word >> 31);
}

/// A 64-bit hash of the keys: a counter-based random number, so that no RNG state has to be saved.
constexpr std::uint64_t counterHash(std::initializer_list<std::uint64_t> keys) {
  std::uint64_t word = 0;
  for (std::uint64_t key : keys) word = mixBits(word ^ key);
  return word;
}

/// counterHash mapped to [0, 1) with 53 random bits.
constexpr double counterUniform(std::initializer_list<std::uint64_t> keys) {
  return static_cast<double>(counterHash(keys) >> 11) * 0x1.0p-53;
}

}  // namespace lockstep::base
