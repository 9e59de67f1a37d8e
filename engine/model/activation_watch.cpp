#include "engine/model/activation_watch.h"

#include <utility>

namespace lockstep::model {
namespace {

thread_local const ActivationWatch* innermost = nullptr;

}  // namespace

ActivationWatch::ActivationWatch(Callback callback)
    : callback_(std::move(callback)), outer_(innermost) {
  innermost = this;
}

ActivationWatch::~ActivationWatch() { innermost = outer_; }

const ActivationWatch* ActivationWatch::current() { return innermost; }

}  // namespace lockstep::model
