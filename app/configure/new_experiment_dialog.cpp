#include "app/configure/new_experiment_dialog.h"

#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/elided_label.h"
#include "widgets/empty_state.h"
#include "widgets/jobs/awaited.h"
#include "widgets/literal_text.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

constexpr QSize kSize(760, 470);
constexpr int kOriginsPx = 170, kOriginPx = 30;
constexpr int kPathRole = Qt::UserRole;

QListWidgetItem* addItem(QListWidget* list, const QString& name, const QString& detail,
                         const QString& path) {
  auto* item = new QListWidgetItem(
      detail.isEmpty() ? name : QStringLiteral("%1\n%2").arg(name, detail), list);
  item->setData(kPathRole, path);
  item->setToolTip(path);
  return item;
}

QString currentPath(const QListWidget* list) {
  return list->currentItem() ? list->currentItem()->data(kPathRole).toString() : QString();
}

}  // namespace

QString workFolder() {
  const QString here = QDir::currentPath();
  return QFileInfo(here).isWritable() ? here : QDir::homePath();
}

QString freePath(const QString& folder, const QString& name) {
  QString path = QDir(folder).filePath(name);
  for (int next = 2; QFileInfo::exists(path); ++next)
    path = QDir(folder).filePath(QStringLiteral("%1-%2").arg(name).arg(next));
  return path;
}

NewExperimentDialog::NewExperimentDialog(QWidget* parent, const QString& program)
    : QDialog(parent),
      preparation_(program),
      lookForSource_([this](const SeenPath& seen) { showWhetherThere(seen); }, jobs::Kind::Disk) {
  setObjectName(QStringLiteral("newExperiment"));
  setWindowTitle(tr("New experiment"));
  setAttribute(Qt::WA_DeleteOnClose);
  widgets::setRole(this, "panel");
  resize(kSize);
  buildUi();
  connectSignals();
  choose(ExperimentOrigin::Data);
  updateButtons();
}

void NewExperimentDialog::buildUi() {
  origins_ = new QListWidget;
  origins_->setObjectName(QStringLiteral("origins"));
  origins_->setAccessibleName(tr("Start from"));
  origins_->addItems({tr("A folder of data"), tr("A template"), tr("A run"), tr("Synthetic data")});
  origins_->setFixedWidth(widgets::scaledPx(kOriginsPx));
  for (int i = 0; i < origins_->count(); ++i)
    origins_->item(i)->setSizeHint({0, widgets::scaledPx(kOriginPx)});
  pages_ = new QStackedWidget;
  pages_->addWidget(buildDataPage());
  pages_->addWidget(buildTemplatePage());
  pages_->addWidget(buildRunPage());
  pages_->addWidget(buildScenesPage());
  pages_->addWidget(buildFindingsPage());
  auto* row = new QHBoxLayout;
  row->setSpacing(0);
  row->addWidget(origins_);
  row->addWidget(pages_, 1);
  reason_ = new QLabel;
  reason_->setObjectName(QStringLiteral("reason"));
  reason_->setWordWrap(true);
  reason_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  widgets::setRole(reason_, "error");
  reason_->hide();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 14, 16, 14);
  column->setSpacing(12);
  column->addLayout(row, 1);
  column->addWidget(reason_);
  column->addLayout(buildFoot());
}

QLayout* NewExperimentDialog::buildFoot() {
  stage_ = new widgets::ElidedLabel(Qt::ElideRight);
  stage_->setObjectName(QStringLiteral("stage"));
  widgets::setRole(stage_, "muted");
  stage_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  progress_ = new QProgressBar;
  progress_->setTextVisible(false);
  progress_->setFixedWidth(120);
  progress_->setAccessibleName(tr("Progress"));
  back_ = new QPushButton(tr("Back"));
  clean_ = new QPushButton(tr("Clean the annotations"));
  clean_->setObjectName(QStringLiteral("clean"));
  clean_->setToolTip(
      tr("Writes annotations without these errors to a new folder, and an experiment that uses "
         "them"));
  cancel_ = new QPushButton(tr("Cancel"));
  cancel_->setObjectName(QStringLiteral("cancel"));
  go_ = new QPushButton;
  go_->setObjectName(QStringLiteral("go"));
  go_->setDefault(true);
  widgets::setRole(go_, "primary");
  for (QPushButton* button : {back_, clean_, cancel_}) button->setAutoDefault(false);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(progress_);
  row->addWidget(stage_, 1);
  row->addWidget(back_);
  row->addWidget(clean_);
  row->addWidget(cancel_);
  row->addWidget(go_);
  return row;
}

void NewExperimentDialog::connectSignals() {
  connect(origins_, &QListWidget::currentRowChanged, this, [this](int row) {
    pages_->setCurrentIndex(row);
    stage_->setText({});
    reason_->hide();
    updateButtons();
  });
  for (QLineEdit* edit : {source_, importTo_, scenesTo_, trainImages_, valImages_})
    connect(edit, &QLineEdit::textChanged, this, [this, edit] {
      edit->setProperty("invalid", !edit->hasAcceptableInput());
      edit->update();
      reason_->hide();
      updateButtons();
    });
  connect(source_, &QLineEdit::textChanged, this, [this](const QString& folder) {
    const QString name = QFileInfo(QDir::cleanPath(folder)).fileName();
    if (!importTo_->isModified() && !name.isEmpty())
      importTo_->setText(freePath(workFolder(), name + QStringLiteral("-lockstep")));
  });
  connect(source_, &QLineEdit::textChanged, this, [this](const QString& typed) {
    const QString path = typed.trimmed();
    if (!path.isEmpty())
      lookForSource_.request([path] { return SeenPath{path, QFileInfo::exists(path)}; });
  });
  for (QListWidget* list : {templateList_, runList_}) {
    connect(list, &QListWidget::currentRowChanged, this, &NewExperimentDialog::updateButtons);
    connect(list, &QListWidget::itemActivated, this, &NewExperimentDialog::go);
  }
  for (widgets::EmptyState* empty : {noTemplates_, noRuns_})
    connect(empty, &widgets::EmptyState::actionTriggered, this,
            [this] { choose(ExperimentOrigin::Data); });
  connect(go_, &QPushButton::clicked, this, &NewExperimentDialog::go);
  connect(clean_, &QPushButton::clicked, this, &NewExperimentDialog::clean);
  connect(back_, &QPushButton::clicked, this, [this] {
    experiment_.clear();
    choose(origin());
  });
  connect(cancel_, &QPushButton::clicked, this, [this] {
    if (!isBusy()) return reject();
    preparation_.cancel();
    showProgress(tr("Cancelling"), {});
  });
  connect(&preparation_, &DatasetPreparation::progressed, this, &NewExperimentDialog::showProgress);
  connect(&preparation_, &DatasetPreparation::finished, this, &NewExperimentDialog::showFindings);
  connect(&preparation_, &DatasetPreparation::failed, this, &NewExperimentDialog::showFailure);
  connect(&preparation_, &DatasetPreparation::cancelled, this,
          [this] { showFailure(tr("Cancelled")); });
}

void NewExperimentDialog::setRuns(const QList<RunChoice>& runs) {
  runList_->clear();
  for (const RunChoice& run : runs) addItem(runList_, run.name, run.detail, run.folder);
  runList_->setCurrentRow(runs.isEmpty() ? -1 : 0);
  showWhether(runs.isEmpty(), noRuns_, runList_);
  updateButtons();
}

void NewExperimentDialog::setTemplates(const QList<ExperimentTemplate>& templates) {
  templates_ = templates;
  templateList_->clear();
  for (const ExperimentTemplate& each : templates)
    addItem(templateList_, each.name, each.description, each.path);
  templateList_->setCurrentRow(templates.isEmpty() ? -1 : 0);
  showWhether(templates.isEmpty(), noTemplates_, templateList_);
  updateButtons();
}

/// What a page says instead of an empty list.
void NewExperimentDialog::showWhether(bool isEmpty, QWidget* instead, QWidget* list) {
  instead->setVisible(isEmpty);
  list->setVisible(!isEmpty);
}

void NewExperimentDialog::choose(ExperimentOrigin origin) {
  if (showsFindings()) return;
  origins_->setCurrentRow(static_cast<int>(origin));
  pages_->setCurrentIndex(static_cast<int>(origin));
  stage_->setText({});
  updateButtons();
  QWidget* const first[] = {source_, templateList_, runList_, trainImages_};
  first[static_cast<int>(origin)]->setFocus();
}

ExperimentOrigin NewExperimentDialog::origin() const {
  return static_cast<ExperimentOrigin>(origins_->currentRow());
}

void NewExperimentDialog::setDataFolder(const QString& folder) { source_->setText(folder); }

bool NewExperimentDialog::showsFindings() const { return !experiment_.isEmpty(); }

bool NewExperimentDialog::hasAllThat(ExperimentOrigin needed) const {
  switch (needed) {
    case ExperimentOrigin::Data:
      return !source_->text().isEmpty() && !importTo_->text().isEmpty();
    case ExperimentOrigin::Template:
      return templateList_->currentItem() != nullptr;
    case ExperimentOrigin::Run:
      return runList_->currentItem() != nullptr;
    case ExperimentOrigin::Scenes:
      return !scenesTo_->text().isEmpty() && trainImages_->hasAcceptableInput() &&
             valImages_->hasAcceptableInput();
  }
  return false;
}

void NewExperimentDialog::setBlocked(const QString& why) {
  blockedBy_ = why;
  updateButtons();
}

void NewExperimentDialog::updateButtons() {
  const bool isBusy = this->isBusy();
  const bool isReady = hasAllThat(origin());
  const bool needsWorker = !showsFindings() && (origin() == ExperimentOrigin::Data ||
                                                origin() == ExperimentOrigin::Scenes);
  go_->setText(showsFindings()                          ? tr("Open experiment")
               : origin() == ExperimentOrigin::Data     ? tr("Import and check")
               : origin() == ExperimentOrigin::Scenes   ? tr("Generate")
               : origin() == ExperimentOrigin::Template ? tr("Use template")
                                                        : tr("Copy"));
  go_->setEnabled(!isBusy && isReady && (!needsWorker || blockedBy_.isEmpty()));
  go_->setToolTip(needsWorker ? blockedBy_ : QString());
  back_->setVisible(showsFindings() && !isBusy);
  clean_->setVisible(showsFindings() && hasFaults_ && !isBusy);
  progress_->setVisible(isBusy);
  origins_->setEnabled(!isBusy && !showsFindings());
  pages_->setEnabled(!isBusy);
}

void NewExperimentDialog::go() {
  if (!go_->isEnabled()) return;
  if (showsFindings()) {
    Q_EMIT experimentReady(experiment_, origin());
    return accept();
  }
  switch (origin()) {
    case ExperimentOrigin::Data:
    case ExperimentOrigin::Scenes:
      return startPreparation();
    case ExperimentOrigin::Template:
      return openTemplate();
    case ExperimentOrigin::Run:
      Q_EMIT runChosen(currentPath(runList_));
      return accept();
  }
}

void NewExperimentDialog::startPreparation() {
  const auto absolute = [](const QLineEdit* edit) {
    return QDir::cleanPath(QFileInfo(edit->text().trimmed()).absoluteFilePath());
  };
  if (origin() == ExperimentOrigin::Data) {
    preparation_.import(absolute(source_), absolute(importTo_), format_->currentData().toString());
  } else {
    preparation_.makeScenes(absolute(scenesTo_), trainImages_->text().toInt(),
                            valImages_->text().toInt());
  }
  updateButtons();
}

void NewExperimentDialog::clean() {
  const QFileInfo folder(QFileInfo(experiment_).absolutePath());
  preparation_.clean(experiment_,
                     freePath(folder.path(), folder.fileName() + QStringLiteral("-cleaned")));
  updateButtons();
}

void NewExperimentDialog::openTemplate() {
  for (const ExperimentTemplate& each : templates_) {
    if (each.path != currentPath(templateList_)) continue;
    const QString folder = workFolder();
    Q_EMIT textReady(textFromTemplate(each, folder),
                     QDir(folder).filePath(each.name + QStringLiteral("_first.yaml")));
    return accept();
  }
}

void NewExperimentDialog::showProgress(const QString& stage, const QString& line) {
  // Such as `[worker] reading 3/72`.
  static const QRegularExpression counts(QStringLiteral("(\\d+)/(\\d+)$"));
  const auto found = counts.match(line);
  progress_->setRange(0, found.hasMatch() ? found.captured(2).toInt() : 1);
  progress_->setValue(found.captured(1).toInt());
  reason_->hide();
  stage_->setText(line.isEmpty() ? stage + QStringLiteral("…")
                                 : QStringLiteral("%1: %2").arg(stage, line));
}

void NewExperimentDialog::showFindings(const QString& file, const DatasetFindings& findings) {
  experiment_ = file;
  hasFaults_ = findings.faults > 0;
  QStringList parts{tr("%n error(s)", "", findings.faults),
                    tr("%n warning(s)", "", findings.notes)};
  if (findings.importErrors > 0) parts << tr("%n import error(s)", "", findings.importErrors);
  if (findings.importWarnings > 0) parts << tr("%n import warning(s)", "", findings.importWarnings);
  const QString counts = parts.join(QStringLiteral(", "));
  findingsTitle_->setText(findings.isUsable
                              ? tr("The data can be used for training: %1").arg(counts)
                              : tr("The data cannot be used for training: %1").arg(counts));
  widgets::setRole(findingsTitle_, findings.isUsable ? "" : "error");
  findings_->setPlainText(findings.text);
  pages_->setCurrentWidget(findings_->parentWidget());
  reason_->hide();
  stage_->setText(file);
  updateButtons();
  go_->setFocus();
}

/// While the path is typed.
void NewExperimentDialog::showWhetherThere(const SeenPath& seen) {
  if (isBusy() || seen.isThere || seen.path != source_->text().trimmed()) return;
  source_->setProperty("invalid", true);
  source_->update();
  reason_->setText(tr("%1 does not exist").arg(seen.path));
  reason_->show();
}

void NewExperimentDialog::showFailure(const QString& reason) {
  stage_->setText({});
  reason_->setText(widgets::inertText(reason.section(u'\n', -1)));
  reason_->setToolTip(reason);
  reason_->show();
  // What was begun may have left a folder.
  if (showsFindings()) return updateButtons();
  QLineEdit* to = origin() == ExperimentOrigin::Data ? importTo_ : scenesTo_;
  if (const QFileInfo begun(to->text()); !to->isModified() && begun.exists())
    to->setText(freePath(begun.path(), begun.fileName()));
  updateButtons();
}

/// Closing it ends what it is doing.
void NewExperimentDialog::done(int result) {
  if (isBusy()) preparation_.cancel();
  QDialog::done(result);
}

}  // namespace lockstep::app
