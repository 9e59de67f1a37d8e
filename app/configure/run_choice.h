#pragma once

#include <QString>

namespace lockstep::app {

/// A run that a dialog of this page offers.
struct RunChoice {
  QString folder, name;
};

}  // namespace lockstep::app
