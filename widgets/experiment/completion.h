#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lockstep::widgets {

/// The keys or values that can be written at a position of an experiment file.
struct Completion {
  std::size_t prefixBytes = 0;          ///< bytes before the position that a candidate replaces
  std::vector<std::string> candidates;  ///< "base_lr: ", "cosine"; all begin with the prefix
};

/// Keys of the section at the byte `position`, or the choices of the key whose value is there.
/// Works on text that is not valid YAML, as text often is while typing.
Completion completeAt(const std::string& text, std::size_t position);

}  // namespace lockstep::widgets
