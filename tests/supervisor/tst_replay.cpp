#include <sys/socket.h>

#include <QTemporaryDir>
#include <QTest>
#include <map>
#include <random>

#include "engine/events/event_record.h"
#include "engine/events/reader.h"
#include "engine/supervisor/event_log.h"
#include "engine/supervisor/service.h"
#include "engine/supervisor/socket_server.h"
#include "tests/support/append_scalars.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::supervisor;
using tests::SocketClient;

namespace {

/// What a client holds: the line of each record by its number.
using Held = std::map<std::int64_t, std::string>;

std::string lineOf(const events::Record& record) {
  return protocol::lineOf(events::eventOf(record).value());
}

bool isSent(const events::Record& record) {
  return record.kind == events::Record::Kind::Scalars || record.kind == events::Record::Kind::Event;
}

/// A run's log after each of its attempts: figures in every step and events between them, gone on
/// with from a random step.
class Attempts : public Service {
 public:
  explicit Attempts(std::uint32_t seed) : random_(seed) {
    const int attempts = 1 + static_cast<int>(random_() % 5);
    while (static_cast<int>(logs_.size()) < attempts) add();
  }

  int attempt() const { return static_cast<int>(logs_.size()); }
  /// What is sent of the log as it was after this attempt.
  Held log(int attempt) const {
    Held lines;
    for (const auto& record : logs_.at(static_cast<std::size_t>(attempt - 1)))
      if (isSent(record)) lines[record.seq] = lineOf(record);
    return lines;
  }
  /// Where the logs of this attempt and the present one part.
  std::int64_t lastCommonSeq(int attempt) const {
    const auto& old = logs_.at(static_cast<std::size_t>(attempt - 1));
    std::size_t count = 0;
    while (count < std::min(old.size(), logs_.back().size()) &&
           events::encodeRecord(old[count]) == events::encodeRecord(logs_.back()[count]))
      ++count;
    return static_cast<std::int64_t>(count) - 1;
  }
  std::int64_t newestSeq(int attempt) const {
    return logs_.at(static_cast<std::size_t>(attempt - 1)).back().seq;
  }

  int greetings() const { return greetings_; }
  protocol::Welcome welcome() const override {
    ++greetings_;
    return {"/run", attempt(), eventLog_->newestSeq(), protocol::RunState::Running};
  }
  std::filesystem::path eventFile() const override { return eventLog_->path(); }
  std::optional<protocol::Reset> resetFor(const protocol::Hello& hello) const override {
    return resetAfterRestart(hello, attempt(), eventLog_->firstRestart(), eventLog_->lastRestart(),
                             {eventLog_->newestSeq(), eventLog_->newestStep()});
  }
  void handle(const RequestToken&, const protocol::Command&) override {}
  void handle(const RequestToken&, const protocol::PredictRequest&) override {}
  void handle(const RequestToken&, const protocol::CancelRequest&) override {}
  void handle(const RequestToken&, const protocol::QueueRequest&) override {}
  void handle(const RequestToken&, const protocol::ExplainRequest&) override {}
  void handle(const RequestToken&, const protocol::FileRequest&) override {}

 private:
  void add() {
    std::optional<std::int64_t> resumed;
    if (!logs_.empty()) resumed = static_cast<std::int64_t>(random_() % (lastStep_ + 2));
    eventLog_.emplace(folder_.path().toStdString(), resumed, [](const protocol::Alert&) {});
    const auto first = static_cast<std::uint32_t>(resumed.value_or(0));
    const double time = static_cast<double>(logs_.size());
    protocol::State state;
    state.state = protocol::RunState::Running;
    eventLog_->appendEvent(state, first, time);
    lastStep_ = first + random_() % 12;
    for (std::uint32_t step = first + 1; step <= lastStep_; ++step) {
      tests::appendScalars(*eventLog_, step, time,
                           {{"train/loss_total", 1.0f / static_cast<float>(step)}});
      if (random_() % 4 == 0) eventLog_->appendEvent(protocol::Checkpoint{}, step, time);
    }
    logs_.push_back(events::Reader(eventLog_->path()).readAvailable());
  }

  std::mt19937 random_;
  QTemporaryDir folder_;
  std::optional<EventLog> eventLog_;
  std::vector<std::vector<events::Record>> logs_;
  std::uint32_t lastStep_ = 0;
  mutable int greetings_ = 0;
};

/// The messages that came until now.
std::vector<protocol::EngineMessage> received(const SocketClient& client) {
  protocol::LineBuffer buffer;
  char bytes[65536];
  for (ssize_t count; (count = ::recv(client.fd(), bytes, sizeof bytes, MSG_DONTWAIT)) > 0;)
    buffer.append({bytes, static_cast<std::size_t>(count)});
  std::vector<protocol::EngineMessage> messages;
  for (std::string line; buffer.next(line) == protocol::LineBuffer::Result::Line;)
    messages.push_back(protocol::decodeEngineMessage(line));
  return messages;
}

std::int64_t stepOf(const std::string& line) {
  return std::visit(
      [](const auto& message) -> std::int64_t {
        if constexpr (requires { message.step; }) return message.step;
        return -1;
      },
      protocol::decodeEngineMessage(line));
}

/// Does with the messages what a client has to; says what is wrong with them.
QString applied(const std::vector<protocol::EngineMessage>& messages, Held& held) {
  if (messages.empty() || !std::holds_alternative<protocol::Welcome>(messages.front()))
    return QStringLiteral("no welcome");
  for (std::size_t i = 1; i < messages.size(); ++i) {
    if (const auto* reset = std::get_if<protocol::Reset>(&messages[i])) {
      if (i != 1) return QStringLiteral("a reset after records");
      held.erase(held.upper_bound(reset->seq), held.end());
      for (const auto& [seq, line] : held)
        if (stepOf(line) > reset->step) return QStringLiteral("a step is kept and forgotten");
      continue;
    }
    const std::string line = protocol::encode(messages[i]);
    const std::int64_t seq = std::visit(
        [](const auto& message) -> std::int64_t {
          if constexpr (requires { message.seq; }) return message.seq;
          return -1;
        },
        messages[i]);
    if (!held.empty() && seq <= held.rbegin()->first)
      return QStringLiteral("record %1 comes behind %2").arg(seq).arg(held.rbegin()->first);
    held[seq] = line;
  }
  return {};
}

}  // namespace

class TstReplay : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { qputenv("XDG_RUNTIME_DIR", sockets_.path().toUtf8()); }

  /// From every record of every attempt, and from what never was in the log, a client comes to hold
  /// the log as it is.
  void everyClientPositionLeadsToTheWholeLog() {
    int pairs = 0;
    for (std::uint32_t seed = 1; seed <= 25; ++seed) {
      Attempts run(seed);
      PollLoop loop;
      SocketServer server(loop, run_folder::socketPath("replay"), run);
      server.listen();
      SocketClient client(server.path());
      int greeted = 0;
      loop.eachTurn([&] {
        if (run.greetings() > greeted && server.isCaughtUp()) loop.stop();
        return false;
      });
      for (int attempt = 0; attempt <= run.attempt() + 1; ++attempt) {
        const bool isKnown = attempt >= 1 && attempt <= run.attempt();
        const int of = isKnown ? attempt : run.attempt();
        for (std::int64_t since = -2; since <= run.newestSeq(of) + 2; ++since, ++pairs) {
          Held held = heldBy(run, attempt, since);
          greeted = run.greetings();
          client.send(protocol::Hello{since, attempt});
          loop.run();
          const auto messages = received(client);
          const std::string where =
              "seed " + std::to_string(seed) + ", attempt " + std::to_string(attempt) + " of " +
              std::to_string(run.attempt()) + ", since " + std::to_string(since);
          const QString fault = applied(messages, held);
          QVERIFY2(fault.isEmpty(), (where + ": " + fault.toStdString()).c_str());
          QVERIFY2(held == run.log(run.attempt()), where.c_str());
          if (isKnown && attempt >= run.attempt() - 1) {
            const std::size_t needed = neededAfter(run, attempt, since);
            QVERIFY2(recordsAmong(messages) == needed, where.c_str());
          }
        }
      }
    }
    QVERIFY(pairs > 1000);
  }

 private:
  /// The records up to `since` of that attempt, and others where it had none.
  static Held heldBy(const Attempts& run, int attempt, std::int64_t since) {
    const bool isForeign = attempt > run.attempt();
    const int of = attempt == 0 || isForeign ? run.attempt() : attempt;
    Held held = isForeign ? Held() : run.log(of);
    held.erase(held.upper_bound(since), held.end());
    const std::int64_t firstLost = isForeign ? 1 : run.newestSeq(of) + 1;
    for (std::int64_t seq = firstLost; seq <= since; ++seq)
      held[seq] = protocol::lineOf(protocol::Scalars{seq, 1'000'000, 0, {{"lost", 1.0f}}});
    return held;
  }

  /// How many records such a client lacks.
  static std::size_t neededAfter(const Attempts& run, int attempt, std::int64_t since) {
    const Held log = run.log(run.attempt());
    const std::int64_t kept = std::min(since, run.lastCommonSeq(attempt));
    return static_cast<std::size_t>(std::distance(log.upper_bound(kept), log.end()));
  }

  static std::size_t recordsAmong(const std::vector<protocol::EngineMessage>& messages) {
    return static_cast<std::size_t>(std::ranges::count_if(messages, [](const auto& message) {
      return !std::holds_alternative<protocol::Welcome>(message) &&
             !std::holds_alternative<protocol::Reset>(message);
    }));
  }

  QTemporaryDir sockets_;
};

LOCKSTEP_TEST(TstReplay)
#include "tst_replay.moc"
