#include "app/controllers/document_controller.h"

#include <QDir>
#include <QFileInfo>
#include <QLocale>
#include <QTimer>
#include <chrono>
#include <utility>

#include "app/controllers/draft_keeper.h"
#include "app/models/line_difference.h"
#include "engine/base/error.h"
#include "engine/config/moved_paths.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::app {
namespace {

using Kind = DocumentNotice::Kind;

/// A draft is written at the first edit and then at most so often.
constexpr std::chrono::milliseconds kDraftPause{200};

QString clean(const QString& path) { return QDir::cleanPath(QFileInfo(path).absoluteFilePath()); }

/// The run whose record (config.yaml) this file is; empty: of none.
QString runOfRecord(const QString& path) {
  const QFileInfo real(ExperimentFile::realPath(path));
  const bool isRecord = real.fileName() == QLatin1String("config.yaml") &&
                        run_folder::isRunFolder(real.absolutePath().toStdString());
  return isRecord ? real.absolutePath() : QString();
}

QString timeText(const QDateTime& time) {
  return QLocale(QLocale::English).toString(time.toLocalTime(), QStringLiteral("d MMM, HH:mm"));
}

QString nameOf(const QString& path) { return QFileInfo(path).fileName(); }
QString folderOf(const QString& path) { return QFileInfo(path).absolutePath(); }

}  // namespace

DocumentController::DocumentController(std::function<QString()> text, DocumentQuestions* questions,
                                       const QString& draftFolder, QObject* parent)
    : QObject(parent),
      text_(std::move(text)),
      questions_(questions),
      drafts_(draftFolder),
      draftPause_(new QTimer(this)) {
  draftPause_->setSingleShot(true);
  draftPause_->setInterval(kDraftPause);
  connect(draftPause_, &QTimer::timeout, this, [this] {
    if (std::exchange(isDraftDue_, false)) updateDraft();
  });
  connect(&file_, &ExperimentFile::changed, this, &DocumentController::takeFileChange);
}

DocumentController::~DocumentController() {
  if (isDraftDue_) updateDraft();
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

bool DocumentController::open(const QString& path) {
  const QString file = clean(path);
  if (const QString run = runOfRecord(file); !run.isEmpty()) return openCopyOfRun(run);
  try {
    ExperimentFile::read(
        file);  // before anything is asked: a file that cannot be opened asks nothing
    if (!mayLeave()) return false;
    show(ExperimentFile::read(file), file, /*isFile=*/true, {});
  } catch (const std::exception& error) {
    Q_EMIT failed(tr("The experiment file cannot be opened"), QString::fromUtf8(error.what()));
    return false;
  }
  const QString real = ExperimentFile::realPath(file);
  for (const LeftDraft& left : drafts_.left()) {
    if (left.draft.file != real) continue;
    bringBack(left);
    return true;
  }
  if (drafts_.isEditedElsewhere(real, keeper_.get()))
    tell({Kind::EditedElsewhere, tr("Another window has unsaved edits of %1").arg(name()),
          tr("They are not shown here. Whoever saves second is asked.")});
  return true;
}

bool DocumentController::openCopyOfRun(const QString& runFolder) {
  const QString record =
      QString::fromStdString(run_folder::Layout(runFolder.toStdString()).config().string());
  try {
    const QString text = ExperimentFile::read(record);
    if (!mayLeave()) return false;
    show(text, QDir::current().filePath(nameOf(runFolder) + QStringLiteral(".yaml")),
         /*isFile=*/false, record);
    return true;
  } catch (const std::exception& error) {
    Q_EMIT failed(tr("The run's configuration cannot be opened"), QString::fromUtf8(error.what()));
    return false;
  }
}

bool DocumentController::openDraft(const QString& id) {
  for (const LeftDraft& left : drafts_.left()) {
    if (left.id != id) continue;
    if (!mayLeave()) return false;
    const QString path = left.draft.proposal.isEmpty() ? left.draft.file : left.draft.proposal;
    show(left.draft.base, path, !left.draft.file.isEmpty(), {});
    bringBack(left);
    return true;
  }
  Q_EMIT failed(tr("The unsaved edits cannot be opened"),
                tr("Another window has opened them, or their file has them by now."));
  return false;
}

void DocumentController::show(const QString& text, const QString& path, bool isFile,
                              const QString& recordOfRun) {
  forgetDocumentNotice();
  // Of the document before: it was saved, given up, or never edited.
  dropDraft();
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

/// Puts a draft over the document it is of, as one edit.
void DocumentController::bringBack(const LeftDraft& left) {
  keeper_ = drafts_.take(left.id);
  if (!keeper_) return;  // another window was quicker
  connectKeeper();
  draftText_ = left.draft.text;
  const QString onDisk = file_.isAttached() ? file_.known() : QString();
  if (file_.isAttached() && onDisk != left.draft.base) {
    // Saving must ask: the edits did not begin from what the file holds now.
    file_.attach(path_, left.draft.base);
    Q_EMIT opened(left.draft.base, path_);
  }
  Q_EMIT textReplaced(left.draft.text);
  const bool hasChanged = file_.look() != ExperimentFile::State::Same;
  QStringList detail{tr("From %1.").arg(timeText(left.draft.edited))};
  if (file_.isAttached() && file_.state() == ExperimentFile::State::Gone)
    detail << tr("The file is no longer there; Save writes it again.");
  else if (hasChanged)
    detail << tr("The file has changed since; saving asks.");
  const qsizetype more = drafts_.left().size();
  if (more > 0) detail << tr("%1 more in the menu, under Unsaved edits.").arg(more);
  tell({Kind::CameBack, tr("Unsaved edits of %1 came back").arg(name()),
        detail.join(QLatin1Char(' ')), tr("Discard"), tr("Keep")});
  Q_EMIT stateChanged();
}

void DocumentController::announceLeftDrafts() {
  const QList<LeftDraft> left = drafts_.left();
  if (left.isEmpty() || notice_.kind == Kind::CameBack) return;
  const Draft& newest = left.front().draft;
  const QString more = left.size() > 1 ? tr(" and of %1 more").arg(left.size() - 1) : QString();
  tell({Kind::Left,
        tr("Unsaved edits of %1 from %2%3 were kept")
            .arg(nameOf(newest.proposal), timeText(newest.edited), more),
        tr("They stay in the menu, under Unsaved edits."), tr("Open them"), tr("Later")});
}

bool DocumentController::leave() {
  if (!mayLeave()) return false;
  dropDraft();
  return true;
}

/// Asks about unsaved edits. Those given up keep their draft until another document stands here.
bool DocumentController::mayLeave() {
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
  if (!file_.isAttached()) return saveElsewhere();
  file_.look();
  while (isInConflict()) {
    const QString seen = file_.onDisk(), whyUnseen = file_.whyUnreadable();
    const auto answer = askBeforeOverwriting();
    if (answer == DocumentQuestions::Overwriting::Cancel) return false;
    if (answer == DocumentQuestions::Overwriting::SaveElsewhere) return saveElsewhere();
    file_.look();  // others write while a person thinks: the answer is to what was shown
    const bool isAsSeen = file_.onDisk() == seen && file_.whyUnreadable() == whyUnseen;
    if (answer == DocumentQuestions::Overwriting::Reload && (isAsSeen || !isInConflict())) {
      takeTextInConflict();
      return false;  // the person looks at it first
    }
    if (isAsSeen) break;
  }
  return writeTo(path_, text_());
}

/// As the file has it, where that still differs and can be read; else says why not.
void DocumentController::takeTextInConflict() {
  const QString whyUnreadable = file_.whyUnreadable();
  if (isInConflict() && whyUnreadable.isEmpty()) return takeText(file_.onDisk());
  if (!isUnsaved()) return;  // it was, meanwhile
  Q_EMIT failed(tr("The file's text was not taken"),
                !whyUnreadable.isEmpty() ? whyUnreadable
                : hasFile()
                    ? tr("%1 has again what the edits here began from: save them, or take "
                         "them back with Ctrl+Z")
                          .arg(path_)
                    : tr("%1 was deleted or moved meanwhile: Save writes it again").arg(path_));
}

/// The file of the last look has something else than was read of it, and than is shown.
bool DocumentController::isInConflict() const {
  if (file_.state() != ExperimentFile::State::Changed) return false;
  return !file_.whyUnreadable().isEmpty() || file_.onDisk() != text_();
}

DocumentQuestions::Overwriting DocumentController::askBeforeOverwriting() {
  if (const QString why = file_.whyUnreadable(); !why.isEmpty())
    return questions_->beforeOverwritingUnreadable(name(), why);
  return questions_->beforeOverwriting(name(), lineDifference(file_.onDisk(), text_()));
}

bool DocumentController::saveElsewhere() {
  const QString chosen = questions_->whereToSave(path_);
  if (chosen.isEmpty()) return false;
  if (!runOfRecord(chosen).isEmpty()) {
    Q_EMIT failed(tr("The experiment was not saved"),
                  tr("%1 is the record of a run: choose another name").arg(chosen));
    return false;
  }
  const QString target = clean(chosen), folder = folderOf(path_);
  const config::MovedPaths moved = config::movePaths(text_().toStdString(), folder.toStdString(),
                                                     folderOf(target).toStdString());
  if (!writeTo(target, QString::fromStdString(moved.text))) return false;
  if (moved.keys.empty()) return true;
  QStringList keys;
  for (const std::string& key : moved.keys) keys << QString::fromStdString(key);
  tell({Kind::PathsMoved, tr("Relative paths were rewritten for the folder of %1").arg(name()),
        tr("They name the same files as from %1: %2.")
            .arg(folder, keys.join(QStringLiteral(", ")))});
  return true;
}

/// The text is shown too, as one change that can be undone.
bool DocumentController::writeTo(const QString& path, const QString& text) {
  try {
    ExperimentFile::write(path, text);
  } catch (const std::exception& error) {
    Q_EMIT failed(tr("The experiment was not saved"), QString::fromUtf8(error.what()));
    return false;
  }
  if (text_() != text) Q_EMIT textReplaced(text);
  standIn(path, text);
  return true;
}

/// The text stands in this file from now on.
void DocumentController::standIn(const QString& path, const QString& text) {
  path_ = path;
  base_ = text;
  recordOfRun_.clear();
  file_.attach(path, text);
  dropDraft();
  forgetDocumentNotice();
  Q_EMIT saved(path);
  Q_EMIT stateChanged();
}

QString DocumentController::fileToTrain() {
  if (!hasDocument_) return {};
  const QString seen = text_();
  file_.look();
  if (text_() != seen) return {};  // read again just now, and said so: it has to be seen first
  if (!isUnsaved()) return file_.isAttached() ? path_ : recordOfRun_;
  const QString copy = hasFile() ? file_.nameBeside() : QString();
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
    standIn(file_.writeBeside(text), text);
  } catch (const std::exception& error) {
    Q_EMIT failed(tr("The copy was not written"), QString::fromUtf8(error.what()));
    return {};
  }
  tell({Kind::SavedAsCopy, tr("Saved as %1").arg(name()), tr("%1 is as it was.").arg(original)});
  return path_;
}

void DocumentController::keepDraft() {
  isDraftDue_ = false;
  updateDraft();
  if (keeper_) keeper_->finish();
}

void DocumentController::noteEdit() {
  if (draftPause_->isActive()) {
    isDraftDue_ = true;
  } else {
    draftPause_->start();
    updateDraft();
  }
  Q_EMIT stateChanged();
}

void DocumentController::look() { file_.look(); }

/// The file is not what it was.
void DocumentController::takeFileChange() {
  forgetDocumentNotice();
  const QString text = text_();
  const bool isReadable = file_.whyUnreadable().isEmpty();
  if (file_.state() == ExperimentFile::State::Gone) {
    tell({Kind::Gone, tr("%1 was deleted or moved").arg(name()),
          tr("Its text is still here; Save writes it again.")});
  } else if (file_.state() == ExperimentFile::State::Changed && !isReadable) {
    tell({Kind::ChangedOutside, tr("%1 changed on disk and cannot be read").arg(name()),
          file_.whyUnreadable()});
  } else if (file_.state() == ExperimentFile::State::Changed && text == file_.onDisk()) {
    takeText(text);
  } else if (file_.state() == ExperimentFile::State::Changed && text == file_.known()) {
    takeText(file_.onDisk());
    tell({Kind::ReadAgain, tr("%1 changed on disk and was read again").arg(name()),
          tr("Ctrl+Z brings the text before back.")});
  } else if (file_.state() == ExperimentFile::State::Changed) {
    tell({Kind::ChangedOutside, tr("%1 changed on disk while it is edited here").arg(name()),
          tr("Saving asks. The file's text can be taken now; Ctrl+Z brings yours back."),
          tr("Take the file's text")});
  }
  updateDraft();
  Q_EMIT stateChanged();
}

/// Shows what the file has, as one change that can be undone.
void DocumentController::takeText(const QString& text) {
  if (text_() != text) Q_EMIT textReplaced(text);
  standIn(path_, text);
}

void DocumentController::actOnNotice() {
  switch (std::exchange(notice_, {}).kind) {
    case Kind::CameBack:
      giveUpDraft();
      break;
    case Kind::ChangedOutside:
      if (file_.look() == ExperimentFile::State::Changed && file_.whyUnreadable().isEmpty())
        takeText(file_.onDisk());
      break;
    case Kind::Left:
      if (const QList<LeftDraft> left = drafts_.left(); !left.isEmpty()) openDraft(left.front().id);
      break;
    default:
      break;
  }
  Q_EMIT noticeChanged();
}

void DocumentController::dismissNotice() { forgetNotice(notice_.kind); }

/// The text is again what the file has, or what the edits began from where there is none.
void DocumentController::giveUpDraft() {
  const bool isOnDisk = file_.isAttached() && file_.look() != ExperimentFile::State::Gone &&
                        file_.whyUnreadable().isEmpty();
  if (isOnDisk) return takeText(file_.onDisk());
  Q_EMIT textReplaced(file_.isAttached() ? file_.known() : base_);
  updateDraft();
  Q_EMIT stateChanged();
}

/// The draft on disk as it has to be now: none of what is saved.
void DocumentController::updateDraft() {
  if (!isUnsaved()) return dropDraft();
  const QString text = text_();
  if (keeper_ && text == draftText_) return;
  try {
    if (!keeper_) {
      keeper_ = drafts_.make();
      connectKeeper();
    }
  } catch (const std::exception& error) {
    tellNotKept(QString::fromUtf8(error.what()));
  }
  if (!keeper_) return;
  const bool isFile = file_.isAttached();
  keeper_->keep({isFile ? ExperimentFile::realPath(path_) : QString(), path_,
                 isFile ? file_.known() : base_, text, QDateTime::currentDateTime()});
  draftText_ = text;
}

void DocumentController::connectKeeper() {
  if (!keeper_) return;
  connect(keeper_.get(), &DraftKeeper::failed, this, &DocumentController::tellNotKept);
  connect(keeper_.get(), &DraftKeeper::recovered, this, [this] {
    isNotKeptTold_ = false;
    forgetNotice(Kind::NotKept);
  });
}

void DocumentController::dropDraft() {
  isDraftDue_ = false;
  draftText_.clear();
  if (const auto keeper = std::exchange(keeper_, nullptr)) keeper->drop();
}

void DocumentController::tellNotKept(const QString& reason) {
  if (std::exchange(isNotKeptTold_, true)) return;
  tell({Kind::NotKept, tr("Unsaved edits are not kept: save them yourself"), reason});
}

void DocumentController::tell(DocumentNotice notice) {
  notice_ = std::move(notice);
  Q_EMIT noticeChanged();
}

void DocumentController::forgetNotice(Kind kind) {
  if (kind == Kind::None || notice_.kind != kind) return;
  notice_ = {};
  Q_EMIT noticeChanged();
}

/// What was said of the document as it was; other drafts still wait.
void DocumentController::forgetDocumentNotice() {
  if (notice_.kind != Kind::Left && notice_.kind != Kind::NotKept) forgetNotice(notice_.kind);
}

}  // namespace lockstep::app
