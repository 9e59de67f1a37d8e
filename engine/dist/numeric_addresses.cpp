// Replaces the C library's getnameinfo() in programs that are linked with this library. LibTorch's
// TCPStore asks for the name of each address that it connects to or accepts, for its log alone, in
// the thread that serves every rank: where a DNS server does not answer, heartbeats wait 5 s or
// longer for it, and ranks are reported lost that are not.

#include <dlfcn.h>
#include <netdb.h>

namespace {

using GetNameInfo = decltype(&::getnameinfo);

}  // namespace

/// As the C library's, but numeric: no name server is asked.
extern "C" int getnameinfo(const sockaddr* address, socklen_t addressLength, char* host,
                           socklen_t hostLength, char* service, socklen_t serviceLength,
                           int flags) {
  static const auto ofLibrary = reinterpret_cast<GetNameInfo>(::dlsym(RTLD_NEXT, "getnameinfo"));
  if (ofLibrary == nullptr) return EAI_SYSTEM;
  return ofLibrary(address, addressLength, host, hostLength, service, serviceLength,
                   flags | NI_NUMERICHOST);
}
