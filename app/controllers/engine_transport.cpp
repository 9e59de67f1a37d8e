#include "app/controllers/engine_transport.h"

#include <QLocalSocket>

#include "app/controllers/ssh_process.h"

namespace lockstep::app {
namespace {

using std::chrono::milliseconds;

class LocalTransport : public EngineTransport {
 public:
  explicit LocalTransport(const QString& path) : path_(path) {
    connect(&socket_, &QLocalSocket::connected, this, &EngineTransport::opened);
    connect(&socket_, &QLocalSocket::readyRead, this, [this] { receive(socket_.readAll()); });
    connect(
        &socket_, &QLocalSocket::errorOccurred, this, [this](QLocalSocket::LocalSocketError error) {
          if (isClosing_) return;
          const bool isPermanent = error == QLocalSocket::SocketAccessError ||
                                   error == QLocalSocket::UnsupportedSocketOperationError;
          const QString why = socket_.errorString();
          Q_EMIT closed(
              isPermanent
                  ? EngineTransport::tr("The engine's socket %1 cannot be used: %2").arg(path_, why)
                  : why,
              isPermanent);
        });
  }
  ~LocalTransport() override { socket_.disconnect(this); }

  Patience patience() const override { return {milliseconds(5000), milliseconds(2000)}; }

 protected:
  void start() override { socket_.connectToServer(path_); }
  void stop() override {
    isClosing_ = true;
    socket_.abort();
    isClosing_ = false;
  }
  void write(const QByteArray& bytes) override { socket_.write(bytes); }

 private:
  QString path_;
  QLocalSocket socket_;
  bool isClosing_ = false;
};

class SshTransport : public EngineTransport {
 public:
  explicit SshTransport(const RemotePlace& run) : run_(run), ssh_(run) {
    connect(&ssh_, &SshProcess::started, this, &EngineTransport::opened);
    connect(&ssh_, &SshProcess::readyRead, this, [this] { receive(ssh_.readAll()); });
    connect(&ssh_, &SshProcess::ended, this,
            [this](const SshProcess::End& end) { Q_EMIT closed(end.reason, end.isPermanent); });
  }

  QString lastWords() const override { return ssh_.lastErrorLine(); }
  /// A login takes seconds, and hosts take many of them for an attack.
  Patience patience() const override { return {milliseconds(30000), milliseconds(60000)}; }

 protected:
  void start() override { ssh_.start({QStringLiteral("attach"), QStringLiteral("--"), run_.path}); }
  void stop() override { ssh_.stop(); }
  void write(const QByteArray& bytes) override { ssh_.write(bytes); }

 private:
  RemotePlace run_;
  SshProcess ssh_;
};

}  // namespace

void EngineTransport::open() {
  lines_ = {};
  start();
}

void EngineTransport::close() {
  stop();
  lines_ = {};
}

void EngineTransport::send(const protocol::ClientMessage& message) {
  write(QByteArray::fromStdString(protocol::encode(message)) + '\n');
}

void EngineTransport::receive(const QByteArray& bytes) {
  lines_.append({bytes.constData(), static_cast<std::size_t>(bytes.size())});
  Q_EMIT received();
}

std::unique_ptr<EngineTransport> makeTransport(const QString& address) {
  if (const auto run = RemotePlace::parse(address)) return std::make_unique<SshTransport>(*run);
  return std::make_unique<LocalTransport>(address);
}

}  // namespace lockstep::app
