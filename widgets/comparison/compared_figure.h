#pragma once

#include <QString>
#include <cstddef>
#include <optional>
#include <vector>

#include "engine/base/ids.h"

namespace lockstep::widgets {

/// A figure of A and of B; NaN: there is none.
struct ComparedFigure {
  QString name;
  double first = 0, second = 0;
  bool isLowerBetter = false;
};

/// Figures that are of the same images; `note`: how they come about; `id`: the same whatever the
/// title says of them.
struct FigureSection {
  QString id, title, note;
  std::vector<ComparedFigure> figures{};
};

/// AP of a class.
struct ComparedClass {
  CategoryId category;
  ComparedFigure ap;
  std::optional<std::size_t> objects{};  ///< on the common images; std::nullopt: not known yet
};

}  // namespace lockstep::widgets
