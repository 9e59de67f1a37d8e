#include "app/engines/engine_transport.h"

#include <QElapsedTimer>
#include <QLocalSocket>
#include <utility>

#include "app/engines/ssh_process.h"

namespace lockstep::app {
namespace {

using std::chrono::milliseconds;

constexpr qint64 kReadBytes = 64 << 10;
/// Longest time to hand over lines before other events are processed. The records of a long run
/// arrive at once.
constexpr qint64 kTurnMilliseconds = 8;

class LocalTransport : public EngineTransport {
 public:
  explicit LocalTransport(const QString& path) : path_(path) {
    socket_.setReadBufferSize(16 * kReadBytes);
    connect(&socket_, &QLocalSocket::connected, this, &EngineTransport::opened);
    connect(&socket_, &QLocalSocket::readyRead, this, [this] { handleReady(); });
    connect(
        &socket_, &QLocalSocket::errorOccurred, this, [this](QLocalSocket::LocalSocketError error) {
          if (isClosing_) return;
          const bool isPermanent = error == QLocalSocket::SocketAccessError ||
                                   error == QLocalSocket::UnsupportedSocketOperationError;
          const QString why = socket_.errorString();
          handleClosed(
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
  QByteArray read(qint64 maxBytes) override {
    return socket_.isOpen() ? socket_.read(maxBytes) : QByteArray();
  }

 private:
  QString path_;
  QLocalSocket socket_;
  bool isClosing_ = false;
};

class SshTransport : public EngineTransport {
 public:
  explicit SshTransport(const RemotePlace& run) : run_(run), ssh_(run) {
    connect(&ssh_, &SshProcess::started, this, &EngineTransport::opened);
    connect(&ssh_, &SshProcess::readyRead, this, [this] { handleReady(); });
    connect(&ssh_, &SshProcess::ended, this,
            [this](const SshProcess::End& end) { handleClosed(end.reason, end.isPermanent); });
  }

  QString lastWords() const override { return ssh_.lastErrorLine(); }
  /// A login takes seconds, and hosts take many of them for an attack.
  Patience patience() const override { return {milliseconds(30000), milliseconds(60000)}; }

 protected:
  void start() override { ssh_.start({QStringLiteral("attach"), QStringLiteral("--"), run_.path}); }
  void stop() override { ssh_.stop(); }
  void write(const QByteArray& bytes) override { ssh_.write(bytes); }
  QByteArray read(qint64 maxBytes) override { return ssh_.read(maxBytes); }

 private:
  RemotePlace run_;
  SshProcess ssh_;
};

}  // namespace

EngineTransport::EngineTransport(QObject* parent) : QObject(parent) {
  more_.setSingleShot(true);
  connect(&more_, &QTimer::timeout, this, &EngineTransport::handOver);
}

void EngineTransport::open() {
  close();
  start();
}

void EngineTransport::close() {
  ++session_;
  more_.stop();
  closing_.reset();
  lines_ = {};
  stop();
}

void EngineTransport::send(const protocol::ClientMessage& message) {
  write(QByteArray::fromStdString(protocol::encode(message)) + '\n');
}

void EngineTransport::handleReady() {
  if (!more_.isActive()) handOver();
}

void EngineTransport::handleClosed(const QString& reason, bool isPermanent) {
  closing_ = Closing{reason, isPermanent};
  handleReady();
}

/// Slots may close the transport and open it again, which changes session_.
void EngineTransport::handOver() {
  QElapsedTimer turn;
  turn.start();
  std::string line;
  const int session = session_;
  while (session == session_) {
    if (turn.hasExpired(kTurnMilliseconds)) return more_.start(0);
    switch (lines_.next(line)) {
      case protocol::LineBuffer::Result::Line:
        Q_EMIT lineReceived(line);
        continue;
      case protocol::LineBuffer::Result::TooLong:
        Q_EMIT lineDropped();
        continue;
      case protocol::LineBuffer::Result::NeedMore:
        break;
    }
    const QByteArray bytes = read(kReadBytes);
    if (bytes.isEmpty()) break;
    lines_.append({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    Q_EMIT received();
  }
  if (session != session_) return;
  if (const auto closing = std::exchange(closing_, std::nullopt))
    Q_EMIT closed(closing->reason, closing->isPermanent);
}

std::unique_ptr<EngineTransport> makeTransport(const QString& address) {
  if (const auto run = RemotePlace::parse(address)) return std::make_unique<SshTransport>(*run);
  return std::make_unique<LocalTransport>(address);
}

}  // namespace lockstep::app
