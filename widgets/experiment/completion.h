#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lockstep::widgets {

/// What may stand at a place of an experiment file.
struct Completion {
  std::size_t prefixBytes = 0;          ///< bytes before the place that a candidate replaces
  std::vector<std::string> candidates;  ///< "base_lr: ", "cosine"; all begin with the prefix
};

/// Keys of the section the place is in, or the words its key may be. Works on text that is not
/// valid YAML, as it is while typing.
Completion completeAt(const std::string& text, std::size_t place);

}  // namespace lockstep::widgets
