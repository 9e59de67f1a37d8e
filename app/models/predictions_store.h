#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <QString>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results.h"

namespace lockstep::app {

/// Predictions of one step of a run.
struct StepPredictions {
  qint64 step = 0;
  std::vector<coco::Detection> detections;
  std::vector<ImageId> watched;  ///< every image that was predicted
};

/// Predictions, or why there are none.
struct PredictionsOutcome {
  std::optional<StepPredictions> value;
  QString error;
};

/// Reads a run's held-out data set and its files of predictions in the background and hands them on
/// as they come. Knows no widget. GUI thread only; no method blocks.
class PredictionsStore : public QObject {
  Q_OBJECT

 public:
  explicit PredictionsStore(QObject* parent = nullptr);
  ~PredictionsStore() override;

  /// Another run: its config.yaml names the data set. Empty: none.
  void setRun(const QString& runFolder);
  QString runFolder() const { return runFolder_; }
  /// Reads predictions/step-N.json; steps that are read or being read are left out.
  void readSteps(const std::vector<std::int64_t>& steps);
  /// Reads an answer to a request for a prediction, in the results format or as the files of steps
  /// are.
  void readAnswer(qint64 step, const QString& file, ImageId image);
  /// Forgets what was read of steps after this one; what is being read of them is never told.
  void forgetAfter(qint64 step);
  bool isIdle() const { return running_ == 0; }

 Q_SIGNALS:
  void datasetLoaded(std::shared_ptr<const lockstep::coco::Dataset> dataset,
                     const QString& imagesFolder);
  /// What is wrong and where.
  void datasetFailed(const QString& message);
  void predictionsLoaded(const lockstep::app::StepPredictions& predictions);
  /// What was asked for: no file of the run has it, so whoever wants it again keeps it.
  void answerLoaded(const lockstep::app::StepPredictions& predictions);
  /// The file of a step cannot be read.
  void predictionsFailed(qint64 step, const QString& message);
  /// Nor can the answer for an image.
  void answerFailed(lockstep::ImageId image, qint64 step, const QString& message);
  /// isIdle() became true.
  void idle();

 private:
  /// Reads a file of predictions; `deliver` is called unless they are forgotten meanwhile.
  void read(qint64 step, const std::string& file,
            std::function<void(PredictionsOutcome&&)> deliver);
  void finishOne();

  QString runFolder_;
  std::vector<std::int64_t> requested_;
  std::map<int, qint64> wanted_;  ///< step of each reading whose result is waited for, by number
  int lastReading_ = 0;
  int generation_ = 0;  ///< a data set of another run's is dropped
  int running_ = 0;
};

/// From the text of predictions/step-N.json. Throws Error.
StepPredictions parseStepPredictions(const std::string& text, const std::string& name, qint64 step);

}  // namespace lockstep::app
