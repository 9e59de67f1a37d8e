#include "tests/support/fake_worker/engine_bench.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QElapsedTimer>
#include <QTest>
#include <algorithm>
#include <fstream>
#include <sstream>

#include "engine/base/error.h"
#include "engine/events/reader.h"
#include "engine/supervisor/socket_server.h"
#include "tests/support/test_data.h"

namespace lockstep::tests {
namespace fs = std::filesystem;
namespace {

constexpr int kPatienceMs = 20000;

/// An image's annotation file: the images are there, and empty, for nobody here decodes them.
void writePart(const fs::path& folder, const std::string& part, int images) {
  fs::create_directories(folder / part);
  std::ostringstream json;
  json << R"({"categories":[{"id":1,"name":"drop"}],"images":[)";
  for (int i = 1; i <= images; ++i) {
    const std::string name = part + std::to_string(i) + ".png";
    std::ofstream(folder / part / name) << part << i;
    json << (i > 1 ? "," : "") << R"({"id":)" << i << R"(,"file_name":")" << name
         << R"(","width":64,"height":64})";
  }
  json << R"(],"annotations":[)";
  for (int i = 1; i <= images; ++i) {
    json
        << (i > 1 ? "," : "") << R"({"id":)" << i << R"(,"image_id":)" << i
        << R"(,"category_id":1,"iscrowd":0,"area":100,"bbox":[5,5,10,10],"segmentation":[[5,5,15,5,15,15,5,15]]})";
  }
  std::ofstream(folder / (part + ".json")) << json.str() << "]}";
}

constexpr const char* kExperiment = R"(name: bench
dataset:
  train: {images: train, annotations: train.json}
  val: {images: val, annotations: val.json}
augment: {min_size: [64], max_size: 64}
solver: {batch_size: 2, max_steps: 6, warmup_steps: 0, milestones: [4]}
checkpoint: {every: 2, keep: 2}
monitor: {log_every: 2}
runtime: {device: cpu, cpu_threads: 1}
)";

}  // namespace

EngineBench::EngineBench() {
  fs::create_directories(folder() / "bin");
  fs::create_directories(folder() / "x");
  fs::copy_file(program("lockstep-engine").toStdString(), folder() / "bin/lockstep-engine");
  fs::copy_file(program("fake_worker").toStdString(), folder() / "bin/lockstep-worker");
  writePart(folder(), "train", 4);
  writePart(folder(), "val", 2);
  std::ofstream(config()) << kExperiment;
}

fs::path EngineBench::folder() const { return fs::canonical(folder_.path().toStdString()); }

void EngineBench::script(const std::string& text, const std::string& kind) {
  std::ofstream(folder() / ("bin/lockstep-worker." + kind + ".script")) << text;
}

void EngineBench::rankScript(int rank, const std::string& text, const std::string& kind) {
  script(text, kind + "." + std::to_string(rank));
}

void EngineBench::touch(const std::string& name) const {
  std::ofstream(folder() / "bin" / name) << "here";
}

std::vector<std::string> EngineBench::received(int rank) const {
  const std::string name = "bin/lockstep-worker.received";
  std::ifstream file(folder() / (rank == 0 ? name : name + "." + std::to_string(rank)));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::optional<protocol::Job> EngineBench::newestJob(int rank) const {
  std::optional<protocol::Job> job;
  for (const std::string& line : received(rank)) {
    if (line.starts_with("pid ")) continue;
    const auto message = protocol::decodeSupervisorMessage(line);
    if (const auto* found = std::get_if<protocol::Job>(&message)) job = *found;
  }
  return job;
}

int EngineBench::workerPid(int rank) const {
  int pid = 0;
  for (const std::string& line : received(rank)) {
    if (line.starts_with("pid ")) pid = std::stoi(line.substr(4));
  }
  return pid;
}

std::vector<int> EngineBench::allPids() const {
  std::vector<int> pids;
  for (int rank = 0; rank < 64; ++rank) {
    for (const std::string& line : received(rank)) {
      if (line.starts_with("pid ")) pids.push_back(std::stoi(line.substr(4)));
    }
  }
  return pids;
}

void EngineBench::removeWorker() { fs::remove(folder() / "bin/lockstep-worker"); }

void EngineBench::setVariable(const std::string& name, const std::string& value) {
  variables_[name] = value;
}

std::unique_ptr<QProcess> EngineBench::start(const std::vector<std::string>& arguments) const {
  return launch(QString::fromStdString((folder() / "bin/lockstep-engine").string()), arguments);
}

EngineResult EngineBench::runScript(const std::string& script) const {
  return finish(*launch(QStringLiteral("bash"), {"-c", "PATH=\"$PWD/bin:$PATH\"\n" + script}));
}

std::unique_ptr<QProcess> EngineBench::launch(const QString& program,
                                              const std::vector<std::string>& arguments) const {
  auto process = std::make_unique<QProcess>();
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("XDG_RUNTIME_DIR"),
                     QString::fromStdString((folder() / "x").string()));
  environment.insert(QStringLiteral("LOCKSTEP_RUNS"),
                     QString::fromStdString((folder() / "runs").string()));
  environment.insert(QStringLiteral("LOCKSTEP_LOCKS"),
                     QString::fromStdString((folder() / "locks").string()));
  for (const auto& [name, value] : variables_)
    environment.insert(QString::fromStdString(name), QString::fromStdString(value));
  process->setProcessEnvironment(environment);
  process->setWorkingDirectory(QString::fromStdString(folder().string()));
  QStringList list;
  for (const std::string& argument : arguments) list << QString::fromStdString(argument);
  process->start(program, list);
  if (!process->waitForStarted(kPatienceMs)) throw Error(program.toStdString() + " does not start");
  return process;
}

EngineResult EngineBench::finish(QProcess& process) {
  EngineResult result;
  const bool ended =
      process.state() == QProcess::NotRunning || process.waitForFinished(kPatienceMs);
  if (!ended) process.kill();
  if (ended && process.exitStatus() == QProcess::NormalExit) result.status = process.exitCode();
  result.out = process.readAllStandardOutput().toStdString();
  result.err = process.readAllStandardError().toStdString();
  return result;
}

EngineResult EngineBench::run(const std::vector<std::string>& arguments) const {
  return finish(*start(arguments));
}

run_folder::Layout EngineBench::onlyRun() const {
  const auto runs = run_folder::listRuns(folder() / "runs");
  if (runs.size() != 1) throw Error("there are " + std::to_string(runs.size()) + " runs, not one");
  return run_folder::Layout(runs.front().folder);
}

bool EngineBench::waitForState(const std::string& state) const {
  return QTest::qWaitFor(
      [&] {
        try {
          return run_folder::readRunInfo(onlyRun()).state.text() == state;
        } catch (const Error&) {
          return false;
        }
      },
      kPatienceMs);
}

SocketClient::SocketClient(const fs::path& socket) : socket_(supervisor::connectTo(socket)) {}

void SocketClient::sendLine(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count =
        ::send(socket_.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0) throw Error("the engine closed the connection");
    sent += static_cast<std::size_t>(count);
  }
}

std::optional<protocol::EngineMessage> SocketClient::next() {
  std::string line;
  while (lines_.next(line) != protocol::LineBuffer::Result::Line) {
    pollfd waited{socket_.get(), POLLIN, 0};
    if (::poll(&waited, 1, kPatienceMs) <= 0) throw Error("no message from the engine");
    char bytes[65536];
    const ssize_t count = ::read(socket_.get(), bytes, sizeof bytes);
    if (count <= 0) return std::nullopt;
    lines_.append({bytes, static_cast<std::size_t>(count)});
  }
  return protocol::decodeEngineMessage(line);
}

std::vector<protocol::EngineMessage> SocketClient::rest() {
  std::vector<protocol::EngineMessage> messages;
  while (auto message = next()) messages.push_back(std::move(*message));
  return messages;
}

std::vector<events::Record> recordsOf(const run_folder::Layout& layout) {
  return events::Reader(events::findEventFile(layout.folder())).readAvailable();
}

std::vector<std::int64_t> trainedSteps(const run_folder::Layout& layout) {
  std::vector<std::int64_t> steps;
  for (const events::Record& record : recordsOf(layout)) {
    if (std::ranges::any_of(record.scalars,
                            [](const auto& scalar) { return scalar.first.starts_with("train/"); }))
      steps.push_back(record.step);
  }
  return steps;
}

bool isAlive(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string stat;
  std::getline(file, stat);
  const auto name = stat.rfind(") ");
  return name != std::string::npos && stat[name + 2] != 'Z';  // a zombie only waits for its parent
}

}  // namespace lockstep::tests
