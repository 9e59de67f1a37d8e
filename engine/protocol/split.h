#pragma once

#include "engine/base/enum_text.h"

namespace lockstep::protocol {

/// A part of the data set: held out, or learnt from.
enum class Split { Val, Train };
constexpr auto enumTexts(Split) {
  using enum Split;
  return std::to_array<base::EnumText<Split>>({{Val, "val"}, {Train, "train"}});
}

}  // namespace lockstep::protocol
