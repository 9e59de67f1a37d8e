#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>

#include "app/controllers/draft_folder.h"

namespace lockstep::app {

/// The draft on disk of the open document, for as long as it has unsaved edits: written at the
/// first edit and then at most every 200 ms.
class DocumentDraft : public QObject {
  Q_OBJECT

 public:
  /// `unsaved`: what would be lost now; nothing: all of it is saved.
  DocumentDraft(const QString& folder, std::function<std::optional<Draft>()> unsaved,
                QObject* parent = nullptr);
  ~DocumentDraft() override;

  const DraftFolder& folder() const { return folder_; }
  /// Another living window has unsaved edits of this file (real path).
  bool isEditedElsewhere(const QString& file) const;
  /// A left draft becomes that of the open document. False: another window was quicker.
  bool take(const OrphanedDraft& left);
  /// The text was edited.
  void markEdited();
  /// Makes it at once as it has to be: none of what is saved.
  void update();
  /// The session ends: returns once it is on disk.
  void finish();
  /// The edits are saved or given up.
  void drop();

 Q_SIGNALS:
  /// It cannot be written, told once; and it can be again.
  void backupFailed(const QString& reason);
  void backupRecovered();

 private:
  void connectKeeper();
  void reportFailure(const QString& reason);

  DraftFolder folder_;
  std::function<std::optional<Draft>()> unsaved_;
  std::unique_ptr<DraftKeeper> keeper_;
  QTimer pause_;
  QString text_;        ///< as the draft has it
  bool isDue_ = false;  ///< edited since it was written last
  bool isFailureReported_ = false;
};

}  // namespace lockstep::app
