#include "base/files/scratch_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.h"
#include "base/files/file.h"

namespace headroom {

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "headroom-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw Error(ErrorCode::runtime, "make a temporary folder", name + ": " + std::strerror(errno));
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  remove_tree(path_);
}

}  // namespace headroom
