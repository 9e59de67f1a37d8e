#include "app/configure/configure_page.h"

#include <QApplication>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QVBoxLayout>

#include "app/configure/document_dialogs.h"
#include "app/experiments/left_to_machine.h"
#include "app/text/distinct_names.h"
#include "engine/config/load.h"
#include "engine/run_folder/run_folder.h"
#include "widgets/config_editor/config_editor.h"
#include "widgets/config_editor/editor_header.h"
#include "widgets/jobs/awaited.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {

ConfigurePage::ConfigurePage(const QString& draftFolder,
                             std::unique_ptr<DocumentQuestions> questions, QWidget* parent)
    : QWidget(parent),
      editor_(new widgets::ConfigEditor(this)),
      questions_(questions ? std::move(questions) : std::make_unique<DocumentDialogs>(this)),
      document_([this] { return editor_->text(); }, questions_.get(), draftFolder),
      survey_(
          [this](const ExperimentSurvey& survey) {
            known_ = survey;
            showSurvey();
            Q_EMIT readyChanged();
          },
          jobs::Kind::Disk) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(editor_);
  connectEditor();
  connectDocument();
}

ConfigurePage::~ConfigurePage() = default;

void ConfigurePage::connectEditor() {
  connect(editor_, &widgets::ConfigEditor::saveRequested, this, &ConfigurePage::save);
  connect(editor_, &widgets::ConfigEditor::openRequested, this, &ConfigurePage::openWithDialog);
  connect(editor_, &widgets::ConfigEditor::newRequested, this, &ConfigurePage::newRequested);
  connect(editor_, &widgets::ConfigEditor::comparisonRequested, this,
          &ConfigurePage::comparisonRequested);
  connect(editor_, &widgets::ConfigEditor::rangeTestRequested, this,
          &ConfigurePage::rangeTestRequested);
  connect(editor_, &widgets::ConfigEditor::fileChosen, this, [this](int index) {
    editor_->finishTyping();
    document_.showDocument(index);
  });
  connect(editor_, &widgets::ConfigEditor::closeRequested, this, &ConfigurePage::closeShown);
  connect(editor_, &widgets::ConfigEditor::ready, this, &ConfigurePage::readyChanged);
  connect(editor_, &widgets::ConfigEditor::textEdited, &document_, &DocumentController::markEdited);
  connect(editor_, &widgets::ConfigEditor::modifiedChanged, this, &ConfigurePage::documentChanged);
  connect(&bases_, &FileWatch::changed, editor_, &widgets::ConfigEditor::recheck);
  connect(editor_, &widgets::ConfigEditor::issuesChanged, this, [this] {
    watchBases();
    countImages();
    noteCommands();
    Q_EMIT documentChanged();
  });
  connect(&images_, &ImageCounter::counted, this, [this](qint64 drawsPerEpoch, qint64 val) {
    editor_->setImageCounts(drawsPerEpoch, val);
    drawsPerEpoch_ = drawsPerEpoch;
    survey();
    Q_EMIT readyChanged();
  });
  connect(&check_, &EngineCommand::finished, this,
          [this](int exitStatus, const QString& output, const QString& messages) {
            const QString name = QFileInfo(checked_).fileName();
            if (exitStatus < 0)
              return Q_EMIT failed(tr("The data and weights of %1 were not checked").arg(name),
                                   messages);
            if (document_.path() == checked_) showFound(messages);
            if (exitStatus == 0) return Q_EMIT checked(name, output.trimmed());
            Q_EMIT failed(tr("Data or weights of %1 have errors").arg(name), messages);
          });
  connect(&devices_, &MachineDevices::found, this, [this] {
    survey();
    Q_EMIT readyChanged();
  });
}

void ConfigurePage::noteCommands() {
  const config::LoadedExperiment& loaded = editor_->loaded();
  const bool isGiven = std::exchange(isGivenText_, false);
  writtenCommands_.clear();
  for (const auto& [event, text] : loaded.experiment.monitor.onEvent.byEvent()) {
    const QString command = QString::fromStdString(text);
    const auto origin = loaded.origins.find("monitor.on_event." + event);
    const bool isOfText =
        origin != loaded.origins.end() && origin->second.file == editor_->filePath().toStdString();
    if (isGiven || !isOfText) {
      givenCommands_.insert(command);
    } else if (!givenCommands_.contains(command)) {
      writtenCommands_ << command;
    }
  }
}

/// And their folders, in which they may appear. Of one that is gone no more is known than where it
/// was, or that it may be beside the document.
void ConfigurePage::watchBases() {
  QStringList paths;
  if (!editor_->loaded().isComplete)
    paths = watched_ + QStringList{QFileInfo(document_.path()).absolutePath()};
  for (const std::filesystem::path& file : editor_->loaded().files) {
    const QString path = QString::fromStdString(file.string());
    if (path != document_.path()) paths << path << QFileInfo(path).absolutePath();
  }
  paths.removeDuplicates();
  if (paths == std::exchange(watched_, paths)) return;
  jobs::start(
      this, jobs::Kind::Disk,
      [paths, watch = bases_.paths(), number = ++watches_] {
        watch->set(paths, number);
        return true;
      },
      [](bool) {});
}

void ConfigurePage::checkData() {
  editor_->finishTyping();
  if (!hasDocument() || check_.isRunning()) return;
  if (isUnsaved() || !document_.hasFile()) {
    Q_EMIT failed(
        tr("%1 is not saved").arg(documentName()),
        tr("The file is checked with the data and weights that it names: save it first."));
    return;
  }
  editor_->setFound({});
  checked_ = document_.path();
  check_.start(
      {QStringLiteral("config"), QStringLiteral("check"), checked_, QStringLiteral("--data")});
}

void ConfigurePage::showFound(const QString& messages) {
  if (hasDocument()) editor_->setFound(messages);
}

void ConfigurePage::connectDocument() {
  const auto noteText = [this] { isGivenText_ = true; };
  connect(&document_, &DocumentController::opened, this, noteText);
  connect(&document_, &DocumentController::textReplaced, this, noteText);
  connect(&document_, &DocumentController::opened, editor_, &widgets::ConfigEditor::setDocument);
  connect(&document_, &DocumentController::closed, editor_, &widgets::ConfigEditor::clear);
  connect(&document_, &DocumentController::textReplaced, editor_,
          &widgets::ConfigEditor::changeText);
  connect(&document_, &DocumentController::saved, editor_, &widgets::ConfigEditor::setSaved);
  connect(&document_, &DocumentController::stateChanged, this, [this] {
    preparation_.watch(document_.path());
    followPreparation();
    editor_->setUnsaved(!document_.hasFile());
    editor_->setDiffersFromFile(document_.isUnsaved() && document_.hasFile());
    listOpenFiles();
    Q_EMIT documentChanged();
  });
  connect(&document_, &DocumentController::failed, this, &ConfigurePage::failed);
  connect(&preparation_, &PreparationWatch::changed, this, [this] {
    followPreparation();
    Q_EMIT documentChanged();
    Q_EMIT readyChanged();
  });
}

/// Discards counts that were taken before the data were ready.
void ConfigurePage::followPreparation() {
  if (!editor_->setDataPending(preparation().isPending())) return;
  images_.forget();
  surveyed_.clear();
}

void ConfigurePage::listOpenFiles() {
  QList<widgets::OpenFile> files;
  for (const OpenDocument& open : document_.documents())
    files.append({open.path, open.name, open.isUnsaved});
  editor_->setOpenFiles(files, document_.shownDocument());
}

void ConfigurePage::countImages() {
  if (!editor_->hasDocument()) return;
  images_.count(editor_->loaded().experiment.dataset);
}

/// Again only when something that it depends on has changed.
void ConfigurePage::survey() {
  // With errors, the facts are those of the last valid text.
  if (!editor_->hasDocument() || editor_->loaded().hasErrors()) return;
  devices_.find();  // until they are found, the facts that need no memory are shown
  const MachineMemory& memory = devices_.memory();
  SurveySources sources{drawsPerEpoch_, runs_ ? runs_() : QStringList(), memory, known_.objects};
  const config::Experiment& experiment = editor_->loaded().experiment;
  const QString key = document_.path() % QString::number(drawsPerEpoch_) % QLatin1Char('\n') %
                      QString::number(memory.bytes, 'f', 0) % QLatin1Char(' ') %
                      QString::number(memory.gpus.size()) % QLatin1Char('\n') %
                      surveyKey(experiment) % sources.runs.join(QLatin1Char('\n'));
  if (key == surveyed_) {
    if (survey_.isIdle()) showSurvey();  // the document may have been opened again
    return;
  }
  surveyed_ = key;
  survey_.request(
      [experiment, sources = std::move(sources)] { return surveyExperiment(experiment, sources); });
}

void ConfigurePage::showSurvey() {
  const ObjectSurvey none, &objects = known_.objects ? *known_.objects : none;
  editor_->setSurvey(known_.facts, {objects.boxSizes, objects.betterAnchors});
}

bool ConfigurePage::open(const QString& path) {
  editor_->finishTyping();
  return document_.open(path);
}

void ConfigurePage::openWithDialog() {
  const QString last = hasDocument() ? document_.path() : lastFile_;
  const QString path = QFileDialog::getOpenFileName(
      this, tr("Open experiment"), jobs::folderToBeginWith(last), tr("Experiments (*.yaml *.yml)"));
  if (!path.isEmpty()) open(path);
}

bool ConfigurePage::openCopyOfRun(const QString& runFolder) {
  editor_->finishTyping();
  return document_.openCopyOfRun(runFolder);
}

bool ConfigurePage::openDraft(const QString& id) {
  editor_->finishTyping();
  return document_.openDraft(id);
}

void ConfigurePage::openText(const QString& text, const QString& path) {
  editor_->finishTyping();
  document_.openText(text, path);
}

void ConfigurePage::showNext() {
  editor_->finishTyping();
  if (const auto count = document_.documents().size(); count > 1)
    document_.showDocument(static_cast<int>((document_.shownDocument() + 1) % count));
}

bool ConfigurePage::closeShown() {
  editor_->finishTyping();
  return document_.closeShown();
}

bool ConfigurePage::save() {
  editor_->finishTyping();
  return document_.save();
}

bool ConfigurePage::saveAs() {
  editor_->finishTyping();
  return document_.hasDocument() && document_.saveAs();
}

QString ConfigurePage::fileToTrain() {
  editor_->finishTyping();
  return trainingBlockedBy().isEmpty() ? document_.fileToTrain() : QString();
}

bool ConfigurePage::closeDocuments() {
  editor_->finishTyping();
  return document_.close();
}

void ConfigurePage::compareWith(QString name, const QString& path) {
  if (name.isEmpty()) name = distinctNames({document_.path(), path}).last();
  jobs::start(
      this, jobs::Kind::Disk,
      [path, own = editor_->loaded().experiment.runtime] {
        const std::filesystem::path given = path.toStdString();
        const bool isRun = run_folder::isRunFolder(given);
        auto other = config::loadExperiment(isRun ? run_folder::Layout(given).config() : given);
        if (isRun) leaveToMachine(own, other.experiment.runtime);
        return other;
      },
      [this, name](const config::LoadedExperiment& other) {
        if (other.isComplete) return editor_->setComparison(name, other.experiment);
        const config::ConfigIssue fault =
            other.issues.empty() ? config::ConfigIssue() : other.issues.front();
        Q_EMIT failed(tr("%1 cannot be compared").arg(name),
                      QString::fromStdString(fault.format()));
      });
}

void ConfigurePage::keepDraft() {
  editor_->finishTyping();
  document_.keepDraft();
}

void ConfigurePage::takeFocus() {
  if (isAncestorOf(QApplication::focusWidget())) return;
  QWidget* last = focusWidget();
  if (last && last->isEnabled() && last->isVisibleTo(this)) {
    last->setFocus(Qt::OtherFocusReason);
  } else {
    editor_->focusForm();
  }
}

bool ConfigurePage::hasDocument() const { return document_.hasDocument(); }
QString ConfigurePage::documentName() const { return document_.name(); }

QString ConfigurePage::trainName() const {
  const QString name = documentName();
  if (name.endsWith(u'/' % kImportedExperiment))
    return name.chopped(kImportedExperiment.size() + 1);
  const QString suffix = QFileInfo(name).suffix();
  return suffix.isEmpty() ? name : name.chopped(suffix.size() + 1);
}

QString ConfigurePage::trainingBlockedBy() const {
  if (!hasDocument()) return tr("Open an experiment first");
  if (preparation().isPending())
    return preparation().title(trainName()) + u'\n' + preparation().text();
  const int errors = editor_->errorCount();
  if (errors == 0) return {};
  const QString head =
      tr("Fix %n error(s) in %1 first, starting with:", "", errors).arg(documentName());
  return head + QLatin1Char('\n') + editor_->firstError();
}

bool ConfigurePage::isReady() const {
  return !hasDocument() || (editor_->isReady() && preparation_.isKnown() && !images_.isCounting() &&
                            !devices_.isFinding() && survey_.isIdle());
}

void ConfigurePage::changeEvent(QEvent* event) {
  // Not every file system reports changes, so check when the window becomes active again.
  if (event->type() == QEvent::ActivationChange && isActiveWindow()) document_.checkFile();
  QWidget::changeEvent(event);
}

void ConfigurePage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  surveyed_.clear();  // a run may have ended meanwhile, and been a measurement
  survey();
}

}  // namespace lockstep::app
