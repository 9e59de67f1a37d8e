#pragma once

#include <filesystem>

namespace lockstep::tests {

/// Holds the reader of event logs to what it promises for any file: next() and visitAvailable()
/// give the same, in order, from the frames that a plain search finds; reading on while the file
/// grows gives what reading the whole gives; its messages decode or are refused with Error; the
/// writer goes on behind what was read. Throws the reader's own Error, and std::logic_error where
/// something of this does not hold. Uses `file`.growing and the folder `file`.written.
void holdEventLog(const std::filesystem::path& file);

}  // namespace lockstep::tests
