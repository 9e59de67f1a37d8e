#pragma once

#include "engine/base/enum_text.h"

namespace lockstep::protocol {

/// A split of the dataset: validation (held-out) or training.
enum class Split { Val, Train };
constexpr auto enumTexts(Split) {
  using enum Split;
  return std::to_array<base::EnumText<Split>>({{Val, "val"}, {Train, "train"}});
}

}  // namespace lockstep::protocol
