#pragma once
#include <pilfer/queue/a.hpp>
