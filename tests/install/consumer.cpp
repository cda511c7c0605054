// A program of someone else's: links the installed library, knows only its public header.
#include <headroom/headroom.h>

#include <iostream>

// Whether what the library throws arrives as the type that its header promises.
static bool refuses_a_missing_model() {
  try {
    headroom::Model::load("/nonexistent");
  } catch (const headroom::Error& error) {
    return error.code() == headroom::ErrorCode::bad_model;
  }
  return false;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  if (!refuses_a_missing_model()) return 3;
  const headroom::Model model = headroom::Model::load(argv[1]);
  const headroom::Answer answer = model.classify(argv[2], {.fraction = 0.5});
  std::cout << model.labels()[answer.label] << "\n";
}
