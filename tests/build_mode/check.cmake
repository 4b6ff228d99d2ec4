# Compiles a program in the mode that the library does not have, and looks at what the linker says.
execute_process(
  COMMAND "${compiler}" -std=c++20 -O1 ${flags} "-I${include}" -c "${source}" -o "${object}" COMMAND_ERROR_IS_FATAL ANY)
# The sanitizer's own library is there in either case: its symbols are not the question.
execute_process(
  COMMAND "${compiler}" -fsanitize=thread "${object}" "${library}" -o "${object}.program"
  RESULT_VARIABLE status
  ERROR_VARIABLE said)
if(status EQUAL 0)
  message(FATAL_ERROR "the program was linked")
endif()
string(REGEX MATCHALL "undefined (reference to|symbol:) [^\n]*pilfer[^\n]*" missing "${said}")
list(LENGTH missing count)
if(NOT count EQUAL 1 OR NOT missing MATCHES "${sentence}")
  message(FATAL_ERROR "expected nothing but ${sentence}, the linker says:\n${said}")
endif()
message(STATUS "${missing}")
