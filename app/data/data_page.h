#pragma once

#include <QHash>
#include <QPointer>
#include <QString>
#include <QTimer>
#include <QWidget>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/data/batch_preview.h"
#include "app/data/dataset_checker.h"
#include "app/experiments/dataset_preparation.h"
#include "app/files/watched_files.h"
#include "app/runs/open/run_controller.h"
#include "engine/config/experiment.h"
#include "engine/dataset_check/fact_bars.h"
#include "widgets/jobs/latest_job.h"

namespace lockstep::widgets {
class DatasetView;
}

namespace lockstep::app {

/// An experiment that is open in Configure.
struct OpenExperiment {
  QString name;
  config::Experiment experiment;
  QString unprepared{};  ///< progress of data that are still being made; empty: the data are ready
};

/// The Data page: shows the parts of the dataset of the open experiment or of the current run, and
/// checks them. Reads nothing before it is first shown.
class DataPage : public QWidget {
  Q_OBJECT

 public:
  explicit DataPage(QWidget* parent = nullptr);
  ~DataPage() override;

  /// std::nullopt: none is open.
  void setExperiment(std::optional<OpenExperiment> experiment);
  /// nullptr: no run. `name`: what the list of runs calls it.
  void setRun(RunController* run, const QString& name);
  /// Shows a file that is of no experiment, beside the others.
  void openFile(const QString& annotations, const QString& imagesFolder);
  bool isReady() const;
  widgets::DatasetView* view() const { return view_; }

 Q_SIGNALS:
  void readyChanged();
  void configureRequested();
  void failed(const QString& title, const QString& detail);
  /// Cleaned annotations were written, with an experiment that uses them.
  void cleaned(const QString& experimentFile, const QString& summary);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  using Part = dataset_check::Part;
  struct Source {
    QString name;
    QString runFolder;           ///< empty: the open experiment
    std::optional<Part> part{};  ///< of a run that is not read yet: its training part
    bool isOfFile = false;       ///< that was opened by itself
    QString elsewhere{};         ///< why its annotations cannot be read here; empty: they can
    /// Whether it is of the same data; a run may have been renamed.
    bool operator==(const Source& other) const {
      return runFolder == other.runFolder && part == other.part && isOfFile == other.isOfFile &&
             (!runFolder.isEmpty() || name == other.name);
    }
  };
  struct Reading {
    Source source;
    config::Experiment experiment{};
    std::shared_ptr<const dataset_check::CountedPart> part{};  ///< null: see error
    QString error{};
    base::FileVersion version{};  ///< of the annotations, just before they were read
  };
  void buildUi();
  void connectSignals();
  void connectCheck();
  void connectPreview();
  void reread();
  QString takeVersion(const Reading& reading);
  void makeWhole(const QString& experimentFile, const QString& summary);
  QString whyEmpty() const;
  static QString annotationsOf(const Reading& reading);
  void chooseFile();
  Source sourceOfFile() const;
  std::vector<Source> sources() const;
  void updateSources();
  void choose(const Source& source);
  void showNothing(const QString& title, const QString& cause, const QString& action,
                   std::function<void()> act);
  void read();
  config::Experiment openExperiment() const;
  void keepUp();
  void showReading(const Reading& reading);
  void showFindings();
  void startCheck();
  void clean();
  void stopReading();
  void stopEverything();
  void showEmpty(const QString& title, const QString& cause, const QString& action,
                 std::function<void()> act);
  void showReadingProgress();
  void drawBatches(qint64 seed);
  void setBatchesAwaited(bool areAwaited);
  static Reading readPart(Source source, config::Experiment experiment,
                          const coco::ReadingWatch& watch);

  widgets::DatasetView* view_ = nullptr;
  std::optional<OpenExperiment> experiment_;
  std::optional<OpenExperiment> file_;  ///< with the file as its held-out part
  QPointer<RunController> run_;
  QString runName_;
  std::vector<Source> sources_;
  std::optional<Source> shown_;
  QString shownKey_;  ///< of what was read last: the same key, the same part
  QString drawnOf_;   ///< shownKey_ of the batches that are being drawn
  std::optional<Reading> reading_;
  WatchedFiles watched_;                        ///< the annotations that are shown
  QHash<QString, base::FileVersion> versions_;  ///< of the annotation files, as they were read last
  jobs::LatestJob<std::shared_ptr<const Reading>> job_;
  /// Of the reading that is going on; shared with its threads.
  struct ReadingState {
    std::atomic<bool> isStopped = false;
    std::atomic<double> share = 0;
  };
  std::shared_ptr<ReadingState> readingState_;  ///< null: none is going on
  QTimer progressTimer_;
  bool areBatchesAwaited_ = false;  ///< they are drawn once the reading is done
  std::function<void()> emptyAction_;
  DatasetChecker checker_;
  BatchPreview preview_;
  QString checkedKey_;   ///< of the data that findings_ are of
  QString checkingKey_;  ///< of those that are being checked
  std::vector<dataset_check::Finding> findings_;
  DatasetPreparation cleaning_;
  std::unique_ptr<ExperimentCopy> cleaned_;  ///< the experiment that is being cleaned
  jobs::Job finishing_;                      ///< of the cleaning
};

}  // namespace lockstep::app
