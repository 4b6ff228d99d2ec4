#include <pilfer/detail/b.hpp>
