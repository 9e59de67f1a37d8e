#include "widgets/config_editor/path_editor.h"

#include <QAbstractItemView>
#include <QBoxLayout>
#include <QCompleter>
#include <QDir>
#include <QEvent>
#include <QFileDialog>
#include <QLineEdit>
#include <QStringListModel>
#include <QToolButton>

#include "engine/base/home_path.h"
#include "widgets/experiment/path_completion.h"
#include "widgets/icon.h"
#include "widgets/jobs/awaited.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {

PathEditor::PathEditor(const config::Field& field, std::function<QString()> folder, QWidget* parent)
    : LineEditor(field, parent),
      isFolder_(field.key.ends_with(".images")),
      folder_(std::move(folder)),
      search_([this](const QStringList& paths) { offer(paths); }, jobs::Kind::Disk) {
  browse_ = new QToolButton(this);
  browse_->setToolTip(isFolder_ ? tr("Choose a folder") : tr("Choose a file"));
  browse_->setAccessibleName(browse_->toolTip());
  setRole(browse_, "quiet");
  colourIcon();
  layout()->addWidget(browse_);
  connect(browse_, &QToolButton::clicked, this, [this] { browse(); });
  buildCompletion();
}

void PathEditor::buildCompletion() {
  paths_ = new QStringListModel(this);
  completer_ = new QCompleter(paths_, this);
  completer_->setCaseSensitivity(Qt::CaseSensitive);
  completer_->setWidget(line());
  connect(line(), &QLineEdit::textEdited, this, &PathEditor::findPaths);
  connect(completer_, qOverload<const QString&>(&QCompleter::activated), this,
          [this](const QString& path) {
            type(path);
            if (path.endsWith(QLatin1Char('/'))) findPaths();
          });
}

void PathEditor::findPaths() {
  search_.request([folder = folder_(), typed = line()->text(), foldersOnly = isFolder_] {
    return pathsBeginningWith(folder, typed, foldersOnly);
  });
}

/// Shows the paths unless the only one is already written, or the line was left since.
void PathEditor::offer(const QStringList& paths) {
  const QString typed = line()->text();
  const bool isWritten = paths == QStringList{typed};
  if (paths.isEmpty() || isWritten || !line()->hasFocus()) return completer_->popup()->hide();
  paths_->setStringList(paths);
  completer_->setCompletionPrefix(typed);
  completer_->complete();
}

void PathEditor::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange && browse_ != nullptr) colourIcon();
  LineEditor::changeEvent(event);
}

void PathEditor::colourIcon() {
  browse_->setIcon(icon(QStringLiteral("folder"), currentTheme().textMuted));
}

void PathEditor::browse() {
  const QDir folder(folder_());
  const std::string typed = line()->text().trimmed().toStdString();
  const QString start = jobs::folderToBeginWith(
      folder.absoluteFilePath(QString::fromStdString(base::expandHome(typed).value_or(typed))));
  const QString chosen = isFolder_
                             ? QFileDialog::getExistingDirectory(this, tr("Choose a folder"), start)
                             : QFileDialog::getOpenFileName(this, tr("Choose a file"), start);
  if (chosen.isEmpty()) return;
  const QString relative = folder.relativeFilePath(chosen);
  line()->setText(relative.startsWith(QStringLiteral("../..")) ? chosen : relative);
  commit();
}

}  // namespace lockstep::widgets
