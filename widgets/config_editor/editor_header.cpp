#include "widgets/config_editor/editor_header.h"

#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>

#include "widgets/elided_label.h"
#include "widgets/literal_text.h"
#include "widgets/named_action.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {

EditorHeader::EditorHeader(QWidget* parent) : QWidget(parent) {
  buildUi();
  connect(undo_, &QToolButton::clicked, this, &EditorHeader::undoRequested);
  connect(redo_, &QToolButton::clicked, this, &EditorHeader::redoRequested);
  connect(save_, &QPushButton::clicked, this, &EditorHeader::saveRequested);
  connect(issues_, &QPushButton::clicked, this, &EditorHeader::issuesClicked);
  connect(compare_, &QPushButton::clicked, this, &EditorHeader::comparisonRequested);
}

void EditorHeader::buildUi() {
  name_ = new ElidedLabel(Qt::ElideMiddle);
  setRole(name_, "heading");
  files_ = new QToolButton;
  files_->setObjectName(QStringLiteral("openFiles"));
  files_->setPopupMode(QToolButton::InstantPopup);
  files_->setMenu(new QMenu(files_));
  files_->menu()->setToolTipsVisible(true);
  files_->setToolTip(tr("All open experiments"));
  setRole(files_, "quiet");
  files_->hide();
  edited_ = new QLabel;
  edited_->setFont(interfaceFont(12));
  setRole(edited_, "warning");
  edited_->hide();
  folder_ = new ElidedLabel(Qt::ElideMiddle);
  folder_->setFont(interfaceFont(12));
  folder_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  setRole(folder_, "faint");
  issues_ = new QPushButton;
  issues_->setToolTip(tr("Go to the first problem"));
  setRole(issues_, "quiet");
  compare_ = new QPushButton(tr("Compare…"));
  compare_->setObjectName(QStringLiteral("compare"));
  compare_->setToolTip(tr("Show the differences to a run or another file"));
  showKeysOf(compare_, "configure.compare");
  setRole(compare_, "quiet");
  undo_ = new QToolButton;
  undo_->setText(QStringLiteral("↶"));
  undo_->setToolTip(tr("Undo"));
  showKeysOf(undo_, "configure.undo");
  redo_ = new QToolButton;
  redo_->setText(QStringLiteral("↷"));
  redo_->setToolTip(tr("Redo"));
  showKeysOf(redo_, "configure.redo");
  for (QToolButton* button : {undo_, redo_}) {
    button->setAccessibleName(button->toolTip());
    setRole(button, "quiet");
  }
  save_ = new QPushButton(tr("Save"));
  showKeysOf(save_, "experiment.save");
  save_->setToolTip(tr("Save the experiment"));

  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(16, 8, 16, 8);
  row->setSpacing(8);
  row->addWidget(name_);
  row->addWidget(files_);
  row->addWidget(edited_);
  row->addWidget(folder_, 1);
  row->addWidget(issues_);
  row->addWidget(compare_);
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

void EditorHeader::setOpenFiles(const QList<OpenFile>& files, int shown) {
  files_->setVisible(files.size() > 1);
  if (files.size() < 2) return;
  const auto unsaved = std::ranges::count_if(files, &OpenFile::isUnsaved);
  files_->setText(unsaved > 0 ? tr("%1 open, %2 unsaved").arg(files.size()).arg(unsaved)
                              : tr("%1 open").arg(files.size()));
  QMenu* menu = files_->menu();
  menu->clear();
  for (int i = 0; i < files.size(); ++i) {
    QString text = literalText(files[i].name);
    if (files[i].isUnsaved) text += QStringLiteral("  ●");
    QAction* action = menu->addAction(text, this, [this, i] { Q_EMIT fileChosen(i); });
    action->setToolTip(QDir::toNativeSeparators(files[i].path));
    action->setCheckable(true);
    action->setChecked(i == shown);
  }
  menu->addSeparator();
  menu->addAction(tr("Close %1").arg(literalText(files[shown].name)), this,
                  &EditorHeader::closeRequested);
}

void EditorHeader::setModified(bool modified) {
  modified_ = modified;
  showMark();
}

void EditorHeader::setUnsaved(bool unsaved) {
  unsaved_ = unsaved;
  showMark();
}

void EditorHeader::setDiffersFromFile(bool differs) {
  differs_ = differs;
  showMark();
}

void EditorHeader::showMark() {
  const bool isEdited = modified_ || differs_;
  edited_->setText(!unsaved_  ? tr("● edited")
                   : isEdited ? tr("● not saved yet · edited")
                              : tr("● not saved yet"));
  edited_->setVisible(isEdited || unsaved_);
  save_->setEnabled(isEdited || unsaved_);
}

void EditorHeader::setIssues(int errors, int warnings) {
  QStringList counts;
  if (errors > 0) counts << tr("%n error(s)", "", errors);
  if (warnings > 0) counts << tr("%n warning(s)", "", warnings);
  issues_->setText((errors > 0 ? QStringLiteral("● ") : QStringLiteral("▲ ")) %
                   counts.join(QStringLiteral(", ")));
  issues_->setVisible(!counts.isEmpty());
  setRole(issues_, errors > 0 ? "danger" : "quiet");
}

void EditorHeader::setUndo(bool canUndo, bool canRedo) {
  undo_->setEnabled(canUndo);
  redo_->setEnabled(canRedo);
}

}  // namespace lockstep::widgets
