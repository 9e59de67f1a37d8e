#pragma once

#include <QHash>
#include <QPointer>
#include <QVariantMap>
#include <QWidget>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "app/files/watched_files.h"
#include "app/predictions/kept_answers.h"
#include "app/predictions/prediction_requests.h"
#include "app/predictions/prediction_steps.h"
#include "app/predictions/predictions_store.h"
#include "app/predictions_page/opened_batches.h"
#include "app/predictions_page/opened_images.h"
#include "app/results/opened_results.h"
#include "app/results/results_reading.h"
#include "app/runs/open/run_controller.h"
#include "engine/coco/files/dataset.h"
#include "widgets/instances/wanted_instance.h"
#include "widgets/jobs/jobs.h"

class QMimeData;
class QTemporaryDir;

namespace lockstep::widgets {
class DropHint;
class PredictionsView;
enum class ExportKind;
}  // namespace lockstep::widgets

namespace lockstep::app {

/// The Predictions page: loads dataset and predictions of one run for its view, and requests
/// missing predictions from an engine. Loads nothing before it is first shown. Keeps requested
/// predictions and the view state of each run for when it is shown again. Images that are opened,
/// dropped or pasted stay when another run is shown, whose checkpoints then predict them.
class PredictionsPage : public QWidget {
  Q_OBJECT

 public:
  /// `kept`: where predictions that were asked for outlast the window.
  explicit PredictionsPage(const KeptAnswers& kept = KeptAnswers(), QWidget* parent = nullptr);
  ~PredictionsPage() override;

  /// nullptr: no run.
  void setRun(RunController* run);
  /// Shows the newest step at or before `step` that has predictions or a checkpoint.
  void showStep(qint64 step);
  /// On a held-out image of a run, as soon as that is the page's run and its images are there.
  void showInstance(const QString& folder, qint64 step, const coco::Image& image,
                    const widgets::WantedInstance& instance);
  /// The same as showStep() for each move of the curves' cursor.
  void followCursor(qint64 step);
  bool isReady() const;
  /// What is shown, the opened images and the opened results, for a later start.
  QVariantMap viewState() const;
  void restoreViewState(const QVariantMap& state);
  /// Files, and folders with all images below them; they are predicted with the shown checkpoint.
  void openImages(const QStringList& paths);
  /// Of a run that may not be listed yet; its folder or its weights.
  void openCheckpoint(const QString& path);
  /// COCO results of any program, until another run is shown. Without annotations of their own they
  /// are judged by the shown part of the run's data.
  void openResults(const ResultsSource& source);
  widgets::PredictionsView* view() const { return view_; }

 Q_SIGNALS:
  void readyChanged();
  void configureRequested();
  /// What is shown, to files.
  void exportRequested(lockstep::widgets::ExportKind kind);
  /// viewState() is another one.
  void viewStateChanged();
  /// Compare this checkpoint with another.
  void comparisonRequested(const QString& folder, qint64 step);
  /// The user chose another checkpoint.
  void checkpointChosen(qint64 step);
  /// The run of a checkpoint that was opened; its step is shown once it is the page's run.
  void runRequested(const QString& folder);

 protected:
  void showEvent(QShowEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  /// State of a run that was shown before.
  struct ViewState {
    int attempt = 0;                                            ///< attempt of the answers
    std::map<ImagePart, std::vector<StepPredictions>> answers;  ///< requested predictions
    std::map<ImagePart, std::set<QString>> keptFiles;           ///< that they are of
    /// Of the images' files and the steps that they were predicted at.
    std::map<std::pair<QString, qint64>, base::FileVersion> predicted;
    std::optional<qint64> step;  ///< chosen step; nothing: the newest
    std::optional<coco::Image> image;
  };
  struct AskedInstance {
    QString folder;
    qint64 step = 0;
    coco::Image image;
    widgets::WantedInstance instance;
  };
  void takeAskedInstance();
  void connectSignals();
  void connectStore();
  void connectFiles();
  void connectPredictions();
  void addNamedActions();
  void addOpeningActions();
  void showPart(ImagePart part);
  void leavePart(const QString& why);
  void keepPlace();
  void reload();
  void showParts();
  void showEmptyText();
  void keepFaultsOf(const StepPredictions& predictions);
  void showFaults();
  void forgetFaults();
  QStringList filesOf(ImageId image) const;
  QString shownFile() const;
  void dropOutdated();
  void openDialog();
  void openFolderDialog();
  void openCheckpointDialog();
  void connectResults();
  void openResultsDialog();
  void judgeResultsBy();
  bool awaitsTruth() const;
  void openWaitingResults();
  void openRestoredResults();
  ResultsSource resultsToKeep() const;
  void readResults(const ResultsSource& source, const std::optional<RunDataset>& truth);
  void refuseUnjudged(const ResultsSource& source);
  void showMessage(const QString& message, const QString& action, const std::function<void()>& act);
  void tellResultsFailed(const QString& why);
  void showResultsProgress();
  void takeResults(const OpenedResults& opened);
  void cancelResults();
  void dropResults();
  void showResults();
  void tellOddScores();
  void closeResults();
  void leaveResults(ImagePart part);
  void closeImages();
  void forgetPasted();
  void paste();
  void take(const QMimeData& dropped);
  QString savePasted(const QImage& picture);
  void addOpened(const OpenedImages& found);
  void keepOpened(const OpenedImages& found);
  void showOpened(const coco::Image& image);
  void showOpenedMessage();
  void predictAllImages(qint64 step);
  void cancelAllImages(qint64 step);
  AskedPrediction allImagesAt(qint64 step) const;
  void requestBatch();
  void takeBatch(const AskedPrediction& asked, const QString& file);
  void showUnreadable(const std::vector<std::string>& lines);
  void failBatch(const AskedPrediction& asked, const QString& why);
  void endBatches();
  void connectAnswers();
  void takeAnswer(const AskedPrediction& asked, const QString& file);
  void takeFailure(const AskedPrediction& asked, const QString& why);
  void connectRun();
  void load();
  void updatePredictionPossible();
  void bringImagesFrom(const RunFileAccess& files);
  void showForeignRun();
  bool isForeignRunShown() const;
  void loadForeign();
  void updateResults();
  void showHeldOutCurves();
  void setSteps(const PredictionSteps& steps);
  void saveViewState();
  void restoreView();
  void restoreAnswers();
  std::vector<SeenFile> filesWhenAsked(const AskedPrediction& asked);
  void lookAtBatch();
  void keepAnswer(const AskedPrediction& asked, const QString& file);
  void readKeptAnswers();
  void readKept(const KeptAnswer& answer);
  KeptAnswers::Attempt attempt() const;
  QStringList openedFiles() const;
  void restoreOpened(const QStringList& files, bool isShown);
  void forgetAfter(qint64 step);
  void connectExplanations();
  void readExplanationOf(const AskedPrediction& asked, const QString& file);
  void showExplanationFailed(const AskedPrediction& asked, const QString& why);
  void announceReady();
  /// Folder of the run; empty: there is none, or it is on another machine.
  QString runFolder() const { return run_ && !run_->place() ? run_->folder() : QString(); }
  QString imagesFolder() const;

  widgets::PredictionsView* view_ = nullptr;
  QPointer<RunController> run_;
  PredictionsStore store_;
  WatchedFiles watched_;  ///< that the store has read
  PredictionRequests requests_;
  std::optional<AskedPrediction> explained_;  ///< last; what is shown may be another one by now
  QHash<QString, ViewState> viewStates_;      ///< by run folder
  std::optional<coco::Image> lastImage_;      ///< last shown image of any run
  PredictionSteps steps_;
  std::optional<qint64> vanished_;     ///< the shown step, which is not among `steps_` any more
  std::optional<qint64> pendingStep_;  ///< to be shown once the steps are known
  std::optional<AskedInstance> askedInstance_;        ///< of a run that is not shown yet
  ImagePart part_ = ImagePart::HeldOut;               ///< is kept when another run is shown
  std::optional<OpenedCheckpoint> openedCheckpoint_;  ///< of a run that is not shown yet
  OpenedImages opened_;
  OpenedBatches batches_;
  jobs::Job search_;            ///< for images among the opened paths
  QStringList searchedPaths_;   ///< those of an earlier window, until they are found
  bool showsSearched_ = false;  ///< as soon as they are
  QStringList waitingPaths_;    ///< opened meanwhile
  KeptAnswers kept_;
  /// Of single images, by their ids.
  std::map<std::pair<ImagePart, qint64>, SeenFile> askedFiles_;
  std::vector<SeenFile> batchFiles_;  ///< of the current batch; none: its disk is still asked
  jobs::Job batchLook_;
  jobs::Job keptSearch_;
  std::optional<RunDataset> truth_;  ///< the part of the run's data that was shown last
  struct {
    ResultsSource source;
    OpenedResults opened;
  } results_;
  ResultsSource askedResults_;  ///< last; they may have failed
  bool areResultsShown_ = false;
  ResultsSource waitingResults_;  ///< for the run's data, that are to judge them
  struct {
    ResultsSource source;
    QString run;                         ///< beside which they were shown; empty: none
  } restoredResults_;                    ///< of an earlier window, until that run is shown
  std::function<void()> messageAction_;  ///< of the button beside the message that has one
  ResultsReading resultsReading_;
  bool predictsOpened_ = false;  ///< as soon as there is a checkpoint
  std::unique_ptr<QTemporaryDir> pasted_;
  int pastedCount_ = 0;
  widgets::DropHint* dropHint_ = nullptr;
  QString whyReloaded_;  ///< is said once the images are there
  struct Faults {
    QString title, detail;
  };
  std::map<qint64, Faults> faults_;  ///< of the prediction files, by step
  std::optional<qint64> toldStep_;   ///< whose faults were said, if it has any
  QString engineFolder_;             ///< of the images, where the run's engine is
  bool followsNewest_ = true;        ///< the user has not chosen an older step
  bool isAsked_ = false;             ///< the store for the part of the run
  bool hasDataset_ = false;
  bool hasRestoredAnswers_ = false;
};

}  // namespace lockstep::app
