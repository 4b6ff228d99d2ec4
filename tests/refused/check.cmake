# Compiles a program that must not compile. Each line that ends in "// refused" is an error with the program's sentence; a program without
# such lines has one such error.
file(STRINGS "${program}" sentence LIMIT_COUNT 1)
string(REGEX REPLACE "^// " "" sentence "${sentence}")
file(STRINGS "${program}" marks REGEX "// refused$")
list(LENGTH marks expected)
if(expected EQUAL 0)
  set(expected 1)
endif()
execute_process(
  COMMAND "${compiler}" -std=c++20 -O1 ${flags} "-I${include}" -c "${program}" -o "${object}"
  RESULT_VARIABLE status
  ERROR_VARIABLE said)
if(status EQUAL 0)
  message(FATAL_ERROR "it compiles")
endif()
string(REPLACE ";" "," sentence "${sentence}") # lists are what CMake makes of semicolons
string(REPLACE ";" "," all "${said}")
string(REGEX MATCHALL "error: [^\n]*${sentence}" found "${all}")
list(LENGTH found count)
if(NOT count EQUAL expected)
  message(FATAL_ERROR "${count} times instead of ${expected}: ${sentence}\n${said}")
endif()
