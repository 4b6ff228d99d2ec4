#include <fmt/core.h>
#include <pilfer/queue/a.hpp>
