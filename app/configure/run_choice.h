#pragma once

#include <QString>

namespace lockstep::app {

/// A run that a dialog of this page offers.
struct RunChoice {
  QString folder, name;
  QString detail{};  ///< what tells it from runs of the same name
};

}  // namespace lockstep::app
