#include "engine/worker/world_of_job.h"

#include <torch/types.h>

namespace lockstep::worker {

JoinedWorld joinWorldOf(const JobContext& context) {
  const protocol::Job& own = context.job;
  context.phase.phase = "joining";
  JoinedWorld joined;
  joined.world = dist::joinWorld(
      {.node = own.node,
       .nodes = own.nodes,
       .localRank = own.localRank,
       .localRanks = own.localRanks,
       .masterAddress = own.masterAddress,
       .masterPort = own.masterPort,
       .storeIsServed = own.storeIsServed,
       .onListening = [&](int port) { context.channel.send(protocol::Listening{port}); },
       .onCollective = [&phase = context.phase](const char* name,
                                                bool waiting) { phase.note(name, waiting); }});
  context.phase.rank = joined.world->rank();
  joined.job = own;
  if (joined.world->size() == 1) return joined;
  const std::string line = joined.world->share(protocol::encode(protocol::SupervisorMessage(own)));
  joined.job = std::get<protocol::Job>(protocol::decodeSupervisorMessage(line));
  joined.job.gpu = own.gpu;
  return joined;
}

}  // namespace lockstep::worker
