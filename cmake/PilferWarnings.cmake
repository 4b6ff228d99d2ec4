# Warnings of our own builds. Never part of pilfer::pilfer: a user's warnings are the user's business.
add_library(pilfer_warnings INTERFACE)
target_compile_options(pilfer_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
# A designated initializer names what it wants to name.
target_compile_options(pilfer_warnings INTERFACE -Wno-missing-field-initializers)
foreach(library pilfer pilfer_io pilfer_research)
  target_link_libraries(${library} PRIVATE "$<BUILD_INTERFACE:pilfer_warnings>")
endforeach()
# g++ 12 takes a sum of two short strings for an overlapping copy.
target_compile_options(pilfer_io PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>")
