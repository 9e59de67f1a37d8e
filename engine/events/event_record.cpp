#include "engine/events/event_record.h"

#include "engine/base/error.h"

namespace lockstep::events {

Record recordOf(const protocol::Event& event) {
  Record record;
  std::visit(
      [&record](const auto& held) {
        record.seq = held.seq;
        record.step = held.step;
        record.wallTime = held.time;
      },
      event);
  if (const auto* scalars = std::get_if<protocol::Scalars>(&event)) {
    record.kind = Record::Kind::Scalars;
    record.scalars = scalars->values;
  } else {
    record.kind = Record::Kind::Event;
    record.json = protocol::encodeEvent(event);
  }
  return record;
}

std::optional<protocol::Event> eventOf(Record record) {
  if (record.kind == Record::Kind::Scalars)
    return protocol::Scalars{record.seq, record.step, record.wallTime, std::move(record.scalars)};
  return eventOf(RecordView{.seq = record.seq,
                            .wallTime = record.wallTime,
                            .step = record.step,
                            .kind = record.kind,
                            .scalars = {},
                            .json = record.json});
}

std::optional<protocol::Event> eventOf(const RecordView& record) {
  if (record.kind != Record::Kind::Event) return std::nullopt;
  try {
    return protocol::decodeEvent(record.json, record.seq, record.step, record.wallTime);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace lockstep::events
