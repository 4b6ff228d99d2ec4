// Options of the sanitizers, compiled into every test that runs under one. ASAN_OPTIONS and the like still override them.
//
//   allocator_may_return_null   memory that cannot be had is an error our code handles, not one to stop at
//   detect_stack_use_after_return   off: the checker abandons fibers by the thousand, and each would leave a fake stack behind
//   halt_on_error               the first race fails the test
//   print_stacktrace            an undefined operation says where it came from
extern "C" {
const char* __asan_default_options() { return "allocator_may_return_null=1:detect_stack_use_after_return=0"; }
const char* __tsan_default_options() { return "allocator_may_return_null=1:halt_on_error=1:second_deadlock_stack=1"; }
const char* __ubsan_default_options() { return "print_stacktrace=1"; }
}
