#pragma once

#include <array>

namespace lockstep::tests {

/// Operators of LibTorch that synchronise the host with the GPU.
inline constexpr std::array kWaitingOperators{"aten::_local_scalar_dense",
                                              "aten::nonzero",
                                              "aten::masked_select",
                                              "aten::_unique2",
                                              "aten::equal",
                                              "aten::unique_dim"};

}  // namespace lockstep::tests
