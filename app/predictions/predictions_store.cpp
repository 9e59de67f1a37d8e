#include "app/predictions/predictions_store.h"

#include <QPointer>
#include <algorithm>
#include <utility>

#include "app/predictions/evaluation_losses.h"
#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/free_memory.h"
#include "engine/base/input_file.h"
#include "engine/coco/evaluation/judged_by.h"
#include "engine/config/evaluation_metrics.h"
#include "engine/protocol/messages.h"
#include "engine/run_folder/run_experiment.h"
#include "engine/run_folder/weights_metadata.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {

/// A part of a run's dataset, and what the experiment says of its evaluation.
struct DatasetFiles {
  QString annotations{}, images{};  ///< empty: the run has none
  QString engineImages{};           ///< where the run's engine is
  std::array<std::size_t, 3> maxDetections{};
  bool hasMasks = true;
  QString error{};  ///< why that is not known
};

namespace {

struct LoadedDataset {
  RunDataset data;
  QString error;  ///< why it cannot be loaded
  base::FileVersion version{};
};

/// Both block, and throw nothing.
DatasetFiles readDatasetFiles(const std::string& runFolder, protocol::Split split) {
  try {
    const config::Experiment experiment =
        run_folder::readRunExperiment(run_folder::Layout(runFolder));
    const config::DatasetSplit& part =
        split == protocol::Split::Val ? experiment.dataset.val : experiment.dataset.train;
    const QString images = QString::fromStdString(part.images);
    return {QString::fromStdString(part.annotations),
            images,
            images,
            config::apParams(experiment.evaluation).maxDetections,
            experiment.model.masks,
            {}};
  } catch (const std::exception& error) {
    return {.error = QString::fromUtf8(error.what())};
  }
}

LoadedDataset loadPart(const DatasetFiles& part) {
  const auto version = base::FileVersion::of(part.annotations.toStdString());  // before it is read
  try {
    auto dataset =
        std::make_shared<const coco::Dataset>(coco::Dataset::load(part.annotations.toStdString()));
    base::returnFreeMemory();  // reading a large file took more
    const coco::IouType iouType = coco::judgedBy(*dataset, part.hasMasks);
    return {{std::move(dataset), part.images, part.engineImages, part.maxDetections, iouType},
            {},
            version};
  } catch (const std::exception& error) {
    return {{}, QString::fromUtf8(error.what()), version};
  }
}

/// Of the newest checkpoint, else of the held-out annotations, if one of them is there.
std::vector<coco::Category> categoriesOf(const std::string& runFolder,
                                         const std::string& annotations) {
  const run_folder::Layout layout(runFolder);
  const std::vector<std::int64_t> steps = run_folder::checkpointSteps(layout);
  if (!steps.empty()) {
    auto known = run_folder::categoriesOfWeights(layout.checkpoint(steps.back()) /
                                                 run_folder::kCheckpointFiles[0]);
    if (!known.empty()) return known;
  }
  if (!base::pathExists(annotations)) return {};
  return coco::Dataset::loadBoxes(annotations).categories();
}

LoadedDataset loadOpened(const QString& runFolder, const std::vector<coco::Image>& images) {
  try {
    LoadedDataset loaded;
    std::vector<coco::Category> categories;
    bool hasMasks = true;
    if (!runFolder.isEmpty()) {
      const DatasetFiles run = readDatasetFiles(runFolder.toStdString(), protocol::Split::Val);
      if (!run.error.isEmpty()) return {{}, run.error};
      loaded.data.maxDetections = run.maxDetections;
      hasMasks = run.hasMasks;
      categories = categoriesOf(runFolder.toStdString(), run.annotations.toStdString());
    }
    loaded.data.dataset = std::make_shared<const coco::Dataset>(
        coco::Dataset::fromParts(images, std::move(categories), {}, "the opened images"));
    loaded.data.iouType = coco::judgedBy(*loaded.data.dataset, hasMasks);
    return loaded;
  } catch (const std::exception& error) {
    return {{}, QString::fromUtf8(error.what())};
  }
}

std::optional<std::unordered_map<ImageId, double>> readLossesOf(const std::string& file) {
  try {
    return parseImageLosses(base::readFile(file), file);
  } catch (const std::exception&) {  // the evaluation's figures are read elsewhere
    return std::nullopt;
  }
}

PredictionsOutcome readPredictions(const std::string& file, qint64 step,
                                   const std::vector<ImageId>& images) {
  const auto version = base::FileVersion::of(file);  // before it is read
  try {
    return {{{step, std::make_shared<const coco::ResultsByImage>(file, images)}}, {}, version};
  } catch (const std::exception& error) {
    return {std::nullopt, QString::fromUtf8(error.what()), version};
  }
}

}  // namespace

PredictionsStore::PredictionsStore(QObject* parent) : QObject(parent) {}
PredictionsStore::~PredictionsStore() = default;

/// Brings a file, then works on it in the background, unless there is another run by then. `work`
/// gets why it could not be brought.
template <typename Result>
void PredictionsStore::load(const QString& file, std::function<Result(const QString& error)> work,
                            std::function<void(Result&&)> deliver) {
  ++running_;
  files_.bring(file, [this, generation = generation_, work, deliver,
                      alive = QPointer<PredictionsStore>(this)](const QString& error) {
    if (!alive || generation != generation_) return;
    jobs::start(
        this, jobs::Kind::Disk, [work, error] { return work(error); },
        [this, generation, deliver](Result&& result) {
          if (generation != generation_) return;
          deliver(std::move(result));
          if (generation == generation_) finishOne();  // else a receiver has set another run
        });
  });
}

void PredictionsStore::beginRun(const RunFileAccess& files, ImagePart part) {
  files_ = files;
  part_ = part;
  requested_.clear();
  requestedAll_.clear();
  requestedLosses_.clear();
  pendingReads_.clear();
  ++generation_;
  if (std::exchange(running_, 0) > 0 && files.folder.isEmpty()) Q_EMIT idle();
}

void PredictionsStore::setOpened(const RunFileAccess& files, std::vector<coco::Image> images) {
  beginRun(files, ImagePart::Opened);
  const std::string config = run_folder::Layout(files.folder.toStdString()).config().string();
  load<LoadedDataset>(
      files.folder.isEmpty() ? QString() : QString::fromStdString(config),
      [folder = files.folder, images = std::move(images)](const QString& error) {
        return error.isEmpty() ? loadOpened(folder, images) : LoadedDataset{{}, error};
      },
      [this](LoadedDataset&& loaded) {
        if (!loaded.error.isEmpty()) return Q_EMIT datasetFailed(loaded.error);
        Q_EMIT datasetLoaded(loaded.data);
      });
}

void PredictionsStore::setRun(const RunFileAccess& files, ImagePart part) {
  beginRun(files, part);
  if (files.folder.isEmpty()) return;
  const std::string folder = files.folder.toStdString();
  load<DatasetFiles>(
      QString::fromStdString(run_folder::Layout(folder).config().string()),
      [folder, split = splitOf(part)](const QString& error) {
        return error.isEmpty() ? readDatasetFiles(folder, split) : DatasetFiles{.error = error};
      },
      [this](DatasetFiles&& named) {
        if (!named.error.isEmpty()) return Q_EMIT datasetFailed(named.error);
        if (named.annotations.isEmpty()) return Q_EMIT datasetMissing();
        named.annotations = files_.localPath(named.annotations);
        named.images = files_.localPath(named.images);
        loadDataset(named);
      });
}

void PredictionsStore::loadDataset(const DatasetFiles& part) {
  load<LoadedDataset>(
      part.annotations,
      [part](const QString& error) {
        return error.isEmpty() ? loadPart(part) : LoadedDataset{{}, error};
      },
      [this, file = part.annotations](LoadedDataset&& loaded) {
        tellRead(file, loaded.version);
        if (!loaded.error.isEmpty()) return Q_EMIT datasetFailed(files_.named(loaded.error));
        loaded.data.files = files_;
        Q_EMIT datasetLoaded(loaded.data);
      });
}

/// Copies of another machine's files stay as they are.
void PredictionsStore::tellRead(const QString& file, const base::FileVersion& version) {
  if (!files_.fetch) Q_EMIT fileRead(file, version);
}

/// `images`: as ResultsByImage has them.
void PredictionsStore::read(qint64 step, const std::string& file,
                            const std::vector<ImageId>& images,
                            std::function<void(PredictionsOutcome&&)> deliver) {
  const int number = ++lastRead_;
  pendingReads_[number] = step;
  load<PredictionsOutcome>(
      QString::fromStdString(file),
      [file, step, images](const QString& error) {
        return error.isEmpty() ? readPredictions(file, step, images)
                               : PredictionsOutcome{std::nullopt, error};
      },
      [this, number, deliver = std::move(deliver)](PredictionsOutcome&& outcome) {
        outcome.error = files_.named(outcome.error);
        if (pendingReads_.erase(number) > 0) deliver(std::move(outcome));
      });
}

void PredictionsStore::readSteps(const std::vector<std::int64_t>& steps) {
  if (part_ != ImagePart::HeldOut) return;
  for (const std::int64_t step : steps) {
    if (std::find(requested_.begin(), requested_.end(), step) != requested_.end()) continue;
    requested_.push_back(step);
    const run_folder::Layout layout(files_.folder.toStdString());
    const std::string file = layout.predictions(step).string();
    read(step, file, {}, [this, step, file](PredictionsOutcome&& outcome) {
      tellRead(QString::fromStdString(file), outcome.version);
      if (!outcome.value) return Q_EMIT predictionsFailed(step, outcome.error);
      Q_EMIT predictionsLoaded(*outcome.value);
    });
  }
}

void PredictionsStore::readAllOf(qint64 step) {
  if (part_ == ImagePart::Opened) return;
  if (std::find(requestedAll_.begin(), requestedAll_.end(), step) != requestedAll_.end()) return;
  readKeptOf(step, [this, step](const std::string& file, const QString& error) {
    // Most steps have none.
    jobs::start(
        this, jobs::Kind::Disk, [file] { return base::pathExists(file); },
        [this, step, error, generation = generation_](bool isThere) {
          if (isThere && generation == generation_) Q_EMIT predictionsFailed(step, error);
        });
  });
}

void PredictionsStore::readNewAllOf(qint64 step) {
  std::erase(requestedAll_, step);
  readKeptOf(step, [this, step](const std::string&, const QString& error) {
    Q_EMIT predictionsFailed(step, error);
  });
}

void PredictionsStore::readKeptOf(
    qint64 step, std::function<void(const std::string& file, const QString& error)> fail) {
  requestedAll_.push_back(step);
  const run_folder::Layout layout(files_.folder.toStdString());
  const std::string file = layout.predictionsOfPart(step, base::textOf(splitOf(part_))).string();
  read(step, file, {}, [this, file, fail = std::move(fail)](PredictionsOutcome&& outcome) {
    if (outcome.version.exists()) tellRead(QString::fromStdString(file), outcome.version);
    if (!outcome.value) return fail(file, outcome.error);
    Q_EMIT predictionsLoaded(*outcome.value);
  });
}

void PredictionsStore::readAnswer(qint64 step, const QString& file,
                                  const std::vector<ImageId>& images) {
  read(step, file.toStdString(), images, [this, step, images](PredictionsOutcome&& outcome) {
    if (!outcome.value) {
      for (const ImageId image : images) Q_EMIT answerFailed(image, step, outcome.error);
      return;
    }
    Q_EMIT answerLoaded(*outcome.value);
  });
}

void PredictionsStore::readLosses(const std::vector<std::int64_t>& steps) {
  if (part_ != ImagePart::HeldOut) return;
  using Losses = std::optional<std::unordered_map<ImageId, double>>;
  for (const std::int64_t step : steps) {
    if (std::find(requestedLosses_.begin(), requestedLosses_.end(), step) != requestedLosses_.end())
      continue;
    requestedLosses_.push_back(step);
    const run_folder::Layout layout(files_.folder.toStdString());
    load<Losses>(
        QString::fromStdString(layout.evaluation(step).string()),
        [file = layout.evaluation(step).string()](const QString& error) {
          return error.isEmpty() ? readLossesOf(file) : std::nullopt;
        },
        [this, step](Losses&& losses) {
          const bool isWanted = std::ranges::find(requestedLosses_, step) != requestedLosses_.end();
          if (isWanted && losses && !losses->empty()) Q_EMIT lossesLoaded(step, *losses);
        });
  }
}

void PredictionsStore::forgetAfter(qint64 step) {
  for (std::vector<std::int64_t>* steps : {&requested_, &requestedAll_, &requestedLosses_})
    std::erase_if(*steps, [step](std::int64_t other) { return other > step; });
  std::erase_if(pendingReads_, [step](const auto& reading) { return reading.second > step; });
}

void PredictionsStore::finishOne() {
  --running_;
  if (running_ == 0) Q_EMIT idle();
}

}  // namespace lockstep::app
