# pilfer_add_test(NAME <name> SOURCES <file>... [LIBS <target>...] [LABELS <label>...] [TIMEOUT <seconds>] [WHOLE] [PCH_FROM <target>])
#
# An executable <name>, linked with the library, our warnings and GoogleTest's main. Each of its tests is a ctest test
# called ${PILFER_TEST_PREFIX}<suite>.<test>; with WHOLE the executable is one ctest test, ${PILFER_TEST_PREFIX}<name>.
#   LABELS   `stress` also means: uses several threads, so give it two processors.
#   TIMEOUT  of one ctest test; 120 seconds unless told. PILFER_TIMEOUT_FACTOR multiplies it (./test --long).
#   LIBS     may bring include folders and libraries. If one brings definitions or compile options, say NO_PCH too.
#   PCH_FROM a target whose precompiled header it shares instead of the usual one.
include(GoogleTest)
find_package(GTest REQUIRED)
set(PILFER_TIMEOUT_FACTOR 1 CACHE STRING "Multiplies every test's time-out")

# GoogleTest's header takes longer to read than most tests take to compile: once per build tree is enough.
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/gtest_pch.cpp" CONTENT "// Carries the precompiled header of the tests.\n")
add_library(pilfer_gtest_pch OBJECT "${PROJECT_BINARY_DIR}/gtest_pch.cpp")
target_precompile_headers(pilfer_gtest_pch PRIVATE <gtest/gtest.h>)
target_link_libraries(pilfer_gtest_pch PRIVATE pilfer::pilfer pilfer_warnings GTest::gtest_main)

# Under a sanitizer, its options are part of the program.
set(pilfer_sanitizer_options)
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(pilfer_sanitizer_options "${PROJECT_SOURCE_DIR}/tests/sanitizer_options.cpp")
endif()

function(pilfer_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "WHOLE;NO_PCH" "NAME;TIMEOUT;PCH_FROM" "SOURCES;LIBS;LABELS")
  if(NOT arg_NAME OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "pilfer_add_test: NAME and SOURCES are needed; not understood: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(PILFER_TIMEOUT_FACTOR GREATER 1)
    string(REGEX REPLACE "[.].*" "" factor "${PILFER_TIMEOUT_FACTOR}")
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * (${factor} + 1)")
  endif()

  add_executable(${arg_NAME} ${arg_SOURCES} ${pilfer_sanitizer_options})
  target_link_libraries(${arg_NAME} PRIVATE pilfer::pilfer pilfer_warnings GTest::gtest_main ${arg_LIBS})
  if(arg_PCH_FROM)
    target_precompile_headers(${arg_NAME} REUSE_FROM ${arg_PCH_FROM})
  elseif(NOT arg_NO_PCH)
    target_precompile_headers(${arg_NAME} REUSE_FROM pilfer_gtest_pch)
  endif()

  set(properties TIMEOUT ${arg_TIMEOUT})
  if("stress" IN_LIST arg_LABELS)
    list(APPEND properties PROCESSORS 2)
  endif()
  if(arg_WHOLE)
    add_test(NAME "${PILFER_TEST_PREFIX}${arg_NAME}" COMMAND ${arg_NAME})
    set_tests_properties("${PILFER_TEST_PREFIX}${arg_NAME}" PROPERTIES ${properties} LABELS "${arg_LABELS}")
  else()
    # PRE_TEST: the build does not start every test program to ask for its tests; ctest does.
    # Two layers of scripts read this list: each of its own semicolons has to survive both.
    string(REPLACE ";" "\\\\;" labels "${arg_LABELS}")
    gtest_discover_tests(
      ${arg_NAME}
      TEST_PREFIX "${PILFER_TEST_PREFIX}"
      NO_PRETTY_VALUES
      DISCOVERY_MODE PRE_TEST
      DISCOVERY_TIMEOUT 60
      PROPERTIES ${properties} LABELS "${labels}")
  endif()
endfunction()
