#include "app/controllers/draft_keeper.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMutexLocker>
#include <utility>

#include "engine/base/atomic_file.h"

namespace lockstep::app {
namespace {

constexpr unsigned kOwnerAlone = 0600;

}  // namespace

DraftKeeper::DraftKeeper(const QString& folder, const QString& id, base::FileLock lock)
    : file_(folder + QLatin1Char('/') + id + QStringLiteral(".json")),
      lockFile_(folder + QLatin1Char('/') + id + QStringLiteral(".lock")),
      id_(id),
      lock_(std::move(lock)) {
  writer_.setMaxThreadCount(1);
}

DraftKeeper::~DraftKeeper() { finish(); }

void DraftKeeper::keep(const Draft& draft) {
  const QMutexLocker locker(&mutex_);
  const bool isUnderWay = waiting_.has_value();
  waiting_ = draft;
  if (!isUnderWay) writer_.start([this] { writeWaiting(); });
}

void DraftKeeper::finish() { writer_.waitForDone(); }

void DraftKeeper::drop() {
  {
    const QMutexLocker locker(&mutex_);
    waiting_.reset();
  }
  finish();
  // The draft first: a lock without a draft is harmless.
  QFile::remove(file_);
  QFile::remove(lockFile_);
}

void DraftKeeper::writeWaiting() {
  std::optional<Draft> draft;
  {
    const QMutexLocker locker(&mutex_);
    draft = std::exchange(waiting_, std::nullopt);
  }
  if (!draft) return;
  try {
    base::writeFileAtomically(file_.toStdString(), jsonOf(*draft).toStdString(), kOwnerAlone);
    if (std::exchange(hasFailed_, false)) Q_EMIT recovered();
  } catch (const std::exception& error) {
    if (!std::exchange(hasFailed_, true)) Q_EMIT failed(QString::fromUtf8(error.what()));
  }
}

QByteArray jsonOf(const Draft& draft) {
  const QJsonObject json{{QStringLiteral("file"), draft.file},
                         {QStringLiteral("proposal"), draft.shownPath},
                         {QStringLiteral("base"), draft.base},
                         {QStringLiteral("text"), draft.text},
                         {QStringLiteral("edited"), draft.edited.toString(Qt::ISODateWithMs)}};
  return QJsonDocument(json).toJson();
}

std::optional<Draft> draftOf(const QByteArray& json) {
  const QJsonDocument document = QJsonDocument::fromJson(json);
  const QJsonObject object = document.object();
  if (!object.value(QStringLiteral("text")).isString()) return std::nullopt;
  const auto text = [&](const char* key) { return object.value(QLatin1String(key)).toString(); };
  return Draft{text("file"), text("proposal"), text("base"), text("text"),
               QDateTime::fromString(text("edited"), Qt::ISODateWithMs)};
}

}  // namespace lockstep::app
