#pragma once

#include <QProcess>
#include <QTemporaryDir>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/file_descriptor.h"
#include "engine/events/record.h"
#include "engine/protocol/messages.h"
#include "engine/protocol/worker_messages.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::tests {

/// Result of a finished lockstep-engine.
struct EngineResult {
  int status = -1;  ///< exit code; -1: killed by a signal or still running
  std::string out, err;
};

/// A folder with lockstep-engine, a scripted worker instead of lockstep-worker, a small
/// experiment and its data. Runs go to folder()/runs, sockets below folder()/x, device locks and
/// the queue below folder()/locks.
class EngineBench {
 public:
  EngineBench();

  std::filesystem::path folder() const;
  std::filesystem::path config() const { return folder() / "experiment.yaml"; }
  /// The worker's script for jobs of this kind (tests/support/fake_worker/main.cpp).
  void script(const std::string& text, const std::string& kind = "train");
  /// The script of this local rank instead.
  void rankScript(int rank, const std::string& text, const std::string& kind = "train");
  /// Lets scripts continue that await this name.
  void touch(const std::string& name) const;
  /// Lines that workers received so far, each begun by `pid N`.
  std::vector<std::string> received(int rank = 0) const;
  /// Whether a worker got a job.
  bool hasJob(int rank = 0) const { return newestJob(rank).has_value(); }
  /// The last job of a worker; throws if there was none.
  template <typename Job = protocol::TrainJob>
  Job lastJob(int rank = 0) const {
    return std::get<Job>(newestJob(rank).value().work);
  }
  protocol::RankPlacement lastPlacement(int rank = 0) const {
    return newestJob(rank).value().placement;
  }
  /// PID of the newest worker; 0: none yet.
  int workerPid(int rank = 0) const;
  /// PIDs of all workers started so far, by local rank.
  std::vector<int> allPids() const;
  void removeWorker();
  /// Sets an environment variable of lockstep-engine.
  void setVariable(const std::string& name, const std::string& value);

  /// Started in folder(); waits for its end when `run`.
  std::unique_ptr<QProcess> start(const std::vector<std::string>& arguments) const;
  EngineResult run(const std::vector<std::string>& arguments) const;
  /// A script of bash that runs in folder() and finds lockstep-engine.
  EngineResult runScript(const std::string& script) const;
  static EngineResult finish(QProcess& process);

  /// The only run in folder()/runs.
  run_folder::Layout onlyRun() const;
  /// Waits until run.json of the only run has this state.
  bool waitForState(const std::string& state) const;

 private:
  std::optional<protocol::Job> newestJob(int rank) const;
  std::unique_ptr<QProcess> launch(const QString& program,
                                   const std::vector<std::string>& arguments) const;

  QTemporaryDir folder_;
  std::map<std::string, std::string> variables_;
};

/// A client of an engine's socket that blocks with a time limit.
class SocketClient {
 public:
  explicit SocketClient(const std::filesystem::path& socket);

  void sendLine(const std::string& line);
  void send(const protocol::ClientMessage& message) { sendLine(protocol::encode(message)); }
  /// The next message; nullopt when the engine closed the connection. Throws after 20 s without
  /// one.
  std::optional<protocol::EngineMessage> next();
  /// The next message of this kind; others are dropped. Throws when it does not come.
  template <typename Message>
  Message expect() {
    while (const auto message = next()) {
      if (const auto* wanted = std::get_if<Message>(&*message)) return *wanted;
    }
    throw Error("the engine closed the connection");
  }
  /// Until the engine closes the connection.
  std::vector<protocol::EngineMessage> rest();
  int fd() const { return socket_.get(); }

 private:
  base::FileDescriptor socket_;
  protocol::LineBuffer lines_;
};

std::vector<events::Record> recordsOf(const run_folder::Layout& layout);
/// Steps of the records with training scalars, in order.
std::vector<std::int64_t> trainedSteps(const run_folder::Layout& layout);
bool isAlive(int pid);

}  // namespace lockstep::tests
