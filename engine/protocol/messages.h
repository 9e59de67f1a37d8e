#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/error.h"

/// The messages between the engine and its clients: JSON Lines over a local socket, each {"v": 1,
/// "type": …}.
namespace lockstep::protocol {

inline constexpr int kVersion = 1;
inline constexpr std::size_t kMaxLineBytes = 1 << 20;

/// A line of another version of the protocol: report it and close the connection.
class VersionMismatch : public Error {
 public:
  using Error::Error;
};

inline constexpr std::size_t kMaxIdBytes = 200;
inline constexpr char kIntegerIdMark = '\x1f';

// ---- client -> engine
struct Hello {
  std::int64_t since = -1;  ///< seq of the last record held; -1: none
  int attempt = 0;          ///< attempt it was held from; 0: none
};
/// status | pause | resume | stop | checkpoint | evaluate
struct Command {
  /// Given back in the answer: a text up to kMaxIdBytes. An integer on the wire is held as
  /// kIntegerIdMark and its digits, and goes back as an integer, so that clients may count their
  /// requests either way. No part of a file name.
  std::string id;
  std::string name;
};
struct PredictRequest {
  std::string id;
  std::vector<std::int64_t> imageIds;
  std::vector<std::string> paths;  ///< or these: exactly one of the two is not empty
  std::string weights;             ///< best | last | STEP | FILE; empty: the current ones
  double scoreThreshold = 0.05;    ///< 0 … 1
};
using ClientMessage = std::variant<Hello, Command, PredictRequest>;

// ---- engine -> client
struct Welcome {
  std::string run;  ///< the run folder
  int attempt = 1;
  std::int64_t seq = 0;  ///< the newest record
  std::string state;
};
/// The client's attempt is old: forget what lies after seq and step.
struct Reset {
  std::int64_t seq = 0;
  std::int64_t step = 0;
};
struct Scalars {
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;                                    ///< wall time, seconds
  std::vector<std::pair<std::string, float>> values;  ///< decoded: in the order of the tags
};
struct RunError {
  std::string message;
  int rank = 0;
  std::string host;
  std::int64_t step = 0;
  std::string phase;
  std::string collective;
  std::string cause;
  std::string checkpoint{};  ///< where the last one is when the run folder did not take it
};
struct State {
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;
  std::string
      state;  ///< queued starting running evaluating paused stopping stopped failed finished
  std::optional<RunError> error;
};
struct Log {
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;
  std::string level;  ///< info | warning | error
  std::string text;
  std::string kind =
      {};  ///< what it is about where a program must know, one of those below; else empty
};
/// Log::kind of a checkpoint that could not be kept: alerts::AlertDetector turns it into an alert.
inline constexpr const char* kCheckpointFailed = "checkpoint_failed";
/// The same of anything else that the disk refused.
inline constexpr const char* kWriteFailed = "write_failed";
struct Checkpoint {
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;
  std::string path;  ///< relative to the run folder
  bool best = false;
};
struct Evaluation {
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;
  std::string path;
};
struct Predictions {
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;
  std::string path;
};
/// What a person is to be told, with its evidence.
struct Alert {
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;
  std::string kind;               ///< as alerts::AlertDetector names them
  std::string severity;           ///< warning | error
  std::string text;               ///< what, and what one can do
  std::vector<std::string> tags;  ///< of the scalars that show it
  std::int64_t from = 0;          ///< steps between which they do
  std::int64_t to = 0;
  std::string key = {};    ///< of advice: the key of the experiment to set; else empty
  std::string value = {};  ///< of advice: what to set it to
};
/// Answer to a request; extra holds type-specific members as JSON text of an object ("{}": none),
/// e.g. {"path": …}.
struct Ok {
  std::string id;
  std::string extra = "{}";
};
struct ErrorReply {
  std::string id;  ///< empty (null on the wire) when the request could not be read
  std::string message;
};
using EngineMessage = std::variant<Welcome, Reset, Scalars, State, Log, Checkpoint, Evaluation,
                                   Predictions, Alert, Ok, ErrorReply>;

/// One line without its newline. Bytes that are no UTF-8 become U+FFFD; numbers are the shortest
/// that read back the same. Throws Error only for an Ok whose extra is not a JSON object.
std::string encode(const ClientMessage& message);
std::string encode(const EngineMessage& message);
/// Throw Error with what is wrong: not JSON, not an object, another version (VersionMismatch), an
/// unknown type, a missing or mistyped member. Members that are not known are let pass.
ClientMessage decodeClientMessage(std::string_view line);
EngineMessage decodeEngineMessage(std::string_view line);
/// The `id` of a line that does not decode, if it has one.
std::string requestIdOf(std::string_view line);

/// Events as they stand in the event log (no v, no seq): State, Log, Checkpoint, Evaluation,
/// Predictions, Alert.
std::string encodeEvent(const EngineMessage& message);
/// The message of an event's JSON, with seq, step and time of its record. Throws Error.
EngineMessage decodeEvent(std::string_view json, std::int64_t seq, std::int64_t step, double time);

/// Cuts a byte stream into lines. A line over kMaxLineBytes is dropped whole and reported once, in
/// its place. Holds no more than the whole lines not yet taken and kMaxLineBytes of the one that is
/// coming.
class LineBuffer {
 public:
  enum class Result { Line, NeedMore, TooLong };
  void append(std::string_view bytes);
  /// Line: `line` is the next one, without its newline. NeedMore, TooLong: `line` is not touched.
  Result next(std::string& line);

 private:
  void store(std::string_view bytes);

  std::string buffer_;
  std::size_t begin_ = 0;      ///< of the next line in buffer_
  std::size_t tailBytes_ = 0;  ///< stored bytes of the line without a newline
  std::size_t scanned_ = 0;    ///< buffer_ holds no newline between begin_ and here
  bool dropping_ = false;  ///< bytes up to the next newline belong to a line reported as too long
};

}  // namespace lockstep::protocol
