// Whether a text that is alone may have all cores. It is done sooner there, unless others come
// while it runs: their workers then take cores away from it, and every layer waits for the last of
// its parts. How often that happened to the texts before it tells how likely it is.
#pragma once

namespace headroom::server {

class SoloRuns {
 public:
  bool undisturbed() const { return disturbed_ < most_disturbed; }

  // A text that began alone has ended, wherever it ran; `others_came` in the meantime.
  void ended(bool others_came) { disturbed_ += weight * ((others_came ? 1 : 0) - disturbed_); }

 private:
  // One in ten of about the last twenty.
  static constexpr double most_disturbed = 0.1;
  static constexpr double weight = 0.05;

  double disturbed_ = 0;
};

}  // namespace headroom::server
