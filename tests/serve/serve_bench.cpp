#include "tests/serve/serve_bench.h"

#include <signal.h>

#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"

namespace lockstep::tests {
namespace fs = std::filesystem;
namespace {

/// Trained once in a program.
struct TrainedRun {
  TrainedRun() {
    bench.script(
        "scalars 1 6\neval 4 0.5 0.25 best\ncheckpoint 4 best\ncheckpoint 6 last\nfinish 6\n");
    if (bench.run({"train", "experiment.yaml", "--output", "run"}).status != 0)
      throw Error("no run");
  }
  EngineBench bench;  ///< copies of the run read its data
};

}  // namespace

ServeBench::ServeBench() {
  static const TrainedRun trained;
  fs::copy(trained.bench.folder() / "run", engine_.folder() / "run", fs::copy_options::recursive);
  engine_.script("state running 0\nserve\nfinish 0\n", "inspect");
}

/// A server that is killed leaves its folder of images: the second signal ends it without waiting
/// for answers.
ServeBench::~ServeBench() {
  if (!process_ || process_->state() == QProcess::NotRunning) return;
  for (const int signal : {SIGTERM, SIGINT})
    ::kill(static_cast<pid_t>(process_->processId()), signal);
  if (!process_->waitForFinished(HttpClient::kPatienceMs)) process_->kill();
}

void ServeBench::forgetBest() {
  const run_folder::Layout run(engine_.folder() / "run");
  auto info = nlohmann::json::parse(base::readFile(run.runJson()));
  info.erase("best");
  base::writeFileAtomically(run.runJson(), info.dump());
}

void ServeBench::start(const std::vector<std::string>& options) {
  launch(options);
  waitUntilReady();
}

void ServeBench::launch(const std::vector<std::string>& options) {
  std::vector<std::string> arguments{"serve", "run", "--port", "0"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  process_ = engine_.start(arguments);
  if (!process_->waitForReadyRead(HttpClient::kPatienceMs))
    throw Error("serve prints nothing: " + EngineBench::finish(*process_).err);
  port_ = nlohmann::json::parse(process_->readLine().toStdString()).at("port").get<int>();
}

void ServeBench::waitUntilReady() const {
  if (!QTest::qWaitFor([this] { return client().get("/ping").status == 200; },
                       HttpClient::kPatienceMs))
    throw Error("serve is never ready");
}

HttpReply ServeBench::detect(const std::string& image, const std::string& query) const {
  return client().post("/invocations" + query, "image/png", image);
}

HttpClient ServeBench::send(const std::string& image) const {
  HttpClient sender = client();
  sender.send(postHead("/invocations", "image/png", image.size()) + "\r\n" + image);
  return sender;
}

std::vector<protocol::Detect> ServeBench::asked() const {
  std::vector<protocol::Detect> all;
  for (const std::string& line : engine_.received()) {
    if (line.starts_with("pid ")) continue;
    const auto message = protocol::decodeSupervisorMessage(line);
    const auto* control = std::get_if<protocol::Control>(&message);
    const auto* detect = control ? std::get_if<protocol::Detect>(&control->action) : nullptr;
    if (detect != nullptr) all.push_back(*detect);
  }
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(forgotten_));
  return all;
}

EngineResult ServeBench::stop() {
  process_->terminate();
  return EngineBench::finish(*process_);
}

double ServeBench::metric(const std::string& name, const std::string& headers) const {
  const std::string text = client().get("/metrics", headers).body;
  double sum = 0;
  bool isThere = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const bool isIt = line.starts_with(name + " ") || line.starts_with(name + "{");
    if (!isIt) continue;
    isThere = true;
    sum += std::stod(line.substr(line.rfind(' ')));
  }
  if (!isThere) throw Error("there is no metric " + name);
  return sum;
}

bool ServeBench::waitForMetric(const std::string& name, double value) const {
  return QTest::qWaitFor([&] { return metric(name) == value; }, HttpClient::kPatienceMs);
}

nlohmann::json boxOf(const HttpReply& reply) {
  return nlohmann::json::parse(reply.body).at(0).at("bbox");
}

}  // namespace lockstep::tests
