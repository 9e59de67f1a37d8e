#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/open_enum.h"
#include "engine/protocol/event.h"
#include "engine/protocol/run_state.h"

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
/// Requests that are a word alone.
enum class CommandName { Status, Pause, Resume, Stop, Checkpoint, Evaluate };
constexpr auto enumTexts(CommandName) {
  using enum CommandName;
  return std::to_array<base::EnumText<CommandName>>({{Status, "status"},
                                                     {Pause, "pause"},
                                                     {Resume, "resume"},
                                                     {Stop, "stop"},
                                                     {Checkpoint, "checkpoint"},
                                                     {Evaluate, "evaluate"}});
}
struct Command {
  /// Given back in the answer: a text up to kMaxIdBytes. An integer on the wire is held as
  /// kIntegerIdMark and its digits, and goes back as an integer, so that clients may count their
  /// requests either way. No part of a file name.
  std::string id;
  CommandName name = CommandName::Status;
};
struct PredictRequest {
  std::string id{};
  std::vector<std::int64_t> imageIds{};
  std::vector<std::string> paths{};  ///< or these: exactly one of the two is not empty
  std::string weights{};             ///< best | last | STEP | FILE; empty: the current ones
  double scoreThreshold = 0.05;      ///< 0 … 1
};
using ClientMessage = std::variant<Hello, Command, PredictRequest>;

// ---- engine -> client
struct Welcome {
  std::string run;  ///< the run folder
  int attempt = 1;
  std::int64_t seq = 0;  ///< the newest record
  base::OpenEnum<RunState> state;
};
/// The client's attempt is old: forget what lies after seq and step.
struct Reset {
  std::int64_t seq = 0;
  std::int64_t step = 0;
};
/// What a run is at, as it answers `status`.
struct RunStatus {
  struct Rank {
    int rank = 0;
    std::int64_t step = 0;
    base::OpenEnum<Phase> phase{};
  };
  base::OpenEnum<RunState> state{};
  int attempt = 1;
  std::int64_t step = 0, maxSteps = 0;
  std::int64_t seq = 0;           ///< the newest record
  base::OpenEnum<Phase> phase{};  ///< of rank 0
  std::int64_t pid = 0;
  double imagesPerSecond = 0;
  double etaSeconds = 0;      ///< negative: not known yet
  std::vector<Rank> ranks{};  ///< those on the engine's machine
};
/// The same of an inspection.
struct InspectionStatus {
  base::OpenEnum<RunState> state{};  ///< of the run
  std::int64_t step = 0;             ///< of the weights
  std::string weights{};
};
/// What answers predict, evaluate and checkpoint.
struct AnswerPath {
  std::string path;
};
using OkAnswer = std::variant<std::monostate, RunStatus, InspectionStatus, AnswerPath>;
struct Ok {
  std::string id;
  OkAnswer answer{};  ///< its members stand beside the id on the wire
};
struct ErrorReply {
  std::string id;  ///< empty (null on the wire) when the request could not be read
  std::string message;
};

/// One variant with the alternatives of two.
template <typename First, typename Second>
struct Joined;
template <typename... First, typename... Second>
struct Joined<std::variant<First...>, std::variant<Second...>> {
  using Variant = std::variant<First..., Second...>;
};
using EngineMessage = Joined<std::variant<Welcome, Reset, Ok, ErrorReply>, Event>::Variant;

/// One line without its newline. Bytes that are no UTF-8 become U+FFFD; numbers are the shortest
/// that read back the same.
std::string encode(const ClientMessage& message);
std::string encode(const EngineMessage& message);
/// The same of an event.
std::string lineOf(const Event& event);
/// Throw Error with what is wrong: not JSON, not an object, another version (VersionMismatch), an
/// unknown type, a missing or mistyped member. Members that are not known are let pass.
ClientMessage decodeClientMessage(std::string_view line);
EngineMessage decodeEngineMessage(std::string_view line);
/// The `id` of a line that does not decode, if it has one.
std::string requestIdOf(std::string_view line);

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
