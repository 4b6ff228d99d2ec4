// pilfer: a pool cannot have a negative number of workers
#include <pilfer/pool.hpp>

int main() {
  const pilfer::pool wrong(-1);
  return 0;
}
