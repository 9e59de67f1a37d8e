#include "app/main_window/configure_page.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QVBoxLayout>

#include "engine/base/atomic_file.h"
#include "engine/run_folder/run_folder.h"
#include "widgets/config_editor/config_editor.h"

namespace lockstep::app {

ConfigurePage::ConfigurePage(QWidget* parent) : QWidget(parent) {
  editor_ = new widgets::ConfigEditor;
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(editor_);
  connectSignals();
}

void ConfigurePage::connectSignals() {
  connect(editor_, &widgets::ConfigEditor::saveRequested, this, &ConfigurePage::save);
  connect(editor_, &widgets::ConfigEditor::openRequested, this, &ConfigurePage::openWithDialog);
  connect(editor_, &widgets::ConfigEditor::ready, this, &ConfigurePage::readyChanged);
  connect(editor_, &widgets::ConfigEditor::modifiedChanged, this, &ConfigurePage::documentChanged);
  connect(editor_, &widgets::ConfigEditor::faultsChanged, this, [this] {
    countImages();
    Q_EMIT documentChanged();
  });
  connect(&controller_, &ConfigController::opened, this,
          [this](const QString& text, const QString& path) {
            isCopy_ = false;
            editor_->setDocument(text, path);
            Q_EMIT documentChanged();
          });
  connect(&controller_, &ConfigController::saved, this, [this](const QString& path) {
    isCopy_ = false;
    editor_->setSaved(path);
    Q_EMIT documentChanged();
  });
  connect(&controller_, &ConfigController::imagesCounted, this, [this](qint64 train, qint64 val) {
    editor_->setImageCounts(train, val);
    Q_EMIT readyChanged();
  });
  connect(&controller_, &ConfigController::failed, this, &ConfigurePage::failed);
}

void ConfigurePage::countImages() {
  if (!editor_->hasDocument()) return;
  const config::DatasetConfig& dataset = editor_->loaded().experiment.dataset;
  controller_.countImages(QString::fromStdString(dataset.train.annotations),
                          QString::fromStdString(dataset.val.annotations));
}

bool ConfigurePage::open(const QString& path) { return controller_.open(path); }

void ConfigurePage::openWithDialog() {
  const QString start =
      filePath().isEmpty() ? QDir::currentPath() : QFileInfo(filePath()).absolutePath();
  const QString path = QFileDialog::getOpenFileName(this, tr("Open experiment"), start,
                                                    tr("Experiments (*.yaml *.yml)"));
  if (!path.isEmpty()) open(path);
}

void ConfigurePage::openCopyOfRun(const QString& runFolder) {
  const run_folder::Layout layout{runFolder.toStdString()};
  try {
    const QString text = QString::fromStdString(base::readFile(layout.config()));
    editor_->setDocument(text,
                         QDir(QDir::currentPath())
                             .filePath(QFileInfo(runFolder).fileName() + QStringLiteral(".yaml")));
    isCopy_ = true;
    Q_EMIT documentChanged();
  } catch (const std::exception& error) {
    Q_EMIT failed(tr("The run's configuration cannot be opened"), QString::fromUtf8(error.what()));
  }
}

bool ConfigurePage::save() {
  if (!editor_->hasDocument()) return false;
  QString path = editor_->filePath();
  if (isCopy_ || path.isEmpty())
    path =
        QFileDialog::getSaveFileName(this, tr("Save experiment"), path, tr("Experiments (*.yaml)"));
  return !path.isEmpty() && controller_.save(path, editor_->text());
}

QString ConfigurePage::saveForTraining() {
  if (!trainingBlockedBy().isEmpty()) return {};
  if ((editor_->isModified() || isCopy_) && !save()) return {};
  return editor_->filePath();
}

bool ConfigurePage::hasDocument() const { return editor_->hasDocument(); }
QString ConfigurePage::filePath() const {
  return editor_->hasDocument() ? editor_->filePath() : QString();
}

QString ConfigurePage::experimentName() const {
  if (!editor_->hasDocument()) return {};
  return QString::fromStdString(editor_->loaded().experiment.name);
}

QString ConfigurePage::trainingBlockedBy() const {
  if (!editor_->hasDocument()) return tr("Open an experiment first (Ctrl+O)");
  const int errors = editor_->errorCount();
  if (errors > 0) return tr("Mend %n fault(s) of the experiment first", nullptr, errors);
  return {};
}

bool ConfigurePage::isReady() const {
  return !editor_->hasDocument() || (editor_->isReady() && !controller_.isCounting());
}

}  // namespace lockstep::app
