// Whether this file is compiled with -fsanitize=thread. Apart from sync.hpp, because headers without an atomic ask, too.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define PILFER_THREAD_SANITIZER 1
#elif defined(__has_feature)
#define PILFER_THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#define PILFER_THREAD_SANITIZER 0
#endif
