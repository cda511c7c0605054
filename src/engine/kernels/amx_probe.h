// Whether AMX works here. CPUID is not to be believed: hypervisors show AMX and trap its
// instructions, or hide the leaf that libraries take the tile configuration from. So a child
// process tries a product, and its death is the answer.
#pragma once

namespace headroom {

// Asks once per process; later calls are free.
bool amx_usable();

// Needs the kernel's permission and AMX: for the probe only.
bool amx_products_are_right();

}  // namespace headroom
