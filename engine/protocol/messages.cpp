#include "engine/protocol/messages.h"

#include <algorithm>
#include <array>

#include "engine/protocol/members.h"

namespace lockstep::protocol {

template <>
inline constexpr const char* kTypeName<Hello> = "hello";
template <>
inline constexpr const char* kTypeName<PredictRequest> = "predict";
template <>
inline constexpr const char* kTypeName<Welcome> = "welcome";
template <>
inline constexpr const char* kTypeName<Reset> = "reset";
template <>
inline constexpr const char* kTypeName<Scalars> = "scalars";
template <>
inline constexpr const char* kTypeName<State> = "state";
template <>
inline constexpr const char* kTypeName<Log> = "log";
template <>
inline constexpr const char* kTypeName<Checkpoint> = "checkpoint";
template <>
inline constexpr const char* kTypeName<Evaluation> = "evaluation";
template <>
inline constexpr const char* kTypeName<Predictions> = "predictions";
template <>
inline constexpr const char* kTypeName<Alert> = "alert";
template <>
inline constexpr const char* kTypeName<Ok> = "ok";
template <>
inline constexpr const char* kTypeName<ErrorReply> = "error";

namespace {

constexpr std::array kCommands = {"status", "pause", "resume", "stop", "checkpoint", "evaluate"};

bool isCommand(const std::string& type) {
  return std::find(kCommands.begin(), kCommands.end(), type) != kCommands.end();
}

/// What stands in the event log. Its seq, step and time are the record's.
template <typename Message>
concept IsEvent = std::same_as<Message, State> || std::same_as<Message, Log> ||
    std::same_as<Message, Checkpoint> || std::same_as<Message, Evaluation> ||
    std::same_as<Message, Predictions> || std::same_as<Message, Alert>;

void describeContent(auto& members, Is<State> auto& state) {
  members("state", state.state);
  members("error", state.error);
}

void describeContent(auto& members, Is<Log> auto& log) {
  members("level", log.level);
  members("text", log.text);
  members.ifNotEmpty("kind", log.kind);
}

void describeContent(auto& members, Is<Checkpoint> auto& checkpoint) {
  members("path", checkpoint.path);
  members("best", checkpoint.best);
}

void describeContent(auto& members, Is<Evaluation> auto& evaluation) {
  members("path", evaluation.path);
}

void describeContent(auto& members, Is<Predictions> auto& predictions) {
  members("path", predictions.path);
}

void describeContent(auto& members, Is<Alert> auto& alert) {
  members("kind", alert.kind);
  members("severity", alert.severity);
  members("text", alert.text);
  members("tags", alert.tags);
  members("from", alert.from);
  members("to", alert.to);
  members.ifNotEmpty("key", alert.key);
  members.ifNotEmpty("value", alert.value);
}

void describeRecord(auto& members, auto& message) {
  members("seq", message.seq);
  members("step", message.step);
  members("time", message.time);
}

/// The members of `extra` behind those already written.
void writeExtra(base::JsonWriter& json, const std::string& extra) {
  const nlohmann::json object = parseObject(extra, "extra of an ok");
  for (const auto& [name, value] : object.items()) {
    if (name == "v" || name == "type" || name == "id") continue;
    json.key(name);
    json.raw(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
}

template <typename Message>
std::string encodeContent(const Message& message) {
  std::string text;
  base::JsonWriter json(text);
  json.beginObject();
  json.key("type");
  json.value(kTypeName<Message>);
  MemberWriter members(json);
  describeContent(members, message);
  json.endObject();
  return text;
}

}  // namespace

void describe(auto& members, Is<Hello> auto& hello) {
  members("since", hello.since);
  members("attempt", hello.attempt);
}

void describe(MemberWriter& members, const Command& command) { writeId(members, command.id); }

void describe(MemberWriter& members, const PredictRequest& request) {
  writeId(members, request.id);
  describeImages(members, request);
}

void describe(const MemberReader& members, PredictRequest& request) {
  request.id = readId(members);
  describeImages(members, request);
}

void describe(auto& members, Is<Welcome> auto& welcome) {
  members("run", welcome.run);
  members("attempt", welcome.attempt);
  members("seq", welcome.seq);
  members("state", welcome.state);
}

void describe(auto& members, Is<Reset> auto& reset) {
  members("seq", reset.seq);
  members("step", reset.step);
}

void describe(auto& members, Is<Scalars> auto& scalars) {
  describeRecord(members, scalars);
  members("values", scalars.values);
}

template <typename Message>
requires IsEvent<std::remove_const_t<Message>>
void describe(auto& members, Message& event) {
  describeRecord(members, event);
  describeContent(members, event);
}

void describe(MemberWriter& members, const Ok& ok) {
  writeId(members, ok.id);
  writeExtra(members.json(), ok.extra);
}

void describe(const MemberReader& members, Ok& ok) {
  ok.id = readId(members);
  nlohmann::json extra = members.object();
  for (const char* name : {"v", "type", "id"}) extra.erase(name);
  ok.extra = extra.dump();
}

void describe(MemberWriter& members, const ErrorReply& reply) {
  writeId(members, reply.id);
  members("message", reply.message);
}

void describe(const MemberReader& members, ErrorReply& reply) {
  const auto id = members.object().find("id");
  const bool isUnread = id != members.object().end() && id->is_null();
  reply.id = isUnread ? std::string() : readId(members);
  members("message", reply.message);
}

std::string encode(const ClientMessage& message) {
  return std::visit(
      [](const auto& held) {
        using Message = std::decay_t<decltype(held)>;
        if constexpr (std::same_as<Message, Command>) {
          return encodeLine(held.name.c_str(), held);
        } else {
          return encodeLine(kTypeName<Message>, held);
        }
      },
      message);
}

std::string encode(const EngineMessage& message) {
  return std::visit(
      [](const auto& held) { return encodeLine(kTypeName<std::decay_t<decltype(held)>>, held); },
      message);
}

ClientMessage decodeClientMessage(std::string_view line) {
  const Envelope envelope = openEnvelope(line);
  if (isCommand(envelope.type)) {
    return Command{readId(MemberReader(envelope.object, envelope.type)), envelope.type};
  }
  return decodeAs<ClientMessage>(envelope);
}

EngineMessage decodeEngineMessage(std::string_view line) {
  return decodeAs<EngineMessage>(openEnvelope(line));
}

std::string requestIdOf(std::string_view line) {
  try {
    return idOf(parseObject(line, "message"));
  } catch (const Error&) {
    return {};
  }
}

std::string encodeEvent(const EngineMessage& message) {
  return std::visit(
      [](const auto& held) -> std::string {
        using Message = std::decay_t<decltype(held)>;
        if constexpr (IsEvent<Message>) {
          return encodeContent(held);
        } else {
          throw Error(std::string("a message of type ") + kTypeName<Message> +
                      " is no event of the log");
        }
      },
      message);
}

EngineMessage decodeEvent(std::string_view json, std::int64_t seq, std::int64_t step, double time) {
  const nlohmann::json object = parseObject(json, "event");
  std::string type;
  MemberReader(object, "event")("type", type);
  std::optional<EngineMessage> decoded;
  const auto attempt = [&]<IsEvent Message>(Message message) {
    if (type != kTypeName<Message>) return;
    message.seq = seq;
    message.step = step;
    message.time = time;
    MemberReader members(object, type);
    describeContent(members, message);
    decoded = std::move(message);
  };
  attempt(State());
  attempt(Log());
  attempt(Checkpoint());
  attempt(Evaluation());
  attempt(Predictions());
  attempt(Alert());
  if (!decoded) throw Error("event: type '" + base::shortened(type) + "' is not known here");
  return *std::move(decoded);
}

}  // namespace lockstep::protocol
