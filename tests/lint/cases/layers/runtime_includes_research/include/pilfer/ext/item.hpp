#pragma once

#include <vector>

#include <pilfer/ext/sync.hpp>
