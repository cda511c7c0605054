// config.json of a Hugging Face folder, of any family: what is accepted has tensors, and is the
// same network when it was stored and read again.
#include "checkpoint/hf/config.h"
#include "target.h"

namespace headroom::fuzz {
namespace {

const Target family_config("family_config", [](std::string_view input) {
  HfConfig read;
  const bool accepted = accepts({ErrorCode::bad_model}, [&] {
    read = read_hf_config(parse_json(input, ErrorCode::bad_model, "config.json"));
  });
  if (!accepted) return;
  const ModelConfig& config = read.config;
  require(!config.tensors().empty(), "a network has tensors");
  require(config_from_json(config_to_json(config)).shape == config.shape, "a network comes back");
});

}  // namespace
}  // namespace headroom::fuzz
