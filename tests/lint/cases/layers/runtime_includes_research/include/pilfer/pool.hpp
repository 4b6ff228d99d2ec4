#pragma once
#include <pilfer/detail/b.hpp>
