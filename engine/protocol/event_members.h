#pragma once

#include "engine/protocol/event.h"
#include "engine/protocol/members.h"

/// Type name and members of every event. Internal to engine/protocol.
namespace lockstep::protocol {

template <typename T>
concept IsEvent = requires(T event) {
  event.seq;
  event.step;
  event.time;
};

template <>
inline constexpr const char* kTypeName<Scalars> = "scalars";
void describeContent(auto& members, Is<Scalars> auto& scalars) {
  members("values", scalars.values);
}

template <>
inline constexpr const char* kTypeName<Config> = "config";
void describeContent(auto& members, Is<Config> auto& config) {
  members("experiment", config.experiment);
}

template <>
inline constexpr const char* kTypeName<State> = "state";
void describeContent(auto& members, Is<State> auto& state) {
  members("state", state.state);
  members("error", state.error);
}

template <>
inline constexpr const char* kTypeName<Log> = "log";
void describeContent(auto& members, Is<Log> auto& log) {
  members("level", log.level);
  members("text", log.text);
  members.ifNotEmpty("kind", log.kind);
}

template <>
inline constexpr const char* kTypeName<Checkpoint> = "checkpoint";
void describeContent(auto& members, Is<Checkpoint> auto& checkpoint) {
  members("path", checkpoint.path);
  members("best", checkpoint.best);
}

template <>
inline constexpr const char* kTypeName<Evaluation> = "evaluation";
void describeContent(auto& members, Is<Evaluation> auto& evaluation) {
  members("path", evaluation.path);
}

template <>
inline constexpr const char* kTypeName<Predictions> = "predictions";
void describeContent(auto& members, Is<Predictions> auto& predictions) {
  members("path", predictions.path);
}

template <>
inline constexpr const char* kTypeName<Alert> = "alert";
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

/// Members of a line on the socket.
void describe(auto& members, IsEvent auto& event) {
  members("seq", event.seq);
  members("step", event.step);
  members("time", event.time);
  describeContent(members, event);
}

}  // namespace lockstep::protocol
