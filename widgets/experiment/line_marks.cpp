#include "widgets/experiment/line_marks.h"

#include <map>

namespace lockstep::widgets {
namespace {

using Kind = LineMark::Kind;

/// Of two kinds on one line, the one that is shown.
Kind stronger(Kind first, Kind second) {
  for (const Kind kind : {Kind::Differs, Kind::Sets})
    if (first == kind || second == kind) return kind;
  return Kind::Repeats;
}

}  // namespace

std::vector<LineMark> lineMarks(const DocumentState& state,
                                const std::set<std::string>& differing) {
  std::map<int, Kind> kinds;
  for (const auto& [key, given] : state.given) {
    const Kind kind = differing.contains(key) ? Kind::Differs
                      : given.repeats         ? Kind::Repeats
                                              : Kind::Sets;
    const auto [place, isFirst] = kinds.emplace(given.line, kind);
    if (!isFirst) place->second = stronger(place->second, kind);
  }
  std::vector<LineMark> marks;
  for (const auto& [line, kind] : kinds) marks.push_back({line, kind});
  return marks;
}

}  // namespace lockstep::widgets
