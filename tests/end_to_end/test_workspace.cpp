#include "tests/end_to_end/test_workspace.h"

#include <signal.h>

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QTest>
#include <algorithm>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/file_lock.h"
#include "tests/support/test_data.h"

namespace lockstep::tests {
namespace fs = std::filesystem;
namespace {

const char* const kSmallExperiment = R"(name: end_to_end
base: %1
dataset:
  train: {images: %2/train, annotations: %2/annotations/instances_train.json}
  val: {images: %2/val, annotations: %2/annotations/instances_val.json}
  loader_threads: 1
augment: {min_size: [96], max_size: 160}
model: {box_head: {score_threshold: 0.01, detections_per_image: 20}}
solver: {max_steps: 6, warmup_steps: 0, batch_size: 1, schedule: constant, base_lr: 0.005}
evaluation: {loss_every: 2, ap_every: 4}
monitor: {log_every: 1, predictions_every: 2, prediction_images: 2}
checkpoint: {every: 2, keep: 3}
runtime: {device: cpu, cpu_threads: 1}
)";

/// What `train` said; the last file that is made.
const char* const kSaid = "said.txt";

QByteArray experimentOn(const QString& scenes) {
  const auto base = QString::fromStdString((sourceFolder() / "configs/cpu_small.yaml").string());
  return text(kSmallExperiment).arg(base, scenes).toUtf8();
}

/// Whether all of it is there, and newer than the programs and the experiments it is based on.
bool isMade(const fs::path& made) {
  std::error_code missing;
  const auto time = fs::last_write_time(made / kSaid, missing);
  if (missing) return false;
  std::vector<fs::path> sources{QCoreApplication::applicationFilePath().toStdString()};
  for (const char* name : {"lockstep-engine", "lockstep-worker"})
    sources.emplace_back(program(name).toStdString());
  for (const auto& entry : fs::directory_iterator(sourceFolder() / "configs"))
    sources.push_back(entry.path());
  return std::ranges::all_of(
      sources, [&](const fs::path& source) { return fs::last_write_time(source) <= time; });
}

}  // namespace

QStringList words(const char* line) {
  return text(line).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

void copyRun(const fs::path& from, const fs::path& to) {
  fs::remove_all(to);
  fs::create_directories(to);
  for (const auto& entry : fs::recursive_directory_iterator(from)) {
    const fs::path place = to / fs::relative(entry.path(), from);
    if (entry.is_directory()) {
      fs::create_directories(place);
      continue;
    }
    const bool isLarge = entry.path().extension() == ".safetensors";
    std::error_code failure;  // another file system
    if (isLarge) fs::create_hard_link(entry.path(), place, failure);
    if (!isLarge || failure) fs::copy_file(entry.path(), place);
  }
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

void TestWorkspace::copyShapes() const {
  withMadeRun([this](const fs::path& made) {
    fs::copy(made / "shapes", path(QStringLiteral("shapes")).toStdString(),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  });
}

void TestWorkspace::writeExperiment() const {
  write(QStringLiteral("experiment.yaml"), experimentOn(QStringLiteral("shapes")));
}

QByteArray TestWorkspace::copyMadeRun(const QString& name) const {
  copyShapes();
  QByteArray said;
  withMadeRun([&](const fs::path& made) {
    const auto read = [&](const char* file) {
      return this->read(QString::fromStdString((made / file).string()));
    };
    write(QStringLiteral("experiment.yaml"), read("experiment.yaml"));
    copyRun(made / "run", path(name).toStdString());
    said = read(kSaid);
  });
  return said;
}

void TestWorkspace::withMadeRun(const std::function<void(const fs::path&)>& copy) const {
  const fs::path build =
      fs::path(program("lockstep-engine").toStdString()).parent_path().parent_path();
  const fs::path made = build / "tests/end_to_end/made";
  fs::create_directories(made.parent_path());
  std::optional<base::FileLock> lock;
  const auto isLocked = [&] {
    lock = base::FileLock::tryAcquireAtOnce(made.string() + ".lock",
                                            base::FileLock::Sharing::Exclusive);
    return lock.has_value();
  };
  if (!QTest::qWaitFor(isLocked, 3 * kPatienceMs)) throw Error(made.string() + ": stays locked");
  if (!isMade(made)) makeRun(made);
  copy(made);
}

void TestWorkspace::makeRun(const fs::path& made) const {
  fs::remove_all(made);
  const auto in = [&](const char* name) { return QString::fromStdString((made / name).string()); };
  const ProcessResult shapes =
      engine(words("dataset shapes --train 4 --val 2 --seed 3 --out") + QStringList{in("shapes")});
  if (shapes.status != 0) throw Error(shapes.err.toStdString());
  write(in("experiment.yaml"), experimentOn(in("shapes")));
  const ProcessResult run = engine(
      {QStringLiteral("train"), in("experiment.yaml"), QStringLiteral("--output"), in("run")});
  if (run.status != 0) throw Error(run.err.toStdString());
  write(in(kSaid), run.err);
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
