#pragma once

// moc must not see torch: it uses Qt's keyword `slots` as a name.
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif
