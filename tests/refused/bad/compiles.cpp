// it compiles
#include <pilfer/pilfer.hpp>

int main() {
  // refused: pilfer: parallel_sort takes
  pilfer::fork_join([] {}, [] {});

  return 0;
}
