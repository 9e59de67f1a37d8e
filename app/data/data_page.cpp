#include "app/data/data_page.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QVBoxLayout>
#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/free_memory.h"
#include "engine/config/fields.h"
#include "engine/config/load.h"
#include "engine/run_folder/run_experiment.h"
#include "widgets/dataset_view/batch_sheets.h"
#include "widgets/dataset_view/dataset_view.h"
#include "widgets/jobs/awaited.h"

namespace lockstep::app {
namespace {

using dataset_check::Part;

constexpr std::chrono::milliseconds kProgressInterval{100};

/// What of an experiment the counts depend on.
QString keyOf(const config::Experiment& experiment) {
  QString key;
  for (const config::DatasetSplit* split : {&experiment.dataset.train, &experiment.dataset.val})
    key += QString::fromStdString(split->annotations + '\n' + split->images + '\n');
  for (const char* field : {"augment.min_size", "augment.max_size", "model.anchors.sizes",
                            "model.anchors.aspect_ratios"})
    key += QString::fromStdString(config::findField(field)->text(experiment) + '\n');
  return key;
}

/// Why the annotations of a run cannot be read here; empty: they can.
QString whyElsewhere(const RunController& run) {
  if (run.program())
    return DataPage::tr(
        "Another program made this run, and its log does not name the data. If you "
        "have its annotations as COCO JSON, open them.");
  if (!run.place()) return {};
  if (run.place()->isPackedRun())
    return DataPage::tr(
               "%1 is a packed run, which has annotations of the predicted validation images only. "
               "If you have all annotations, open them.")
        .arg(run.place()->name());
  return DataPage::tr(
             "The annotations of this run are on %1, and large: they are not fetched. "
             "Check them in Lockstep there, or copy them to this machine and open them.")
      .arg(run.place()->hostText());
}

bool has(const config::Experiment& experiment, Part part) {
  const config::DatasetConfig& dataset = experiment.dataset;
  return !(part == Part::Train ? dataset.train : dataset.val).annotations.empty();
}

QString partName(Part part, const QString& of) {
  return part == Part::Train ? DataPage::tr("Training set of %1").arg(of)
                             : DataPage::tr("Validation set of %1").arg(of);
}

/// What the engine wrote is based on a copy that is gone with the window: here it says all itself.
/// Returns why it cannot; empty: it does. Blocks.
QString writeWhole(const QString& experimentFile) {
  try {
    const std::string file = experimentFile.toStdString();
    const config::LoadedExperiment loaded = config::loadExperiment(file, {});
    base::writeFileAtomically(
        file, "# Its annotations have none of the errors that the data check found.\n" +
                  config::writeExperiment(loaded.experiment));
    return {};
  } catch (const std::exception& error) {
    return QString::fromUtf8(error.what());
  }
}

}  // namespace

DataPage::DataPage(QWidget* parent)
    : QWidget(parent),
      job_([this](const std::shared_ptr<const Reading>& reading) { showReading(*reading); },
           jobs::Kind::Disk) {
  buildUi();
  connectSignals();
  connectCheck();
  connectPreview();
}

DataPage::~DataPage() { stopReading(); }

void DataPage::buildUi() {
  view_ = new widgets::DatasetView;
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  setFocusProxy(view_);
}

void DataPage::connectSignals() {
  connect(view_, &widgets::DatasetView::ready, this, &DataPage::readyChanged);
  connect(view_, &widgets::DatasetView::emptyActionTriggered, this, [this] {
    if (const auto act = emptyAction_) act();
  });
  connect(view_, &widgets::DatasetView::stopRequested, this, &DataPage::stopEverything);
  progressTimer_.setInterval(kProgressInterval);
  connect(&progressTimer_, &QTimer::timeout, this, &DataPage::showReadingProgress);
  connect(view_, &widgets::DatasetView::sourceChosen, this,
          [this](int index) { choose(sources_[static_cast<std::size_t>(index)]); });
  connect(view_, &widgets::DatasetView::checkRequested, this, &DataPage::startCheck);
  connect(view_, &widgets::DatasetView::checkCanceled, this, [this] {
    if (checker_.isRunning()) checker_.cancel();
    if (cleaning_.isRunning()) cleaning_.cancel();
  });
  connect(view_, &widgets::DatasetView::fileRequested, this, &DataPage::chooseFile);
  connect(view_, &widgets::DatasetView::cleaningRequested, this, &DataPage::clean);
  connect(view_, &widgets::DatasetView::rereadRequested, this, [this] {
    if (reading_ && !reading_->part) reread();  // what could be read is watched
  });
  connect(&watched_, &WatchedFiles::changed, this, &DataPage::reread);
}

void DataPage::reread() {
  shownKey_.clear();
  if (isVisible()) read();
}

void DataPage::connectPreview() {
  widgets::BatchSheets* batches = view_->batches();
  connect(view_, &widgets::DatasetView::batchesRequested, this, &DataPage::drawBatches);
  connect(view_, &widgets::DatasetView::batchesCanceled, this, [this] {
    setBatchesAwaited(false);
    if (preview_.isRunning()) preview_.cancel();
  });
  connect(&preview_, &BatchPreview::progressed, batches, &widgets::BatchSheets::setProgress);
  connect(&preview_, &BatchPreview::canceled, batches, [batches] { batches->setProgress({}); });
  connect(&preview_, &BatchPreview::failed, batches, [this, batches](const QString& reason) {
    batches->setProgress({});
    if (drawnOf_ == shownKey_) batches->setFailure(reason);
  });
  connect(&preview_, &BatchPreview::finished, batches, [this, batches](const QStringList& sheets) {
    batches->setProgress({});
    if (drawnOf_ == shownKey_) batches->setSheets(sheets);
  });
}

/// While the data are counted, once they are.
void DataPage::drawBatches(qint64 seed) {
  if (readingState_) return setBatchesAwaited(true);
  if (!reading_ || preview_.isRunning()) return;
  drawnOf_ = shownKey_;
  preview_.draw(reading_->experiment, seed);
}

void DataPage::setBatchesAwaited(bool areAwaited) {
  if (areAwaited == std::exchange(areBatchesAwaited_, areAwaited)) return;
  view_->batches()->setProgress(areAwaited ? tr("Waiting until the data are counted…") : QString());
  if (readingState_) showReadingProgress();
}

void DataPage::stopEverything() {
  if (checker_.isRunning()) checker_.cancel();
  if (cleaning_.isRunning()) cleaning_.cancel();
  if (preview_.isRunning()) preview_.cancel();
  if (!readingState_) return;
  stopReading();
  job_.cancel();
  showEmpty(tr("Reading was stopped"), shown_->name, tr("Read again"), [this] {
    shownKey_.clear();
    read();
  });
  Q_EMIT readyChanged();
}

void DataPage::stopReading() {
  if (readingState_) readingState_->isStopped = true;
  readingState_.reset();
  progressTimer_.stop();
  setBatchesAwaited(false);
}

void DataPage::showEmpty(const QString& title, const QString& cause, const QString& action,
                         std::function<void()> act) {
  emptyAction_ = std::move(act);
  view_->setEmptyText(title, cause, action);
}

void DataPage::showReadingProgress() {
  const int percent = std::min(99, static_cast<int>(100 * readingState_->share));
  showEmpty(areBatchesAwaited_ ? tr("Reading the annotations, then training batches are drawn…")
                               : tr("Reading the annotations…"),
            percent == 0 ? shown_->name : tr("%1: %2 %").arg(shown_->name).arg(percent),
            tr("Cancel"), [this] { stopEverything(); });
}

void DataPage::connectCheck() {
  connect(&checker_, &DatasetChecker::progressed, view_, &widgets::DatasetView::setProgress);
  connect(&checker_, &DatasetChecker::canceled, this, [this] { view_->setProgress({}); });
  connect(&checker_, &DatasetChecker::failed, this, [this](const QString& reason) {
    view_->setProgress({});
    Q_EMIT failed(tr("The data were not checked"), reason);
  });
  connect(&checker_, &DatasetChecker::finished, this,
          [this](const std::vector<dataset_check::Finding>& findings) {
            findings_ = findings;
            checkedKey_ = checkingKey_;
            view_->setProgress({});
            showFindings();
          });
  connect(&cleaning_, &DatasetPreparation::progressed, this,
          [this](const QString& stage, const QString& line) {
            view_->setProgress(line.isEmpty() ? stage : stage % QStringLiteral(": ") % line);
          });
  connect(&cleaning_, &DatasetPreparation::finished, this,
          [this](const QString& file, const DatasetFindings& findings) {
            makeWhole(file, findings.text.section(u'\n', 0, 0));
          });
  connect(&cleaning_, &DatasetPreparation::cancelled, this, [this] { view_->setProgress({}); });
  connect(&cleaning_, &DatasetPreparation::failed, this, [this](const QString& reason) {
    view_->setProgress({});
    Q_EMIT failed(tr("No cleaned annotations were written"), reason);
  });
}

void DataPage::makeWhole(const QString& experimentFile, const QString& summary) {
  finishing_ = jobs::start(
      this, jobs::Kind::Disk, [experimentFile] { return writeWhole(experimentFile); },
      [this, experimentFile, summary](const QString& error) {
        view_->setProgress({});
        if (error.isEmpty()) return Q_EMIT cleaned(experimentFile, summary);
        Q_EMIT failed(tr("The experiment of the cleaned annotations is incomplete"), error);
      });
}

void DataPage::setExperiment(std::optional<OpenExperiment> experiment) {
  experiment_ = std::move(experiment);
  updateSources();
}

void DataPage::setRun(RunController* run, const QString& name) {
  if (run_ == run && run && runName_ == name) return;
  run_ = run;
  runName_ = name;
  updateSources();
}

void DataPage::chooseFile() {
  const QString shown = reading_ ? annotationsOf(*reading_) : QString();
  const QString file =
      QFileDialog::getOpenFileName(this, tr("COCO annotations"), jobs::folderToBeginWith(shown),
                                   tr("COCO annotations (*.json)"));
  if (file.isEmpty()) return;
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder of the images"),
                                                           jobs::folderToBeginWith(file));
  if (!folder.isEmpty()) openFile(file, folder);
}

void DataPage::openFile(const QString& annotations, const QString& imagesFolder) {
  OpenExperiment own{QFileInfo(annotations).fileName(), {}};
  own.experiment.dataset.val = {.images = imagesFolder.toStdString(),
                                .annotations = annotations.toStdString()};
  file_ = std::move(own);
  shown_ = sourceOfFile();
  updateSources();
}

DataPage::Source DataPage::sourceOfFile() const {
  return {tr("File %1").arg(file_->name), {}, Part::Val, true};
}

/// Those of the open experiment come first: that is what a person is about to train.
std::vector<DataPage::Source> DataPage::sources() const {
  std::vector<Source> found;
  if (experiment_)
    for (const Part part : {Part::Train, Part::Val})
      if (has(experiment_->experiment, part))
        found.push_back({partName(part, experiment_->name), {}, part});
  if (run_)
    for (const Part part : {Part::Train, Part::Val})
      found.push_back({partName(part, tr("run %1").arg(runName_)), run_->folder(), part, false,
                       whyElsewhere(*run_)});
  if (file_) found.push_back(sourceOfFile());
  return found;
}

void DataPage::updateSources() {
  sources_ = sources();
  if (!isVisible()) return;
  auto found = shown_ ? std::ranges::find(sources_, *shown_) : sources_.end();
  if (found == sources_.end()) found = sources_.begin();
  shown_ = sources_.empty() ? std::nullopt : std::optional(*found);
  QStringList names;
  for (const Source& source : sources_) names << source.name;
  const auto at = shown_ ? std::ranges::find(sources_, *shown_) - sources_.begin() : -1;
  view_->setSources(names, static_cast<int>(at));
  read();
}

void DataPage::choose(const Source& source) {
  shown_ = source;
  read();
}

/// With the words why there is nothing.
void DataPage::showNothing(const QString& title, const QString& cause, const QString& action,
                           std::function<void()> act) {
  job_.cancel();
  stopReading();
  shownKey_.clear();
  reading_.reset();
  watched_.clear();
  showEmpty(title, cause, action, std::move(act));
  view_->setPart(nullptr);
}

/// Of the shown source; of a run, whose experiment is read with its part: none.
config::Experiment DataPage::openExperiment() const {
  if (shown_->isOfFile) return file_->experiment;
  return shown_->runFolder.isEmpty() ? experiment_->experiment : config::Experiment();
}

/// Batches and checks are of the experiment as it is edited now, also where that changes no count.
void DataPage::keepUp() {
  // Of a hidden page the experiment may have been closed while its data were read.
  if (!reading_ || !shown_ || !shown_->runFolder.isEmpty()) return;
  if (!shown_->isOfFile && !experiment_) return;
  const config::Experiment own = openExperiment();
  if (config::difference(reading_->experiment, own).empty()) return;
  reading_->experiment = own;
  view_->batches()->setTrainingSeed(own.runtime.seed);
}

void DataPage::read() {
  const auto configure = [this] { Q_EMIT configureRequested(); };
  if (!shown_)
    return showNothing(tr("No data to show"),
                       tr("Open an experiment with dataset.train, or select a run, to see the "
                          "statistics and errors of its data."),
                       tr("Open Configure"), configure);
  if (!shown_->elsewhere.isEmpty())
    return showNothing(tr("The annotations of this run are not available"), shown_->elsewhere,
                       tr("Open annotations…"), [this] { chooseFile(); });
  const bool isOfRunOrFile = shown_->isOfFile || !shown_->runFolder.isEmpty();
  if (!isOfRunOrFile && !experiment_->unprepared.isEmpty())
    return showNothing(tr("The data are not ready yet"), experiment_->unprepared, {}, {});
  const config::Experiment own = openExperiment();
  const QString key = QString::number(static_cast<int>(*shown_->part)) % u'\n' %
                      (shown_->isOfFile ? shown_->name : shown_->runFolder) % u'\n' % keyOf(own);
  if (key == shownKey_) return keepUp();
  shownKey_ = key;
  reading_.reset();
  watched_.clear();
  stopReading();
  readingState_ = std::make_shared<ReadingState>();
  showReadingProgress();
  progressTimer_.start();
  view_->setPart(nullptr);
  job_.request([source = *shown_, own, state = readingState_] {
    const auto watch = [&state](double share) {
      state->share = share;
      return !state->isStopped;
    };
    return std::make_shared<const Reading>(readPart(source, own, watch));
  });
}

/// Blocks; does not throw.
DataPage::Reading DataPage::readPart(Source source, config::Experiment experiment,
                                     const coco::ReadingWatch& watch) {
  Reading reading{std::move(source), std::move(experiment)};
  try {
    if (const std::string run = reading.source.runFolder.toStdString(); !run.empty())
      reading.experiment = run_folder::readRunExperiment(run_folder::Layout(run));
    if (!has(reading.experiment, *reading.source.part)) {
      reading.error = tr("%1 is not set.")
                          .arg(*reading.source.part == Part::Train ? QStringLiteral("dataset.train")
                                                                   : QStringLiteral("dataset.val"));
      return reading;
    }
    reading.version = base::FileVersion::of(annotationsOf(reading).toStdString());
    reading.part = std::make_shared<const dataset_check::CountedPart>(
        dataset_check::countPart(reading.experiment, *reading.source.part, watch));
    base::returnFreeMemory();
  } catch (const std::exception& error) {
    reading.error = QString::fromUtf8(error.what());
  }
  return reading;
}

QString DataPage::annotationsOf(const Reading& reading) {
  const config::DatasetConfig& dataset = reading.experiment.dataset;
  return QString::fromStdString(
      (*reading.source.part == Part::Train ? dataset.train : dataset.val).annotations);
}

/// Why none of the images that the file lists can be shown.
QString DataPage::whyEmpty() const {
  const dataset_check::PartData& read = reading_->part->data;
  const QString file = QString::fromStdString(read.annotations);
  if (read.content.errors.empty()) return tr("%1 lists no image.").arg(file);
  const coco::EntryError& first = read.content.errors.front();
  return tr("%1 lists no image that can be used. %Ln error(s), the first: %2: %3", "",
            static_cast<int>(read.content.errors.size()))
      .arg(file, QString::fromStdString(first.where), QString::fromStdString(first.what));
}

/// What to say if the annotations were read before and are others now; what was found in those, or
/// is being found, is of no use.
QString DataPage::takeVersion(const Reading& reading) {
  const QString file = annotationsOf(reading), key = keyOf(reading.experiment);
  const bool isKnown = versions_.contains(file);
  const bool isSame = std::exchange(versions_[file], reading.version) == reading.version;
  if (!isKnown || isSame) return {};
  if (checkedKey_ == key) checkedKey_.clear();
  if (!checker_.isRunning() || checkingKey_ != key)
    return tr("The annotations have changed on the disk and were read again.");
  checker_.cancel();
  return tr(
      "The annotations have changed on the disk and were read again. Their check was stopped: "
      "check them again.");
}

void DataPage::showReading(const Reading& reading) {
  const bool drawsBatches = areBatchesAwaited_ && reading.part;
  stopReading();
  reading_ = reading;
  watched_.clear();
  if (const QString file = annotationsOf(reading); !file.isEmpty())
    watched_.add(file, reading.version);
  view_->setMessage(takeVersion(reading));
  const bool isOfFile = reading.source.isOfFile;
  const QString action = isOfFile ? tr("Open annotations…") : tr("Open Configure");
  const auto act = [this, isOfFile] {
    if (isOfFile) return chooseFile();
    Q_EMIT configureRequested();
  };
  if (!reading.part) {
    showEmpty(tr("The data cannot be shown"), reading.error, action, act);
  } else if (reading.part->facts.images == 0) {
    showEmpty(tr("No images"), whyEmpty(), action, act);
  } else if (const std::string& refusal = reading.part->data.content.refusal; !refusal.empty()) {
    view_->setMessage(
        tr("Training would refuse this file: %1").arg(QString::fromStdString(refusal)));
  }
  view_->setPart(reading.part);
  view_->batches()->setTrainingSeed(reading.experiment.runtime.seed);
  keepUp();
  showFindings();
  if (drawsBatches) view_->batches()->draw();
  Q_EMIT readyChanged();
}

/// Of both parts, if they are what was checked.
void DataPage::showFindings() {
  if (!reading_ || !reading_->part || keyOf(reading_->experiment) != checkedKey_ ||
      checker_.isRunning())
    return;
  view_->setFindings(findings_);
}

void DataPage::startCheck() {
  if (!reading_ || checker_.isRunning() || cleaning_.isRunning()) return;
  checkingKey_ = keyOf(reading_->experiment);
  checker_.check(reading_->experiment);
}

void DataPage::clean() {
  if (!reading_ || cleaning_.isRunning() || finishing_.isRunning() || checker_.isRunning()) return;
  const QFileInfo annotations(QString::fromStdString(reading_->part->data.annotations));
  const QString folder = QFileDialog::getSaveFileName(
      this, tr("New folder for the cleaned annotations"),
      jobs::folderToBeginWith(annotations.absolutePath()) + QStringLiteral("/cleaned"), {}, nullptr,
      QFileDialog::ShowDirsOnly | QFileDialog::DontConfirmOverwrite);
  if (folder.isEmpty()) return;
  try {
    cleaned_ = std::make_unique<ExperimentCopy>(reading_->experiment);
  } catch (const std::exception& error) {
    return Q_EMIT failed(tr("No cleaned annotations were written"),
                         QString::fromUtf8(error.what()));
  }
  cleaning_.clean(cleaned_->file(), folder);
}

bool DataPage::isReady() const { return job_.isIdle() && view_->isReady(); }

void DataPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  updateSources();
}

}  // namespace lockstep::app
