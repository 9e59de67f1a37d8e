#include "tests/support/dead_disk.h"

#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <vector>

namespace lockstep::tests {
namespace {

constexpr std::size_t kRequestBytes = 256 * 1024;
constexpr int kLookMs = 20;  // for the end of the server

/// The root is node 1, the files are those from 2 on, in their order.
constexpr std::uint64_t kFirstFile = FUSE_ROOT_ID + 1;

/// Nothing is kept by the kernel, so that every call reaches us.
fuse_attr attributesOf(std::uint64_t node, const std::string* content) {
  fuse_attr attributes{};
  attributes.ino = node;
  attributes.mode = content ? S_IFREG | 0644U : S_IFDIR | 0755U;
  attributes.size = content ? content->size() : 0;
  attributes.nlink = 1;
  attributes.blksize = 4096;
  return attributes;
}

template <typename Body>
Body bodyOf(const char* request) {
  Body body;
  std::memcpy(&body, request + sizeof(fuse_in_header), sizeof body);
  return body;
}

}  // namespace

DeadDisk::DeadDisk(Files files) : files_(std::move(files)) {
  device_ = ::open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (device_ < 0) return;
  const std::string options = "fd=" + std::to_string(device_) +
                              ",rootmode=40000,user_id=" + std::to_string(::getuid()) +
                              ",group_id=" + std::to_string(::getgid());
  isMounted_ = ::mount("dead_disk", folder_.path().toLocal8Bit().constData(), "fuse",
                       MS_NOSUID | MS_NODEV, options.c_str()) == 0;
  if (isMounted_) server_ = std::thread([this] { serve(); });
}

DeadDisk::~DeadDisk() {
  {
    const std::lock_guard guard(mutex_);
    isEnding_ = true;
  }
  changed_.notify_all();
  if (server_.joinable()) server_.join();
  if (device_ >= 0) ::close(device_);  // calls that hang fail
  if (isMounted_) ::umount2(folder_.path().toLocal8Bit().constData(), MNT_DETACH);
}

QString DeadDisk::path(const char* name) const {
  return name ? folder_.filePath(QString::fromUtf8(name)) : folder_.path();
}

void DeadDisk::stop() {
  const std::lock_guard guard(mutex_);
  isStopped_ = true;
}

void DeadDisk::revive() {
  {
    const std::lock_guard guard(mutex_);
    isStopped_ = false;
  }
  changed_.notify_all();
}

void DeadDisk::serve() {
  std::vector<char> request(kRequestBytes);
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !isStopped_ || isEnding_; });
      if (isEnding_) return;
    }
    pollfd ready{device_, POLLIN, 0};
    if (::poll(&ready, 1, kLookMs) <= 0) continue;
    {
      const std::lock_guard guard(mutex_);
      if (isStopped_) continue;
    }
    const ssize_t bytes = ::read(device_, request.data(), request.size());
    if (bytes < 0 && errno == ENODEV) return;
    if (bytes > 0) handle(request.data());
  }
}

const std::string* DeadDisk::contentOf(std::uint64_t node) const {
  if (node < kFirstFile || node - kFirstFile >= files_.size()) return nullptr;
  return &std::next(files_.begin(), static_cast<std::ptrdiff_t>(node - kFirstFile))->second;
}

void DeadDisk::handle(const char* request) {
  fuse_in_header header;
  std::memcpy(&header, request, sizeof header);
  const std::string* content = contentOf(header.nodeid);
  switch (header.opcode) {
    case FUSE_INIT: {
      fuse_init_out out{};
      out.major = FUSE_KERNEL_VERSION;
      out.minor = FUSE_KERNEL_MINOR_VERSION;
      out.max_write = 4096;
      return reply(header.unique, 0, &out, sizeof out);
    }
    case FUSE_GETATTR: {
      fuse_attr_out out{};
      out.attr = attributesOf(header.nodeid, content);
      return reply(header.unique, 0, &out, sizeof out);
    }
    case FUSE_LOOKUP: {
      const auto found = files_.find(request + sizeof header);
      if (found == files_.end()) return reply(header.unique, ENOENT);
      fuse_entry_out out{};
      out.nodeid = kFirstFile + static_cast<std::uint64_t>(std::distance(files_.begin(), found));
      out.attr = attributesOf(out.nodeid, &found->second);
      return reply(header.unique, 0, &out, sizeof out);
    }
    case FUSE_OPEN:
    case FUSE_OPENDIR: {
      const fuse_open_out out{0, FOPEN_DIRECT_IO, 0};
      return reply(header.unique, 0, &out, sizeof out);
    }
    case FUSE_READ: {
      const auto asked = bodyOf<fuse_read_in>(request);
      const std::size_t size = content ? content->size() : 0;
      const std::size_t begin = std::min<std::size_t>(asked.offset, size);
      const std::size_t bytes = std::min<std::size_t>(asked.size, size - begin);
      return reply(header.unique, 0, content ? content->data() + begin : nullptr, bytes);
    }
    case FUSE_READDIR:  // its files are found by those who know their names
    case FUSE_RELEASE:
    case FUSE_RELEASEDIR:
      return reply(header.unique, 0);
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
      return;  // have no answer
    default:
      return reply(header.unique, ENOSYS);
  }
}

void DeadDisk::reply(std::uint64_t unique, int error, const void* data, std::size_t bytes) {
  fuse_out_header header{};
  header.unique = unique;
  header.error = -error;
  header.len = static_cast<std::uint32_t>(sizeof header + bytes);
  const iovec parts[] = {{&header, sizeof header}, {const_cast<void*>(data), bytes}};
  [[maybe_unused]] const ssize_t written = ::writev(device_, parts, bytes > 0 ? 2 : 1);
}

}  // namespace lockstep::tests
