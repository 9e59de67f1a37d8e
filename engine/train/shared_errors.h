#pragma once

#include <functional>

#include "engine/train/training.h"

namespace lockstep::train {

/// Rank 0's answer, on every rank. Called on all ranks.
bool answerOfRankZero(dist::World& world, bool answer);

/// Runs work that may fail on one rank; the error is then thrown on all ranks: on that rank as it
/// was, on the others as dist::RankError. Called on all ranks. A collective within `work` has to
/// report errors to all ranks itself.
void runWithSharedErrors(const Training& training, const std::function<void()>& work);

}  // namespace lockstep::train
