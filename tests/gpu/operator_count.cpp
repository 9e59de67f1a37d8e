#include "tests/gpu/operator_count.h"

#include <ATen/record_function.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "tests/support/waiting_operators.h"

namespace lockstep::gpu {
namespace {

const std::set<std::string>& withoutKernel() {
  static const std::set<std::string> names{
      "aten::alias",      "aten::as_strided", "aten::chunk",       "aten::contiguous",
      "aten::detach",     "aten::detach_",    "aten::empty",       "aten::empty_like",
      "aten::expand",     "aten::expand_as",  "aten::flatten",     "aten::lift_fresh",
      "aten::narrow",     "aten::new_empty",  "aten::permute",     "aten::empty_strided",
      "aten::reshape",    "aten::reshape_as", "aten::resize_",     "aten::result_type",
      "aten::select",     "aten::slice",      "aten::split",       "aten::_reshape_alias",
      "aten::squeeze",    "aten::t",          "aten::to",          "aten::split_with_sizes",
      "aten::transpose",  "aten::unbind",     "aten::unsqueeze",   "aten::new_empty_strided",
      "aten::view",       "aten::view_as",    "aten::numpy_T",     "aten::sum_to_size",
      "aten::is_nonzero", "aten::item",       "aten::as_strided_", "aten::resolve_conj",
      "aten::resolve_neg"};
  return names;
}

constexpr std::array kAtomics{"aten::scatter_add",
                              "aten::scatter_add_",
                              "aten::scatter_reduce",
                              "aten::index_add",
                              "aten::index_add_",
                              "aten::index_put_",
                              "aten::_index_put_impl_",
                              "aten::put_",
                              "aten::embedding_dense_backward",
                              "aten::max_pool2d_with_indices_backward",
                              "aten::adaptive_avg_pool2d_backward",
                              "aten::upsample_bilinear2d_backward",
                              "aten::grid_sampler_2d_backward",
                              "aten::bincount"};

/// The counts of the active OperatorCount.
struct Counting {
  std::mutex mutex;
  std::map<std::string, std::int64_t> counts;
};
Counting counting;

/// An operator that runs on this thread.
struct Running {
  bool callsOthers = false;
  bool isInKernel = false;  ///< it counts as a kernel, or is called by one that does
};
thread_local std::vector<Running> running;  // outermost first

bool isOurs(std::string_view name) { return name.starts_with("lockstep::"); }

/// Our operators, which are one or a few kernels on a GPU; what their CPU implementation calls is
/// not counted.
bool isOneKernel(std::string_view name) {
  return isOurs(name) || name.starts_with("aten::_foreach_") || name.starts_with("aten::_fused_");
}

std::unique_ptr<at::ObserverContext> enter(const at::RecordFunction& function) {
  const bool isInKernel = !running.empty() && running.back().isInKernel;
  if (!running.empty()) running.back().callsOthers = true;
  running.push_back({false, isInKernel || isOneKernel(function.name())});
  return nullptr;
}

void leave(const at::RecordFunction& function, at::ObserverContext*) {
  if (running.empty()) return;
  const Running self = running.back();
  running.pop_back();
  const std::string name = function.name();
  const bool isInKernel = !running.empty() && running.back().isInKernel;
  // These may also call others.
  const bool isOfLibTorch =
      std::ranges::count(tests::kWaitingOperators, name) > 0 ||
      std::ranges::count(kAtomics, name) > 0 ||
      (!self.callsOthers && name.starts_with("aten::") && !withoutKernel().contains(name));
  if (isInKernel || !(isOneKernel(name) || isOfLibTorch)) return;
  const std::lock_guard lock(counting.mutex);
  ++counting.counts[name];
}

std::string countsOf(std::span<const char* const> names) {
  std::string text;
  for (const char* name : names) {
    const auto found = counting.counts.find(name);
    if (found == counting.counts.end()) continue;
    text += (text.empty() ? "" : ", ") + found->first + " " + std::to_string(found->second);
  }
  return text;
}

}  // namespace

OperatorCount::OperatorCount() {
  counting.counts.clear();
  handle_ = at::addGlobalCallback(
      at::RecordFunctionCallback(enter, leave)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

OperatorCount::~OperatorCount() { at::removeCallback(handle_); }

std::int64_t OperatorCount::total() const {
  return std::accumulate(counting.counts.begin(), counting.counts.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& entry) { return sum + entry.second; });
}

std::int64_t OperatorCount::ours() const {
  std::int64_t sum = 0;
  for (const auto& [name, count] : counting.counts) sum += isOurs(name) ? count : 0;
  return sum;
}

std::string OperatorCount::synchronisations() const { return countsOf(tests::kWaitingOperators); }

std::string OperatorCount::atomics() const { return countsOf(kAtomics); }

std::string OperatorCount::mostFrequent(std::size_t count) const {
  std::vector<std::pair<std::int64_t, std::string>> order;
  for (const auto& [name, times] : counting.counts) order.emplace_back(-times, name);
  std::ranges::sort(order);
  std::string text;
  for (std::size_t i = 0; i < std::min(count, order.size()); ++i) {
    text += (text.empty() ? "" : ", ") + order[i].second.substr(order[i].second.find("::") + 2) +
            " " + std::to_string(-order[i].first);
  }
  return text;
}

}  // namespace lockstep::gpu
