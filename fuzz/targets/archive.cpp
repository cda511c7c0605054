// A tar archive, gzip or not: every entry, read whole.
#include "data/input/input_stream.h"
#include "data/input/tar_reader.h"
#include "input.h"
#include "target.h"

namespace headroom::fuzz {
namespace {

constexpr uint64_t most_content = uint64_t{1} << 20;

const Target archive("archive", [](std::string_view input) {
  const MemoryFile memory(input);
  accepts({ErrorCode::bad_data}, [&] {
    InputStream stream(memory.path());
    TarReader reader(stream);
    for (TarEntry entry; reader.next(entry);) {
      if (entry.size > most_content) continue;
      require(reader.read_content(most_content).size() == entry.size,
              "an entry is as long as it says");
    }
  });
});

}  // namespace
}  // namespace headroom::fuzz
