#include "app/engines/remote_files.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QPointer>
#include <QSaveFile>
#include <QStandardPaths>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/engines/engine_link.h"
#include "engine/run_folder/run_files.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {
namespace {

qint64 toMilliseconds(double seconds) { return std::llround(seconds * 1000); }

/// Why it could not be written; empty: it was. Blocks.
QString write(const QString& path, const QByteArray& content, qint64 modifiedMs) {
  QDir().mkpath(QFileInfo(path).absolutePath());
  QSaveFile file(path);
  const bool isWritten =
      file.open(QIODevice::WriteOnly) && file.write(content) == content.size() && file.commit();
  if (!isWritten) return RemoteFiles::tr("%1 cannot be written: %2").arg(path, file.errorString());
  QFile written(path);
  if (written.open(QIODevice::ReadWrite))
    written.setFileTime(QDateTime::fromMSecsSinceEpoch(modifiedMs),
                        QFileDevice::FileModificationTime);
  return {};
}

}  // namespace

void limitFolder(const QString& folder, qint64 maxBytes) {
  QList<QFileInfo> files;
  qint64 bytes = 0;
  for (QDirIterator at(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
       at.hasNext();) {
    files.append(at.nextFileInfo());
    bytes += files.last().size();
  }
  std::sort(files.begin(), files.end(), [](const QFileInfo& a, const QFileInfo& b) {
    return a.metadataChangeTime() < b.metadataChangeTime();
  });
  for (const QFileInfo& file : std::as_const(files)) {
    if (bytes <= maxBytes) return;
    bytes -= file.size();
    QFile::remove(file.filePath());
  }
}

RemoteFiles::RemoteFiles(EngineLink& link, const RemotePlace& run, QObject* parent)
    : QObject(parent), link_(link) {
  cache_ =
      QStandardPaths::writableLocation(QStandardPaths::CacheLocation) + QStringLiteral("/remote");
  const QByteArray key =
      QCryptographicHash::hash(run.address().toUtf8(), QCryptographicHash::Sha256).toHex();
  folder_ = QDir::cleanPath(cache_ + QLatin1Char('/') + QString::fromLatin1(key.left(16)));
  name_ = run.isPackedRun() ? run.path : run.address();
  connect(&link_, &EngineLink::filePartReceived, this, &RemoteFiles::handlePart);
  connect(&link_, &EngineLink::welcomed, this, [this] { startNext(); });
  connect(&link_, &EngineLink::lost, this, [this] {
    ++generation_;
    if (fetches_.empty()) return;
    fetches_.front().isAsked = false;
    fetches_.front().id.clear();
  });
  connect(&link_, &EngineLink::failed, this, &RemoteFiles::failAll);
}

RemoteFiles::~RemoteFiles() { failAll(tr("the run was closed")); }

RunFileAccess RemoteFiles::access() {
  return {folder_,
          [files = QPointer(this)](const QString& localPath, RunFileAccess::Done done) {
            if (!files) return done(tr("the run was closed"));
            files->fetch(localPath, std::move(done));
          },
          name_};
}

QString RemoteFiles::remotePath(const QString& localPath) const {
  const QString relative = localPath.mid(folder_.size() + 1);
  const QString outside = QLatin1String(kOutsideFolder) + QLatin1Char('/');
  return relative.startsWith(outside) ? relative.mid(outside.size() - 1) : relative;
}

void RemoteFiles::fetch(const QString& localPath, RunFileAccess::Done done) {
  if (!QDir::cleanPath(localPath).startsWith(folder_ + QLatin1Char('/')))
    return done(tr("%1: a file's name leads out of the run").arg(name_));
  const auto pending = std::find_if(fetches_.begin(), fetches_.end(), [&](const Fetch& other) {
    return other.localPath == localPath;
  });
  if (pending != fetches_.end()) {
    pending->done.push_back(std::move(done));
    return;
  }
  fetches_.push_back({localPath, {std::move(done)}, {}, false, {}, -1, 0, 0});
  startNext();
}

/// Looks into the cache first.
void RemoteFiles::startNext() {
  if (fetches_.empty() || fetches_.front().isAsked || link_.state() != EngineLink::State::Connected)
    return;
  fetches_.front().isAsked = true;
  fetches_.front().data.clear();
  const QString path = fetches_.front().localPath;
  jobs::start(
      this, jobs::Kind::Disk,
      [path]() -> Cached {
        const QFileInfo file(path);
        if (!file.isFile()) return {};
        return {file.size(), file.lastModified().toMSecsSinceEpoch()};
      },
      [this, path, generation = generation_](const Cached& cached) {
        if (generation != generation_) return;
        if (cached.bytes >= 0 && fresh_.contains(path)) return finish({});
        Fetch& fetch = fetches_.front();
        fetch.cachedBytes = cached.bytes;
        fetch.cachedMs = cached.modifiedMs;
        ask(std::max<qint64>(cached.bytes, 0));  // the end of a file that has not changed
      });
}

void RemoteFiles::ask(qint64 offset) {
  Fetch& fetch = fetches_.front();
  fetch.id = link_.sendFileRequest(remotePath(fetch.localPath), offset);
  if (fetch.id.isEmpty()) fetch.isAsked = false;  // asked again after the next welcome
}

void RemoteFiles::handlePart(const QString& id, const protocol::FilePart& part) {
  if (fetches_.empty() || fetches_.front().id != id) return;
  Fetch& fetch = fetches_.front();
  if (const qint64 cached = std::exchange(fetch.cachedBytes, -1); cached >= 0) {
    if (part.bytes == cached && toMilliseconds(part.modified) == fetch.cachedMs) return finish({});
    return ask(0);
  }
  if (!fetch.data.isEmpty() && part.modified != fetch.modified) {
    fetch.data.clear();
    return ask(0);
  }
  if (part.bytes > run_folder::RunFiles::kMaxBytes)
    return finish(tr("%1: its file is larger than %2 MiB")
                      .arg(name_)
                      .arg(run_folder::RunFiles::kMaxBytes >> 20));
  fetch.modified = part.modified;
  fetch.data.append(part.data.data(), static_cast<qsizetype>(part.data.size()));
  if (fetch.data.size() < part.bytes && !part.data.empty()) return ask(fetch.data.size());
  store();
}

void RemoteFiles::store() {
  Fetch& fetch = fetches_.front();
  fetch.id.clear();
  const qint64 bytes = fetch.data.size();
  storedBytes_ += bytes;
  const bool isTimeToLimit = storedBytes_ >= kLimitEveryBytes;
  if (isTimeToLimit) storedBytes_ = 0;
  jobs::start(
      this, jobs::Kind::Disk,
      [path = fetch.localPath, content = std::exchange(fetch.data, {}), cache = cache_,
       modifiedMs = toMilliseconds(fetch.modified), isTimeToLimit] {
        const QString error = write(path, content, modifiedMs);
        if (isTimeToLimit) limitFolder(cache, kMaxCacheBytes);
        return error;
      },
      [this, generation = generation_](const QString& error) {
        if (generation == generation_) finish(error);
      });
}

bool RemoteFiles::handleRefusal(const QString& id, const QString& message) {
  if (fetches_.empty() || id.isEmpty() || fetches_.front().id != id) return false;
  finish(message);
  return true;
}

void RemoteFiles::finish(const QString& error) {
  ++generation_;
  const Fetch fetch = std::move(fetches_.front());
  fetches_.pop_front();
  if (error.isEmpty()) fresh_.insert(fetch.localPath);
  for (const RunFileAccess::Done& done : fetch.done) done(error);
  startNext();
}

void RemoteFiles::failAll(const QString& error) {
  ++generation_;
  for (const Fetch& fetch : std::exchange(fetches_, {}))
    for (const RunFileAccess::Done& done : fetch.done) done(error);
}

}  // namespace lockstep::app
