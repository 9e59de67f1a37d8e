#include "tests/app_speed/live_engine.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>

#include "engine/events/reader.h"
#include "engine/protocol/messages.h"
#include "tests/app/made_run.h"

namespace lockstep::speed {

struct LiveEngine::Server {
  QTemporaryDir folder;
  int listener = -1;
  std::atomic<int> client = -1;
  std::atomic<bool> isReady = false;
  std::int64_t seq = 0, step = 0;
  std::thread thread;

  std::string path() const { return folder.filePath(QStringLiteral("e.sock")).toStdString(); }
  void send(const protocol::EngineMessage& message) const {
    const std::string line = protocol::encode(message) + '\n';
    for (std::size_t sent = 0; sent < line.size();) {
      const ssize_t count = ::send(client, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return;
      sent += static_cast<std::size_t>(count);
    }
  }
  void listen() {
    listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path().c_str(), sizeof address.sun_path - 1);
    ::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::listen(listener, 4);
    thread = std::thread([this] {
      client = ::accept(listener, nullptr, nullptr);
      char byte = 0;
      while (client >= 0 && ::recv(client, &byte, 1, 0) == 1 && byte != '\n') {
      }
      if (client < 0) return;
      send(protocol::Welcome{"run", 1, seq, protocol::RunState::Running});
      isReady = true;
    });
  }
};

LiveEngine::LiveEngine(const QString& parent, const std::string& name, std::int64_t steps)
    : server_(std::make_unique<Server>()) {
  tests::MadeRun made;
  made.name = name;
  made.state = "running";
  made.steps = steps;
  made.maxSteps = 1'000'000;
  made.evaluateEvery = 100;
  folder_ = tests::makeRun(parent, made);
  const run_folder::Layout layout{folder_.toStdString()};
  server_->step = steps;
  server_->seq = events::Reader(events::findEventFile(layout.folder())).readAvailable().back().seq;
  server_->listen();
  run_folder::RunInfo info = run_folder::readRunInfo(layout);
  info.socket = server_->path();
  run_folder::writeRunInfo(layout, info);
  lock_ = run_folder::RunLock::tryAcquire(layout);
}

LiveEngine::~LiveEngine() {
  ::shutdown(server_->listener, SHUT_RDWR);
  if (server_->client >= 0) ::shutdown(server_->client, SHUT_RDWR);
  server_->thread.join();
  if (server_->client >= 0) ::close(server_->client);
  ::close(server_->listener);
}

QString LiveEngine::folder() const { return folder_; }
bool LiveEngine::hasClient() const { return server_->isReady; }

std::int64_t LiveEngine::sendStep() {
  const std::int64_t step = ++server_->step;
  const auto loss = static_cast<float>(1 + 0.2 * std::sin(static_cast<double>(step)));
  protocol::Scalars scalars{
      ++server_->seq, step, 1795255200 + 0.45 * static_cast<double>(step), {}};
  for (const char* tag :
       {"train/loss_total", "train/loss_classifier", "train/loss_box_reg", "train/loss_mask",
        "train/loss_objectness", "train/loss_rpn_box_reg", "solver/lr", "solver/grad_norm",
        "time/step_seconds", "time/data_seconds", "time/images_per_second"})
    scalars.values.push_back({tag, loss});
  server_->send(scalars);
  return step;
}

}  // namespace lockstep::speed
