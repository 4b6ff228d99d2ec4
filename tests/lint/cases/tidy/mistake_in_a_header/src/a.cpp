#include <pilfer/ext/a.hpp>
