#include "app/documents/document_notice.h"

#include <QLocale>

namespace lockstep::app {
namespace {

QString timeText(const QDateTime& time) {
  return QLocale(QLocale::English).toString(time.toLocalTime(), QStringLiteral("d MMM, HH:mm"));
}

}  // namespace

bool DocumentNotice::isWarning() const {
  return kind == Kind::ChangedOutside || kind == Kind::Gone || kind == Kind::BackupFailed ||
         kind == Kind::NotAnswering;
}

bool DocumentNotice::isForEveryPage() const {
  return kind == Kind::Restored || kind == Kind::DraftsFound || kind == Kind::BackupFailed;
}

bool DocumentNotice::isOfDocument() const {
  return kind != Kind::DraftsFound && kind != Kind::BackupFailed;
}

DocumentNotice DocumentNotice::restored(const QString& name, const QDateTime& edited,
                                        SinceDraft since, qsizetype more) {
  QStringList detail{tr("From %1.").arg(timeText(edited))};
  if (since == SinceDraft::FileGone)
    detail << tr("The file no longer exists; Save writes it again.");
  if (since == SinceDraft::FileChanged)
    detail << tr("The file has changed since; you will be asked before it is overwritten.");
  if (more > 0) detail << tr("%1 more in the menu, under Unsaved edits.").arg(more);
  return {Kind::Restored, tr("Unsaved edits of %1 were restored").arg(name),
          detail.join(QLatin1Char(' ')), tr("Discard"), tr("Keep")};
}

DocumentNotice DocumentNotice::copyRestored(const QString& name) {
  return {Kind::CopyRestored, tr("%1 is open again: it has no file yet").arg(name),
          tr("Save it to keep it; closing it (Ctrl+W) discards it.")};
}

DocumentNotice DocumentNotice::draftsFound(const QString& name, const QDateTime& edited,
                                           qsizetype more) {
  const QString others = more > 0 ? tr(" and of %1 more").arg(more) : QString();
  return {Kind::DraftsFound,
          tr("Unsaved edits of %1 from %2%3 were kept").arg(name, timeText(edited), others),
          tr("They stay in the menu, under Unsaved edits."), tr("Open them"), tr("Later")};
}

DocumentNotice DocumentNotice::reloaded(const QString& name) {
  return {Kind::Reloaded, tr("%1 changed on disk and was reloaded").arg(name),
          tr("Ctrl+Z restores the previous text.")};
}

DocumentNotice DocumentNotice::changedWhileEdited(const QString& name) {
  return {Kind::ChangedOutside, tr("%1 changed on disk while you were editing it").arg(name),
          tr("You will be asked before it is overwritten. Reload shows the file's text; Ctrl+Z "
             "restores yours."),
          tr("Reload")};
}

DocumentNotice DocumentNotice::changedUnreadable(const QString& name, const QString& reason) {
  return {Kind::ChangedOutside, tr("%1 changed on disk and cannot be read").arg(name), reason};
}

DocumentNotice DocumentNotice::notAnswering(const QString& path) {
  return {
      Kind::NotAnswering, tr("The disk of the experiment does not answer"),
      tr("%1: it is not known whether it has changed. Your edits are kept as a backup.").arg(path)};
}

DocumentNotice DocumentNotice::gone(const QString& name) {
  return {Kind::Gone, tr("%1 was deleted or moved").arg(name),
          tr("Its text is still here; Save writes it again.")};
}

DocumentNotice DocumentNotice::editedElsewhere(const QString& name) {
  return {Kind::EditedElsewhere, tr("Another window has unsaved edits of %1").arg(name),
          tr("They are not shown here. The window that saves second asks before it overwrites.")};
}

DocumentNotice DocumentNotice::backupFailed(const QString& reason) {
  return {Kind::BackupFailed, tr("Unsaved edits cannot be backed up: save them yourself"), reason};
}

DocumentNotice DocumentNotice::savedAsCopy(const QString& name, const QString& original) {
  return {Kind::SavedAsCopy, tr("Saved as %1").arg(name), tr("%1 is unchanged.").arg(original)};
}

DocumentNotice DocumentNotice::pathsMoved(const QString& name, const QString& from,
                                          const QStringList& keys) {
  return {Kind::PathsMoved, tr("Relative paths were rewritten for the folder of %1").arg(name),
          tr("They still point to the same files as from %1: %2.")
              .arg(from, keys.join(QStringLiteral(", ")))};
}

}  // namespace lockstep::app
