# calib_add_test() and calib_add_script_test(). A test's label is the first word of its name, so
# `ctest -L unit` runs unit.*; 77 from a test means "skipped", with the reason printed.
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka>=1.1.5)

# calib_test_properties(NAME TIMEOUT [LABELS...])
function(calib_test_properties name timeout)
	string(REGEX REPLACE "\\..*" "" label "${name}")
	set(labels "${label}" ${ARGN})
	set_tests_properties(${name} PROPERTIES
		LABELS "${labels}"
		SKIP_RETURN_CODE 77
		TIMEOUT ${timeout})
endfunction()

# calib_add_test(unit.x SOURCES unit/test_x.c [LINK LIBRARY...] [WRAP FUNCTION...] [LABELS...])
# WRAP: calls of FUNCTION go to __wrap_FUNCTION, see ld(1)
function(calib_add_test name)
	cmake_parse_arguments(arg "" "" "SOURCES;LINK;WRAP;LABELS" ${ARGN})
	string(REPLACE "." "_" target "test_${name}")
	add_executable(${target} ${arg_SOURCES})
	target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
	target_link_libraries(${target} PRIVATE
		${arg_LINK} PkgConfig::CMOCKA calib_warnings calib_sanitizers)
	foreach(function IN LISTS arg_WRAP)
		target_link_options(${target} PRIVATE LINKER:--wrap=${function})
	endforeach()
	add_test(NAME ${name} COMMAND ${target})
	calib_test_properties(${name} 60 ${arg_LABELS})
endfunction()

# calib_add_script_test(cli.x cli/x.sh [SERIAL] [TIMEOUT SECONDS] [LABELS...]): the script gets CALIB
# (the program's path), SOURCE_DIR, BUILD_DIR and TOOLS_DIR (refuse_calls and other helpers) in its
# environment. SERIAL: no other test runs beside it, since it sets a limit of the whole machine, or
# needs the CPUs
function(calib_add_script_test name script)
	cmake_parse_arguments(arg "SERIAL" "TIMEOUT" "LABELS" ${ARGN})
	if(NOT arg_TIMEOUT)
		set(arg_TIMEOUT 300)
	endif()
	add_test(NAME ${name} COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/${script}")
	calib_test_properties(${name} ${arg_TIMEOUT} ${arg_LABELS})
	if(arg_SERIAL)
		set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
	endif()
	set_tests_properties(${name} PROPERTIES ENVIRONMENT
		"CALIB=$<TARGET_FILE:calib>;SOURCE_DIR=${PROJECT_SOURCE_DIR};BUILD_DIR=${PROJECT_BINARY_DIR};TOOLS_DIR=${CMAKE_CURRENT_BINARY_DIR}")
endfunction()
