#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <chrono>
#include <memory>
#include <vector>

#include "app/engines/asked_prediction.h"
#include "app/engines/engine_link.h"

namespace lockstep::app {

/// Predictions of a run that has ended, from `lockstep-engine inspect RUN`. That process loads a
/// model and serves the same socket messages as a running engine, or it prints the socket of one
/// that is already running (another window's) and exits; when that one goes away, a new one is
/// started. A request fails after several lost connections. One run at a time; the process ends
/// with the app. No method blocks.
class InspectProcess : public QObject {
  Q_OBJECT

 public:
  explicit InspectProcess(const QString& program = {}, QObject* parent = nullptr);
  ~InspectProcess() override;

  /// Ends the process of the previous run and drops its requests. Empty: no run.
  void setRun(const QString& runFolder);
  /// Starts the process if none is running. The result is one of the signals.
  void predict(const AskedPrediction& asked);
  /// It fails then.
  void cancelPrediction(const AskedPrediction& asked);
  /// A request is neither answered nor canceled yet.
  bool isPredicting() const;
  const QString& runFolder() const { return runFolder_; }
  /// How long to wait for the process's welcome after connecting.
  void setWelcomeTimeout(std::chrono::milliseconds timeout) { link_.setWelcomeTimeout(timeout); }

 Q_SIGNALS:
  void predictionReady(const lockstep::app::AskedPrediction& asked, const QString& file);
  void predictionFailed(const lockstep::app::AskedPrediction& asked, const QString& message);
  void predictionProgressed(const lockstep::app::AskedPrediction& asked, qint64 done, qint64 of);

 private:
  struct Request {
    AskedPrediction asked;
    QString id;               ///< empty: not sent yet
    bool isCanceled = false;  ///< its answer is awaited
  };
  void connectSignals();
  void start();
  void endProcess();
  void readSocketPath();
  void handleExit();
  void handleDisconnect();
  void handleAnswer(const QString& id, const QString& path);
  void sendWaiting();
  void dropCanceled();
  void giveUp();
  void failAll(const QString& message);
  Request takeRequest(const QString& id);

  QString program_;
  QString runFolder_;
  std::unique_ptr<QProcess> process_;  ///< null: none, or another window's process is used
  EngineLink link_;
  std::vector<Request> requests_;
  int disconnects_ = 0;  ///< while requests were waiting, since the last answer
};

}  // namespace lockstep::app
