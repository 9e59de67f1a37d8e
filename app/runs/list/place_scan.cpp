#include "app/runs/list/place_scan.h"

#include <chrono>
#include <utility>

namespace lockstep::app {
namespace {

constexpr std::chrono::seconds kPatience{5};

}  // namespace

PlaceScan::PlaceScan(QObject* parent) : QObject(parent), scan_(std::make_shared<RunScan>()) {}

void PlaceScan::look(const RunScan::Wanted& wanted) {
  wanted_ = wanted;
  ++asked_;
  lookAgain();
}

void PlaceScan::lookAgain() {
  if (job_.isRunning()) {
    again_ = true;
  } else {
    start();
  }
}

void PlaceScan::start() {
  job_ = jobs::start(
      this, jobs::Kind::Disk, [scan = scan_, wanted = wanted_] { return scan->update(wanted); },
      [this, asked = asked_](const RunScan::Changes& changes) {
        looked_ = asked;
        isOverdue_ = false;
        Q_EMIT scanned(changes);
        if (std::exchange(again_, false)) lookAgain();
      });
  job_.whenLaterThan(kPatience, [this] {
    isOverdue_ = true;
    Q_EMIT overdue();
  });
}

}  // namespace lockstep::app
