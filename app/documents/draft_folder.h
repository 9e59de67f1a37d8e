#pragma once

#include <QDateTime>
#include <QList>
#include <QString>
#include <optional>

#include "engine/base/file_lock.h"

namespace lockstep::app {

/// Unsaved edits of one document, or a text that is in no file yet.
struct Draft {
  QString file;           ///< real path of the document's file; empty: it never had one
  QString shownPath;      ///< path that the window shows and suggests for saving
  QString base;           ///< the file's text before the edits
  QString text;           ///< the edited text
  QDateTime edited;       ///< time of the last edit
  QString recordOfRun{};  ///< config.yaml of the run that a text without a file was copied from

  bool isEdited() const { return text != base; }
};

/// A draft that no open window holds: the program that wrote it was killed, or its session ended.
struct OrphanedDraft {
  QString id;
  Draft draft;
};

/// A draft that this window alone writes.
struct HeldDraft {
  QString id;
  base::FileLock lock;
};

/// The folder of drafts: ID.json and ID.lock, which the window that writes the draft holds (flock),
/// so that several windows do not interfere. Only their owner can read them. For any thread; all
/// that looks for files blocks as long as the disk does, also the documents' own.
class DraftFolder {
 public:
  static constexpr unsigned kOwnerAlone = 0600;  ///< mode of its files

  /// `folder` empty: there are no drafts.
  explicit DraftFolder(const QString& folder) : folder_(folder) {}
  /// $XDG_STATE_HOME/lockstep/drafts, else ~/.local/state/lockstep/drafts.
  static QString defaultFolder();
  bool isNone() const { return folder_.isEmpty(); }
  QString path() const { return folder_; }
  QString fileOf(const QString& id) const;

  /// Newest first. Removes drafts that equal their file, and locks without a draft.
  QList<OrphanedDraft> orphaned() const;
  /// Renames orphaned drafts that cannot be parsed (a damaged disk) to ID.damaged, so that the user
  /// can recover their text. Returns the new paths, each once.
  QStringList setAsideDamaged() const;
  /// Whether another open window has unsaved edits of this file (real path). `own`: the draft of
  /// this window; empty: it has none.
  bool isEditedElsewhere(const QString& file, const QString& own) const;
  /// A new draft held by this window. Throws Error when the folder cannot be written.
  HeldDraft make() const;
  /// Takes over an orphaned draft. Nothing: another window has taken it.
  std::optional<HeldDraft> take(const QString& id) const;
  /// Removes the files of a draft that is held.
  void remove(const QString& id) const;

 private:
  void removeStrayLocks() const;

  QString folder_;
};

}  // namespace lockstep::app
