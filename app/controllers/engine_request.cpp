#include "app/controllers/engine_request.h"

#include <QLocalSocket>
#include <QTimer>
#include <chrono>

#include "engine/base/error.h"
#include "engine/protocol/messages.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::seconds kAnswerTimeout{5};

class EngineRequest : public QObject {
 public:
  EngineRequest(QObject* receiver, const protocol::ClientMessage& request,
                std::function<void(const QString&)> done)
      : QObject(receiver), done_(std::move(done)) {
    connect(&socket_, &QLocalSocket::connected, this, [this, request] {
      socket_.write(QByteArray::fromStdString(protocol::encode(request)) + '\n');
    });
    connect(&socket_, &QLocalSocket::readyRead, this, &EngineRequest::readLines);
    connect(&socket_, &QLocalSocket::errorOccurred, this,
            [this] { finish(tr("its engine cannot be reached: %1").arg(socket_.errorString())); });
    QTimer::singleShot(kAnswerTimeout, this, [this] { finish(tr("its engine does not answer")); });
  }
  void start(const QString& socketPath) { socket_.connectToServer(socketPath); }

 private:
  void readLines() {
    const QByteArray bytes = socket_.readAll();
    lines_.append({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    std::string line;
    for (;;) {
      const auto result = lines_.next(line);
      if (result == protocol::LineBuffer::Result::NeedMore) return;
      if (result == protocol::LineBuffer::Result::Line && takeLine(line)) return;
    }
  }

  /// True: it was the answer.
  bool takeLine(const std::string& line) {
    try {
      const auto message = protocol::decodeEngineMessage(line);
      if (std::holds_alternative<protocol::Ok>(message)) return finish({}), true;
      if (const auto* error = std::get_if<protocol::ErrorReply>(&message))
        return finish(QString::fromStdString(error->message)), true;
    } catch (const Error& error) {
      return finish(QString::fromUtf8(error.what())), true;
    }
    return false;
  }

  void finish(const QString& error) {
    if (!done_) return;
    const auto done = std::exchange(done_, nullptr);
    socket_.disconnect(this);
    socket_.abort();
    deleteLater();
    done(error);
  }

  QLocalSocket socket_;
  protocol::LineBuffer lines_;
  std::function<void(const QString&)> done_;
};

}  // namespace

void sendRequest(QObject* receiver, const QString& socketPath,
                 const protocol::ClientMessage& request,
                 std::function<void(const QString& error)> done) {
  (new EngineRequest(receiver, request, std::move(done)))->start(socketPath);
}

}  // namespace lockstep::app
