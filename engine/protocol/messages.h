#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/open_enum.h"
#include "engine/protocol/event.h"
#include "engine/protocol/run_state.h"
#include "engine/protocol/split.h"

/// The messages between the engine and its clients: JSON Lines over a local socket, each {"v": 1,
/// "type": …}.
namespace lockstep::protocol {

inline constexpr int kVersion = 1;
inline constexpr std::size_t kMaxLineBytes = 1 << 20;

/// A line of another protocol version: report it and close the connection.
class VersionMismatch : public Error {
 public:
  using Error::Error;
};

/// Its line, in base64, fits kMaxLineBytes.
inline constexpr std::size_t kMaxFilePartBytes = 512 << 10;

inline constexpr std::size_t kMaxIdBytes = 200;
inline constexpr char kIntegerIdMark = '\x1f';

// ---- client -> engine
struct Hello {
  std::int64_t since = -1;  ///< seq of the last record held; -1: none
  int attempt = 0;          ///< attempt of that record; 0: none
};
/// Requests without members besides the id. `Dequeue` stops a run that is queued, and is refused
/// once it has begun.
enum class CommandName { Status, Pause, Resume, Stop, Checkpoint, Evaluate, Dequeue };
constexpr auto enumTexts(CommandName) {
  using enum CommandName;
  return std::to_array<base::EnumText<CommandName>>({{Status, "status"},
                                                     {Pause, "pause"},
                                                     {Resume, "resume"},
                                                     {Stop, "stop"},
                                                     {Checkpoint, "checkpoint"},
                                                     {Evaluate, "evaluate"},
                                                     {Dequeue, "dequeue"}});
}
struct Command {
  /// Returned in the answer: a string of up to kMaxIdBytes. An integer on the wire is stored as
  /// kIntegerIdMark and its digits, and returned as an integer. Must not be used in file names.
  std::string id;
  CommandName name = CommandName::Status;
};
struct PredictRequest {
  std::string id{};
  std::vector<std::int64_t> imageIds{};
  std::vector<std::string> paths{};  ///< image files
  std::string weights{};             ///< best | last | STEP | FILE; empty: the current ones
  double scoreThreshold = 0.05;      ///< 0 … 1
  std::optional<Split> split{};      ///< all its images; exactly one of the three kinds is given
};
/// How the predictions of one image come about, as engine/explanation writes it.
struct ExplainRequest {
  std::string id{};
  std::optional<std::int64_t> imageId{};  ///< of the part; an integer on the wire, or
  std::string path{};                     ///< an image file
  Split split = Split::Val;               ///< the part of the image id
  std::string weights{};                  ///< as of PredictRequest
};
/// Ends a request of the same client that is not answered yet: it is answered with an error.
struct CancelRequest {
  std::string id{};  ///< of that request
};
/// Moves a queued run to this place among those that wait on its machine; the others shift.
struct QueueRequest {
  std::string id{};
  int position = 1;  ///< 1: the next; beyond the last: the last
};
/// Asks for a part of a file of the run, for clients on another machine; run_folder::RunFiles says
/// of which files.
struct FileRequest {
  std::string id{};
  std::string path{};       ///< relative to the run folder, or absolute: of its dataset
  std::int64_t offset = 0;  ///< bytes; beyond the end: the answer has no data
};
using ClientMessage = std::variant<Hello, Command, PredictRequest, ExplainRequest, CancelRequest,
                                   QueueRequest, FileRequest>;

// ---- engine -> client
struct Welcome {
  std::string run;  ///< the run folder
  int attempt = 1;
  std::int64_t seq = 0;  ///< the newest record that is sent
  base::OpenEnum<RunState> state;
  std::string program{};  ///< whose run it is; empty: ours
};
/// The client's attempt is outdated: it must discard everything after seq and step.
struct Reset {
  std::int64_t seq = 0;
  std::int64_t step = 0;
};
/// The status of a run, the answer to `status`.
struct RunStatus {
  /// The best evaluation so far.
  struct Best {
    std::string metric;  ///< evaluation.best_metric
    double value = 0;
    std::int64_t step = 0;
  };
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
  double etaSeconds = 0;               ///< negative: unknown yet
  std::vector<Rank> ranks{};           ///< ranks on the engine's machine
  std::optional<int> queuePosition{};  ///< of a queued run
  // What clients on another machine cannot read in its folder.
  std::string name{};
  std::optional<double> stepsPerEpoch{};
  bool isRangeTest = false;
  std::vector<std::int64_t> checkpoints{};  ///< steps of those that exist, ascending
  std::optional<Best> best{};
  double created = 0, started = 0, finished = 0;  ///< seconds since 1970; 0: not yet, or unknown
  std::optional<RunError> error{};
  std::string leftOut{};  ///< what of another program's files could not be read; empty: nothing
};
/// The status of an inspection.
struct InspectionStatus {
  base::OpenEnum<RunState> state{};  ///< of the run
  std::int64_t step = 0;             ///< of the weights
  std::string weights{};
};
/// The answer to predict, explain, evaluate and checkpoint.
struct AnswerPath {
  std::string path;
};
/// The answer to file. More of the file follows unless its end is `bytes`.
struct FilePart {
  std::int64_t bytes = 0;  ///< of the whole file
  double modified = 0;     ///< seconds since 1970; another than before: the file was replaced
  std::string data{};      ///< up to kMaxFilePartBytes from the offset on; base64 on the wire
};
using OkAnswer = std::variant<std::monostate, RunStatus, InspectionStatus, AnswerPath, FilePart>;
struct Ok {
  std::string id;
  OkAnswer answer{};  ///< its members are siblings of the id on the wire
};
struct ErrorReply {
  std::string id;  ///< empty (null on the wire) when the request did not decode
  std::string message;
};
/// How far a request to predict or explain is, to the client that asks, at most ten times a second.
struct RequestProgress {
  std::string id;
  std::int64_t done = 0, of = 0;  ///< images
};

/// A variant with the alternatives of two variants.
template <typename First, typename Second>
struct VariantConcat;
template <typename... First, typename... Second>
struct VariantConcat<std::variant<First...>, std::variant<Second...>> {
  using Variant = std::variant<First..., Second...>;
};
using EngineMessage =
    VariantConcat<std::variant<Welcome, Reset, Ok, ErrorReply, RequestProgress>, Event>::Variant;

/// One line without its newline. Invalid UTF-8 becomes U+FFFD; numbers are the shortest decimals
/// that round-trip.
std::string encode(const ClientMessage& message);
std::string encode(const EngineMessage& message);
/// The same of an event.
std::string lineOf(const Event& event);
/// Throw Error for invalid JSON, other JSON values than objects, another version (VersionMismatch),
/// an unknown type, and a missing member or one of a wrong type. Unknown members are ignored.
ClientMessage decodeClientMessage(std::string_view line);
EngineMessage decodeEngineMessage(std::string_view line);
/// The `id` of a line that does not decode, or an empty string.
std::string requestIdOf(std::string_view line);

/// Splits a byte stream into lines. A line longer than kMaxLineBytes is dropped and reported once,
/// in its position. Buffers at most the complete lines not yet read and kMaxLineBytes of the
/// incomplete one.
class LineBuffer {
 public:
  enum class Result { Line, NeedMore, TooLong };
  void append(std::string_view bytes);
  /// Line: `line` is the next line without its newline. NeedMore, TooLong: `line` is unchanged.
  Result next(std::string& line);

 private:
  void store(std::string_view bytes);

  std::string buffer_;
  std::size_t begin_ = 0;      ///< offset of the next line in buffer_
  std::size_t tailBytes_ = 0;  ///< stored bytes of the incomplete line
  std::size_t scanned_ = 0;    ///< buffer_ has no newline between begin_ and here
  bool dropping_ = false;  ///< bytes up to the next newline belong to a line reported as too long
};

}  // namespace lockstep::protocol
