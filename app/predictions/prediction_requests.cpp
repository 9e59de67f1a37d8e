#include "app/predictions/prediction_requests.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/runs/open/run_controller.h"

namespace lockstep::app {
namespace {

AskedPrediction withNumber(AskedPrediction asked, quint64 number) {
  asked.number = number;
  return asked;
}

}  // namespace

AskedPrediction PredictionRequests::Request::numbered() const { return withNumber(asked, number); }

PredictionRequests::PredictionRequests(QObject* parent) : QObject(parent) {}

PredictionRequests::~PredictionRequests() { leave(); }

void PredictionRequests::setRun(RunController* run) {
  if (run == run_) return;
  leave();
  run_ = run;
  if (run) connectRun(run);
}

void PredictionRequests::leave() {
  RunController* left = std::exchange(run_, nullptr);
  if (!left) return;
  const auto isUnwanted = [left](const Request& request) {
    return request.run == left && !request.asked.isOfPart();
  };
  Requests unwanted;
  std::ranges::copy_if(requests_, std::back_inserter(unwanted), isUnwanted);
  std::erase_if(requests_,
                [&](const Request& request) { return !request.run || isUnwanted(request); });
  for (const Request& request : unwanted) left->cancelPrediction(request.numbered());
  disconnectIfDone(left);
}

void PredictionRequests::connectRun(RunController* run) {
  disconnect(run, nullptr, this, nullptr);  // it may be waited for
  connect(run, &RunController::predictionReady, this,
          [this, run](const AskedPrediction& answered, const QString& file) {
            if (take(run, answered)) Q_EMIT ready(withNumber(answered, 0), file);
          });
  connect(run, &RunController::predictionFailed, this,
          [this, run](const AskedPrediction& answered, const QString& message) {
            if (take(run, answered)) Q_EMIT failed(withNumber(answered, 0), message);
          });
  connect(run, &RunController::predictionProgressed, this,
          [this, run](const AskedPrediction& asked, qint64 done, qint64 of) {
            const bool isOwn = std::ranges::any_of(requests_, [&](const Request& own) {
              return own.run == run && own.numbered() == asked;
            });
            if (isOwn && run == run_) Q_EMIT progressed(withNumber(asked, 0), done, of);
          });
}

/// Whether the answer is to a request of the run that is set.
bool PredictionRequests::take(RunController* run, const AskedPrediction& answered) {
  const std::size_t own = std::erase_if(requests_, [&](const Request& request) {
    return request.run == run && request.numbered() == answered;
  });
  if (own > 0 && run != run_) disconnectIfDone(run);
  return own > 0 && run == run_;
}

/// Of a run that was left.
void PredictionRequests::disconnectIfDone(RunController* run) {
  if (std::ranges::any_of(requests_, [run](const Request& own) { return own.run == run; })) return;
  disconnect(run, nullptr, this, nullptr);
  run->endIdleInspection();
}

void PredictionRequests::predict(const AskedPrediction& asked) {
  if (!run_) return Q_EMIT failed(asked, tr("There is no run to predict with."));
  const Request& request = requests_.emplace_back(run_, asked, run_->numberRequest());
  run_->predict(AskedPrediction(request.numbered()));
}

PredictionRequests::Requests::const_iterator PredictionRequests::find(
    const AskedPrediction& asked) const {
  return std::ranges::find_if(
      requests_, [&](const Request& own) { return own.run == run_ && own.asked == asked; });
}

void PredictionRequests::cancel(const AskedPrediction& asked) {
  const auto found = find(asked);
  if (!run_ || found == requests_.end()) return;
  const AskedPrediction canceled = found->numbered();
  requests_.erase(found);
  run_->cancelPrediction(canceled);
}

bool PredictionRequests::isAsked(const AskedPrediction& asked) const {
  return run_ && find(asked) != requests_.end();
}

}  // namespace lockstep::app
