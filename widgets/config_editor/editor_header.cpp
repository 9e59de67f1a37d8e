#include "widgets/config_editor/editor_header.h"

#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include "widgets/elided_label.h"
#include "widgets/theme.h"

namespace lockstep::widgets {

EditorHeader::EditorHeader(QWidget* parent) : QWidget(parent) {
  buildUi();
  connect(undo_, &QToolButton::clicked, this, &EditorHeader::undoRequested);
  connect(redo_, &QToolButton::clicked, this, &EditorHeader::redoRequested);
  connect(save_, &QPushButton::clicked, this, &EditorHeader::saveRequested);
  connect(faults_, &QPushButton::clicked, this, &EditorHeader::faultsClicked);
}

void EditorHeader::buildUi() {
  name_ = new ElidedLabel(Qt::ElideMiddle);
  setRole(name_, "heading");
  edited_ = new QLabel;
  edited_->setFont(interfaceFont(12));
  setRole(edited_, "warning");
  edited_->hide();
  folder_ = new ElidedLabel(Qt::ElideMiddle);
  folder_->setFont(interfaceFont(12));
  folder_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  setRole(folder_, "faint");
  faults_ = new QPushButton;
  faults_->setToolTip(tr("Go to the first problem"));
  setRole(faults_, "quiet");
  undo_ = new QToolButton;
  undo_->setText(QStringLiteral("↶"));
  undo_->setToolTip(tr("Undo (Ctrl+Z)"));
  redo_ = new QToolButton;
  redo_->setText(QStringLiteral("↷"));
  redo_->setToolTip(tr("Redo (Ctrl+Shift+Z)"));
  for (QToolButton* button : {undo_, redo_}) {
    button->setAccessibleName(button->toolTip());
    setRole(button, "quiet");
  }
  save_ = new QPushButton(tr("Save"));
  save_->setToolTip(tr("Save the experiment (Ctrl+S)"));

  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(16, 8, 16, 8);
  row->setSpacing(8);
  row->addWidget(name_);
  row->addWidget(edited_);
  row->addWidget(folder_, 1);
  row->addWidget(faults_);
  row->addWidget(undo_);
  row->addWidget(redo_);
  row->addWidget(save_);
}

void EditorHeader::setFile(const QString& filePath) {
  const QFileInfo info(filePath);
  name_->setText(filePath.isEmpty() ? tr("Unsaved experiment") : info.fileName());
  folder_->setText(filePath.isEmpty() ? QString() : QDir::toNativeSeparators(info.path()));
  folder_->setToolTip(filePath);
}

void EditorHeader::setModified(bool modified) {
  modified_ = modified;
  showMark();
}

void EditorHeader::setUnsaved(bool unsaved) {
  unsaved_ = unsaved;
  showMark();
}

void EditorHeader::showMark() {
  edited_->setText(!unsaved_   ? tr("● edited")
                   : modified_ ? tr("● not saved yet · edited")
                               : tr("● not saved yet"));
  edited_->setVisible(modified_ || unsaved_);
  save_->setEnabled(modified_ || unsaved_);
}

void EditorHeader::setFaults(int errors, int warnings) {
  QStringList parts;
  if (errors > 0)
    parts << tr("%1 error%2").arg(errors).arg(errors == 1 ? QString() : QStringLiteral("s"));
  if (warnings > 0)
    parts << tr("%1 warning%2").arg(warnings).arg(warnings == 1 ? QString() : QStringLiteral("s"));
  faults_->setText((errors > 0 ? QStringLiteral("● ") : QStringLiteral("▲ ")) %
                   parts.join(QStringLiteral(", ")));
  faults_->setVisible(!parts.isEmpty());
  setRole(faults_, errors > 0 ? "danger" : "quiet");
}

void EditorHeader::setUndo(bool canUndo, bool canRedo) {
  undo_->setEnabled(canUndo);
  redo_->setEnabled(canRedo);
}

}  // namespace lockstep::widgets
