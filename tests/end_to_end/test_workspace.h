#pragma once

#include <QByteArray>
#include <QDir>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "engine/run_folder/run_folder.h"
#include "tests/support/text.h"

namespace lockstep::tests {

/// Time limit of a step of a program.
inline constexpr int kPatienceMs = 180000;

/// Splits a command line without quotes.
QStringList words(const char* line);

/// How a program ended.
struct ProcessResult {
  int status = -1;  ///< exit status; -1: ended by a signal, or not in time
  QByteArray out, err;
};

/// Copies a run folder, with hard links to large files, which are only ever replaced.
void copyRun(const std::filesystem::path& from, const std::filesystem::path& to);

/// Values of one tag by step, as `lockstep-engine metrics` writes them.
using Curve = std::map<std::int64_t, float>;
/// Curves by tag. `doubles`: number of steps that were written twice.
struct Curves {
  std::map<QByteArray, Curve> byTag;
  int doubles = 0;

  const Curve& of(const char* tag) const;
  /// "train/loss_mask" begins with "train/loss_".
  std::map<QByteArray, Curve> beginningWith(const char* prefix) const;
};

/// A temporary folder for tests of the built programs. While it exists, their runs are in runs()
/// and their sockets below it, also those of windows in this process. Kills runs that are still
/// running at its end.
class TestWorkspace {
 public:
  TestWorkspace();
  ~TestWorkspace();

  /// An absolute name is returned unchanged.
  QString path(const QString& name) const { return QDir(folder_.path()).filePath(name); }
  QString runs() const { return path(QStringLiteral("runs")); }
  void write(const QString& name, const QByteArray& text) const;
  QByteArray read(const QString& name) const;

  /// Runs a program of this build in this folder.
  std::unique_ptr<QProcess> start(const char* program, const QStringList& arguments) const;
  static ProcessResult finish(QProcess& process);
  /// Waits for its end; its standard input is empty.
  ProcessResult run(const char* program, const QStringList& arguments) const;
  ProcessResult engine(const QStringList& arguments) const {
    return run("lockstep-engine", arguments);
  }

  /// Copies generated scenes to the folder "shapes": 4 training images, 2 held-out images.
  void copyShapes() const;
  /// A small experiment on them in "experiment.yaml"; 6 steps take a few seconds.
  void writeExperiment() const;
  /// Copies a finished run of such an experiment, the experiment and its scenes, all of which are
  /// made once per build: the scenes that experiment.yaml and the run name lie in the build folder.
  /// Returns what its `train` wrote to standard error.
  QByteArray copyMadeRun(const QString& name = QStringLiteral("run")) const;
  Curves curvesOf(const QString& run) const;
  /// The only run in runs().
  run_folder::RunSummary onlyRun() const;
  /// Every file below the folder, with its size and time of change.
  std::map<QString, QString> files() const;

 private:
  /// Calls `copy` with the build's folder of scenes and run, which no other process makes anew
  /// then.
  void withMadeRun(const std::function<void(const std::filesystem::path& made)>& copy) const;
  void makeRun(const std::filesystem::path& made) const;

  QTemporaryDir folder_;
  std::vector<std::pair<QByteArray, QByteArray>> environment_;  ///< values to restore
};

}  // namespace lockstep::tests
