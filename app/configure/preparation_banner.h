#pragma once

#include "app/controllers/preparation_watch.h"
#include "widgets/banner.h"

namespace lockstep::app {

/// Banner that tells how far the data of the shown experiment are, on every page.
class PreparationBanner : public widgets::Banner {
  Q_OBJECT

 public:
  using Banner::Banner;

  /// Dismissed, it is shown again once another stage is reached.
  void setPreparation(const Preparation& preparation, const QString& experiment);

 private:
  Preparation::Stage stage_ = Preparation::Stage::None;
};

}  // namespace lockstep::app
