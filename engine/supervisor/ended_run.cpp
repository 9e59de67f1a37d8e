#include "engine/supervisor/ended_run.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "engine/events/event_record.h"
#include "engine/events/reader.h"
#include "engine/supervisor/service.h"

namespace lockstep::supervisor {

EndedRun::EndedRun(const run_folder::Layout& layout, run_folder::RunFiles files)
    : layout_(layout),
      info_(run_folder::summarise(layout.folder()).info),
      eventFile_(events::findEventFile(layout.folder())),
      eventLog_(summariseEventLog(eventFile_)),
      files_(std::move(files)) {}

void EndedRun::answer(const protocol::ClientMessage& message, const Send& send) {
  std::visit(
      [&]<typename Message>(const Message& asked) {
        if constexpr (std::is_same_v<Message, protocol::Hello>) {
          greet(asked, send);
        } else if constexpr (std::is_same_v<Message, protocol::FileRequest>) {
          send(protocol::encode(files_.answer(asked)));
        } else if constexpr (std::is_same_v<Message, protocol::Command>) {
          send(protocol::encode(answerTo(asked)));
        } else {
          send(protocol::encode(protocol::ErrorReply{asked.id, kRunHasEnded}));
        }
      },
      message);
}

void EndedRun::greet(const protocol::Hello& hello, const Send& send) const {
  send(protocol::encode(protocol::Welcome{layout_.folder().string(), info_.attempt,
                                          eventLog_.newestSentSeq, info_.state}));
  std::int64_t since = hello.since;
  if (const auto reset =
          resetAfterRestart(hello, info_.attempt, eventLog_.firstRestart, eventLog_.lastRestart,
                            {eventLog_.newestSeq, eventLog_.newestStep})) {
    send(protocol::encode(*reset));
    since = std::min(since, reset->seq);
  }
  if (eventFile_.empty()) return;
  events::Reader records(eventFile_);
  while (auto record = records.next()) {
    if (record->seq <= since) continue;
    if (const auto event = events::eventOf(*std::move(record))) send(protocol::lineOf(*event));
  }
}

protocol::EngineMessage EndedRun::answerTo(const protocol::Command& command) const {
  if (command.name != protocol::CommandName::Status)
    return protocol::ErrorReply{command.id, kRunHasEnded};
  return protocol::Ok{command.id, statusOf(layout_, info_, eventLog_.newestSeq)};
}

}  // namespace lockstep::supervisor
