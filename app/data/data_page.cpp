#include "app/data/data_page.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/config/fields.h"
#include "engine/config/load.h"
#include "engine/run_folder/run_experiment.h"
#include "widgets/dataset_view/dataset_view.h"
#include "widgets/jobs/awaited.h"

namespace lockstep::app {
namespace {

using dataset_check::Part;

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

bool has(const config::Experiment& experiment, Part part) {
  const config::DatasetConfig& dataset = experiment.dataset;
  return !(part == Part::Train ? dataset.train : dataset.val).annotations.empty();
}

QString partName(Part part, const QString& of) {
  return part == Part::Train ? DataPage::tr("Training set of %1").arg(of)
                             : DataPage::tr("Held-out set of %1").arg(of);
}

}  // namespace

DataPage::DataPage(QWidget* parent)
    : QWidget(parent),
      job_([this](const std::shared_ptr<const Reading>& reading) { showReading(*reading); },
           jobs::Kind::Disk) {
  buildUi();
  connectSignals();
  connectCheck();
}

DataPage::~DataPage() = default;

void DataPage::buildUi() {
  view_ = new widgets::DatasetView;
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  setFocusProxy(view_);
}

void DataPage::connectSignals() {
  connect(view_, &widgets::DatasetView::ready, this, &DataPage::readyChanged);
  connect(view_, &widgets::DatasetView::emptyActionTriggered, this, &DataPage::configureRequested);
  connect(view_, &widgets::DatasetView::sourceChosen, this,
          [this](int index) { choose(sources_[static_cast<std::size_t>(index)]); });
  connect(view_, &widgets::DatasetView::checkRequested, this, &DataPage::startCheck);
  connect(view_, &widgets::DatasetView::checkCanceled, this, [this] {
    if (checker_.isRunning()) checker_.cancel();
    if (cleaning_.isRunning()) cleaning_.cancel();
  });
  connect(view_, &widgets::DatasetView::fileRequested, this, &DataPage::chooseFile);
  connect(view_, &widgets::DatasetView::cleaningRequested, this, &DataPage::clean);
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
            view_->setProgress({});
            showFindings();
          });
  connect(&cleaning_, &DatasetPreparation::progressed, this,
          [this](const QString& stage, const QString& line) {
            view_->setProgress(line.isEmpty() ? stage : stage % QStringLiteral(": ") % line);
          });
  connect(&cleaning_, &DatasetPreparation::finished, this,
          [this](const QString& file, const DatasetFindings& findings) {
            view_->setProgress({});
            Q_EMIT cleaned(file, findings.text.section(u'\n', 0, 0));
          });
  connect(&cleaning_, &DatasetPreparation::cancelled, this, [this] { view_->setProgress({}); });
  connect(&cleaning_, &DatasetPreparation::failed, this, [this](const QString& reason) {
    view_->setProgress({});
    Q_EMIT failed(tr("No cleaned annotations were written"), reason);
  });
}

void DataPage::setExperiment(std::optional<OpenExperiment> experiment) {
  experiment_ = std::move(experiment);
  updateSources();
}

void DataPage::setRun(RunController* run) {
  if (run_ == run && run) return;
  run_ = run;
  updateSources();
}

void DataPage::chooseFile() {
  const QString file = QFileDialog::getOpenFileName(this, tr("COCO annotations"), {},
                                                    tr("COCO annotations (*.json)"));
  if (file.isEmpty()) return;
  const QString folder = QFileDialog::getExistingDirectory(
      this, tr("Folder of the images"), jobs::folderToBeginWith(QFileInfo(file).absolutePath()));
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
  if (run_ && !run_->place() && !run_->program())
    for (const Part part : {Part::Train, Part::Val})
      found.push_back({partName(part, tr("run %1").arg(QFileInfo(run_->folder()).fileName())),
                       run_->folder(), part});
  if (file_) found.push_back(sourceOfFile());
  return found;
}

void DataPage::updateSources() {
  sources_ = sources();
  if (!isVisible()) return;
  const bool isKnown = shown_ && std::ranges::find(sources_, *shown_) != sources_.end();
  if (!isKnown) shown_ = sources_.empty() ? std::nullopt : std::optional(sources_.front());
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

void DataPage::read() {
  if (!shown_) {
    job_.cancel();
    shownKey_.clear();
    reading_.reset();
    view_->setEmptyText(tr("No data to show"),
                        tr("Open an experiment with dataset.train, or select a run, to see what "
                           "its data consist of and what is wrong with them."),
                        tr("Open Configure"));
    view_->setPart(nullptr);
    return;
  }
  const config::Experiment own = shown_->isOfFile              ? file_->experiment
                                 : shown_->runFolder.isEmpty() ? experiment_->experiment
                                                               : config::Experiment();
  const QString key = shown_->name % u'\n' % shown_->runFolder % u'\n' % keyOf(own);
  if (key == shownKey_) return;
  shownKey_ = key;
  reading_.reset();
  view_->setEmptyText(tr("Reading the annotations…"), shown_->name, {});
  view_->setPart(nullptr);
  job_.request(
      [source = *shown_, own] { return std::make_shared<const Reading>(readPart(source, own)); });
}

/// Blocks; does not throw.
DataPage::Reading DataPage::readPart(Source source, config::Experiment experiment) {
  Reading reading{std::move(source), std::move(experiment)};
  try {
    if (const std::string run = reading.source.runFolder.toStdString(); !run.empty())
      reading.experiment = run_folder::readRunExperiment(run_folder::Layout(run));
    if (!has(reading.experiment, *reading.source.part)) {
      reading.error = tr("There is none: %1 is not set.")
                          .arg(*reading.source.part == Part::Train ? QStringLiteral("dataset.train")
                                                                   : QStringLiteral("dataset.val"));
      return reading;
    }
    reading.part = std::make_shared<const dataset_check::CountedPart>(
        dataset_check::countPart(reading.experiment, *reading.source.part));
  } catch (const std::exception& error) {
    reading.error = QString::fromUtf8(error.what());
  }
  return reading;
}

void DataPage::showReading(const Reading& reading) {
  reading_ = reading;
  view_->setMessage({});
  if (!reading.part) {
    view_->setEmptyText(tr("The data cannot be shown"), reading.error, tr("Open Configure"));
  } else if (reading.part->facts.images == 0) {
    view_->setEmptyText(tr("No images"),
                        tr("%1 lists no image that can be read.")
                            .arg(QString::fromStdString(reading.part->data.annotations)),
                        tr("Open Configure"));
  } else if (const std::string& refusal = reading.part->data.content.refusal; !refusal.empty()) {
    view_->setMessage(
        tr("Training would refuse this file: %1").arg(QString::fromStdString(refusal)));
  }
  view_->setPart(reading.part);
  showFindings();
  Q_EMIT readyChanged();
}

/// Of the shown part, if it is what was checked.
void DataPage::showFindings() {
  if (!reading_ || !reading_->part || keyOf(reading_->experiment) != checkedKey_ ||
      checker_.isRunning())
    return;
  std::vector<dataset_check::Finding> own;
  std::ranges::copy_if(findings_, std::back_inserter(own), [&](const auto& finding) {
    return finding.part == reading_->part->data.part;
  });
  view_->setFindings(std::move(own));
}

void DataPage::startCheck() {
  if (!reading_ || checker_.isRunning() || cleaning_.isRunning()) return;
  checkedKey_ = keyOf(reading_->experiment);
  checker_.check(reading_->experiment);
}

void DataPage::clean() {
  if (!reading_ || cleaning_.isRunning() || checker_.isRunning()) return;
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
