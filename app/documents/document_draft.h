#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>

#include "app/documents/draft_folder.h"
#include "widgets/jobs/awaited.h"

namespace lockstep::app {

class DraftKeeper;

/// The draft on disk of the open document while it has unsaved edits: written at the first edit and
/// then at most every 200 ms.
class DocumentDraft : public QObject {
  Q_OBJECT

 public:
  /// `unsaved`: returns the unsaved edits; nothing: all is saved.
  DocumentDraft(const QString& folder, std::function<std::optional<Draft>()> unsaved,
                QObject* parent = nullptr);
  ~DocumentDraft() override;

  const DraftFolder& folder() const { return folder_; }
  /// Of the draft that is written; empty: none is.
  QString id() const;
  /// A draft that was taken over becomes that of the open document; `text`: its text.
  void adopt(HeldDraft held, const QString& text);
  /// Lets go of the draft, which stays on disk and held by its keeper; nullptr: all was saved, or
  /// the disk does not answer.
  std::unique_ptr<DraftKeeper> setAside();
  /// Goes on with a draft that was set aside, of this text.
  void resume(std::unique_ptr<DraftKeeper> keeper, const QString& text);
  /// The text was edited.
  void markEdited();
  /// Writes the draft now, or removes it if all is saved.
  void update();
  /// Returns once the draft is on disk, for the end of the session, or the disk does not answer.
  void finish();
  /// Removes the draft: the edits were saved or discarded.
  void drop();

 Q_SIGNALS:
  /// The draft cannot be written (emitted once); it can be written again.
  void backupFailed(const QString& reason);
  void backupRecovered();

 private:
  void hold(HeldDraft held);
  void connectKeeper();
  bool make();
  void takeMade();
  void reportFailure(const QString& reason);

  DraftFolder folder_;
  std::function<std::optional<Draft>()> unsaved_;
  std::unique_ptr<DraftKeeper> keeper_;
  std::optional<jobs::Awaited<HeldDraft>> making_;
  QTimer pause_;
  QString text_;        ///< text of the draft
  bool isDue_ = false;  ///< edited since the last write
  bool isFailureReported_ = false;
};

}  // namespace lockstep::app
