// Images: an idx pair, or a file of CIFAR-10. The first bytes say which, and how long the labels
// are.
#include "data/formats/images.h"

#include <algorithm>
#include <string>

#include "input.h"
#include "target.h"

namespace headroom::fuzz {
namespace {

const Target images("images", [](std::string_view input) {
  Numbers numbers(input);
  const bool idx = numbers.flag();
  const auto label_bytes = static_cast<size_t>(numbers.between(0, 255));
  const std::string_view rest = numbers.rest();
  const MemoryFile labels(idx ? rest.substr(0, label_bytes) : "");
  const MemoryFile pixels(idx ? rest.substr(std::min(label_bytes, rest.size())) : rest);
  const std::string spec = idx ? "idx:" + pixels.path().string() + "," + labels.path().string()
                               : "cifar:" + pixels.path().string();
  accepts({ErrorCode::bad_data}, [&] {
    const ImageDataset read = load_images(spec, ".");
    require(read.pixels.size() == read.labels.size() * static_cast<size_t>(read.format.values()),
            "every image has a label and all its pixels");
  });
});

}  // namespace
}  // namespace headroom::fuzz
