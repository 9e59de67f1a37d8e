#pragma once

#include <QProcess>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/serve/http_client.h"
#include "tests/support/fake_worker/engine_bench.h"

namespace lockstep::tests {

/// `lockstep-engine serve` of a run with the checkpoints 4 and 6, with scripted workers, on a free
/// port. What an image says is done: tests/support/fake_worker/made_detections.h.
class ServeBench {
 public:
  /// Ends the program if nobody did.
  ~ServeBench();
  ServeBench();

  /// Before start().
  EngineBench& engine() { return engine_; }
  /// The run has only its newest checkpoint. Before start().
  void forgetBest();
  /// Begins to serve; returns once the model is ready.
  void start(const std::vector<std::string>& options = {});
  /// Both parts of start().
  void launch(const std::vector<std::string>& options);
  void waitUntilReady() const;
  int port() const { return port_; }
  HttpClient client() const { return HttpClient(port_); }
  QProcess& process() { return *process_; }
  /// The answer to an image of its own connection.
  HttpReply detect(const std::string& image, const std::string& query = "") const;
  /// Sends an image of its own connection without waiting for its answer.
  HttpClient send(const std::string& image) const;
  /// What workers were asked to detect since forgetAsked().
  std::vector<protocol::Detect> asked() const;
  void forgetAsked() { forgotten_ += asked().size(); }
  /// SIGTERM, and the end.
  EngineResult stop();
  /// The sum of a metric's values; throws if there is none.
  double metric(const std::string& name, const std::string& headers = "") const;
  bool waitForMetric(const std::string& name, double value) const;

 private:
  EngineBench engine_;
  std::unique_ptr<QProcess> process_;
  int port_ = 0;
  std::size_t forgotten_ = 0;
};

/// Of the first detection of an answer.
nlohmann::json boxOf(const HttpReply& reply);

}  // namespace lockstep::tests
