#include "engine/queue/device_locks.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "engine/base/error.h"
#include "engine/protocol/members.h"
#include "engine/queue/lock_folder.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::queue {
namespace fs = std::filesystem;

void describe(auto& members, protocol::Is<Holder> auto& holder) {
  members("run", holder.run);
  members("pid", holder.pid);
  members("host", holder.host);
  members("job", holder.job);
}

namespace {

using base::FileLock;
using Sharing = base::FileLock::Sharing;

constexpr unsigned kMode = 0600;

fs::path fileOf(const Device& device) {
  std::string name = device.id;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-') c = '_';
  return lockFolder() / "devices" / (name + ".lock");
}

/// The process of that number may be another one meanwhile, but the lock of its run is not held
/// then.
bool isAlive(const Holder& holder) {
  const bool isThere = ::kill(static_cast<pid_t>(holder.pid), 0) == 0 || errno == EPERM;
  return isThere &&
         (holder.run.empty() || run_folder::RunLock::isHeld(run_folder::Layout(holder.run)));
}

/// Lines that do not parse, of a process killed while it wrote, are left out.
std::vector<Holder> livingHolders(const fs::path& file) {
  std::vector<Holder> holders;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    try {
      Holder holder;
      const auto members = protocol::MemberReader::parse(line, "line");
      describe(members, holder);
      if (isAlive(holder)) holders.push_back(std::move(holder));
    } catch (const Error&) {
    }
  }
  return holders;
}

/// Into the locked file itself: another file in its place would not be locked. The lines only name
/// holders in messages, so a failure to write them is not one of the training.
void writeHolders(const fs::path& file, const std::vector<Holder>& holders) {
  std::string text;
  for (const Holder& holder : holders) {
    base::JsonWriter json(text);
    protocol::MemberWriter members(json);
    json.beginObject();
    describe(members, holder);
    json.endObject();
    text += '\n';
  }
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

/// What is known of a device by its lock alone. The UUID of a GPU begins with `GPU-`.
Device deviceOf(const std::string& id) {
  if (id == kCpu.id) return kCpu;
  return {id, id.starts_with("GPU-") ? id : "GPU " + id};
}

/// Adds `self` to the names in the file. To be called with order.lock.
void signIn(const fs::path& file, std::vector<Holder> others, const Holder& self) {
  others.push_back(self);
  writeHolders(file, others);
}

}  // namespace

std::string Holder::text() const {
  const std::string process = "pid " + std::to_string(pid);
  if (run.empty()) return "a run on several machines (" + process + ")";
  return "run " + fs::path(run).filename().string() + " (" + run + ", " + process + ")";
}

DeviceLocks::DeviceLocks(const std::vector<Device>& devices, Holder self) : self_(std::move(self)) {
  for (const Device& device : devices) {
    const fs::path file = fileOf(device);
    if (std::ranges::find(files_, file) == files_.end()) files_.push_back(file);
  }
  locks_.resize(files_.size());
}

std::optional<DeviceLocks> DeviceLocks::tryTakeFree(const std::vector<Device>& devices,
                                                    const Holder& self) {
  ensureLockFolder("devices");
  DeviceLocks taken(devices, self);
  for (std::size_t i = 0; i < taken.files_.size(); ++i) {
    taken.locks_[i] = FileLock::tryAcquireAtOnce(taken.files_[i], Sharing::Exclusive, kMode);
    if (!taken.locks_[i]) return std::nullopt;
  }
  for (std::size_t i = 0; i < taken.files_.size(); ++i) {
    if (!taken.locks_[i]->share()) return std::nullopt;
    signIn(taken.files_[i], {}, self);
  }
  return taken;
}

DeviceLocks DeviceLocks::takeShared(const std::vector<Device>& devices, const Holder& self,
                                    std::vector<BusyDevice>& busy) {
  ensureLockFolder("devices");
  const FileLock order = lockOrder();
  DeviceLocks taken(devices, self);
  for (std::size_t i = 0; i < taken.files_.size(); ++i) {
    const fs::path& file = taken.files_[i];
    std::optional<FileLock>& lock = taken.locks_[i];
    lock = FileLock::tryAcquireAtOnce(file, Sharing::Exclusive, kMode);
    if (lock && lock->share()) {
      signIn(file, {}, self);
      continue;
    }
    lock = FileLock::tryAcquireAtOnce(file, Sharing::Shared, kMode);
    std::vector<Holder> others = livingHolders(file);
    if (lock) signIn(file, others, self);
    const auto isOfThisJob = [&](const Holder& holder) {
      return !self.job.empty() && holder.job == self.job;
    };
    if (!others.empty() && std::ranges::all_of(others, isOfThisJob)) continue;
    std::erase_if(others, isOfThisJob);
    const auto device =
        std::ranges::find_if(devices, [&](const Device& each) { return fileOf(each) == file; });
    busy.push_back({*device, std::move(others)});
  }
  return taken;
}

bool DeviceLocks::isMissing(std::size_t index) const {
  return !locks_[index] || !locks_[index]->isAt(files_[index]);
}

void DeviceLocks::restore() {
  std::optional<FileLock> order;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (!isMissing(i)) continue;
    ensureLockFolder("devices");
    if (!order) order = tryLockOrder();
    if (!order) return;
    locks_[i] = FileLock::tryAcquireAtOnce(files_[i], Sharing::Shared, kMode);
    if (locks_[i]) signIn(files_[i], livingHolders(files_[i]), self_);
  }
}

std::vector<BusyDevice> busyDevices() {
  std::vector<BusyDevice> busy;
  std::error_code ignored;  // without the folder nobody has ever trained
  for (const auto& entry : fs::directory_iterator(lockFolder() / "devices", ignored)) {
    if (entry.path().extension() != ".lock") continue;
    const std::string id = entry.path().stem();
    if (auto holders = livingHolders(entry.path()); !holders.empty())
      busy.push_back({deviceOf(id), std::move(holders)});
  }
  return busy;
}

std::vector<Holder> holdersOf(const Device& device) { return livingHolders(fileOf(device)); }

}  // namespace lockstep::queue
