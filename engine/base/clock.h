#pragma once

#include <string>

namespace lockstep::base {

/// Seconds since 1970, as in event files and run.json.
double wallTimeSeconds();

/// Throws Error if the clock is before 1970: times of runs are counted from then.
void requireClock(double wallTime = wallTimeSeconds());

/// `20261121-101500`, local time: for names of run folders.
std::string timestampForNames(double wallTime);

/// `2026-11-21T10:15:00+01:00`, local time with its offset.
std::string timestampIso8601(double wallTime);

}  // namespace lockstep::base
