#pragma once

#include <QDateTime>
#include <QList>
#include <QString>
#include <memory>

namespace lockstep::app {

class DraftKeeper;

/// Unsaved edits of one document.
struct Draft {
  QString file;      ///< real path of the document's file; empty: it never had one
  QString proposal;  ///< path under which the document is shown, and may be saved
  QString base;      ///< the file's text that the edits began from
  QString text;      ///< as edited
  QDateTime edited;  ///< when this was last so
};

/// A draft that no living window holds: the program that wrote it was killed, or its session ended.
struct OrphanedDraft {
  QString id;
  Draft draft;
};

/// The folder of drafts: ID.json beside ID.lock, which the window that writes it holds (flock), so
/// that several windows and programs keep theirs apart. Only their owner can read them. Small
/// files, read at once.
class DraftFolder {
 public:
  /// `folder` empty: keeps and finds none.
  explicit DraftFolder(const QString& folder) : folder_(folder) {}
  /// $XDG_STATE_HOME/lockstep/drafts, else ~/.local/state/lockstep/drafts.
  static QString usualFolder();

  /// The last edited first. A draft that is no different from its file by now is removed, and a
  /// lock without a draft.
  QList<OrphanedDraft> orphaned() const;
  /// Left drafts that are none any more (a damaged disk): each gets another name, under which a
  /// person may find what was typed, and which is told here this once.
  QStringList setAsideDamaged() const;
  /// Whether another living window has unsaved edits of this file (real path).
  bool isEditedElsewhere(const QString& file, const DraftKeeper* own) const;
  /// A new draft of ours. nullptr where none are kept. Throws Error when the folder cannot be
  /// written.
  std::unique_ptr<DraftKeeper> make() const;
  /// A left draft becomes ours. nullptr when another window took it meanwhile.
  std::unique_ptr<DraftKeeper> take(const QString& id) const;

 private:
  void removeStrayLocks() const;

  QString folder_;
};

}  // namespace lockstep::app
