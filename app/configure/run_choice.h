#pragma once

#include <QString>

namespace lockstep::app {

/// A run that a dialog of this page offers.
struct RunChoice {
  QString folder;
  QString name;      ///< tells it from other runs
  QString detail{};  ///< its state and its start
};

}  // namespace lockstep::app
