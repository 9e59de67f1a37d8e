#include "app/documents/draft_keeper.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "engine/base/atomic_file.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::seconds kWritingPatience{1};

}  // namespace

/// What the window and the thread that writes have in common: the draft that is to be written and
/// the lock, which is released when both have let go of it.
class DraftKeeper::Writer {
 public:
  Writer(const DraftFolder& folder, HeldDraft held)
      : folder_(folder), id_(held.id), lock_(std::move(held.lock)) {}

  /// True: run() is to be started.
  bool keep(const Draft& draft) {
    const std::lock_guard guard(mutex_);
    waiting_ = draft;
    return !std::exchange(isBusy_, true);
  }
  /// The same, for the removal of the files.
  bool drop() {
    const std::lock_guard guard(mutex_);
    waiting_.reset();
    isDropped_ = true;
    return !std::exchange(isBusy_, true);
  }
  /// Does all that is to be done. Returns why the last write failed, or ""; std::nullopt: it was
  /// the files' removal.
  std::optional<QString> run() {
    std::optional<QString> failure;
    for (;;) {
      std::optional<Draft> draft;
      bool isDropped;
      {
        const std::lock_guard guard(mutex_);
        draft = std::exchange(waiting_, std::nullopt);
        isDropped = std::exchange(isDropped_, false);
        if (!draft && !isDropped) {
          isBusy_ = false;
          if (isLetGo_) lock_.reset();
          idle_.notify_all();
          return failure;
        }
      }
      if (draft) failure = write(*draft);
      if (isDropped) folder_.remove(id_);
    }
  }
  void waitUntilIdle() {
    std::unique_lock lock(mutex_);
    idle_.wait_for(lock, kWritingPatience, [this] { return !isBusy_; });
  }
  /// Nothing more is asked for: the lock is released now, or after what is going on.
  void letGo() {
    const std::lock_guard guard(mutex_);
    isLetGo_ = true;
    if (!isBusy_) lock_.reset();
  }

 private:
  QString write(const Draft& draft) const {
    try {
      base::writeFileAtomically(folder_.fileOf(id_).toStdString(), jsonOf(draft).toStdString(),
                                DraftFolder::kOwnerAlone);
      return {};
    } catch (const std::exception& error) {
      return QString::fromUtf8(error.what());
    }
  }

  const DraftFolder folder_;
  const QString id_;
  std::mutex mutex_;  ///< guards the others
  std::condition_variable idle_;
  std::optional<base::FileLock> lock_;
  std::optional<Draft> waiting_;
  bool isDropped_ = false, isBusy_ = false, isLetGo_ = false;
};

DraftKeeper::DraftKeeper(const DraftFolder& folder, HeldDraft held)
    : id_(held.id), writer_(std::make_shared<Writer>(folder, std::move(held))) {}

DraftKeeper::~DraftKeeper() {
  finish();
  writer_->letGo();
}

void DraftKeeper::keep(const Draft& draft) {
  if (writer_->keep(draft)) start();
}

void DraftKeeper::finish() { writer_->waitUntilIdle(); }

void DraftKeeper::drop() {
  if (writer_->drop()) start();
  finish();
}

/// Not a job of this object: it goes on when that is gone.
void DraftKeeper::start() {
  const jobs::Relay::Address address = (new jobs::Relay(this, {}))->address();
  jobs::enqueue(jobs::Kind::Disk, {}, [writer = writer_, address, this] {
    const std::optional<QString> failure = writer->run();
    address.send([this, failure] {
      if (failure) report(*failure);
    });
  });
}

void DraftKeeper::report(const QString& failure) {
  if (failure.isEmpty()) {
    if (std::exchange(hasFailed_, false)) Q_EMIT recovered();
  } else if (!std::exchange(hasFailed_, true)) {
    Q_EMIT failed(failure);
  }
}

QByteArray jsonOf(const Draft& draft) {
  const QJsonObject json{{QStringLiteral("file"), draft.file},
                         {QStringLiteral("proposal"), draft.shownPath},
                         {QStringLiteral("base"), draft.base},
                         {QStringLiteral("text"), draft.text},
                         {QStringLiteral("edited"), draft.edited.toString(Qt::ISODateWithMs)},
                         {QStringLiteral("record"), draft.recordOfRun}};
  return QJsonDocument(json).toJson();
}

std::optional<Draft> draftOf(const QByteArray& json) {
  const QJsonDocument document = QJsonDocument::fromJson(json);
  const QJsonObject object = document.object();
  if (!object.value(QStringLiteral("text")).isString()) return std::nullopt;
  const auto text = [&](const char* key) { return object.value(QLatin1String(key)).toString(); };
  return Draft{text("file"),
               text("proposal"),
               text("base"),
               text("text"),
               QDateTime::fromString(text("edited"), Qt::ISODateWithMs),
               text("record")};
}

}  // namespace lockstep::app
