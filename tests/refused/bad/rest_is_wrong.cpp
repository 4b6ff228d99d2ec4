// does not compile without its cases
#include <pilfer/pilfer.hpp>

int main() {
  // refused: pilfer: fork_join calls each argument
  pilfer::fork_join(1, 2);

  return missing;
}
