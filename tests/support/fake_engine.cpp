// Replaces lockstep-engine in tests of the app's processes and connections: a real child process.
//
//   fake_engine [--stdout TEXT] [--stderr TEXT] [--exit-code N] [--hang] [--arguments FILE]
//   fake_engine --socket PATH --replay FILE
//
// FAKE_ENGINE holds options too (split at '|'), for callers that give arguments of their own; those
// are written to the file of
// --arguments. With --replay it listens at PATH, prints every line a client sends, and after a
// client's hello sends the lines of FILE. A line `@close` hangs up instead, `@half TEXT` sends TEXT
// without its newline, `@await` waits for the next line of the client. Later requests with an id
// are answered with ok, after a line `@mute` with nothing.
#include <QCoreApplication>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocalServer>
#include <QLocalSocket>
#include <cstdio>

namespace {

class Replay : public QObject {
 public:
  explicit Replay(const QList<QByteArray>& lines) : lines_(lines) {
    connect(&server_, &QLocalServer::newConnection, this, &Replay::accept);
  }
  bool listen(const QString& path) {
    QLocalServer::removeServer(path);
    return server_.listen(path);
  }

 private:
  struct Client {
    qsizetype next = 0;
    bool greeted = false;
  };

  void accept() {
    QLocalSocket* socket = server_.nextPendingConnection();
    clients_[socket] = {};
    connect(socket, &QLocalSocket::readyRead, this, [this, socket] { read(socket); });
    connect(socket, &QLocalSocket::disconnected, this, [this, socket] {
      clients_.remove(socket);
      socket->deleteLater();
    });
  }

  void read(QLocalSocket* socket) {
    while (clients_.contains(socket) && socket->canReadLine()) {
      const QByteArray line = socket->readLine();
      std::fputs(line.constData(), stdout);
      std::fflush(stdout);
      const QJsonObject request = QJsonDocument::fromJson(line).object();
      if (request.contains(QStringLiteral("id")) && !isMute_) {
        const QJsonObject answer{{QStringLiteral("v"), 1},
                                 {QStringLiteral("type"), QStringLiteral("ok")},
                                 {QStringLiteral("id"), request[QStringLiteral("id")]},
                                 {QStringLiteral("path"), QStringLiteral("answers/1.json")}};
        socket->write(QJsonDocument(answer).toJson(QJsonDocument::Compact) + '\n');
      }
      send(socket);
    }
  }

  void send(QLocalSocket* socket) {
    Client& client = clients_[socket];
    while (client.next < lines_.size()) {
      const QByteArray line = lines_[client.next++];
      if (line == "@await") return;
      if (line == "@mute") {
        isMute_ = true;
        continue;
      }
      if (line == "@close") {
        socket->flush();
        socket->disconnectFromServer();
        lines_ = lines_.mid(client.next);  // the next client gets what follows
        return;
      }
      if (line.startsWith("@half ")) {
        socket->write(line.mid(6));
      } else {
        socket->write(line + '\n');
      }
    }
  }

  QLocalServer server_;
  QList<QByteArray> lines_;
  QHash<QLocalSocket*, Client> clients_;
  bool isMute_ = false;
};

void writeArguments(const QString& path, const QStringList& arguments) {
  QFile file(path);
  if (file.open(QIODevice::WriteOnly)) file.write(arguments.join(QLatin1Char('\n')).toUtf8());
}

}  // namespace

int main(int argc, char** argv) {
  QCoreApplication application(argc, argv);
  const QStringList given = QCoreApplication::arguments().mid(1);
  const QString fromEnvironment = qEnvironmentVariable("FAKE_ENGINE");
  const QStringList options =
      fromEnvironment.isEmpty() ? given : fromEnvironment.split(QLatin1Char('|'));
  QString socket, replay;
  int exitCode = 0;
  bool hang = false;
  for (qsizetype i = 0; i < options.size(); ++i) {
    const QString& name = options[i];
    if (name == QLatin1String("--hang")) hang = true;
    if (i + 1 >= options.size()) continue;
    const QString& value = options[i + 1];
    if (name == QLatin1String("--stdout")) std::puts(qPrintable(value));
    if (name == QLatin1String("--stderr")) std::fputs(qPrintable(value), stderr);
    if (name == QLatin1String("--exit-code")) exitCode = value.toInt();
    if (name == QLatin1String("--arguments")) writeArguments(value, given);
    if (name == QLatin1String("--socket")) socket = value;
    if (name == QLatin1String("--replay")) replay = value;
  }
  std::fflush(stdout);
  if (hang) return QCoreApplication::exec();
  if (replay.isEmpty()) return exitCode;
  QFile file(replay);
  if (!file.open(QIODevice::ReadOnly)) return 2;
  QList<QByteArray> lines = file.readAll().split('\n');
  if (!lines.isEmpty() && lines.last().isEmpty()) lines.removeLast();
  Replay server(lines);
  if (!server.listen(socket)) return 3;
  std::puts("listening");
  std::fflush(stdout);
  return QCoreApplication::exec();
}
