#include <pilfer/pool.hpp>
