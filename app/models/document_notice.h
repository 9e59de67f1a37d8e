#pragma once

#include <QDateTime>
#include <QString>
#include <QStringList>

namespace lockstep::app {

/// Something about the document that is said over it until it is answered or passes.
struct DocumentNotice {
  enum class Kind {
    None,
    Restored,         ///< a draft; `action` gives it up
    Reloaded,         ///< the file changed, nothing was edited here
    ChangedOutside,   ///< the file changed while it is edited here; `action` takes its text
    Gone,             ///< the file was deleted or moved
    DraftsFound,      ///< drafts of other documents wait; `action` opens the newest
    EditedElsewhere,  ///< another window has unsaved edits of this file
    BackupFailed,     ///< drafts cannot be written
    SavedAsCopy,
    PathsMoved,  ///< saved in another folder, its relative paths written anew
  };
  Kind kind = Kind::None;
  QString title{}, detail{};
  QString action{};   ///< of the button; empty: none
  QString dismiss{};  ///< of the button that only takes the notice away; empty: as usual

  bool isWarning() const;
  /// Said on every page; else on the page of the document.
  bool isForEveryPage() const;
  /// Of the document as it is now: over once that changes.
  bool isOfDocument() const;

  enum class SinceDraft { FileSame, FileChanged, FileGone };
  /// `more`: other drafts that wait.
  static DocumentNotice restored(const QString& name, const QDateTime& edited, SinceDraft since,
                                 qsizetype more);
  static DocumentNotice draftsFound(const QString& name, const QDateTime& edited, qsizetype more);
  static DocumentNotice reloaded(const QString& name);
  static DocumentNotice changedWhileEdited(const QString& name);
  static DocumentNotice changedUnreadable(const QString& name, const QString& reason);
  static DocumentNotice gone(const QString& name);
  static DocumentNotice editedElsewhere(const QString& name);
  static DocumentNotice backupFailed(const QString& reason);
  static DocumentNotice savedAsCopy(const QString& name, const QString& original);
  static DocumentNotice pathsMoved(const QString& name, const QString& from,
                                   const QStringList& keys);
};

}  // namespace lockstep::app
