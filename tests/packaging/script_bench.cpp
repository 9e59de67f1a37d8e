#include "tests/packaging/script_bench.h"

#include <fstream>
#include <sstream>

#include "engine/base/error.h"
#include "tests/support/test_data.h"

namespace lockstep::tests {
namespace fs = std::filesystem;
namespace {

constexpr int kPatienceMs = 300'000;

}  // namespace

ScriptBench::ScriptBench() : environment_(QProcessEnvironment::systemEnvironment()) {
  for (const QString& name : environment_.keys()) {
    for (const char* prefix : {"SLURM_", "OMPI_", "PMIX_", "SM_", "TORCHELASTIC_", "MASTER_"})
      if (name.startsWith(QLatin1String(prefix))) environment_.remove(name);
  }
  for (const char* name : {"RANK", "LOCAL_RANK", "WORLD_SIZE"})
    environment_.remove(QString::fromUtf8(name));
  setVariable("XDG_RUNTIME_DIR", folder().string());
}

void ScriptBench::write(const std::string& name, const std::string& text) const {
  fs::create_directories((folder() / name).parent_path());
  std::ofstream(folder() / name, std::ios::binary) << text;
}

void ScriptBench::writeProgram(const std::string& name, const std::string& text) const {
  write(name, "#!/bin/sh\n" + text);
  fs::permissions(folder() / name, fs::perms::owner_all);
}

std::string ScriptBench::read(const std::string& name) const {
  std::ifstream stream(folder() / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void ScriptBench::setVariable(const std::string& name, const std::string& value) {
  environment_.insert(QString::fromStdString(name), QString::fromStdString(value));
}

std::unique_ptr<QProcess> ScriptBench::start(const std::string& program,
                                             const QStringList& arguments) const {
  auto process = std::make_unique<QProcess>();
  process->setProcessEnvironment(environment_);
  process->setWorkingDirectory(QString::fromStdString(folder().string()));
  process->start(QString::fromStdString(program), arguments);
  if (!process->waitForStarted(kPatienceMs)) throw Error(program + " does not start");
  return process;
}

ScriptBench::ProcessResult ScriptBench::run(const std::string& program,
                                            const QStringList& arguments) const {
  return finish(*start(program, arguments));
}

ScriptBench::ProcessResult ScriptBench::finish(QProcess& process) {
  ProcessResult ended;
  const bool isOver =
      process.state() == QProcess::NotRunning || process.waitForFinished(kPatienceMs);
  if (!isOver) process.kill();
  if (isOver && process.exitStatus() == QProcess::NormalExit) ended.status = process.exitCode();
  ended.out = process.readAllStandardOutput().toStdString();
  ended.err = process.readAllStandardError().toStdString();
  return ended;
}

std::string sourceFile(const std::string& relative) { return (sourceFolder() / relative).string(); }

}  // namespace lockstep::tests
