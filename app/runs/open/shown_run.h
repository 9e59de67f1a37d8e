#pragma once

#include <QPointer>
#include <QString>

#include "app/runs/open/run_controller.h"

namespace lockstep::app {

/// A run that is shown on the pages.
struct ShownRun {
  QPointer<RunController> run;
  QString name;
  int styleIndex = 0;
  QString group{};   ///< title of its section in the list; empty: none
  int selected = 0;  ///< place in the order in which runs were selected
};

}  // namespace lockstep::app
