#pragma once

#include <QString>

namespace lockstep::app {

/// A run that a dialog of this page offers.
struct RunChoice {
  QString folder;
  QString name;      ///< unique among the offered runs
  QString detail{};  ///< its state and its start
};

}  // namespace lockstep::app
