#include "engine/model/activation_watch.h"

#include <utility>

namespace lockstep::model {
namespace {

thread_local const ActivationWatch* innermostWatch = nullptr;

}  // namespace

ActivationWatch::ActivationWatch(Callback callback)
    : callback_(std::move(callback)), outer_(innermostWatch) {
  innermostWatch = this;
}

ActivationWatch::~ActivationWatch() { innermostWatch = outer_; }

const ActivationWatch* ActivationWatch::current() { return innermostWatch; }

}  // namespace lockstep::model
