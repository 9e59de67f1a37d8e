#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lockstep::base {

/// Whole content of a file. Throws SystemError naming the path and the system's reason.
std::string readFile(const std::filesystem::path& path);

/// Replaces `path` with `content` so that a reader, or a crash at any moment, sees the old content
/// or the new, never a part. Writes a temporary file beside it, syncs it, renames it and syncs the
/// folder. A file keeps its permissions, a symbolic link its target; `mode`, less the umask, is of
/// a new file. What is no file (a FIFO, a terminal, /dev/null) is written into instead; a disk is
/// refused. Throws Error.
void writeFileAtomically(const std::filesystem::path& path, std::string_view content,
                         unsigned mode = 0666);

/// All of `content`, however slowly it is taken. Throws Error, which calls the descriptor `name`.
void writeToDescriptor(int descriptor, std::string_view content, const std::filesystem::path& name);

/// fsync of a file or of a folder (so that a rename in it lasts). Throws Error.
void syncToDisk(const std::filesystem::path& path);

}  // namespace lockstep::base
