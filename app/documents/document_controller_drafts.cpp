// DocumentController's handling of drafts.
#include <QFileInfo>
#include <utility>

#include "app/documents/document_controller.h"
#include "engine/base/error.h"

namespace lockstep::app {

using Kind = DocumentNotice::Kind;

/// Unsaved edits of the document, of an earlier session or in another window. They are shown with
/// it, or offered if their disk answers later.
void DocumentController::findDrafts() {
  if (draft_.folder().isNone()) return;
  struct Found {
    QList<OrphanedDraft> orphaned;
    bool isEditedElsewhere;
  };
  const QString file = path_, real = file_.real();
  const jobs::Awaited found([folder = draft_.folder(), real, own = draft_.id()] {
    return Found{folder.orphaned(), folder.isEditedElsewhere(real, own)};
  });
  const auto show = [this, real](const Found& drafts) {
    for (const OrphanedDraft& left : drafts.orphaned)
      if (left.draft.file == real) return restoreDraft(left, drafts.orphaned.size() - 1);
    if (drafts.isEditedElsewhere) showNotice(DocumentNotice::editedElsewhere(name()));
  };
  if (waitUnasked(found.ending())) return show(found.take());
  found.ending().then(this, [this, found, file, show] {
    if (path_ != file) return;
    const Found drafts = found.take();
    if (isBusy_ || isUnsaved()) return announceDrafts(drafts.orphaned);
    attempt(tr("The unsaved edits cannot be opened"), [&show, &drafts] {
      show(drafts);
      return true;
    });
  });
}

QList<OrphanedDraft> DocumentController::orphanedDrafts() {
  if (draft_.folder().isNone()) return {};
  return onDisk(draft_.folder().path(), [folder = draft_.folder()] { return folder.orphaned(); });
}

bool DocumentController::openDraft(const QString& id) {
  return attempt(tr("The unsaved edits cannot be opened"), [this, id] {
    const QList<OrphanedDraft> drafts = orphanedDrafts();
    for (const OrphanedDraft& left : drafts) {
      if (left.id != id) continue;
      const QString& real = left.draft.file;
      const QString path = left.draft.shownPath.isEmpty() ? real : left.draft.shownPath;
      const int open = real.isEmpty() ? -1 : indexOf(path, real);
      if (open >= 0 && !documents()[open].isUnsaved) {
        showAt(open);
      } else {
        keepShown();
        showNew(left.draft.base, {path, real, left.draft.recordOfRun});
      }
      restoreDraft(left, drafts.size() - 1);
      return true;
    }
    throw Error(tr("Another window has opened them, or their file has them by now.").toStdString());
  });
}

/// Applies a draft to its document, which is open, as one edit.
void DocumentController::restoreDraft(const OrphanedDraft& left, qsizetype others) {
  auto held = onDisk(draft_.folder().path(),
                     [folder = draft_.folder(), id = left.id] { return folder.take(id); });
  if (!held) return;  // another window has taken it
  draft_.adopt(std::move(*held), left.draft.text);
  const QString known = file_.isAttached() ? file_.known() : QString();
  if (file_.isAttached() && known != left.draft.base) {
    // Saving must ask, because the edits began from another text than the file has now.
    file_.attach(path_, file_.real(), left.draft.base);
    Q_EMIT opened(left.draft.base, path_);
  }
  Q_EMIT textReplaced(left.draft.text);
  using Since = DocumentNotice::SinceDraft;
  const bool hasChanged = look() != ExperimentFile::State::Same;
  const bool isGone = file_.isAttached() && file_.state() == ExperimentFile::State::Gone;
  const Since since = isGone ? Since::FileGone : hasChanged ? Since::FileChanged : Since::FileSame;
  showNotice(left.draft.isEdited()
                 ? DocumentNotice::restored(name(), left.draft.edited, since, others)
                 : DocumentNotice::copyRestored(name()));
  Q_EMIT stateChanged();
}

void DocumentController::announceDrafts(QList<OrphanedDraft> left) {
  // Those whose file has been opened with them since they were found.
  left.removeIf([this](const OrphanedDraft& each) {
    if (!each.draft.isEdited()) return true;
    const int open = each.draft.file.isEmpty() ? -1 : indexOf({}, each.draft.file);
    return open >= 0 && documents()[open].isUnsaved;
  });
  if (left.isEmpty() || notice_.kind == Kind::Restored) return;
  const Draft& newest = left.front().draft;
  showNotice(DocumentNotice::draftsFound(QFileInfo(newest.shownPath).fileName(), newest.edited,
                                         left.size() - 1));
}

void DocumentController::keepDraft() { draft_.finish(); }

/// Restores the file's text, or that before the edits if there is no file.
void DocumentController::discardDraft() {
  const bool isOnDisk =
      file_.isAttached() && look() != ExperimentFile::State::Gone && file_.readError().isEmpty();
  if (isOnDisk) return reload(file_.onDisk());
  Q_EMIT textReplaced(file_.isAttached() ? file_.known() : base_);
  draft_.update();
  Q_EMIT stateChanged();
}

std::optional<Draft> DocumentController::unsavedDraft() const {
  const bool isFile = file_.isAttached();
  const bool isNowhereElse = hasDocument_ && !isFile;
  if (!isUnsaved() && !isNowhereElse) return std::nullopt;
  return Draft{isFile ? file_.real() : QString(), path_,
               isFile ? file_.known() : base_,    text_(),
               QDateTime::currentDateTime(),      recordOfRun_};
}

}  // namespace lockstep::app
