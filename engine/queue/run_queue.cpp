#include "engine/queue/run_queue.h"

#include <algorithm>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/protocol/members.h"
#include "engine/queue/lock_folder.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::queue {
namespace fs = std::filesystem;

/// order.json
struct Order {
  std::vector<WaitingRun> waiting;
};

void describe(auto& members, protocol::Is<WaitingRun> auto& waiting) {
  members("run", waiting.run);
  members("devices", waiting.devices);
  members("created", waiting.created);
  members("pid", waiting.pid);
}

void describe(auto& members, protocol::Is<Order> auto& order) { members("waiting", order.waiting); }

namespace {

using base::FileLock;

fs::path orderFile() { return lockFolder() / "queue" / "order.json"; }

fs::path lockFileOf(const WaitingRun& waiting) {
  return lockFolder() / "queue" / (run_folder::idOf(waiting.run) + ".lock");
}

/// What order.json holds, also of processes that are gone. A damaged file is as none: those that
/// wait enter again.
std::vector<WaitingRun> readOrder() {
  if (!base::pathExists(orderFile())) return {};
  const std::string text = base::readFile(orderFile());
  try {
    Order order;
    const auto members = protocol::MemberReader::parse(text, "order.json");
    describe(members, order);
    return order.waiting;
  } catch (const Error&) {
    return {};
  }
}

std::string textOf(std::vector<WaitingRun> waiting) {
  std::string text;
  base::JsonWriter json(text);
  protocol::MemberWriter members(json);
  json.beginObject();
  const Order order{std::move(waiting)};
  describe(members, order);
  json.endObject();
  return text + "\n";
}

std::vector<WaitingRun>::iterator findIn(std::vector<WaitingRun>& order,
                                         const WaitingRun& waiting) {
  return std::ranges::find(order, waiting.run, &WaitingRun::run);
}

/// Writes the order, and removes what processes that are gone left of theirs. To be called with
/// order.lock.
void writeOrder(std::vector<WaitingRun> order) {
  for (const WaitingRun& before : readOrder()) {
    std::error_code ignored;
    if (!FileLock::isHeld(lockFileOf(before))) fs::remove(lockFileOf(before), ignored);
  }
  base::writeFileAtomically(orderFile(), textOf(std::move(order)), 0600);
}

}  // namespace

std::vector<WaitingRun> waitingRuns() {
  std::vector<WaitingRun> order = readOrder();
  std::erase_if(order, [](const WaitingRun& run) { return !FileLock::isHeld(lockFileOf(run)); });
  return order;
}

QueuePlace::QueuePlace(Holder self, std::vector<Device> devices, double created, int position)
    : self_(std::move(self)), devices_(std::move(devices)) {
  entry_ = {self_.run, {}, created, self_.pid};
  for (const Device& device : devices_) entry_.devices.push_back(device.id);
  file_ = lockFileOf(entry_);
  const FileLock order = lockOrder();
  enter(position);
}

QueuePlace::~QueuePlace() {
  try {
    leave();
  } catch (const std::exception&) {  // it is an entry without a process then
  }
}

/// With order.lock.
void QueuePlace::enter(int position) {
  std::vector<WaitingRun> order = waitingRuns();
  std::erase_if(order, [this](const WaitingRun& other) { return other.run == entry_.run; });
  if (!isEntered()) lock_ = FileLock::tryAcquire(file_, 0600);
  if (!lock_) throw Error(file_.string() + ": is locked by another process");
  const std::size_t place = placeOf(order, entry_, position);
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), entry_);
  writeOrder(std::move(order));
  position_ = static_cast<int>(place) + 1;
}

void QueuePlace::leave() {
  if (!lock_) return;
  const FileLock order = lockOrder();
  std::vector<WaitingRun> others = waitingRuns();
  std::erase_if(others, [this](const WaitingRun& other) { return other.run == entry_.run; });
  lock_.reset();
  writeOrder(std::move(others));
}

bool QueuePlace::isEntered() const { return lock_ && lock_->isAt(file_); }

int QueuePlace::position() {
  std::vector<WaitingRun> order = waitingRuns();
  const auto found = findIn(order, entry_);
  if (isEntered() && found != order.end())
    return position_ = static_cast<int>(found - order.begin()) + 1;
  if (const auto lock = tryLockOrder()) enter(position_);
  return position_;
}

int QueuePlace::moveTo(int position) {
  position_ = this->position();
  const FileLock lock = lockOrder();
  std::vector<WaitingRun> order = waitingRuns();
  const auto found = findIn(order, entry_);
  if (found == order.end()) throw Error("the queue has lost this run for a moment: ask again");
  queue::moveTo(order, static_cast<std::size_t>(found - order.begin()), position);
  position_ = static_cast<int>(findIn(order, entry_) - order.begin()) + 1;
  writeOrder(std::move(order));
  return position_;
}

std::optional<DeviceLocks> QueuePlace::tryTakeDevices() {
  position();
  // Without the lock first, which most waiting runs need not take every second.
  std::vector<WaitingRun> order = waitingRuns();
  auto found = findIn(order, entry_);
  if (found == order.end() || isHeldUp(order, static_cast<std::size_t>(found - order.begin())))
    return std::nullopt;
  const auto lock = tryLockOrder();
  if (!lock) return std::nullopt;
  order = waitingRuns();
  found = findIn(order, entry_);
  if (found == order.end() || isHeldUp(order, static_cast<std::size_t>(found - order.begin())))
    return std::nullopt;
  auto devices = DeviceLocks::tryTakeFree(devices_, self_);
  if (!devices) return std::nullopt;
  order.erase(found);
  lock_.reset();
  writeOrder(std::move(order));
  return devices;
}

}  // namespace lockstep::queue
