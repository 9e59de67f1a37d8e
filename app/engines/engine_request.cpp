#include "app/engines/engine_request.h"

#include <QTimer>
#include <chrono>
#include <memory>

#include "app/engines/engine_transport.h"
#include "app/text/window_words.h"
#include "engine/base/error.h"
#include "engine/protocol/messages.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::seconds kAnswerTimeout{5};

class EngineRequest : public QObject {
 public:
  EngineRequest(QObject* receiver, const QString& socketPath,
                const protocol::ClientMessage& request, std::function<void(const QString&)> done)
      : QObject(receiver), transport_(makeTransport(socketPath)), done_(std::move(done)) {
    connect(transport_.get(), &EngineTransport::opened, this,
            [this, request] { transport_->send(request); });
    connect(transport_.get(), &EngineTransport::lineReceived, this, &EngineRequest::takeLine);
    connect(transport_.get(), &EngineTransport::closed, this, [this](const QString& why) {
      finish(QObject::tr("its engine cannot be reached: %1").arg(why));
    });
    QTimer::singleShot(kAnswerTimeout, this,
                       [this] { finish(QObject::tr("its engine does not answer")); });
  }
  ~EngineRequest() override { transport_->disconnect(this); }
  void start() { transport_->open(); }

 private:
  void takeLine(const std::string& line) {
    try {
      const auto message = protocol::decodeEngineMessage(line);
      if (std::holds_alternative<protocol::Ok>(message)) return finish({});
      if (const auto* error = std::get_if<protocol::ErrorReply>(&message))
        finish(inWindowWords(error->message));
    } catch (const Error& error) {
      finish(QString::fromUtf8(error.what()));
    }
  }

  void finish(const QString& error) {
    if (!done_) return;
    const auto done = std::exchange(done_, nullptr);
    transport_->disconnect(this);
    transport_->close();
    deleteLater();
    done(error);
  }

  std::unique_ptr<EngineTransport> transport_;
  std::function<void(const QString&)> done_;
};

}  // namespace

void sendRequest(QObject* receiver, const QString& socketPath,
                 const protocol::ClientMessage& request,
                 std::function<void(const QString& error)> done) {
  (new EngineRequest(receiver, socketPath, request, std::move(done)))->start();
}

}  // namespace lockstep::app
