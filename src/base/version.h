// The program's version. One small file is compiled with it, so that a new one rebuilds nothing
// else.
#pragma once

namespace headroom {

const char* version() noexcept;  // "0.2.0", as CMakeLists.txt says

}  // namespace headroom
