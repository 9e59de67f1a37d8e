#pragma once

#include "engine/checkpoint/checkpoint.h"
#include "engine/dist/world.h"

namespace lockstep::train {

/// Rank 0's checkpoint on every rank, so that only rank 0 reads files. Throws Error on rank 0 as
/// loadCheckpoint() does.
checkpoint::Checkpoint loadSharedCheckpoint(dist::World& world,
                                            const std::filesystem::path& folder);

}  // namespace lockstep::train
