#include "app/controllers/experiment_file.h"

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

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/config/load.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::milliseconds kSettle{150};

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

/// DIR/NAME-2.yaml for DIR/NAME.yaml and 2.
QString numbered(const QFileInfo& file, int number) {
  const QString suffix = file.suffix().isEmpty() ? QString() : QLatin1Char('.') + file.suffix();
  return file.absolutePath() +
         QStringLiteral("/%1-%2%3").arg(file.completeBaseName()).arg(number).arg(suffix);
}

}  // namespace

ExperimentFile::ExperimentFile(QObject* parent) : QObject(parent) {
  settle_.setSingleShot(true);
  settle_.setInterval(kSettle);
  connect(&settle_, &QTimer::timeout, this, &ExperimentFile::check);
  const auto wait = [this] { settle_.start(); };
  connect(&watcher_, &QFileSystemWatcher::fileChanged, this, wait);
  connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, wait);
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

void ExperimentFile::attach(const QString& path, const QString& known) {
  path_ = path;
  known_ = onDisk_ = known;
  readError_.clear();
  state_ = State::Same;
  watch();
}

void ExperimentFile::detach() {
  attach({}, {});
  settle_.stop();
}

void ExperimentFile::watch() {
  // A replaced file is a new inode, so watching always starts over.
  const QStringList watched = watcher_.files() + watcher_.directories();
  if (!watched.isEmpty()) watcher_.removePaths(watched);
  QStringList paths;
  if (!path_.isEmpty()) {
    const QString real = realPath(path_);
    paths << QFileInfo(path_).absolutePath() << QFileInfo(real).absolutePath();
    if (QFileInfo::exists(real)) paths << real;
    paths.removeDuplicates();
  }
  if (!paths.isEmpty()) watcher_.addPaths(paths);
}

ExperimentFile::State ExperimentFile::check() {
  if (!isAttached()) return State::Same;
  settle_.stop();
  const auto before = std::make_tuple(state_, onDisk_, readError_);
  readError_.clear();
  try {
    onDisk_ = read(path_);
    state_ = onDisk_ == known_ ? State::Same : State::Changed;
  } catch (const std::exception& error) {
    onDisk_.clear();
    state_ = QFileInfo::exists(path_) ? State::Changed : State::Gone;
    if (state_ == State::Changed) readError_ = QString::fromUtf8(error.what());
  }
  watch();
  if (before != std::make_tuple(state_, onDisk_, readError_)) Q_EMIT changed();
  return state_;
}

QString ExperimentFile::copyName() const {
  int number = 2;
  while (QFileInfo::exists(numbered(QFileInfo(path_), number))) ++number;
  return QFileInfo(numbered(QFileInfo(path_), number)).fileName();
}

QString ExperimentFile::writeCopy(const QString& text) const {
  int number = 2;
  while (!claim(numbered(QFileInfo(path_), number))) ++number;
  const QString copy = numbered(QFileInfo(path_), number);
  try {
    base::writeFileAtomically(copy.toStdString(), text.toStdString());
  } catch (...) {
    QFile::remove(copy);  // the empty file that claim() created
    throw;
  }
  return copy;
}

}  // namespace lockstep::app
