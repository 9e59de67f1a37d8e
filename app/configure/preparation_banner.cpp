#include "app/configure/preparation_banner.h"

#include <utility>

namespace lockstep::app {

void PreparationBanner::setPreparation(const Preparation& preparation, const QString& experiment) {
  const bool isSameStage = std::exchange(stage_, preparation.stage) == preparation.stage;
  if (preparation.stage == Preparation::Stage::None) return hide();
  if (isSameStage && isHidden()) return;
  const bool hasEnded = preparation.stage == Preparation::Stage::Ended;
  showMessage(hasEnded ? Kind::Warning : Kind::Info, preparation.title(experiment),
              preparation.text());
}

}  // namespace lockstep::app
