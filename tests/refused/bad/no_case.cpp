// no case
#include <pilfer/pilfer.hpp>

int main() { return 0; }
