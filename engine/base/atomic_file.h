#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lockstep::base {

/// The content of a file. Throws SystemError with the path and the reason of the system.
std::string readFile(const std::filesystem::path& path);

/// Replaces `path` with `content` atomically: a reader, or a crash at any moment, sees either the
/// old content or the new. Writes a temporary file beside it, syncs it, renames it and syncs the
/// folder. An existing file keeps its permissions, a symlink its target; a new file gets `mode &
/// ~umask`. Throws Error, also if `path` exists and is no regular file.
void writeFileAtomically(const std::filesystem::path& path, std::string_view content,
                         unsigned mode = 0666);

/// Throws what writeFileAtomically() throws where `path` cannot be written. For use before long
/// work whose result is written there.
void checkWritable(const std::filesystem::path& path);

/// Removes temporary files that writeFileAtomically() left in a folder because its process was
/// killed. Call it while this process writes nothing there: in a container, the killed one may have
/// had the same id. Ignores files that it cannot remove.
void removeTemporaryFiles(const std::filesystem::path& folder);

/// Writes all of `content`, also to a slow non-blocking descriptor. Throws Error with `name` in the
/// message.
void writeToDescriptor(int descriptor, std::string_view content, const std::filesystem::path& name);

/// fsync of a file, or of a folder (which makes renames in it durable). Throws Error.
void syncToDisk(const std::filesystem::path& path);

}  // namespace lockstep::base
