#pragma once

#include <QCoreApplication>
#include <QDateTime>
#include <QString>
#include <QStringList>

namespace lockstep::app {

/// A notice about the document, shown until it is answered or no longer applies.
struct DocumentNotice {
  enum class Kind {
    None,
    Restored,         ///< a draft was restored; `action` discards it
    Reloaded,         ///< the file changed and had no unsaved edits
    ChangedOutside,   ///< the file changed and has unsaved edits; `action` reloads it
    Gone,             ///< the file was deleted or moved
    DraftsFound,      ///< there are drafts of other documents; `action` opens the newest
    EditedElsewhere,  ///< another window has unsaved edits of this file
    BackupFailed,     ///< drafts cannot be written
    SavedAsCopy,
    NotAnswering,  ///< the disk of the file
    PathsMoved,    ///< saved in another folder with rewritten relative paths
    CopyRestored,  ///< a text without a file that was not edited is open again
  };
  Kind kind = Kind::None;
  QString title{}, detail{};
  QString action{};   ///< text of the action button; empty: no button
  QString dismiss{};  ///< text of the dismiss button; empty: "Dismiss"

  bool isWarning() const;
  /// Shown on every page; else only on the Configure page.
  bool isForEveryPage() const;
  /// About the current state of the document: cleared when that changes.
  bool isOfDocument() const;

  enum class SinceDraft { FileSame, FileChanged, FileGone };
  /// `more`: number of other drafts.
  static DocumentNotice restored(const QString& name, const QDateTime& edited, SinceDraft since,
                                 qsizetype more);
  static DocumentNotice copyRestored(const QString& name);
  static DocumentNotice draftsFound(const QString& name, const QDateTime& edited, qsizetype more);
  static DocumentNotice reloaded(const QString& name);
  static DocumentNotice changedWhileEdited(const QString& name);
  static DocumentNotice changedUnreadable(const QString& name, const QString& reason);
  static DocumentNotice notAnswering(const QString& path);
  static DocumentNotice gone(const QString& name);
  static DocumentNotice editedElsewhere(const QString& name);
  static DocumentNotice backupFailed(const QString& reason);
  static DocumentNotice savedAsCopy(const QString& name, const QString& original);
  static DocumentNotice pathsMoved(const QString& name, const QString& from,
                                   const QStringList& keys);

  Q_DECLARE_TR_FUNCTIONS(DocumentNotice)
};

}  // namespace lockstep::app
