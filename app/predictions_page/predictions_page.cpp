#include "app/predictions_page/predictions_page.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "engine/events/tags.h"
#include "widgets/drop_hint.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/named_action.h"

namespace lockstep::app {
PredictionsPage::PredictionsPage(const KeptAnswers& kept, QWidget* parent)
    : QWidget(parent), kept_(kept) {
  view_ = new widgets::PredictionsView;
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  setAcceptDrops(true);
  dropHint_ = new widgets::DropHint(this);
  connectSignals();
  addNamedActions();
  addOpeningActions();
  setRun(nullptr);
}

PredictionsPage::~PredictionsPage() = default;

void PredictionsPage::connectSignals() {
  connect(view_, &widgets::PredictionsView::ready, this, &PredictionsPage::announceReady);
  connect(view_, &widgets::PredictionsView::predictionRequested, this,
          [this](ImageId image, qint64 step) {
            askedFiles_[{part_, image.value}] = {
                shownFile(), view_->shownVersion().value_or(base::FileVersion{})};
            requests_.predict({image.value, step, part_, filesOf(image)});
          });
  connect(view_, &widgets::PredictionsView::allImagesRequested, this,
          &PredictionsPage::predictAllImages);
  connect(view_, &widgets::PredictionsView::allImagesCanceled, this,
          &PredictionsPage::cancelAllImages);
  connect(view_, &widgets::PredictionsView::checkpointChosen, this, [this](qint64 step) {
    if (areResultsShown_) return;
    pendingStep_.reset();
    followsNewest_ = step >= steps_.initialStep();
    store_.readAllOf(step);
    showFaults();
    if (vanished_) setSteps(steps_);  // the one that was left is no choice any more
    Q_EMIT checkpointChosen(step);
  });
  connect(view_, &widgets::PredictionsView::partChosen, this, [this](int place) {
    const bool areResults =
        place > static_cast<int>(ImagePart::Opened) ||
        (place == static_cast<int>(ImagePart::Opened) && opened_.images.empty());
    if (areResults) return showResults();
    showPart(static_cast<ImagePart>(place));
  });
  connect(view_, &widgets::PredictionsView::emptyActionTriggered, this,
          &PredictionsPage::configureRequested);
  connect(view_, &widgets::PredictionsView::emptyOtherActionTriggered, this, [this] {
    if (isForeignRunShown()) return openResultsDialog();
    if (run_) return showPart(ImagePart::Training);
    openCheckpointDialog();
  });
  connect(view_, &widgets::PredictionsView::messageActionTriggered, this, [this] {
    const auto act = messageAction_;  // which may say something else
    if (act) act();
  });
  connect(view_, &widgets::PredictionsView::partCloseClicked, this, [this] {
    if (areResultsShown_) return closeResults();
    closeImages();
  });
  connect(view_, &widgets::PredictionsView::exportRequested, this,
          &PredictionsPage::exportRequested);
  for (auto changed :
       {&widgets::PredictionsView::viewStateChanged, &widgets::PredictionsView::ready})
    connect(view_, changed, this, &PredictionsPage::viewStateChanged);
  connect(view_, &widgets::PredictionsView::imageShown, this, &PredictionsPage::dropOutdated);
  connect(view_, &widgets::PredictionsView::ready, this, &PredictionsPage::dropOutdated);
  connectAnswers();
  connectExplanations();
  connectStore();
  connectFiles();
  connectResults();
}

/// Those of another part, or of the run while results are shown, are of what was shown before.
void PredictionsPage::connectAnswers() {
  connect(&requests_, &PredictionRequests::ready, this,
          [this](const AskedPrediction& asked, const QString& file) {
            keepAnswer(asked, file);
            if (asked.part == part_ && !areResultsShown_) takeAnswer(asked, file);
          });
  connect(&requests_, &PredictionRequests::failed, this,
          [this](const AskedPrediction& asked, const QString& why) {
            if (asked.part == part_ && !areResultsShown_) takeFailure(asked, why);
          });
  connect(&requests_, &PredictionRequests::progressed, this,
          [this](const AskedPrediction& asked, qint64 done, qint64 of) {
            if (!asked.image && asked.part == part_ && !areResultsShown_)
              view_->setAllImagesProgress(asked.step,
                                          batches_.isRunning() ? batches_.done() + done : done,
                                          batches_.isRunning() ? batches_.of() : of);
          });
}

void PredictionsPage::takeAnswer(const AskedPrediction& asked, const QString& file) {
  if (asked.isExplanation) return readExplanationOf(asked, file);
  if (asked.image) return store_.readAnswer(asked.step, file, {ImageId{*asked.image}});
  if (!asked.isOfPart()) return takeBatch(asked, file);
  view_->setMessage({});
  view_->endAllImages(asked.step);
  faults_.erase(asked.step);
  store_.readNewAllOf(asked.step);
}

void PredictionsPage::takeFailure(const AskedPrediction& asked, const QString& why) {
  if (asked.isExplanation) return showExplanationFailed(asked, why);
  if (asked.image) return view_->setPredictionFailed(ImageId{*asked.image}, asked.step, why);
  if (!asked.isOfPart()) return failBatch(asked, why);
  view_->endAllImages(asked.step);
  view_->setMessage(why);
}

void PredictionsPage::connectStore() {
  connect(&store_, &PredictionsStore::idle, this, &PredictionsPage::announceReady);
  connect(&store_, &PredictionsStore::idle, this, &PredictionsPage::openWaitingResults,
          Qt::QueuedConnection);  // another part may be read by then
  connect(&store_, &PredictionsStore::datasetLoaded, this, [this](const RunDataset& heldOut) {
    hasDataset_ = true;
    if (part_ != ImagePart::Opened) truth_ = heldOut;
    if (heldOut.dataset->images().empty())
      view_->setEmptyText(tr("No images"), tr("The annotation file lists no image."),
                          tr("Open Configure"));
    engineFolder_ = heldOut.engineFolder;
    view_->setMessage(std::exchange(whyReloaded_, {}));
    if (part_ == ImagePart::Opened) showOpenedMessage();
    view_->setDataset(
        heldOut.dataset, heldOut.imagesFolder,
        {heldOut.iouType, heldOut.maxDetections, /*hasTruth=*/part_ != ImagePart::Opened});
    restoreView();
    updateResults();
  });
  connect(&store_, &PredictionsStore::datasetMissing, this, [this] {
    whyReloaded_.clear();
    if (isForeignRunShown()) return showForeignRun();
    if (part_ == ImagePart::Training) return leavePart(tr("This run has no dataset.train."));
    if (run_ && run_->info().isRangeTest) {
      view_->setEmptyText(tr("No validation images"), tr("This is a learning-rate range test."), {},
                          tr("Training images"));
    } else {
      view_->setEmptyText(tr("No validation images"), tr("This run has no dataset.val."),
                          tr("Open Configure"), tr("Training images"));
    }
    view_->setMessage({});
  });
  connect(&store_, &PredictionsStore::datasetFailed, this, [this](const QString& message) {
    whyReloaded_.clear();
    if (run_ && run_->program()) return loadForeign();
    if (part_ != ImagePart::HeldOut) return leavePart(message);
    view_->setEmptyText(tr("The validation images cannot be shown"), message, tr("Open Configure"));
    view_->setMessage({});
  });
  connectPredictions();
}

void PredictionsPage::connectPredictions() {
  connect(&store_, &PredictionsStore::predictionsLoaded, this,
          [this](const StepPredictions& predictions) {
            view_->setPredictions(predictions.step, predictions.results);
            keepFaultsOf(predictions);
            showFaults();
          });
  connect(&store_, &PredictionsStore::lossesLoaded, view_,
          &widgets::PredictionsView::setImageLosses);
  connect(&store_, &PredictionsStore::answerLoaded, this,
          [this](const StepPredictions& predictions) {
            if (!run_) return;
            viewStates_[run_->folder()].answers[part_].push_back(predictions);
            if (areResultsShown_) return;
            if (part_ != ImagePart::Opened) view_->setMessage({});
            showUnreadable(predictions.results->unreadable());
            view_->setPredictions(predictions.step, predictions.results);
          });
  connect(&store_, &PredictionsStore::predictionsFailed, this,
          [this](qint64, const QString& message) { view_->setMessage(message); });
  connect(&store_, &PredictionsStore::answerFailed, view_,
          &widgets::PredictionsView::setPredictionFailed);
}

void PredictionsPage::setRun(RunController* run) {
  if (run_ == run && run) return;
  saveViewState();
  endBatches();
  if (run_) disconnect(run_, nullptr, this, nullptr);
  run_ = run;
  isAsked_ = false;
  hasDataset_ = false;
  hasRestoredAnswers_ = false;
  steps_ = {};
  vanished_.reset();
  pendingStep_.reset();
  followsNewest_ = true;
  whyReloaded_.clear();
  dropResults();
  waitingResults_ = {};
  areResultsShown_ = false;
  truth_.reset();
  forgetFaults();
  view_->clear();
  view_->setMessage({});
  showEmptyText();
  store_.setRun({});
  watched_.clear();
  view_->setBringImage(nullptr);
  requests_.setRun(run);
  if (run) connectRun();
  if (openedCheckpoint_ && run && run->folder() == openedCheckpoint_->runFolder)
    pendingStep_ = std::exchange(openedCheckpoint_, std::nullopt)->step;
  takeAskedInstance();
  if (isVisible()) load();
  openRestoredResults();
}

void PredictionsPage::showEmptyText() {
  view_->setEmptyText(
      tr("No run to show"),
      tr("Select a run on the left to see its validation images and predictions, or "
         "drop images, a folder, a checkpoint or results of another program here."),
      tr("Configure an experiment"), tr("Open a checkpoint…"));
}

/// Saves the view state of the current run.
void PredictionsPage::saveViewState() {
  if (!hasDataset_ || !run_) return;
  ViewState& memory = viewStates_[store_.runFolder()];
  memory.step = followsNewest_ ? std::nullopt : std::optional(view_->currentCheckpoint());
  memory.image = view_->shownImage();
  if (memory.image) lastImage_ = memory.image;
}

/// Shows the image that was last shown, also of another run on the same data, else this run's own.
void PredictionsPage::restoreView() {
  const auto known = viewStates_.constFind(store_.runFolder());
  if (!(lastImage_ && view_->showSameImage(*lastImage_)) && known != viewStates_.cend() &&
      known->image)
    view_->showSameImage(*known->image);
  if (known != viewStates_.cend() && !pendingStep_) pendingStep_ = known->step;
}

/// Shows answers from before, once the run's attempt is known: after a resume they are outdated.
void PredictionsPage::restoreAnswers() {
  if (!run_->isLoaded()) return;
  ViewState& memory = viewStates_[run_->folder()];
  if (memory.attempt != run_->info().attempt && !hasRestoredAnswers_) {
    memory.answers.clear();
    memory.keptFiles.clear();
    memory.predicted.clear();
  }
  memory.attempt = run_->info().attempt;
  if (std::exchange(hasRestoredAnswers_, true)) return;
  for (const StepPredictions& answer : memory.answers[part_])
    view_->setPredictions(answer.step, answer.results);
  dropOutdated();
  readKeptAnswers();
}

void PredictionsPage::connectRun() {
  connect(run_, &RunController::changed, this, [this](const RunChanges& changes) {
    if (run_->program()) return loadForeign();  // known once it has been read
    if (changes.cutAfter) forgetAfter(*changes.cutAfter);
    if (changes.results()) updateResults();
    if (changes.state) updatePredictionPossible();
  });
  connect(run_, &RunController::loaded, this, &PredictionsPage::openWaitingResults);
  connect(run_, &RunController::linkChanged, this, &PredictionsPage::updatePredictionPossible);
}

void PredictionsPage::addNamedActions() {
  const auto add = [this](const char* id, const QString& text, ImagePart part) {
    widgets::addNamedAction(this, widgets::ActionPlace::Predictions, id, text, {},
                            [this, part] { showPart(part); });
  };
  widgets::addNamedAction(
      this, widgets::ActionPlace::Predictions, "predictions.compare",
      tr("Compare this checkpoint with another"), {Qt::SHIFT | Qt::Key_C}, [this] {
        if (!run_ || steps_.isEmpty() || areResultsShown_)
          return view_->setMessage(tr("There is no checkpoint to compare: select a run with one."));
        Q_EMIT comparisonRequested(run_->folder(), view_->currentCheckpoint());
      });
  add("predictions.held_out_images", tr("Show the validation images"), ImagePart::HeldOut);
  add("predictions.training_images", tr("Training images"), ImagePart::Training);
}

void PredictionsPage::showPart(ImagePart part) {
  if (part == ImagePart::Opened && opened_.images.empty()) return openDialog();
  if (areResultsShown_) return leaveResults(part);
  if (part == part_) return;
  keepPlace();
  part_ = part;
  whyReloaded_.clear();
  reload();
}

/// For when the same run's images are read again.
void PredictionsPage::keepPlace() {
  saveViewState();
  if (hasDataset_ && !followsNewest_) pendingStep_ = view_->currentCheckpoint();
}

void PredictionsPage::reload() {
  endBatches();
  isAsked_ = false;
  hasDataset_ = false;
  hasRestoredAnswers_ = false;
  forgetFaults();
  view_->clear();
  store_.setRun({});
  watched_.clear();
  if (isVisible()) load();
  Q_EMIT viewStateChanged();
}

void PredictionsPage::showParts() {
  QStringList parts{tr("Validation images"), tr("Training images")};
  if (!opened_.images.empty()) parts.append(tr("Opened images"));
  if (results_.opened.heldOut.dataset)
    parts.append(tr("Results: %1").arg(QFileInfo(results_.source.results).fileName()));
  view_->setParts(parts,
                  areResultsShown_ ? static_cast<int>(parts.size()) - 1 : static_cast<int>(part_),
                  areResultsShown_ || part_ == ImagePart::Opened);
}

/// The training part, or the opened images, cannot be shown.
void PredictionsPage::leavePart(const QString& why) {
  const bool isTraining = part_ == ImagePart::Training;
  showPart(ImagePart::HeldOut);
  whyReloaded_ = (isTraining ? tr("The training images cannot be shown. %1")
                             : tr("The opened images cannot be shown. %1"))
                     .arg(why);
}

/// Of an image that the engine does not know by its id; empty: it does.
QStringList PredictionsPage::filesOf(ImageId image) const {
  const auto shown = view_->shownImage();
  if (part_ == ImagePart::HeldOut || !shown || shown->id != image) return {};
  return {shownFile()};
}

void PredictionsPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  load();
  openRestoredResults();
}

void PredictionsPage::load() {
  if (isAsked_ || showsSearched_ || (!run_ && part_ != ImagePart::Opened)) return;
  if (isForeignRunShown()) return showForeignRun();
  isAsked_ = true;
  const bool hasFiles = run_ && !run_->program();
  const RunFileAccess files = hasFiles ? run_->files() : RunFileAccess();
  updatePredictionPossible();
  showParts();
  view_->setMessage(part_ == ImagePart::Training ? tr("Loading the training images…")
                    : part_ == ImagePart::Opened ? tr("Loading the opened images…")
                                                 : tr("Loading the validation images…"));
  if (part_ == ImagePart::Opened) {
    view_->setBringImage(nullptr);  // they are on this machine
    return store_.setOpened(files, opened_.images);
  }
  bringImagesFrom(files);
  store_.setRun(files, part_);
}

void PredictionsPage::updatePredictionPossible() {
  QString why;
  if (areResultsShown_) {
    why = tr("These are the results of another program: there is no checkpoint.");
  } else if (!run_) {
    why = tr("There is no checkpoint: select a run, or open one.");
  } else if (run_->program()) {
    why = tr("Checkpoints of other programs cannot predict here: select a run of Lockstep.");
  } else if (part_ == ImagePart::Opened && run_->place()) {
    why = tr("The opened images are on this machine, but the run is not.");
  } else {
    why = run_->predictionBlockedBy();
  }
  view_->setPredictionPossible(why.isEmpty(), why);
}

void PredictionsPage::bringImagesFrom(const RunFileAccess& files) {
  if (!files.fetch) return view_->setBringImage(nullptr);
  view_->setBringImage(
      [files, view = QPointer(view_)](const QString& path, const std::function<void()>& done) {
        files.fetch(path, [view, done](const QString& error) {
          if (view && !error.isEmpty()) view->setMessage(error);
          done();
        });
      },
      files.folder, [files](const QString& message) { return files.named(message); });
}

/// Of which the opened images are shown without it.
bool PredictionsPage::isForeignRunShown() const {
  return run_ && run_->program() && part_ != ImagePart::Opened && !areResultsShown_;
}

/// What a run of ours was asked for until now.
void PredictionsPage::loadForeign() {
  if (isForeignRunShown()) return showForeignRun();
  if (hasDataset_ || areResultsShown_ || !isVisible()) return;
  isAsked_ = false;
  load();
}

/// Its files hold curves, and no pictures that we know of.
void PredictionsPage::showForeignRun() {
  view_->setEmptyText(
      tr("No validation images"),
      tr("Only the curves of this %1 run are read. Its predictions are in a results "
         "file, such as coco_instances_results.json.")
          .arg(QLatin1String(base::textOf(*run_->program()))),
      {}, tr("Open results…"));
  view_->setMessage({});
}

void PredictionsPage::updateResults() {
  if (!run_ || !hasDataset_) return;
  const std::vector<std::int64_t>& kept = run_->checkpointSteps();
  const bool isOpened = part_ == ImagePart::Opened;
  setSteps(isOpened ? PredictionSteps({}, kept)
                    : PredictionSteps(run_->history().predictionSteps(), kept));
  store_.readSteps(run_->history().predictionSteps());
  // The run's evaluations are of validation images.
  view_->setAveragePrecisions(part_ == ImagePart::HeldOut ? maskOrBoxAp(run_->history().metrics())
                                                          : std::map<qint64, double>());
  showHeldOutCurves();
  restoreAnswers();
  if (pendingStep_) {
    showStep(*pendingStep_);
  } else if (followsNewest_ && !steps_.isEmpty() && steps_.initialStep() > vanished_.value_or(-1)) {
    view_->setCurrentCheckpoint(steps_.initialStep());
  }
  if (steps_.isEmpty()) return;
  store_.readAllOf(view_->currentCheckpoint());
  showFaults();
  if (isOpened && std::exchange(predictsOpened_, false)) view_->requestAllImages();
}

/// A step that vanishes while it is shown stays until another one is.
void PredictionsPage::setSteps(const PredictionSteps& steps) {
  const qint64 shown = view_->currentCheckpoint();
  const bool isGone = (steps_.contains(shown) || vanished_ == shown) && !steps.contains(shown);
  vanished_ = isGone ? std::optional(shown) : std::nullopt;
  steps_ = steps;
  std::vector<qint64> offered = steps_.all();
  if (isGone) offered.insert(std::ranges::upper_bound(offered, shown), shown);
  const std::vector<std::int64_t>& kept = run_->checkpointSteps();
  view_->setCheckpoints(offered, {kept.begin(), kept.end()});
  view_->setVanished(vanished_);
}

void PredictionsPage::showHeldOutCurves() {
  const RunHistory& history = run_->history();
  view_->setHeldOutCurves(valuesByStep(history.metrics(), events::tags::kEvalTotalLoss),
                          maskOrBoxAp(history.metrics()));
  // Each file of a run on another machine is fetched.
  if (!run_->place()) return store_.readLosses(history.evaluationSteps());
  const auto& steps = history.evaluationSteps();
  if (std::ranges::binary_search(steps, view_->currentCheckpoint()))
    store_.readLosses({view_->currentCheckpoint()});
}

/// The run was resumed at `step`: drops its later predictions.
void PredictionsPage::forgetAfter(qint64 step) {
  for (auto& [part, answers] : viewStates_[run_->folder()].answers)
    std::erase_if(answers, [step](const StepPredictions& answer) { return answer.step > step; });
  store_.forgetAfter(step);
  steps_.forgetAfter(step);
  faults_.erase(faults_.upper_bound(step), faults_.end());
  view_->forgetAfter(step);
}

bool PredictionsPage::isReady() const {
  if (search_.isRunning() || keptSearch_.isRunning() || resultsReading_.isRunning() ||
      !waitingResults_.results.isEmpty())
    return false;
  if (!run_) return store_.isIdle() && view_->isReady();
  return run_->isLoaded() && store_.isIdle() && view_->isReady();
}

void PredictionsPage::announceReady() {
  if (isReady()) Q_EMIT readyChanged();
}

}  // namespace lockstep::app
