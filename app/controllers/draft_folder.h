#pragma once

#include <QDateTime>
#include <QList>
#include <QString>
#include <memory>

namespace lockstep::app {

class DraftKeeper;

/// Unsaved edits of one document.
struct Draft {
  QString file;       ///< real path of the document's file; empty: it never had one
  QString shownPath;  ///< path that the window shows and suggests for saving
  QString base;       ///< the file's text before the edits
  QString text;       ///< the edited text
  QDateTime edited;   ///< time of the last edit
};

/// A draft that no open window holds: the program that wrote it was killed, or its session ended.
struct OrphanedDraft {
  QString id;
  Draft draft;
};

/// The folder of drafts: ID.json and ID.lock, which the window that writes the draft holds (flock),
/// so that several windows do not interfere. Only their owner can read them. The files are small
/// and read synchronously.
class DraftFolder {
 public:
  /// `folder` empty: there are no drafts.
  explicit DraftFolder(const QString& folder) : folder_(folder) {}
  /// $XDG_STATE_HOME/lockstep/drafts, else ~/.local/state/lockstep/drafts.
  static QString defaultFolder();

  /// Newest first. Removes drafts that equal their file, and locks without a draft.
  QList<OrphanedDraft> orphaned() const;
  /// Renames orphaned drafts that cannot be parsed (a damaged disk) to ID.damaged, so that the user
  /// can recover their text. Returns the new paths, each once.
  QStringList setAsideDamaged() const;
  /// Whether another open window has unsaved edits of this file (real path).
  bool isEditedElsewhere(const QString& file, const DraftKeeper* own) const;
  /// A new draft held by this window. nullptr if there are no drafts. Throws Error when the folder
  /// cannot be written.
  std::unique_ptr<DraftKeeper> make() const;
  /// Takes over an orphaned draft. nullptr if another window has taken it.
  std::unique_ptr<DraftKeeper> take(const QString& id) const;

 private:
  void removeStrayLocks() const;

  QString folder_;
};

}  // namespace lockstep::app
