// lockstep-worker: one rank. Started by lockstep-engine with a socket on an inherited descriptor,
// never by a person.
#include <c10/util/Exception.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <new>
#include <variant>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/worker/control_thread.h"
#include "engine/worker/jobs.h"

namespace lockstep::worker {
namespace {

/// Paths that came in a file, as if they had come in the message.
void readPathsFile(protocol::Job& job) {
  if (job.pathsFile.empty()) return;
  const std::string list = base::readFile(job.pathsFile);
  for (std::size_t begin = 0, end; (end = list.find('\0', begin)) != std::string::npos;
       begin = end + 1) {
    job.paths.push_back(list.substr(begin, end - begin));
  }
}

protocol::Finished runJob(const JobContext& context) {
  static const std::map<std::string, protocol::Finished (*)(const JobContext&)> jobs{
      {"train", runTrain},     {"evaluate", runEvaluate}, {"predict", runPredict},
      {"inspect", runInspect}, {"shapes", runShapes},     {"info", runInfo},
      {"check", runCheck},     {"replay", runReplay}};
  const auto job = jobs.find(context.job.kind);
  if (job == jobs.end()) throw Error("unknown job '" + context.job.kind + "'");
  return job->second(context);
}

/// The report of the exception in flight.
protocol::Failed failureOf(const train::PhaseReport& phase) {
  protocol::Failed failed;
  failed.step = phase.step;
  failed.phase = phase.phase.load();
  failed.collective = phase.collective.load();
  try {
    throw;
  } catch (const Error& error) {
    failed.message = error.what();
    failed.exitStatus = static_cast<int>(error.status());
    failed.cause = "error";
  } catch (const c10::OutOfMemoryError& error) {
    failed.message = error.what_without_backtrace();
    failed.cause = "out of memory";
  } catch (const c10::Error& error) {
    failed.message = error.what_without_backtrace();
    failed.cause = "exception";
  } catch (const std::bad_alloc&) {
    failed.message = "out of memory: lower solver.batch_size or augment.min_size";
    failed.cause = "out of memory";
  } catch (const std::exception& error) {
    failed.message = error.what();
    failed.cause = "exception";
  }
  if (phase.waiting && failed.cause == "exception") failed.cause = "lost peer";
  return failed;
}

int serve(int fd) {
  Channel channel(fd);
  const auto first = channel.receive(-1);
  if (!first || !std::holds_alternative<protocol::Job>(*first))
    return static_cast<int>(ExitStatus::Failed);
  auto job = std::get<protocol::Job>(*first);
  train::Mailbox mailbox;
  train::PhaseReport phase;
  OwnWorld world(phase);
  const ControlThread control(channel, mailbox, phase, world);
  try {
    readPathsFile(job);
    const protocol::Finished finished = runJob({job, world, channel, mailbox, phase});
    channel.send(finished);
    return static_cast<int>(finished.stopped ? ExitStatus::Stopped : ExitStatus::Done);
  } catch (...) {
    const protocol::Failed failed = failureOf(phase);
    base::logLine(base::LogLevel::Error, "worker", failed.message);
    if (const auto culprit = world.fail(failed)) channel.send(*culprit);
    channel.send(failed);
    return failed.exitStatus;
  }
}

}  // namespace
}  // namespace lockstep::worker

int main(int argc, char** argv) {
  int fd = -1;
  if (argc >= 3 && std::strcmp(argv[1], "--fd") == 0)  // more is for people who read `ps`
    std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), fd);
  if (fd < 0) {
    std::fprintf(
        stderr,
        "lockstep-worker is started by lockstep-engine: run `lockstep-engine train` instead\n");
    return static_cast<int>(lockstep::ExitStatus::Mendable);
  }
  try {
    return lockstep::worker::serve(fd);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lockstep-worker: %s\n", error.what());
    return static_cast<int>(lockstep::ExitStatus::Failed);
  }
}
