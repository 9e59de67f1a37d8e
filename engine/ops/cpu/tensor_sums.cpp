#include "engine/ops/tensor_sums.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <array>

#include "engine/ops/cpu/vector_clones.h"

namespace lockstep::ops {
namespace {

constexpr std::int64_t kSumLanes = 16;

using SumLanes = std::array<double, kSumLanes>;
using Sums = std::array<double, 3>;  // by TensorSum

/// Consecutive elements of one tensor.
struct Chunk {
  const float *values, *others;  // others may be null
  std::int64_t count;
};

double total(const SumLanes& lanes) {
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

// The sums of the lanes are local, so that the compiler keeps them in registers.

/// The count is a multiple of kSumLanes.
LOCKSTEP_VECTOR_CLONES
void addSums(const float* values, std::int64_t count, Sums& result) {
  SumLanes sums{}, squares{};
  for (std::int64_t i = 0; i < count; i += kSumLanes) {
#pragma omp simd
    for (std::int64_t lane = 0; lane < kSumLanes; ++lane) {
      const double value = values[i + lane];
      sums[lane] += value;
      squares[lane] += value * value;
    }
  }
  result[kSum] += total(sums);
  result[kSumOfSquares] += total(squares);
}

/// The count is a multiple of kSumLanes.
LOCKSTEP_VECTOR_CLONES
void addDifferences(const float* values, const float* others, std::int64_t count, Sums& result) {
  SumLanes squares{};
  for (std::int64_t i = 0; i < count; i += kSumLanes) {
#pragma omp simd
    for (std::int64_t lane = 0; lane < kSumLanes; ++lane) {
      const double difference = static_cast<double>(values[i + lane]) - others[i + lane];
      squares[lane] += difference * difference;
    }
  }
  result[kSumOfSquaredDifferences] += total(squares);
}

Sums sumsOf(const Chunk& chunk) {
  Sums sums{};
  const std::int64_t whole = chunk.count / kSumLanes * kSumLanes;
  float values[kSumLanes] = {}, others[kSumLanes] = {};  // the rest, filled up with zeros
  std::copy(chunk.values + whole, chunk.values + chunk.count, values);
  addSums(chunk.values, whole, sums);
  addSums(values, kSumLanes, sums);
  if (chunk.others == nullptr) return sums;
  std::copy(chunk.others + whole, chunk.others + chunk.count, others);
  addDifferences(chunk.values, chunk.others, whole, sums);
  addDifferences(values, others, kSumLanes, sums);
  return sums;
}

}  // namespace

at::Tensor cpu::tensorSums(const std::vector<at::Tensor>& tensors,
                           const std::vector<at::Tensor>& others) {
  std::vector<Chunk> chunks;
  std::vector<std::size_t> tensorOfChunk;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const float* values = tensors[t].const_data_ptr<float>();
    const float* other = others.empty() ? nullptr : others[t].const_data_ptr<float>();
    for (std::int64_t begin = 0; begin < tensors[t].numel(); begin += kSumChunk) {
      chunks.push_back({values + begin, other == nullptr ? nullptr : other + begin,
                        std::min(kSumChunk, tensors[t].numel() - begin)});
      tensorOfChunk.push_back(t);
    }
  }
  std::vector<Sums> sums(chunks.size());
  at::parallel_for(0, static_cast<std::int64_t>(chunks.size()), 16,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t i = begin; i < end; ++i) sums[i] = sumsOf(chunks[i]);
                   });
  const std::int64_t columns = others.empty() ? 2 : 3;
  at::Tensor result = at::zeros({static_cast<std::int64_t>(tensors.size()), columns}, at::kDouble);
  double* rows = result.data_ptr<double>();
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    for (std::int64_t column = 0; column < columns; ++column)
      rows[static_cast<std::int64_t>(tensorOfChunk[i]) * columns + column] += sums[i][column];
  }
  return result;
}

}  // namespace lockstep::ops
