#include "app/runs/list/remote_runs.h"

#include <algorithm>
#include <utility>

#include "app/runs/list/remote_run_list.h"
#include "engine/base/error.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::seconds kListInterval{10}, kMaxDelay{300}, kTimeLimit{60};
constexpr qsizetype kMaxOutputBytes = 16 << 20, kPartBytes = 64 << 10, kShownBytes = 200;

struct Parsed {
  RemoteListing listing;
  QString error;
};

/// What says why nothing can be run there, such as nologin, may be on standard output.
QString withOutput(const QString& reason, const QByteArray& output) {
  const QString words = QString::fromUtf8(output.left(kShownBytes)).simplified();
  return words.isEmpty() || words.startsWith(u'[')
             ? reason
             : RemoteRuns::tr("%1 (and it says “%2”)").arg(reason, words);
}

}  // namespace

RemoteRuns::RemoteRuns(const RemotePlace& place, QObject* parent)
    : QObject(parent), place_(place), ssh_(place) {
  next_.setSingleShot(true);
  limit_.setSingleShot(true);
  limit_.setInterval(kTimeLimit);
  connect(&next_, &QTimer::timeout, this, [this] {
    isDue_ = true;
    list();
  });
  connect(&limit_, &QTimer::timeout, this, [this] {
    const QString words = ssh_.lastErrorLine();
    ssh_.stop();
    fail(words.isEmpty() ? tr("it does not answer")
                         : tr("it does not answer; its last output is: %1").arg(words));
  });
  connect(&ssh_, &SshProcess::readyRead, this, &RemoteRuns::read);
  connect(&ssh_, &SshProcess::ended, this, &RemoteRuns::handleEnd);
}

void RemoteRuns::setWatched(bool isWatched) {
  isWatched_ = isWatched;
  list();
}

void RemoteRuns::list() {
  if (!isWatched_ || !isDue_ || isRun_ || ssh_.isRunning()) return;
  isDue_ = false;
  output_.clear();
  limit_.start();
  ssh_.start({QStringLiteral("runs"), QStringLiteral("--format"), QStringLiteral("json"),
              QStringLiteral("--"), place_.path});
}

/// Returns false if the answer is too large; the process is then stopped.
bool RemoteRuns::read() {
  for (QByteArray part; !(part = ssh_.read(kPartBytes)).isEmpty();) {
    output_ += part;
    if (output_.size() <= kMaxOutputBytes) continue;
    ssh_.stop();
    fail(tr("its answer has more than %1 MiB").arg(kMaxOutputBytes >> 20));
    return false;
  }
  return true;
}

void RemoteRuns::handleEnd(const SshProcess::End& end) {
  if (!read()) return;
  limit_.stop();
  const bool isDone = end.status == static_cast<int>(ExitStatus::Done);
  isRun_ = place_.isPackedRun() ||
           (end.status == static_cast<int>(ExitStatus::UserError) && !end.isOtherVersion);
  if (!isRun_ && !isDone) return fail(withOutput(end.reason, output_), end.isPermanent);
  if (!isDone) output_.clear();  // why it cannot be read is said where it is opened
  parse();
}

void RemoteRuns::parse() {
  jobs::start(
      this, jobs::Kind::Disk,
      [json = std::exchange(output_, {}), place = place_, isRun = isRun_,
       notes = run_folder::fs::path(notesFile_.toStdString())]() -> Parsed {
        try {
          Parsed parsed{
              isRun ? RemoteListing{{parsePackedRun(json, place)}} : parseRemoteRuns(json, place),
              {}};
          takeOwnNotes(parsed.listing.runs, notes);
          return parsed;
        } catch (const Error& error) {
          return {{}, QString::fromUtf8(error.what())};
        }
      },
      [this](const Parsed& parsed) {
        if (!parsed.error.isEmpty()) return fail(parsed.error);
        hasAnswered_ = true;
        delay_ = milliseconds(0);
        next_.start(kListInterval);
        Q_EMIT listed(parsed.listing.runs, parsed.listing.leftOut);
      });
}

void RemoteRuns::fail(const QString& reason, bool isPermanent) {
  limit_.stop();
  delay_ = isPermanent ? milliseconds(kMaxDelay)
                       : std::clamp<milliseconds>(delay_ * 2, kListInterval, kMaxDelay);
  next_.start(delay_);
  hasAnswered_ = true;
  Q_EMIT failed(reason);
}

}  // namespace lockstep::app
