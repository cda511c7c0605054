// A program of someone else's: links the installed library, knows only its public header.
#include <headroom/headroom.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const headroom::Model model = headroom::Model::load(argv[1]);
  const headroom::Answer answer = model.classify(argv[2], {.fraction = 0.5});
  std::cout << model.labels()[answer.label] << "\n";
}
