#pragma once

#include <filesystem>
#include <functional>

namespace lockstep::supervisor {

/// What the caller of runDetached() does next, in the parent or the child.
struct Detached {
  bool isParent = false;
  int status = 0;  ///< exit status of the process
};

/// Closes every descriptor but the standard streams, so that a detached process does not keep what
/// its caller left open (a lock, a pipe) for hours. To be called before anything is opened.
void closeInheritedDescriptors();

/// Forks. The child gets a session of its own with its streams in `log` and calls `body`, which
/// calls its argument when the socket answers. The parent returns when it does, or throws Error
/// with the child's earlier error. Exceptions of the body propagate in the child.
Detached runDetached(const std::filesystem::path& log,
                     const std::function<int(const std::function<void()>&)>& body);

}  // namespace lockstep::supervisor
