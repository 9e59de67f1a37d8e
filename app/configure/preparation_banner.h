#pragma once

#include "app/configure/preparation_watch.h"
#include "widgets/banner.h"

namespace lockstep::app {

/// Banner on every page with the progress of the data of the shown experiment.
class PreparationBanner : public widgets::Banner {
  Q_OBJECT

 public:
  using Banner::Banner;

  /// A dismissed banner returns at the next stage.
  void setPreparation(const Preparation& preparation, const QString& experiment);

 private:
  Preparation::Stage stage_ = Preparation::Stage::None;
};

}  // namespace lockstep::app
