# calib_sanitizers: link it PRIVATE. Empty unless CALIB_SANITIZE or CALIB_COVERAGE is set.
set(CALIB_SANITIZE "" CACHE STRING "Sanitizers to build with: 'address,undefined' or 'thread'")
option(CALIB_COVERAGE "Count which lines the tests run (gcov)" OFF)

add_library(calib_sanitizers INTERFACE)
if(CALIB_SANITIZE)
	set(flags -fsanitize=${CALIB_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
	target_compile_options(calib_sanitizers INTERFACE ${flags})
	target_link_options(calib_sanitizers INTERFACE ${flags})
endif()
if(CALIB_COVERAGE)
	target_compile_options(calib_sanitizers INTERFACE --coverage)
	target_link_options(calib_sanitizers INTERFACE --coverage)
endif()
