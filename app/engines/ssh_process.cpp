#include "app/engines/ssh_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <QSocketNotifier>
#include <algorithm>
#include <cerrno>
#include <utility>

#include "app/engines/engine_program.h"
#include "engine/base/error.h"

namespace lockstep::app {
namespace {

constexpr qsizetype kKeptErrorBytes = 4096;
constexpr qsizetype kMaxReasonLetters = 300;
/// Exit statuses of ssh itself and of a shell that finds no such program.
constexpr int kSshFailed = 255, kNotFound = 127;

/// For the shell of the other machine.
QString quoted(QString text) {
  return QLatin1Char('\'') + text.replace(QLatin1Char('\''), QStringLiteral("'\\''")) +
         QLatin1Char('\'');
}

/// Errors of ssh that stay until somebody mends them; trying again and again could lock the user
/// out.
bool isRefusal(const QString& reason) {
  return reason.contains(QLatin1String("Permission denied")) ||
         reason.contains(QLatin1String("Host key verification failed")) ||
         reason.contains(QLatin1String("Too many authentication failures"));
}

/// What lockstep-engine says of a command or an option that it does not have.
bool isUnknownArgument(const QString& line) {
  return line.startsWith(QLatin1String("lockstep-engine")) &&
         (line.contains(QLatin1String(": unknown command ")) ||
          line.contains(QLatin1String(": unknown option ")));
}

}  // namespace

QStringList sshCommand(const RemotePlace& place, const QStringList& arguments) {
  if (place.isPackedRun()) return QStringList{engineProgram()} + arguments;
  QStringList command = QProcess::splitCommand(qEnvironmentVariable("LOCKSTEP_SSH"));
  if (command.isEmpty()) command = {QStringLiteral("ssh")};
  // The first value of an option counts for ssh, so that $LOCKSTEP_SSH overrides these.
  for (const char* option : {"BatchMode=yes", "ConnectTimeout=15", "ServerAliveInterval=15"})
    command << QStringLiteral("-o") << QLatin1String(option);
  if (place.port > 0) command << QStringLiteral("-p") << QString::number(place.port);
  QString host = place.host;
  command << host.remove(QLatin1Char('[')).remove(QLatin1Char(']'));
  QStringList words{QStringLiteral("lockstep-engine")};
  for (const QString& argument : arguments) words << quoted(argument);
  return command << words.join(QLatin1Char(' '));
}

SshProcess::SshProcess(const RemotePlace& place, QObject* parent)
    : QObject(parent), place_(place) {}

SshProcess::~SshProcess() { stop(); }

void SshProcess::start(const QStringList& arguments) {
  stop();
  errors_.clear();
  process_ = new QProcess;
  const base::FileDescriptor itsEnd = openPipe();
  // Runs in the child. QProcess itself would read all output into memory at once.
  process_->setChildProcessModifier([end = itsEnd.get()] { ::dup2(end, STDOUT_FILENO); });
  process_->setStandardOutputFile(QProcess::nullDevice());
  connect(process_, &QProcess::started, this, [this] {
    if (hasOutput_) hasOutput_->setEnabled(true);
    Q_EMIT started();
  });
  connect(process_, &QProcess::readyReadStandardError, this, &SshProcess::readErrors);
  connect(process_, &QProcess::finished, this, &SshProcess::finish);
  connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) finish(-1, QProcess::CrashExit);
  });
  const QStringList command = sshCommand(place_, arguments);
  process_->start(command.first(), command.mid(1));
}

/// Returns the other end of the pipe.
base::FileDescriptor SshProcess::openPipe() {
  int ends[2]{-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  output_.reset(ends[0]);
  ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  hasOutput_ = new QSocketNotifier(output_.get(), QSocketNotifier::Read, this);
  hasOutput_->setEnabled(false);  // started() enables it, as a quick process may write earlier
  connect(hasOutput_, &QSocketNotifier::activated, this, [this] {
    hasOutput_->setEnabled(false);
    Q_EMIT readyRead();
  });
  return base::FileDescriptor(ends[1]);
}

void SshProcess::closePipe() {
  if (auto* notifier = std::exchange(hasOutput_, nullptr)) {  // may be the caller
    notifier->setEnabled(false);
    notifier->deleteLater();
  }
  output_.reset();
}

void SshProcess::stop() {
  closePipe();
  if (!process_) return;
  QProcess* process = std::exchange(process_, nullptr);
  process->disconnect(this);
  if (process->state() == QProcess::NotRunning) return process->deleteLater();
  connect(process, &QProcess::finished, process, &QObject::deleteLater);
  // At the end of its input it removes what it has unpacked.
  place_.isPackedRun() ? process->closeWriteChannel() : process->kill();
}

void SshProcess::write(const QByteArray& bytes) {
  if (process_) process_->write(bytes);
}

QByteArray SshProcess::read(qint64 maxBytes) {
  QByteArray bytes(maxBytes, Qt::Uninitialized);
  ssize_t count = 0;
  do {
    count = ::read(output_.get(), bytes.data(), static_cast<std::size_t>(bytes.size()));
  } while (count < 0 && errno == EINTR);
  bytes.truncate(std::max<qsizetype>(count, 0));
  // A child of the ended process may still hold the pipe: it must not wake up anything.
  if (bytes.isEmpty() && hasOutput_)
    hasOutput_->setEnabled(process_ && count < 0 && errno == EAGAIN);
  return bytes;
}

void SshProcess::readErrors() {
  errors_ += process_->readAllStandardError();
  errors_ = errors_.right(kKeptErrorBytes);
}

QString SshProcess::lastErrorLine() const {
  const QStringList lines = QString::fromUtf8(errors_).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
  for (auto line = lines.crbegin(); line != lines.crend(); ++line)
    if (const QString text = line->simplified(); !text.isEmpty())
      return text.left(kMaxReasonLetters);
  return {};
}

void SshProcess::finish(int status, QProcess::ExitStatus how) {
  readErrors();
  const End end = endOf(status, how);
  std::exchange(process_, nullptr)->deleteLater();
  Q_EMIT ended(end);
}

SshProcess::End SshProcess::endOf(int status, QProcess::ExitStatus how) const {
  const QString line = lastErrorLine();
  if (place_.isPackedRun()) return endOfPacked(status, how, line);
  if (process_->error() == QProcess::FailedToStart)
    return {-1,
            tr("%1 cannot be started: install an ssh client, or name one in LOCKSTEP_SSH")
                .arg(process_->program()),
            true};
  if (how == QProcess::CrashExit)
    return {-1, line.isEmpty() ? tr("ssh was killed") : tr("ssh was killed: %1").arg(line), false};
  if (status == kNotFound)
    return {-1,
            tr("lockstep-engine was not found on %1: link it into a folder of the PATH that ssh "
               "uses there, such as /usr/local/bin")
                .arg(place_.hostText()),
            false};
  if (status == static_cast<int>(ExitStatus::UserError) && isUnknownArgument(line))
    return {status,
            tr("The engine on %1 is of another version: %2. Install the version of this program "
               "(lockstep --version) there.")
                .arg(place_.hostText(), line),
            false, true};
  if (status == kSshFailed && isRefusal(line))
    return {
        -1,
        tr("%1 Passwords cannot be entered here: log in with ssh in a terminal first.").arg(line),
        true};
  if (status == kSshFailed)
    return {-1, line.isEmpty() ? tr("ssh failed without saying why") : line, false};
  if (!line.isEmpty()) return {status, line, false};
  return {status,
          status == 0 ? tr("the connection has ended")
                      : tr("lockstep-engine there exited with status %1").arg(status),
          false};
}

/// A file that cannot be read stays so.
SshProcess::End SshProcess::endOfPacked(int status, QProcess::ExitStatus how,
                                        const QString& line) const {
  if (process_->error() == QProcess::FailedToStart)
    return {-1, tr("%1 cannot be started: it belongs beside this program").arg(process_->program()),
            true};
  if (how == QProcess::CrashExit) return {-1, tr("lockstep-engine was killed"), true};
  if (!line.isEmpty()) return {status, line, true};
  return {status,
          tr("lockstep-engine cannot read %1 (exit status %2)").arg(place_.path).arg(status), true};
}

}  // namespace lockstep::app
