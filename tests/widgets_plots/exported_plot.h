#pragma once

#include <QTest>
#include <optional>

#include "widgets/plots/curve_plot.h"

namespace lockstep::tests {

/// Waits until a plot is exported. Returns the error message; empty: it is written.
inline QString exportPlot(widgets::CurvePlot& plot, const QString& path) {
  std::optional<QString> answer;
  plot.exportPicture(path, [&answer](const QString& error) { answer = error; });
  if (!QTest::qWaitFor([&answer] { return answer.has_value(); }, 60000))
    return QStringLiteral("no answer");
  return *answer;
}

}  // namespace lockstep::tests
