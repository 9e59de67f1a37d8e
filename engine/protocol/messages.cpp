#include "engine/protocol/messages.h"

#include "engine/base/base64.h"
#include "engine/protocol/event_members.h"

namespace lockstep::protocol {

template <>
inline constexpr const char* kTypeName<Hello> = "hello";
template <>
inline constexpr const char* kTypeName<PredictRequest> = "predict";
template <>
inline constexpr const char* kTypeName<ExplainRequest> = "explain";
template <>
inline constexpr const char* kTypeName<CancelRequest> = "cancel";
template <>
inline constexpr const char* kTypeName<QueueRequest> = "queue";
template <>
inline constexpr const char* kTypeName<FileRequest> = "file";
template <>
inline constexpr const char* kTypeName<Welcome> = "welcome";
template <>
inline constexpr const char* kTypeName<Reset> = "reset";
template <>
inline constexpr const char* kTypeName<Ok> = "ok";
template <>
inline constexpr const char* kTypeName<ErrorReply> = "error";
template <>
inline constexpr const char* kTypeName<RequestProgress> = "progress";

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

void describe(MemberWriter& members, const ExplainRequest& request) {
  writeId(members, request.id);
  describeImage(members, request);
}

void describe(const MemberReader& members, ExplainRequest& request) {
  request.id = readId(members);
  describeImage(members, request);
}

void describe(MemberWriter& members, const CancelRequest& request) { writeId(members, request.id); }

void describe(const MemberReader& members, CancelRequest& request) { request.id = readId(members); }

void describe(MemberWriter& members, const QueueRequest& request) {
  writeId(members, request.id);
  members("position", request.position);
}

void describe(const MemberReader& members, QueueRequest& request) {
  request.id = readId(members);
  members("position", request.position);
  if (request.position < 1) throw Error("queue: position must be at least 1");
}

void describe(MemberWriter& members, const FileRequest& request) {
  writeId(members, request.id);
  members("path", request.path);
  members("offset", request.offset);
}

void describe(const MemberReader& members, FileRequest& request) {
  request.id = readId(members);
  members("path", request.path);
  members.orDefault("offset", request.offset);
  if (request.offset < 0) throw Error("file: offset must be at least 0");
}

void describe(auto& members, Is<Welcome> auto& welcome) {
  members("run", welcome.run);
  members("attempt", welcome.attempt);
  members("seq", welcome.seq);
  members("state", welcome.state);
  members.ifNotEmpty("program", welcome.program);
}

void describe(auto& members, Is<Reset> auto& reset) {
  members("seq", reset.seq);
  members("step", reset.step);
}

// The members of answers are sorted by name. A program of another version may omit members of a
// status.

void describe(auto& members, Is<RunStatus::Rank> auto& rank) {
  members("phase", rank.phase);
  members("rank", rank.rank);
  members("step", rank.step);
}

void describe(auto& members, Is<RunStatus::Best> auto& best) {
  members("metric", best.metric);
  members("step", best.step);
  members("value", best.value);
}

void describe(auto& members, Is<RunStatus> auto& status) {
  members.orDefault("attempt", status.attempt);
  members.ifNotEmpty("best", status.best);
  members.orDefault("checkpoints", status.checkpoints);
  members.orDefault("created", status.created);
  members.ifNotEmpty("error", status.error);
  members.orDefault("eta_seconds", status.etaSeconds);
  members.orDefault("finished", status.finished);
  members.orDefault("images_per_second", status.imagesPerSecond);
  members.ifNotEmpty("left_out", status.leftOut);
  members.orDefault("max_steps", status.maxSteps);
  members.ifNotEmpty("name", status.name);
  members.orDefault("phase", status.phase);
  members.orDefault("pid", status.pid);
  members.ifNotEmpty("queue_position", status.queuePosition);
  members.ifNotEmpty("range_test", status.isRangeTest);
  members("ranks", status.ranks);
  members.orDefault("seq", status.seq);
  members.orDefault("started", status.started);
  members.orDefault("state", status.state);
  members.orDefault("step", status.step);
  members.ifNotEmpty("steps_per_epoch", status.stepsPerEpoch);
}

void describe(auto& members, Is<InspectionStatus> auto& status) {
  members.orDefault("state", status.state);
  members.orDefault("step", status.step);
  members("weights", status.weights);
}

void describe(auto& members, Is<AnswerPath> auto& answer) { members("path", answer.path); }

void describe(MemberWriter& members, const FilePart& part) {
  members("bytes", part.bytes);
  members("modified", part.modified);
  members("data", base::encodeBase64(part.data));
}

void describe(const MemberReader& members, FilePart& part) {
  members("bytes", part.bytes);
  members("modified", part.modified);
  std::string text;
  members("data", text);
  part.data = base::decodeBase64(text);
}

void describe(MemberWriter& members, const Ok& ok) {
  writeId(members, ok.id);
  std::visit([&](const auto& answer) { describe(members, answer); }, ok.answer);
}

/// A member that only one type of answer has identifies the type.
void describe(const MemberReader& members, Ok& ok) {
  ok.id = readId(members);
  const auto readIf = [&]<typename Answer>(const char* name, std::type_identity<Answer>) {
    if (members.has(name)) describe(members, ok.answer.emplace<Answer>());
  };
  readIf("path", std::type_identity<AnswerPath>());
  readIf("data", std::type_identity<FilePart>());
  readIf("weights", std::type_identity<InspectionStatus>());
  readIf("ranks", std::type_identity<RunStatus>());
}

void describe(MemberWriter& members, const ErrorReply& reply) {
  writeId(members, reply.id);
  members("message", reply.message);
}

void describe(const MemberReader& members, ErrorReply& reply) {
  reply.id = readIdOrNull(members);
  members("message", reply.message);
}

void describe(MemberWriter& members, const RequestProgress& progress) {
  writeId(members, progress.id);
  members("done", progress.done);
  members("of", progress.of);
}

void describe(const MemberReader& members, RequestProgress& progress) {
  progress.id = readId(members);
  members("done", progress.done);
  members("of", progress.of);
}

std::string encode(const ClientMessage& message) {
  return std::visit(
      [](const auto& held) {
        using Message = std::decay_t<decltype(held)>;
        if constexpr (std::same_as<Message, Command>) {
          return encodeLine(base::textOf(held.name), held);
        } else {
          return encodeLine(kTypeName<Message>, held);
        }
      },
      message);
}

std::string encode(const EngineMessage& message) { return encodeHeld(message); }
std::string lineOf(const Event& event) { return encodeHeld(event); }

ClientMessage decodeClientMessage(std::string_view line) {
  const Envelope envelope = openEnvelope(line);
  if (const auto name = base::parseEnum<CommandName>(envelope.type))
    return Command{readId(envelope.members), *name};
  return decodeAs<ClientMessage>(envelope);
}

EngineMessage decodeEngineMessage(std::string_view line) {
  return decodeAs<EngineMessage>(openEnvelope(line));
}

std::string requestIdOf(std::string_view line) {
  try {
    return idOf(MemberReader::parse(line, "message"));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace lockstep::protocol
