#pragma once

#include <QObject>
#include <QString>
#include <memory>

#include "app/documents/draft_folder.h"

namespace lockstep::app {

/// Keeps one document's draft on disk, in the background. The file stays when this object is
/// destroyed, as an orphaned draft; drop() removes it.
class DraftKeeper : public QObject {
  Q_OBJECT

 public:
  DraftKeeper(const DraftFolder& folder, HeldDraft held);
  /// Waits as finish() does. A write that hangs goes on.
  ~DraftKeeper() override;

  QString id() const { return id_; }
  /// Writes it; of several waiting drafts only the newest.
  void keep(const Draft& draft);
  /// Waits until the last draft is on disk, but not for ever for a disk that does not answer.
  void finish();
  /// Removes the file, after a write in progress. Waits as finish() does.
  void drop();

 Q_SIGNALS:
  /// A write failed; a later one succeeded again.
  void failed(const QString& reason);
  void recovered();

 private:
  class Writer;
  void start();
  void report(const QString& failure);

  QString id_;
  std::shared_ptr<Writer> writer_;
  bool hasFailed_ = false;
};

/// A draft as JSON, and back; nothing if the text is not a draft.
QByteArray jsonOf(const Draft& draft);
std::optional<Draft> draftOf(const QByteArray& json);

}  // namespace lockstep::app
