#include "app/documents/experiment_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStringDecoder>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <tuple>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/config/load.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::milliseconds kFileSettle{150};
constexpr std::chrono::seconds kDiskPatience{5};

Error fileError(const QString& path, const char* what) {
  return Error(path.toStdString() + ": " + what);
}

/// Creates an empty file; false: the name is taken.
bool claim(const QString& path) {
  const int fd =
      ::open(QFile::encodeName(path).constData(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd >= 0) return ::close(fd) == 0;
  if (errno == EEXIST) return false;
  throw Error(path.toStdString() +
              ": cannot be written: " + std::generic_category().message(errno));
}

}  // namespace

ExperimentFile::ExperimentFile(QObject* parent) : QObject(parent) {
  settle_.setSingleShot(true);
  settle_.setInterval(kFileSettle);
  connect(&settle_, &QTimer::timeout, this, &ExperimentFile::check);
  connect(&watch_, &FileWatch::changed, this, [this] {
    if (!settle_.isActive()) settle_.start();
  });
}

QString ExperimentFile::read(const QString& path) {
  const std::string bytes = config::readExperimentFile(path.toStdString());
  if (bytes.find('\0') != std::string::npos)
    throw fileError(path, "is not a text file: it contains zero bytes");
  // A byte order mark is kept in the text, so that it is saved again.
  QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::ConvertInitialBom);
  QString text = decoder.decode(QByteArrayView(bytes.data(), static_cast<qsizetype>(bytes.size())));
  if (decoder.hasError()) throw fileError(path, "is not UTF-8 text: convert it first");
  return text;
}

void ExperimentFile::write(const QString& path, const QString& text) {
  const bool exists = QFileInfo::exists(path);
  if (const std::string kind = base::inputFileError(path.toStdString(), "a file");
      exists && !kind.empty())
    throw fileError(path, kind.c_str());
  if (exists && ::access(QFile::encodeName(path).constData(), W_OK) != 0)
    throw fileError(path, "is write-protected: change its permissions or save under another name");
  base::writeFileAtomically(path.toStdString(), text.toStdString());
}

QString ExperimentFile::realPath(const QString& path) {
  const QFileInfo info(path);
  const QString real = info.canonicalFilePath();
  if (!real.isEmpty()) return real;
  const QString folder = QFileInfo(info.absolutePath()).canonicalFilePath();
  return (folder.isEmpty() ? info.absolutePath() : folder) + QLatin1Char('/') + info.fileName();
}

void ExperimentFile::attach(const QString& path, const QString& real, const QString& known) {
  path_ = path;
  real_ = real;
  known_ = onDisk_ = known;
  readError_.clear();
  state_ = State::Same;
  oldest_ = looks_ + 1;
  // A check that is running is of before.
  check_.cancel();
  again_ = false;
  if (std::exchange(isOverdue_, false)) Q_EMIT answered();
  settle_.stop();
  if (isAttached()) {
    check();  // begins to watch it
  } else {
    watch_.paths()->set({}, ++looks_);
  }
}

void ExperimentFile::detach() { attach({}, {}, {}); }

std::function<ExperimentFile::Look()> ExperimentFile::look() {
  return [path = path_, known = known_, number = ++looks_, watch = watch_.paths()] {
    // First, so that no change is missed. A replaced file is a new inode.
    const QString real = realPath(path);
    QStringList places{QFileInfo(path).absolutePath(), QFileInfo(real).absolutePath(), real};
    places.removeDuplicates();
    watch->set(places, number);
    Look look{number};
    try {
      look.onDisk = read(path);
      look.state = look.onDisk == known ? State::Same : State::Changed;
    } catch (const std::exception& error) {
      look.state = QFileInfo::exists(path) ? State::Changed : State::Gone;
      if (look.state == State::Changed) look.readError = QString::fromUtf8(error.what());
    }
    return look;
  };
}

ExperimentFile::State ExperimentFile::apply(const Look& look) {
  if (look.number < oldest_) return state_;
  oldest_ = look.number;
  const auto before = std::make_tuple(state_, onDisk_, readError_);
  state_ = look.state;
  onDisk_ = look.onDisk;
  readError_ = look.readError;
  if (before != std::make_tuple(state_, onDisk_, readError_)) Q_EMIT changed();
  return state_;
}

void ExperimentFile::check() {
  if (!isAttached()) return;
  again_ = check_.isRunning();
  if (again_) return;
  check_ = jobs::start(this, jobs::Kind::Disk, look(), [this](const Look& seen) {
    const bool wasOverdue = std::exchange(isOverdue_, false);
    apply(seen);
    if (wasOverdue) Q_EMIT answered();
    if (std::exchange(again_, false)) check();
  });
  check_.whenLaterThan(kDiskPatience, [this] {
    isOverdue_ = true;
    Q_EMIT overdue();
  });
}

QString ExperimentFile::numbered(const QString& path, int number) {
  const QFileInfo file(path);
  const QString suffix = file.suffix().isEmpty() ? QString() : QLatin1Char('.') + file.suffix();
  return file.absolutePath() +
         QStringLiteral("/%1-%2%3").arg(file.completeBaseName()).arg(number).arg(suffix);
}

QString ExperimentFile::copyName(const QString& path) {
  int number = 2;
  while (QFileInfo::exists(numbered(path, number))) ++number;
  return QFileInfo(numbered(path, number)).fileName();
}

QString ExperimentFile::writeCopy(const QString& path, const QString& text) {
  int number = 2;
  while (!claim(numbered(path, number))) ++number;
  const QString copy = numbered(path, number);
  try {
    base::writeFileAtomically(copy.toStdString(), text.toStdString());
  } catch (...) {
    QFile::remove(copy);  // the empty file that claim() created
    throw;
  }
  return copy;
}

}  // namespace lockstep::app
