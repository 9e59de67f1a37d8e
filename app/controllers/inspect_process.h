#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <chrono>
#include <memory>
#include <vector>

#include "app/controllers/engine_link.h"

namespace lockstep::app {

/// Predictions of a run that has ended: asks a warm worker over the same socket messages as a live
/// run. `lockstep-engine inspect RUN` starts that worker, or names the socket of one that lives
/// already (another window's) and ends; when that one goes away, a new one is started. What is lost
/// several times without an answer fails. One run at a time; ends with the app. No method blocks.
class InspectProcess : public QObject {
  Q_OBJECT

 public:
  explicit InspectProcess(const QString& program = {}, QObject* parent = nullptr);
  ~InspectProcess() override;

  /// Ends what was there for another run and forgets its requests without a word. Empty: none.
  void setRun(const QString& runFolder);
  /// Predicts one image of the run with the checkpoint of a step; starts the process when nobody is
  /// there to ask. Answered by one of the signals.
  void predict(qint64 imageId, qint64 step);
  /// How long it may say nothing to whoever connects.
  void setWelcomeTimeout(std::chrono::milliseconds timeout) { link_.setWelcomeTimeout(timeout); }

 Q_SIGNALS:
  void predictionReady(qint64 imageId, qint64 step, const QString& file);
  void predictionFailed(qint64 imageId, qint64 step, const QString& message);

 private:
  struct Request {
    qint64 imageId = 0;
    qint64 step = 0;
    QString id;  ///< empty: to be sent
  };
  void connectSignals();
  void start();
  void endProcess();
  void takeSocket();
  void takeEnd();
  void takeLoss();
  void takeAnswer(const QString& id, const QString& path);
  void sendWaiting();
  void giveUp();
  void failAll(const QString& message);
  Request take(const QString& id);

  QString program_;
  QString runFolder_;
  std::unique_ptr<QProcess> process_;  ///< null: none, or the worker is another window's
  EngineLink link_;
  std::vector<Request> requests_;
  int losses_ = 0;  ///< with requests waiting, since the last answer
};

}  // namespace lockstep::app
