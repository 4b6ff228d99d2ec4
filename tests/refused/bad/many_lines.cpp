// [2-9][0-9] lines, more than 15
#include <pilfer/pilfer.hpp>

namespace {
void take(int) {}
void take(long) {}
void take(char) {}
void take(int*) {}
void take(long*) {}
void take(char*) {}
void take(int, int) {}
}  // namespace

int main() {
  take(1);
  // refused: no matching function for call to
  take("one", "two", "three");

  return 0;
}
