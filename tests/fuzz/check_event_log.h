#pragma once

#include <filesystem>

namespace lockstep::tests {

/// Checks the properties of the event log reader for any file: next() and visitAvailable() return
/// the same records, in order, as a plain search for frames; reading incrementally while the file
/// grows gives the same as reading all of it; its messages decode or throw Error; the writer
/// appends after the last record. Throws the reader's own Error, and std::logic_error if a property
/// is violated. Uses `file`.growing and the folder `file`.written.
void checkEventLog(const std::filesystem::path& file);

}  // namespace lockstep::tests
