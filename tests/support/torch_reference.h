#pragma once

#include "tests/support/torch.h"

// torch's own optimizers and layers, for tests that compare with them. They add 15 s of compile
// time to a source.
#ifndef Q_MOC_RUN
#include <torch/nn/functional.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim.h>
#endif
