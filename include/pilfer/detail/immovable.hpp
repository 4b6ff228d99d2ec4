#pragma once

#include <pilfer/ext/immovable.hpp>

namespace pilfer::detail {
using ext::immovable;
}
