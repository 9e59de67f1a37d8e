#pragma once

#include "tests/support/torch.h"

// torch's own optimisers and layers, which some tests compare with. They cost a source 15 s more to
// compile.
#ifndef Q_MOC_RUN
#include <torch/nn/functional.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim.h>
#endif
