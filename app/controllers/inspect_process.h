#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <memory>
#include <vector>

#include "app/controllers/engine_link.h"

namespace lockstep::app {

/// Predictions of a run that has ended: starts `lockstep-engine inspect RUN`, whose warm worker
/// answers over the same socket messages as a live run, and asks it. Ends with the app. No method
/// blocks.
class InspectProcess : public QObject {
  Q_OBJECT

 public:
  explicit InspectProcess(const QString& program = {}, QObject* parent = nullptr);
  ~InspectProcess() override;

  /// Predicts one image with the checkpoint of a step; starts the process for this run when it is
  /// not there.
  void predict(const QString& runFolder, qint64 imageId, qint64 step);

 Q_SIGNALS:
  void predictionReady(qint64 imageId, qint64 step, const QString& file);
  void predictionFailed(qint64 imageId, qint64 step, const QString& message);

 private:
  struct Request {
    qint64 imageId = 0;
    qint64 step = 0;
    QString id;
  };
  void startFor(const QString& runFolder);
  void sendWaiting();
  void failAll(const QString& message);
  Request take(const QString& id);

  QString program_;
  QString runFolder_;
  std::unique_ptr<QProcess> process_;
  EngineLink link_;
  std::vector<Request> requests_;
};

}  // namespace lockstep::app
