#pragma once

#include <QObject>
#include <QPointer>
#include <vector>

#include "app/engines/asked_prediction.h"

namespace lockstep::app {

class RunController;

/// What one view asks the engine of its run to predict. It gets the answers to its own requests
/// alone, also where others ask the same engine for the same. GUI thread only; no method blocks.
class PredictionRequests : public QObject {
  Q_OBJECT

 public:
  explicit PredictionRequests(QObject* parent = nullptr);
  ~PredictionRequests() override;

  /// nullptr: none. Requests to the run before are canceled, but for those of whole parts: they go
  /// on, and are answered here if that run is set again by then.
  void setRun(RunController* run);
  /// ready() or failed() follows, perhaps at once, unless it is canceled.
  void predict(const AskedPrediction& asked);
  /// No answer follows.
  void cancel(const AskedPrediction& asked);
  /// Of the run that is set; it is not answered yet.
  bool isAsked(const AskedPrediction& asked) const;

 Q_SIGNALS:
  void ready(const lockstep::app::AskedPrediction& asked, const QString& file);
  void failed(const lockstep::app::AskedPrediction& asked, const QString& message);
  void progressed(const lockstep::app::AskedPrediction& asked, qint64 done, qint64 of);

 private:
  struct Request {
    QPointer<RunController> run;
    AskedPrediction asked;  ///< without its number
    quint64 number = 0;

    AskedPrediction numbered() const;
  };
  using Requests = std::vector<Request>;

  void connectRun(RunController* run);
  Requests::const_iterator find(const AskedPrediction& asked) const;
  bool take(RunController* run, const AskedPrediction& answered);
  void leave();
  void disconnectIfDone(RunController* run);

  QPointer<RunController> run_;
  Requests requests_;  ///< neither answered nor canceled; also of runs that were left
};

}  // namespace lockstep::app
