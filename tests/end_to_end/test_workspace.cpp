#include "tests/end_to_end/test_workspace.h"

#include <signal.h>

#include <QDateTime>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>

#include "engine/base/error.h"
#include "tests/support/test_data.h"

namespace lockstep::tests {
namespace {

constexpr int kPatienceMs = 180000;

const char* const kExperiment = R"(name: end_to_end
base: %1
dataset:
  train: {images: shapes/train, annotations: shapes/annotations/instances_train.json}
  val: {images: shapes/val, annotations: shapes/annotations/instances_val.json}
  loader_threads: 1
augment: {min_size: [96], max_size: 160}
model: {box_head: {score_threshold: 0.01, detections_per_image: 20}}
solver: {max_steps: 6, warmup_steps: 0, batch_size: 1, schedule: constant, base_lr: 0.005}
evaluation: {loss_every: 2, ap_every: 4}
monitor: {log_every: 1, predictions_every: 2, prediction_images: 2}
checkpoint: {every: 2, keep: 3}
runtime: {device: cpu, cpu_threads: 1}
)";

}  // namespace

QStringList words(const char* line) {
  return QString::fromUtf8(line).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

const Curve& Curves::of(const char* tag) const {
  static const Curve kNone;
  const auto found = byTag.find(tag);
  return found == byTag.end() ? kNone : found->second;
}

std::map<QByteArray, Curve> Curves::beginningWith(const char* prefix) const {
  std::map<QByteArray, Curve> result;
  for (const auto& [tag, curve] : byTag)
    if (tag.startsWith(prefix)) result[tag] = curve;
  return result;
}

TestWorkspace::TestWorkspace() {
  const QString sockets = path(QStringLiteral("x"));
  QDir().mkpath(sockets);
  const std::pair<const char*, QString> variables[] = {{"LOCKSTEP_RUNS", runs()},
                                                       {"XDG_RUNTIME_DIR", sockets}};
  for (const auto& [name, value] : variables) {
    environment_.emplace_back(name, qgetenv(name));
    qputenv(name, value.toLocal8Bit());
  }
}

TestWorkspace::~TestWorkspace() {
  for (const run_folder::RunSummary& run : run_folder::listRuns(runs().toStdString()))
    if (run.alive && run.info.pid > 1) ::kill(static_cast<pid_t>(run.info.pid), SIGKILL);
  for (const auto& [name, value] : environment_) {
    if (value.isNull()) {
      qunsetenv(name);
    } else {
      qputenv(name, value);
    }
  }
}

void TestWorkspace::write(const QString& name, const QByteArray& text) const {
  QDir().mkpath(QFileInfo(path(name)).absolutePath());
  QFile file(path(name));
  if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
    throw Error("cannot write " + path(name).toStdString());
}

QByteArray TestWorkspace::read(const QString& name) const {
  QFile file(path(name));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

std::unique_ptr<QProcess> TestWorkspace::start(const char* program,
                                               const QStringList& arguments) const {
  auto process = std::make_unique<QProcess>();
  process->setWorkingDirectory(folder_.path());
  process->start(tests::program(program), arguments);
  return process;
}

ProcessResult TestWorkspace::finish(QProcess& process) {
  ProcessResult ended;
  const bool inTime =
      process.state() == QProcess::NotRunning || process.waitForFinished(kPatienceMs);
  if (!inTime) process.kill();
  if (inTime && process.exitStatus() == QProcess::NormalExit &&
      process.error() != QProcess::FailedToStart)
    ended.status = process.exitCode();
  ended.out = process.readAllStandardOutput();
  ended.err = process.readAllStandardError();
  return ended;
}

ProcessResult TestWorkspace::run(const char* program, const QStringList& arguments) const {
  const auto process = start(program, arguments);
  process->closeWriteChannel();
  return finish(*process);
}

bool TestWorkspace::makeShapes() const {
  return engine({QStringLiteral("dataset"), QStringLiteral("shapes"), QStringLiteral("--out"),
                 QStringLiteral("shapes"), QStringLiteral("--train"), QStringLiteral("4"),
                 QStringLiteral("--val"), QStringLiteral("2"), QStringLiteral("--seed"),
                 QStringLiteral("3")})
             .status == 0;
}

void TestWorkspace::writeExperiment() const {
  const auto base = QString::fromStdString((sourceFolder() / "configs/cpu_small.yaml").string());
  write(QStringLiteral("experiment.yaml"), QString::fromUtf8(kExperiment).arg(base).toUtf8());
}

Curves TestWorkspace::curvesOf(const QString& run) const {
  const ProcessResult metrics =
      engine({QStringLiteral("metrics"), run, QStringLiteral("--format"), QStringLiteral("csv")});
  Curves curves;
  for (const QByteArray& line : metrics.out.split('\n').mid(1)) {
    const QList<QByteArray> cells = line.split(',');  // step,wall_time,tag,value
    if (cells.size() != 4) continue;
    Curve& curve = curves.byTag[cells[2]];
    if (!curve.emplace(cells[0].toLongLong(), cells[3].toFloat()).second) ++curves.doubles;
  }
  return curves;
}

run_folder::RunSummary TestWorkspace::onlyRun() const {
  const auto found = run_folder::listRuns(runs().toStdString());
  if (found.size() != 1) throw Error("there are " + std::to_string(found.size()) + " runs");
  return found.front();
}

std::map<QString, QString> TestWorkspace::files() const {
  std::map<QString, QString> result;
  QDirIterator found(folder_.path(), QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot,
                     QDirIterator::Subdirectories);
  while (found.hasNext()) {
    found.next();
    const QFileInfo info = found.fileInfo();
    if (found.filePath().startsWith(path(QStringLiteral("x")))) continue;  // sockets
    result[found.filePath()] = info.isDir() ? QStringLiteral("folder")
                                            : QStringLiteral("%1 bytes, changed %2")
                                                  .arg(info.size())
                                                  .arg(info.lastModified().toMSecsSinceEpoch());
  }
  return result;
}

}  // namespace lockstep::tests
