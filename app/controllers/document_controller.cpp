#include "app/controllers/document_controller.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "app/models/line_difference.h"
#include "engine/config/moved_paths.h"
#include "engine/run_folder/run_folder.h"
#include "engine/run_folder/source_files.h"

namespace lockstep::app {
namespace {

using Kind = DocumentNotice::Kind;

QString clean(const QString& path) { return QDir::cleanPath(QFileInfo(path).absoluteFilePath()); }

/// The run folder whose config.yaml this file is; empty: none.
QString runOfRecord(const QString& path) {
  const QFileInfo real(ExperimentFile::realPath(path));
  const bool isRecord = real.fileName() == QLatin1String("config.yaml") &&
                        run_folder::isRunFolder(real.absolutePath().toStdString());
  return isRecord ? real.absolutePath() : QString();
}

/// The person's own file as a new one in `folder`; nullopt: there is none, or it is not UTF-8.
std::optional<QString> ownFileOf(const QString& runFolder, const QString& folder) {
  const auto bytes =
      run_folder::editableCopy(run_folder::Layout(runFolder.toStdString()), folder.toStdString());
  if (!bytes) return std::nullopt;
  QString text = QString::fromStdString(*bytes);
  return text.toStdString() == *bytes ? std::optional(std::move(text)) : std::nullopt;
}

QString nameOf(const QString& path) { return QFileInfo(path).fileName(); }
QString folderOf(const QString& path) { return QFileInfo(path).absolutePath(); }

}  // namespace

DocumentController::DocumentController(std::function<QString()> text, DocumentQuestions* questions,
                                       const QString& draftFolder, QObject* parent)
    : QObject(parent),
      text_(std::move(text)),
      questions_(questions),
      draft_(draftFolder, [this] { return unsavedDraft(); }) {
  connect(&file_, &ExperimentFile::changed, this, &DocumentController::handleFileChange);
  connect(&draft_, &DocumentDraft::backupFailed, this,
          [this](const QString& reason) { showNotice(DocumentNotice::backupFailed(reason)); });
  connect(&draft_, &DocumentDraft::backupRecovered, this,
          [this] { clearNotice(Kind::BackupFailed); });
}

QString DocumentController::name() const { return nameOf(path_); }

bool DocumentController::hasFile() const {
  return file_.isAttached() && file_.state() != ExperimentFile::State::Gone;
}

bool DocumentController::isUnsaved() const {
  if (!hasDocument_) return false;
  if (!file_.isAttached()) return text_() != base_;
  return file_.state() != ExperimentFile::State::Same || text_() != file_.known();
}

QList<OpenDocument> DocumentController::documents() const {
  QList<OpenDocument> list;
  for (int i = 0; i < static_cast<int>(kept_.size()); ++i) {
    const Kept& kept = kept_[i];
    list.append(i == shown_ ? OpenDocument{path_, isUnsaved()}
                            : OpenDocument{kept.path, kept.text != kept.saved()});
  }
  return list;
}

/// Of the document with this file, shown or not; -1: it is not open.
int DocumentController::indexOf(const QString& path) const {
  const QString real = ExperimentFile::realPath(path);
  for (int i = 0; i < static_cast<int>(kept_.size()); ++i) {
    const bool isFile = i == shown_ ? file_.isAttached() : kept_[i].known.has_value();
    if (isFile && ExperimentFile::realPath(i == shown_ ? path_ : kept_[i].path) == real) return i;
  }
  return -1;
}

/// Before another document is shown.
void DocumentController::keepShown() {
  if (!hasDocument_) return;
  std::unique_ptr<DraftKeeper> draft = draft_.setAside();
  kept_[shown_] = {path_,        base_,
                   recordOfRun_, file_.isAttached() ? std::optional(file_.known()) : std::nullopt,
                   text_(),      std::move(draft)};
}

void DocumentController::showDocument(int index) {
  if (index < 0 || index >= static_cast<int>(kept_.size()) || index == shown_) return;
  keepShown();
  showKept(index);
}

void DocumentController::showKept(int index) {
  Kept kept = std::exchange(kept_[index], {});
  shown_ = index;
  show(kept.saved(), kept.path, kept.known.has_value(), kept.recordOfRun);
  base_ = kept.base;
  draft_.resume(std::move(kept.draft), kept.text);
  if (kept.text != kept.saved()) Q_EMIT textReplaced(kept.text);
  file_.check();
  Q_EMIT stateChanged();
}

bool DocumentController::open(const QString& path) {
  const QString file = clean(path);
  if (const QString run = runOfRecord(file); !run.isEmpty()) return openCopyOfRun(run);
  if (const int open = indexOf(file); open >= 0) {
    showDocument(open);
    checkFile();
    return true;
  }
  try {
    const QString text = ExperimentFile::read(file);
    keepShown();
    showNew(text, file, /*isFile=*/true, {});
  } catch (const std::exception& error) {
    Q_EMIT failed(tr("The experiment file cannot be opened"), QString::fromUtf8(error.what()));
    return false;
  }
  const QString real = ExperimentFile::realPath(file);
  for (const OrphanedDraft& left : draft_.folder().orphaned()) {
    if (left.draft.file != real) continue;
    restoreDraft(left);
    return true;
  }
  if (draft_.isEditedElsewhere(real)) showNotice(DocumentNotice::editedElsewhere(name()));
  return true;
}

bool DocumentController::openCopyOfRun(const QString& runFolder) {
  const QString record =
      QString::fromStdString(run_folder::Layout(runFolder.toStdString()).config().string());
  const QString folder = QDir::currentPath();
  try {
    const std::optional<QString> own = ownFileOf(runFolder, folder);
    const QString text = own ? *own : ExperimentFile::read(record);
    keepShown();
    showNew(text, folder + QLatin1Char('/') + nameOf(runFolder) + QStringLiteral(".yaml"),
            /*isFile=*/false, record);
    return true;
  } catch (const std::exception& error) {
    Q_EMIT failed(tr("The run's configuration cannot be opened"), QString::fromUtf8(error.what()));
    return false;
  }
}

void DocumentController::openText(const QString& text, const QString& path) {
  keepShown();
  showNew(text, path, /*isFile=*/false, {});
}

bool DocumentController::openDraft(const QString& id) {
  for (const OrphanedDraft& left : draft_.folder().orphaned()) {
    if (left.id != id) continue;
    const bool hasFile = !left.draft.file.isEmpty();
    const QString path = left.draft.shownPath.isEmpty() ? left.draft.file : left.draft.shownPath;
    const int open = hasFile ? indexOf(path) : -1;
    if (open >= 0 && !documents()[open].isUnsaved) {
      showDocument(open);
    } else {
      keepShown();
      showNew(left.draft.base, path, hasFile, {});
    }
    restoreDraft(left);
    return true;
  }
  Q_EMIT failed(tr("The unsaved edits cannot be opened"),
                tr("Another window has opened them, or their file has them by now."));
  return false;
}

void DocumentController::showNew(const QString& text, const QString& path, bool isFile,
                                 const QString& recordOfRun) {
  shown_ = static_cast<int>(kept_.size());
  kept_.emplace_back();
  show(text, path, isFile, recordOfRun);
}

/// After keepShown().
void DocumentController::show(const QString& text, const QString& path, bool isFile,
                              const QString& recordOfRun) {
  clearDocumentNotice();
  hasDocument_ = true;
  path_ = path;
  base_ = text;
  recordOfRun_ = recordOfRun;
  if (isFile) {
    file_.attach(path, text);
  } else {
    file_.detach();
  }
  Q_EMIT opened(text, path);
  Q_EMIT stateChanged();
}

/// Applies a draft to its document, which is open, as one edit.
void DocumentController::restoreDraft(const OrphanedDraft& left) {
  if (!draft_.take(left)) return;  // another window has taken it
  const QString onDisk = file_.isAttached() ? file_.known() : QString();
  if (file_.isAttached() && onDisk != left.draft.base) {
    // Saving must ask, because the edits began from another text than the file has now.
    file_.attach(path_, left.draft.base);
    Q_EMIT opened(left.draft.base, path_);
  }
  Q_EMIT textReplaced(left.draft.text);
  using Since = DocumentNotice::SinceDraft;
  const bool hasChanged = file_.check() != ExperimentFile::State::Same;
  const bool isGone = file_.isAttached() && file_.state() == ExperimentFile::State::Gone;
  const Since since = isGone ? Since::FileGone : hasChanged ? Since::FileChanged : Since::FileSame;
  showNotice(DocumentNotice::restored(name(), left.draft.edited, since,
                                      draft_.folder().orphaned().size()));
  Q_EMIT stateChanged();
}

void DocumentController::announceDrafts() {
  const QList<OrphanedDraft> left = draft_.folder().orphaned();
  if (left.isEmpty() || notice_.kind == Kind::Restored) return;
  const Draft& newest = left.front().draft;
  showNotice(DocumentNotice::draftsFound(nameOf(newest.shownPath), newest.edited, left.size() - 1));
}

bool DocumentController::close() {
  const int count = static_cast<int>(kept_.size()), first = shown_;
  for (int i = 0; i < count; ++i) {
    const int index = (first + i) % count;  // the shown one first
    if (!documents()[index].isUnsaved) continue;
    showDocument(index);
    if (!maybeSave()) return false;
  }
  draft_.drop();
  for (Kept& kept : kept_)
    if (kept.draft) std::exchange(kept.draft, nullptr)->drop();
  return true;
}

bool DocumentController::closeShown() {
  if (kept_.size() < 2 || !maybeSave()) return false;
  draft_.drop();
  kept_.erase(kept_.begin() + shown_);
  showKept(std::min(shown_, static_cast<int>(kept_.size()) - 1));
  return true;
}

/// Asks about unsaved edits. Discarded edits keep their draft until the document is closed.
bool DocumentController::maybeSave() {
  if (!isUnsaved()) return true;
  switch (questions_->beforeLeaving(name(), hasFile())) {
    case DocumentQuestions::Leaving::Save:
      return save();
    case DocumentQuestions::Leaving::Discard:
      return true;
    case DocumentQuestions::Leaving::Cancel:
      return false;
  }
  return false;
}

bool DocumentController::save() {
  if (!hasDocument_) return false;
  if (!file_.isAttached()) return saveAs();
  file_.check();
  while (isInConflict()) {
    const QString seen = file_.onDisk(), seenError = file_.readError();
    const auto answer = askBeforeOverwriting();
    if (answer == DocumentQuestions::Overwriting::Cancel) return false;
    if (answer == DocumentQuestions::Overwriting::SaveAs) return saveAs();
    file_.check();  // it may have changed during the question; the answer is about what was shown
    const bool isAsSeen = file_.onDisk() == seen && file_.readError() == seenError;
    if (answer == DocumentQuestions::Overwriting::Reload && (isAsSeen || !isInConflict())) {
      reloadInConflict();
      return false;  // the user looks at it first
    }
    if (isAsSeen) break;
  }
  return writeTo(path_, text_());
}

/// Reloads the file if it still differs and can be read; else reports why not.
void DocumentController::reloadInConflict() {
  const QString readError = file_.readError();
  if (isInConflict() && readError.isEmpty()) return reload(file_.onDisk());
  if (!isUnsaved()) return;  // it was reloaded in the meantime
  Q_EMIT failed(
      tr("The file was not reloaded"),
      !readError.isEmpty() ? readError
      : hasFile()
          ? tr("%1 is again as it was before your edits: save them, or undo them with Ctrl+Z")
                .arg(path_)
          : tr("%1 was deleted or moved in the meantime: Save writes it again").arg(path_));
}

/// At the last check the file differed from what was read of it and from what is shown.
bool DocumentController::isInConflict() const {
  if (file_.state() != ExperimentFile::State::Changed) return false;
  return !file_.readError().isEmpty() || file_.onDisk() != text_();
}

DocumentQuestions::Overwriting DocumentController::askBeforeOverwriting() {
  if (const QString why = file_.readError(); !why.isEmpty())
    return questions_->beforeOverwritingUnreadable(name(), why);
  return questions_->beforeOverwriting(name(), lineDifference(file_.onDisk(), text_()));
}

bool DocumentController::saveAs() {
  const QString chosen = questions_->askSavePath(path_);
  if (chosen.isEmpty()) return false;
  if (!runOfRecord(chosen).isEmpty()) {
    Q_EMIT failed(tr("The experiment was not saved"),
                  tr("%1 is the saved configuration of a run: choose another name").arg(chosen));
    return false;
  }
  const QString target = clean(chosen), folder = folderOf(path_);
  const config::MovedPaths moved = config::movePaths(text_().toStdString(), folder.toStdString(),
                                                     folderOf(target).toStdString());
  if (!writeTo(target, QString::fromStdString(moved.text))) return false;
  if (moved.keys.empty()) return true;
  QStringList keys;
  for (const std::string& key : moved.keys) keys << QString::fromStdString(key);
  showNotice(DocumentNotice::pathsMoved(name(), folder, keys));
  return true;
}

/// Writes the text and shows it, as one change that can be undone.
bool DocumentController::writeTo(const QString& path, const QString& text) {
  try {
    ExperimentFile::write(path, text);
  } catch (const std::exception& error) {
    Q_EMIT failed(tr("The experiment was not saved"), QString::fromUtf8(error.what()));
    return false;
  }
  if (text_() != text) Q_EMIT textReplaced(text);
  markSaved(path, text);
  return true;
}

/// From now on the document is this file with this text.
void DocumentController::markSaved(const QString& path, const QString& text) {
  path_ = path;
  base_ = text;
  recordOfRun_.clear();
  file_.attach(path, text);
  draft_.drop();
  clearDocumentNotice();
  Q_EMIT saved(path);
  Q_EMIT stateChanged();
}

QString DocumentController::fileToTrain() {
  if (!hasDocument_) return {};
  const QString seen = text_();
  file_.check();
  if (text_() != seen) return {};  // reloaded just now: the user has to see it first
  if (!isUnsaved()) return file_.isAttached() ? path_ : recordOfRun_;
  const QString copy = hasFile() ? file_.copyName() : QString();
  switch (questions_->beforeTraining(name(), copy)) {
    case DocumentQuestions::Training::Save:
      return save() ? path_ : QString();
    case DocumentQuestions::Training::Copy:
      return trainCopy();
    case DocumentQuestions::Training::Cancel:
      return {};
  }
  return {};
}

QString DocumentController::trainCopy() {
  const QString original = name(), text = text_();
  try {
    markSaved(file_.writeCopy(text), text);
  } catch (const std::exception& error) {
    Q_EMIT failed(tr("The copy was not written"), QString::fromUtf8(error.what()));
    return {};
  }
  showNotice(DocumentNotice::savedAsCopy(name(), original));
  return path_;
}

void DocumentController::keepDraft() { draft_.finish(); }

void DocumentController::markEdited() {
  draft_.markEdited();
  Q_EMIT stateChanged();
}

void DocumentController::checkFile() { file_.check(); }

/// The file changed on disk.
void DocumentController::handleFileChange() {
  clearDocumentNotice();
  const QString text = text_();
  const bool hasChanged = file_.state() == ExperimentFile::State::Changed;
  if (file_.state() == ExperimentFile::State::Gone) {
    showNotice(DocumentNotice::gone(name()));
  } else if (hasChanged && !file_.readError().isEmpty()) {
    showNotice(DocumentNotice::changedUnreadable(name(), file_.readError()));
  } else if (hasChanged && text == file_.onDisk()) {
    reload(text);
  } else if (hasChanged && text == file_.known()) {
    reload(file_.onDisk());
    showNotice(DocumentNotice::reloaded(name()));
  } else if (hasChanged) {
    showNotice(DocumentNotice::changedWhileEdited(name()));
  }
  draft_.update();
  Q_EMIT stateChanged();
}

/// Shows the file's text, as one change that can be undone.
void DocumentController::reload(const QString& text) {
  if (text_() != text) Q_EMIT textReplaced(text);
  markSaved(path_, text);
}

void DocumentController::acceptNotice() {
  switch (std::exchange(notice_, {}).kind) {
    case Kind::Restored:
      discardDraft();
      break;
    case Kind::ChangedOutside:
      if (file_.check() == ExperimentFile::State::Changed && file_.readError().isEmpty())
        reload(file_.onDisk());
      break;
    case Kind::DraftsFound:
      if (const QList<OrphanedDraft> left = draft_.folder().orphaned(); !left.isEmpty())
        openDraft(left.front().id);
      break;
    default:
      break;
  }
  Q_EMIT noticeChanged();
}

void DocumentController::dismissNotice() { clearNotice(notice_.kind); }

/// Restores the file's text, or that before the edits if there is no file.
void DocumentController::discardDraft() {
  const bool isOnDisk = file_.isAttached() && file_.check() != ExperimentFile::State::Gone &&
                        file_.readError().isEmpty();
  if (isOnDisk) return reload(file_.onDisk());
  Q_EMIT textReplaced(file_.isAttached() ? file_.known() : base_);
  draft_.update();
  Q_EMIT stateChanged();
}

std::optional<Draft> DocumentController::unsavedDraft() const {
  if (!isUnsaved()) return std::nullopt;
  const bool isFile = file_.isAttached();
  return Draft{isFile ? ExperimentFile::realPath(path_) : QString(), path_,
               isFile ? file_.known() : base_, text_(), QDateTime::currentDateTime()};
}

void DocumentController::showNotice(DocumentNotice notice) {
  notice_ = std::move(notice);
  Q_EMIT noticeChanged();
}

void DocumentController::clearNotice(Kind kind) {
  if (kind == Kind::None || notice_.kind != kind) return;
  notice_ = {};
  Q_EMIT noticeChanged();
}

/// Clears notices about the document; those about other drafts stay.
void DocumentController::clearDocumentNotice() {
  if (notice_.isOfDocument()) clearNotice(notice_.kind);
}

}  // namespace lockstep::app
