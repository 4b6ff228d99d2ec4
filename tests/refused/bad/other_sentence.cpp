// not said: pilfer: parallel_sort takes \(range\)
#include <pilfer/pilfer.hpp>

int main() {
  // refused: pilfer: parallel_sort takes (range)
  pilfer::fork_join(1, 2);

  return 0;
}
