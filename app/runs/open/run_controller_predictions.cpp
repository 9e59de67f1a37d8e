// RunController's predictions: of the running engine, or of an inspection once the run has ended.
#include <algorithm>

#include "app/engines/inspect_process.h"
#include "app/runs/open/run_controller.h"

namespace lockstep::app {

QString RunController::predictionBlockedBy() const {
  if (!place_) return {};
  if (place_->isPackedRun())
    return tr(
        "Packed runs are read-only. To predict, open the run folder that it was packed from.");
  if (!summary_.alive)
    return tr("The run has ended on %1. To predict, open it in Lockstep there, or copy its folder "
              "to this machine.")
        .arg(place_->hostText());
  if (link_.state() != EngineLink::State::Connected)
    return tr("Not connected to %1.").arg(place_->hostText());
  return {};
}

InspectProcess& RunController::inspection() {
  if (!inspection_) connectInspection();
  inspection_->setRun(folder_);
  return *inspection_;
}

void RunController::connectInspection() {
  inspection_ = std::make_unique<InspectProcess>(engineProgram_);
  connect(inspection_.get(), &InspectProcess::predictionReady, this,
          &RunController::predictionReady);
  connect(inspection_.get(), &InspectProcess::predictionFailed, this,
          &RunController::predictionFailed);
  connect(inspection_.get(), &InspectProcess::predictionProgressed, this,
          &RunController::predictionProgressed);
}

bool RunController::isPredicting() const {
  const auto isPrediction = [](const auto& request) {
    return std::holds_alternative<AskedPrediction>(request);
  };
  return std::ranges::any_of(requests_, isPrediction) ||
         (inspection_ && inspection_->isPredicting());
}

void RunController::endIdleInspection() {
  if (inspection_ && !inspection_->isPredicting()) inspection_->setRun({});
}

void RunController::predict(const AskedPrediction& asked) {
  if (!place_ && link_.state() != EngineLink::State::Connected) return inspection().predict(asked);
  const QString id = sendTo(link_, asked);
  if (id.isEmpty()) return Q_EMIT predictionFailed(asked, tr("Not connected to the run's engine."));
  requests_[id] = asked;
}

void RunController::cancelPrediction(const AskedPrediction& canceled) {
  if (inspection_) inspection_->cancelPrediction(canceled);
  for (auto request = requests_.cbegin(); request != requests_.cend(); ++request)
    if (const auto* asked = std::get_if<AskedPrediction>(&*request); asked && *asked == canceled)
      link_.sendCancel(request.key());
}

}  // namespace lockstep::app
