// The one place that includes torch: it is the precompiled header of every file that needs it
// (17 s of compile time each without, 8 s with).
#pragma once

#include <torch/torch.h>
