#include "engine/protocol/event.h"

#include "engine/protocol/event_members.h"

namespace lockstep::protocol {

std::string encodeEvent(const Event& event) {
  if (std::holds_alternative<Scalars>(event)) throw Error("scalars have no event JSON");
  return std::visit(
      [](const auto& held) {
        std::string text;
        base::JsonWriter json(text);
        json.beginObject();
        json.key("type");
        json.value(kTypeName<std::decay_t<decltype(held)>>);
        MemberWriter members(json);
        describeContent(members, held);
        json.endObject();
        return text;
      },
      event);
}

Event decodeEvent(std::string_view json, std::int64_t seq, std::int64_t step, double time) {
  const MemberReader envelope = MemberReader::parse(json, "event");
  std::string type;
  envelope("type", type);
  std::optional<Event> decoded;
  const auto attempt = [&]<typename Message>(std::type_identity<Message>) {
    if (std::same_as<Message, Scalars> || type != kTypeName<Message>) return;
    Message message;
    message.seq = seq;
    message.step = step;
    message.time = time;
    const MemberReader members(envelope.object(), type);
    describeContent(members, message);
    decoded = std::move(message);
  };
  forEachAlternative<Event>(attempt);
  if (!decoded) throw Error("event: type '" + base::shortened(type) + "' is not known here");
  return *std::move(decoded);
}

}  // namespace lockstep::protocol
