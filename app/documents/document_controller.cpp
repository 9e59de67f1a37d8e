#include "app/documents/document_controller.h"

#include <QDir>
#include <QEventLoop>
#include <QFileInfo>
#include <QTimer>
#include <algorithm>
#include <chrono>
#include <utility>

#include "app/documents/line_difference.h"
#include "app/text/distinct_names.h"
#include "engine/base/error.h"
#include "engine/config/moved_paths.h"
#include "engine/run_folder/run_folder.h"
#include "engine/run_folder/source_files.h"

namespace lockstep::app {
namespace {

using Kind = DocumentNotice::Kind;

/// A frame of the window, and for how long the user's input is put off.
constexpr std::chrono::milliseconds kAnswerFrame{16}, kUnasked{300};

QString clean(const QString& path) { return QDir::cleanPath(QFileInfo(path).absoluteFilePath()); }

/// The run folder whose config.yaml this file is; empty: none. Blocks.
QString runOfRecord(const QString& path) {
  const QFileInfo real(ExperimentFile::realPath(path));
  const bool isRecord = real.fileName() == QLatin1String("config.yaml") &&
                        run_folder::isRunFolder(real.absolutePath().toStdString());
  return isRecord ? real.absolutePath() : QString();
}

QString nameOf(const QString& path) { return QFileInfo(path).fileName(); }
QString folderOf(const QString& path) { return QFileInfo(path).absolutePath(); }

QString recordFileOf(const QString& runFolder) {
  return QString::fromStdString(run_folder::Layout(runFolder.toStdString()).config().string());
}

/// The person's own file as a new one in `folder`, else config.yaml. Blocks. Throws Error.
QString editableTextOf(const QString& runFolder, const QString& folder) {
  const auto own =
      run_folder::editableCopy(run_folder::Layout(runFolder.toStdString()), folder.toStdString());
  if (const QString text = QString::fromStdString(own.value_or(""));
      own && text.toStdString() == *own)  // else it is not UTF-8
    return text;
  return ExperimentFile::read(recordFileOf(runFolder));
}

struct TextOfFile {
  QString text, real;
};

/// Blocks. Throws Error.
TextOfFile readWhole(const QString& path) {
  return {ExperimentFile::read(path), ExperimentFile::realPath(path)};
}

}  // namespace

DocumentController::DocumentController(std::function<QString()> text, DocumentQuestions* questions,
                                       const QString& draftFolder, QObject* parent)
    : QObject(parent),
      text_(std::move(text)),
      questions_(questions),
      draft_(draftFolder, [this] { return unsavedDraft(); }) {
  connect(&file_, &ExperimentFile::changed, this, &DocumentController::handleFileChange);
  connect(&file_, &ExperimentFile::overdue, this,
          [this] { showNotice(DocumentNotice::notAnswering(path_)); });
  connect(&file_, &ExperimentFile::answered, this, [this] { clearNotice(Kind::NotAnswering); });
  connect(&draft_, &DocumentDraft::backupFailed, this,
          [this](const QString& reason) { showNotice(DocumentNotice::backupFailed(reason)); });
  connect(&draft_, &DocumentDraft::backupRecovered, this,
          [this] { clearNotice(Kind::BackupFailed); });
}

bool DocumentController::hasFile() const {
  return file_.isAttached() && file_.state() != ExperimentFile::State::Gone;
}

bool DocumentController::isUnsaved() const {
  if (!hasDocument_) return false;
  if (!file_.isAttached()) return text_() != base_;
  return file_.state() != ExperimentFile::State::Same || text_() != file_.known();
}

/// For a moment, in which the user's input is put off; whether the end is reached.
bool DocumentController::waitUnasked(const jobs::Ending& answer) {
  if (answer.wait(kAnswerFrame)) return true;
  QEventLoop loop;
  answer.then(&loop, [&loop] { loop.quit(); });
  QTimer::singleShot(kUnasked, &loop, &QEventLoop::quit);
  loop.exec(QEventLoop::ExcludeUserInputEvents);
  return answer.isReached();
}

bool DocumentController::open(const QString& path) {
  return attempt(tr("The experiment file cannot be opened"),
                 [this, file = clean(path)] { return openFile(file); });
}

bool DocumentController::openFile(const QString& file) {
  if (const int open = indexOf(file, {}); open >= 0) {
    showAt(open);
    file_.check();
    return true;
  }
  const QString run = onDisk(file, [file] { return runOfRecord(file); });
  if (!run.isEmpty()) return openRecord(run);
  const TextOfFile content = onDisk(file, [file] { return readWhole(file); });
  if (const int open = indexOf(file, content.real); open >= 0) {
    showAt(open);
    return true;
  }
  keepShown();
  showNew(content.text, {file, content.real});
  findDrafts();
  return true;
}

bool DocumentController::openCopyOfRun(const QString& runFolder) {
  return attempt(tr("The run's configuration cannot be opened"),
                 [this, runFolder] { return openRecord(runFolder); });
}

bool DocumentController::openRecord(const QString& runFolder) {
  const QString record = recordFileOf(runFolder), folder = QDir::currentPath();
  const QString text =
      onDisk(record, [runFolder, folder] { return editableTextOf(runFolder, folder); });
  keepShown();
  const QString path = QDir(folder).filePath(nameOf(runFolder) + QStringLiteral(".yaml"));
  showNew(text, {unusedPath(path), {}, record});
  draft_.update();
  return true;
}

void DocumentController::openText(const QString& text, const QString& path) {
  if (isBusy_) return;
  keepShown();
  showNew(text, {unusedPath(path)});
  draft_.update();
}

QList<OpenDocument> DocumentController::documents() const {
  QList<OpenDocument> list;
  const QStringList all = names();
  for (int i = 0; i < static_cast<int>(kept_.size()); ++i) {
    const Kept& kept = kept_[i];
    list.append(i == shown_ ? OpenDocument{path_, all[i], isUnsaved(), hasFile()}
                            : OpenDocument{kept.place.path, all[i], kept.text != kept.saved(),
                                           !kept.place.real.isEmpty()});
  }
  return list;
}

/// Distinct names of the open documents.
QStringList DocumentController::names() const {
  QStringList paths;
  for (int i = 0; i < static_cast<int>(kept_.size()); ++i)
    paths.append(i == shown_ ? path_ : kept_[i].place.path);
  QStringList names = distinctNames(paths);
  for (qsizetype i = 0; i < names.size(); ++i)
    if (names[i] == kImportedExperiment)
      names[i].prepend(QFileInfo(paths[i]).absoluteDir().dirName() + u'/');
  return names;
}

/// Suggested path for a text without a file; no other open document has it.
QString DocumentController::unusedPath(const QString& path) const {
  const QList<OpenDocument> open = documents();
  const auto isUsed = [&open](const QString& own) {
    return std::ranges::find(open, own, &OpenDocument::path) != open.end();
  };
  QString unused = path;
  for (int number = 2; isUsed(unused); ++number) unused = ExperimentFile::numbered(path, number);
  return unused;
}

/// Of the document with this file, shown or not; -1: it is not open. `real` empty: not known yet.
int DocumentController::indexOf(const QString& path, const QString& real) const {
  for (int i = 0; i < static_cast<int>(kept_.size()); ++i) {
    const bool isShown = i == shown_;
    const QString& ownPath = isShown ? path_ : kept_[i].place.path;
    const QString ownReal = isShown ? file_.real() : kept_[i].place.real;
    if (!ownReal.isEmpty() && (ownPath == path || ownReal == real)) return i;
  }
  return -1;
}

/// Before another document is shown.
void DocumentController::keepShown() {
  if (!hasDocument_) return;
  std::unique_ptr<DraftKeeper> draft = draft_.setAside();
  const bool isFile = file_.isAttached();
  kept_[shown_] = {{path_, isFile ? file_.real() : QString(), recordOfRun_},
                   base_,
                   isFile ? std::optional(file_.known()) : std::nullopt,
                   text_(),
                   std::move(draft),
                   notice_.kind == Kind::Restored ? notice_ : DocumentNotice()};
}

void DocumentController::showDocument(int index) {
  if (!isBusy_) showAt(index);
}

void DocumentController::showAt(int index) {
  if (index < 0 || index >= static_cast<int>(kept_.size()) || index == shown_) return;
  keepShown();
  showKept(index);
}

void DocumentController::showKept(int index) {
  Kept kept = std::exchange(kept_[index], {});
  shown_ = index;
  show(kept.saved(), kept.place);
  base_ = kept.base;
  draft_.resume(std::move(kept.draft), kept.text);
  if (kept.text != kept.saved()) Q_EMIT textReplaced(kept.text);
  draft_.update();
  if (kept.notice.kind == Kind::Restored && isUnsaved()) showNotice(kept.notice);
  file_.check();
  Q_EMIT stateChanged();
}

void DocumentController::showNew(const QString& text, const Place& place) {
  shown_ = static_cast<int>(kept_.size());
  kept_.emplace_back();
  show(text, place);
}

/// After keepShown().
void DocumentController::show(const QString& text, const Place& place) {
  clearDocumentNotice();
  hasDocument_ = true;
  path_ = place.path;
  base_ = text;
  recordOfRun_ = place.recordOfRun;
  if (place.real.isEmpty()) {
    file_.detach();
  } else {
    file_.attach(place.path, place.real, text);
  }
  Q_EMIT opened(text, place.path);
  Q_EMIT stateChanged();
}

/// Reads the file.
ExperimentFile::State DocumentController::look() {
  if (!file_.isAttached()) return ExperimentFile::State::Same;
  return file_.apply(onDisk(path_, file_.look()));
}

bool DocumentController::save() {
  return attempt(tr("The experiment was not saved"), [this] { return saveNow(); });
}

bool DocumentController::saveNow() {
  if (!hasDocument_) return false;
  if (!file_.isAttached()) return saveAsNow();
  look();
  while (isInConflict()) {
    const QString seen = file_.onDisk(), seenError = file_.readError();
    const auto answer = askBeforeOverwriting();
    if (answer == DocumentQuestions::Overwriting::Cancel) return false;
    if (answer == DocumentQuestions::Overwriting::SaveAs) return saveAsNow();
    look();  // it may have changed during the question; the answer is about what was shown
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
  return attempt(tr("The experiment was not saved"), [this] { return saveAsNow(); });
}

bool DocumentController::saveAsNow() {
  const QString chosen = questions_->askSavePath(path_);
  if (chosen.isEmpty()) return false;
  if (!onDisk(chosen, [chosen] { return runOfRecord(chosen); }).isEmpty())
    throw Error(tr("%1 is the saved configuration of a run: choose another name")
                    .arg(chosen)
                    .toStdString());
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

/// Writes the text and shows it, as one change that can be undone. Throws Error.
bool DocumentController::writeTo(const QString& path, const QString& text) {
  const QString real = onDisk(path, [path, text] {
    ExperimentFile::write(path, text);
    return ExperimentFile::realPath(path);
  });
  if (text_() != text) Q_EMIT textReplaced(text);
  markSaved(path, real, text);
  return true;
}

/// From now on the document is this file with this text.
void DocumentController::markSaved(const QString& path, const QString& real, const QString& text) {
  path_ = path;
  base_ = text;
  recordOfRun_.clear();
  file_.attach(path, real, text);
  draft_.drop();
  clearDocumentNotice();
  Q_EMIT saved(path);
  Q_EMIT stateChanged();
}

QString DocumentController::fileToTrain() {
  QString file;
  attempt(tr("The experiment cannot be trained"), [this, &file] {
    file = fileToTrainNow();
    return true;
  });
  return file;
}

QString DocumentController::fileToTrainNow() {
  if (!hasDocument_) return {};
  const QString seen = text_();
  look();
  if (text_() != seen) return {};  // reloaded just now: the user has to see it first
  if (!isUnsaved() && file_.isAttached()) return path_;
  if (!isUnsaved() && !recordOfRun_.isEmpty()) return recordOfRun_;
  QString copy;
  if (hasFile()) copy = onDisk(path_, [path = path_] { return ExperimentFile::copyName(path); });
  switch (questions_->beforeTraining(name(), copy)) {
    case DocumentQuestions::Training::Save:
      return report(tr("The experiment was not saved"), [this] { return saveNow(); }) ? path_
                                                                                      : QString();
    case DocumentQuestions::Training::Copy:
      return trainCopy();
    case DocumentQuestions::Training::Cancel:
      return {};
  }
  return {};
}

QString DocumentController::trainCopy() {
  const QString original = name(), text = text_();
  const auto write = [path = path_, text]() -> std::pair<QString, QString> {
    const QString copy = ExperimentFile::writeCopy(path, text);
    return {copy, ExperimentFile::realPath(copy)};
  };
  const auto [copy, real] = onDisk(path_, write);
  markSaved(copy, real, text);
  showNotice(DocumentNotice::savedAsCopy(name(), original));
  return path_;
}

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
  markSaved(path_, file_.real(), text);
}

void DocumentController::acceptNotice() {
  if (isBusy_) return;
  const Kind kind = std::exchange(notice_, {}).kind;
  if (kind == Kind::DraftsFound) {
    QString newest;
    attempt(tr("The unsaved edits cannot be opened"), [this, &newest] {
      const QList<OrphanedDraft> left = orphanedDrafts();
      if (!left.isEmpty()) newest = left.front().id;
      return true;
    });
    if (!newest.isEmpty()) openDraft(newest);
  } else {
    attempt(tr("The file was not reloaded"), [this, kind] {
      acceptNow(kind);
      return true;
    });
  }
  Q_EMIT noticeChanged();
}

void DocumentController::acceptNow(Kind kind) {
  if (kind == Kind::Restored) discardDraft();
  if (kind == Kind::ChangedOutside && look() == ExperimentFile::State::Changed &&
      file_.readError().isEmpty())
    reload(file_.onDisk());
}

void DocumentController::dismissNotice() { clearNotice(notice_.kind); }

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
