#pragma once

#include <set>
#include <string>
#include <vector>

#include "widgets/experiment/document_check.h"

namespace lockstep::widgets {

/// What a line of the text does with the value that would apply without it.
struct LineMark {
  enum class Kind {
    Sets,     ///< another value
    Repeats,  ///< the same value
    Differs   ///< its value is another one in the experiment that is compared
  };
  int line = 0;  ///< from 1
  Kind kind = Kind::Sets;
  bool operator==(const LineMark&) const = default;
};

/// One mark for each line with values, of the kind that says most. `differing`: the keys whose
/// values differ from those of the experiment that is compared.
std::vector<LineMark> lineMarks(const DocumentState& state, const std::set<std::string>& differing);

}  // namespace lockstep::widgets
