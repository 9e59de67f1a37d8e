// How DocumentController closes documents.
#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "app/documents/document_controller.h"

namespace lockstep::app {

/// Of documents that are not shown: their text is the only one left. A disk that does not answer at
/// once is not waited for.
QStringList DocumentController::filesGoneUnseen() {
  QStringList files;
  for (const Kept& kept : kept_)
    if (!kept.place.real.isEmpty()) files << kept.place.path;
  const jobs::Awaited gone([files] {
    QStringList missing = files;
    missing.removeIf([](const QString& file) { return QFileInfo::exists(file); });
    return missing;
  });
  return waitUnasked(gone.ending()) ? gone.take() : QStringList();
}

bool DocumentController::close() {
  return attempt(tr("The experiment was not saved"), [this] {
    const QStringList gone = filesGoneUnseen();
    const int count = static_cast<int>(kept_.size()), first = shown_;
    for (int i = 0; i < count; ++i) {
      const int index = (first + i) % count;  // the shown one first
      const OpenDocument document = documents()[index];
      const bool isGone = index != shown_ && gone.contains(document.path);
      if (!document.isUnsaved && !isGone) continue;
      showAt(index);
      if (isGone) look();
      if (!maybeSave()) return false;
    }
    dropDrafts();
    return true;
  });
}

/// But not those of texts without a file that were not edited: nothing was asked about them, and
/// they are there again at the next start.
void DocumentController::dropDrafts() {
  if (file_.isAttached() || isUnsaved()) {
    draft_.drop();
  } else {
    draft_.finish();
  }
  for (Kept& kept : kept_) {
    const bool isUneditedCopy = kept.place.real.isEmpty() && kept.text == kept.saved();
    if (kept.draft && !isUneditedCopy) std::exchange(kept.draft, nullptr)->drop();
  }
}

bool DocumentController::closeShown() {
  return attempt(tr("The experiment was not saved"), [this] {
    if (!hasDocument_ || !maybeSave()) return false;
    draft_.drop();
    kept_.erase(kept_.begin() + shown_);
    if (kept_.empty()) {
      showNone();
    } else {
      showKept(std::min(shown_, static_cast<int>(kept_.size()) - 1));
    }
    return true;
  });
}

void DocumentController::showNone() {
  clearDocumentNotice();
  file_.detach();
  hasDocument_ = false;
  shown_ = -1;
  path_.clear();
  base_.clear();
  recordOfRun_.clear();
  Q_EMIT closed();
  Q_EMIT stateChanged();
}

/// Asks about unsaved edits. Discarded edits keep their draft until the document is closed.
bool DocumentController::maybeSave() {
  if (!isUnsaved()) return true;
  switch (questions_->beforeLeaving(name(), hasFile())) {
    case DocumentQuestions::Leaving::Save:
      return report(tr("The experiment was not saved"), [this] { return saveNow(); });
    case DocumentQuestions::Leaving::Discard:
      return true;
    case DocumentQuestions::Leaving::Cancel:
      return false;
  }
  return false;
}

}  // namespace lockstep::app
