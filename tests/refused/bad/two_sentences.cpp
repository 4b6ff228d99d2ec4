// 2 errors instead of one
#include <pilfer/pilfer.hpp>

int main() {
  // refused: pilfer: fork_join calls each argument
  pilfer::fork_join(1, 2), pilfer::fork_join(3, 4.0);

  return 0;
}
