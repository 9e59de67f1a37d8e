#pragma once

#include <string_view>

#include "engine/coco/files/dataset.h"

namespace lockstep::coco {

/// In files: "r", "c", "f"; "" if it is not known.
constexpr std::string_view frequencyText(CategoryFrequency frequency) {
  switch (frequency) {
    case CategoryFrequency::Rare:
      return "r";
    case CategoryFrequency::Common:
      return "c";
    case CategoryFrequency::Frequent:
      return "f";
    case CategoryFrequency::Unknown:
      break;
  }
  return "";
}

constexpr CategoryFrequency frequencyNamed(std::string_view text) {
  using enum CategoryFrequency;
  for (const CategoryFrequency one : {Rare, Common, Frequent})
    if (frequencyText(one) == text) return one;
  return Unknown;
}

}  // namespace lockstep::coco
