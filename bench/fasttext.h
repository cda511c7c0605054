// fastText as a peer: the Debian package's program, trained on texts of ours.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/files/scratch_folder.h"
#include "data/dataset.h"

namespace headroom {

// Throws ErrorCode::runtime where the shell or the command fails.
void run_command(const std::string& command);

class FastText {
 public:
  static constexpr const char* settings = "-lr 0.5 -epoch 5 -wordNgrams 2 -dim 100 -minCount 1";

  static bool installed();

  // Trains on the rows in an order of `seed`: it takes them as they come.
  FastText(const TextDataset& train, uint64_t seed, int threads);

  // A file of these texts, `copies` times over, for predict().
  std::string write_texts(const char* name, std::span<const TextRow> rows, int copies = 1) const;

  void predict(const std::string& file) const;  // loads the model each time
  std::string answers() const;                  // of the last predict(), "__label__2" a line

 private:
  std::string path(const char* name) const { return (folder_.path() / name).string(); }

  ScratchFolder folder_;
};

}  // namespace headroom
