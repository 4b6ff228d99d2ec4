// A program that is built with -fsanitize=thread, and a library that is not, do not work together: the sanitizer would report races that are
// none, because it does not see what the library does. The other way round it would not see what the program does. So both refer to a
// symbol that only a library of the same kind defines, and a mismatch is one link error, whose text is the symbol's name.
#pragma once

#include <pilfer/ext/thread_sanitizer.hpp>

extern "C" {
// The first is defined in a library that is built with -fsanitize=thread, the second in one that is built without: each name says what is
// wrong where it is missing.
extern const char pilfer_was_built_without_fsanitize_thread_but_this_program_with_it_so_rebuild_one_of_them;
extern const char pilfer_was_built_with_fsanitize_thread_but_this_program_without_it_so_rebuild_one_of_them;
}

namespace pilfer::detail {

// Data that nothing reads; the linker keeps one of all copies.
#if PILFER_THREAD_SANITIZER
[[gnu::used]] inline const char* const build_mode =
    &pilfer_was_built_without_fsanitize_thread_but_this_program_with_it_so_rebuild_one_of_them;
#else
[[gnu::used]] inline const char* const build_mode =
    &pilfer_was_built_with_fsanitize_thread_but_this_program_without_it_so_rebuild_one_of_them;
#endif

}  // namespace pilfer::detail
