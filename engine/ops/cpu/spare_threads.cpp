#include "engine/ops/spare_threads.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace lockstep::ops {
namespace {

thread_local int spare = 1;

bool haveSameBits(const at::Tensor& a, const at::Tensor& b) {
  return a.strides() == b.strides() &&
         std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

at::Tensor noiseLike(const at::Tensor& x) {
  constexpr std::uint64_t kSeed = 1;
  return at::empty_like(x).normal_(0, 1, at::detail::createCPUGenerator(kSeed));
}

cpu::KnownBits::Case caseOf(const cpu::LibraryCall& call, const at::Tensor& x) {
  cpu::KnownBits::Case numbers{spare, static_cast<std::int64_t>(call.operation),
                               static_cast<std::int64_t>(x.scalar_type())};
  const auto add = [&](at::IntArrayRef more) {
    numbers.insert(numbers.end(), more.begin(), more.end());
  };
  add(call.settings);
  for (const at::Tensor& tensor : {x, call.weight}) {
    add(tensor.sizes());
    add(tensor.strides());
  }
  return numbers;
}

}  // namespace

SpareThreads::SpareThreads(int threads) : before_(std::exchange(spare, std::max(spare, threads))) {}

SpareThreads::~SpareThreads() { spare = before_; }

bool cpu::hasSpareThreads() { return spare > 1 && !at::GradMode::is_enabled(); }

cpu::OnSpareThreads::OnSpareThreads() : before_(at::get_num_threads()) {
  if (spare > before_) at::set_num_threads(spare);
}

cpu::OnSpareThreads::~OnSpareThreads() {
  if (spare > before_) at::set_num_threads(before_);
}

bool cpu::KnownBits::areSame(const Case& operation, const std::function<bool()>& compare) {
  {
    const std::lock_guard lock(mutex_);
    const auto [known, isNew] = cases_.try_emplace(operation, State::Once);
    if (isNew) return false;
    if (known->second != State::Once) return known->second == State::Same;
  }
  const bool isSame = compare();
  const std::lock_guard lock(mutex_);
  cases_[operation] = isSame ? State::Same : State::Different;
  return isSame;
}

at::Tensor cpu::onSpareThreads(const LibraryCall& call, const at::Tensor& x) {
  static KnownBits known;
  if (!hasSpareThreads()) return call.compute(x);
  const auto onAll = [&](const at::Tensor& input) {
    const OnSpareThreads threads;
    return call.compute(input);
  };
  const auto compareBits = [&] {
    const at::Tensor noise = noiseLike(x);
    return haveSameBits(call.compute(noise), onAll(noise));
  };
  return known.areSame(caseOf(call, x), compareBits) ? onAll(x) : call.compute(x);
}

}  // namespace lockstep::ops
