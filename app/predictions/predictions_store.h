#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <QString>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "app/engines/image_part.h"
#include "app/files/run_file_access.h"
#include "engine/base/file_version.h"
#include "engine/coco/evaluation/average_precision.h"
#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results_by_image.h"

namespace lockstep::app {

/// Predictions of one step of a run.
struct StepPredictions {
  qint64 step = 0;
  std::shared_ptr<const coco::ResultsByImage> results;
};

/// Predictions, or why there are none.
struct PredictionsOutcome {
  std::optional<StepPredictions> value;
  QString error;
  base::FileVersion version{};  ///< of the file, just before it was read
};

/// The held-out set of a run, or its training set.
struct RunDataset {
  std::shared_ptr<const coco::Dataset> dataset;
  QString imagesFolder;
  QString engineFolder;  ///< of the images, where the run's engine is
  std::array<std::size_t, 3> maxDetections = coco::Params().maxDetections;  ///< evaluation.max_dets
  coco::IouType iouType = coco::IouType::Mask;  ///< of the matches: boxes without a mask head, or
                                                ///< if no object has a mask
  RunFileAccess files{};                        ///< by which the images are brought
};

struct DatasetFiles;

/// Reads one part of a run's dataset and its prediction files in the background. GUI thread only;
/// no method blocks.
class PredictionsStore : public QObject {
  Q_OBJECT

 public:
  explicit PredictionsStore(QObject* parent = nullptr);
  ~PredictionsStore() override;

  /// Loads a part of the dataset of another run, as its config.yaml names it. An empty folder: no
  /// run.
  void setRun(const RunFileAccess& files, ImagePart part = ImagePart::HeldOut);
  /// The same of images that were opened beside a run's data, or without a run: they have no
  /// objects, and the classes of the run's newest checkpoint.
  void setOpened(const RunFileAccess& files, std::vector<coco::Image> images);
  ImagePart part() const { return part_; }
  QString runFolder() const { return files_.folder; }
  /// Reads predictions/step-N.json of the steps that were not requested before: of held-out images.
  void readSteps(const std::vector<std::int64_t>& steps);
  /// Reads the predictions of all images of the part at a step that the run folder keeps, if it
  /// does.
  void readAllOf(qint64 step);
  /// The same once they were predicted: they are there.
  void readNewAllOf(qint64 step);
  /// Reads the answer file of a prediction request: COCO results, or the format of step-N.json.
  /// It is of these images, as ResultsByImage takes them.
  void readAnswer(qint64 step, const QString& file, const std::vector<ImageId>& images);
  /// Reads the losses by image of the evaluations that were not requested before: of held-out
  /// images. An evaluation without them, or that cannot be read, is passed over.
  void readLosses(const std::vector<std::int64_t>& steps);
  /// Drops later steps; reads in progress of them emit nothing.
  void forgetAfter(qint64 step);
  bool isIdle() const { return running_ == 0; }

 Q_SIGNALS:
  void datasetLoaded(const lockstep::app::RunDataset& data);
  /// The run has no such part.
  void datasetMissing();
  /// `message` names the file and the error.
  void datasetFailed(const QString& message);
  /// A file on this machine that may be changed was read, or could not be. `version`: just before.
  void fileRead(const QString& file, const lockstep::base::FileVersion& version);
  void predictionsLoaded(const lockstep::app::StepPredictions& predictions);
  /// The result of readAnswer(). The run folder does not keep it, so the receiver has to.
  void answerLoaded(const lockstep::app::StepPredictions& predictions);
  void lossesLoaded(qint64 step, const std::unordered_map<lockstep::ImageId, double>& losses);
  /// The prediction file of a step cannot be read.
  void predictionsFailed(qint64 step, const QString& message);
  /// The answer file for an image cannot be read.
  void answerFailed(lockstep::ImageId image, qint64 step, const QString& message);
  /// isIdle() became true.
  void idle();

 private:
  /// Reads a prediction file; `deliver` is called unless forgetAfter() or setRun() dropped it.
  void read(qint64 step, const std::string& file, const std::vector<ImageId>& images,
            std::function<void(PredictionsOutcome&&)> deliver);
  void beginRun(const RunFileAccess& files, ImagePart part);
  void readKeptOf(qint64 step,
                  std::function<void(const std::string& file, const QString& error)> fail);
  template <typename Result>
  void load(const QString& file, std::function<Result(const QString& error)> work,
            std::function<void(Result&&)> deliver);
  void loadDataset(const DatasetFiles& part);
  void tellRead(const QString& file, const base::FileVersion& version);
  void finishOne();

  RunFileAccess files_;
  ImagePart part_ = ImagePart::HeldOut;
  std::vector<std::int64_t> requested_, requestedAll_, requestedLosses_;
  std::map<int, qint64> pendingReads_;  ///< step of each pending read by its number
  int lastRead_ = 0;
  int generation_ = 0;  ///< identifies the run, to drop datasets of earlier runs
  int running_ = 0;
};

}  // namespace lockstep::app
