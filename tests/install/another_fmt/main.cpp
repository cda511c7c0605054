// Formats with the fmt whose headers stand first among the include paths.
#include <fmt/format.h>

int main() {
  return FMT_VERSION > 0 && fmt::format("{:.2f} {}", 0.5, "of dense") == "0.50 of dense" ? 0 : 1;
}
