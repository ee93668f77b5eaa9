# The engines that need a library: CALIB_IO_URING and CALIB_LIBAIO are AUTO (built where the
# library is found), ON (it must be found) or OFF. Without its library an engine's file is not
# compiled and CALIB_HAVE_<ENGINE>, by which the table in src/engine/engine.c lists it, is not set.
foreach(engine IO_URING LIBAIO)
	set(CALIB_${engine} AUTO CACHE STRING "Build this engine: AUTO, ON or OFF")
	set_property(CACHE CALIB_${engine} PROPERTY STRINGS AUTO ON OFF)
	if(NOT CALIB_${engine} MATCHES "^(AUTO|ON|OFF)$")
		message(FATAL_ERROR "CALIB_${engine} is '${CALIB_${engine}}': give AUTO, ON or OFF")
	endif()
endforeach()

function(calib_find_engines)
	set(required_ON REQUIRED)
	if(NOT CALIB_IO_URING STREQUAL "OFF")
		# 2.3 is the first that knows IORING_SETUP_DEFER_TASKRUN
		pkg_check_modules(LIBURING ${required_${CALIB_IO_URING}} IMPORTED_TARGET
			liburing>=2.3)
	endif()
	if(NOT CALIB_LIBAIO STREQUAL "OFF")
		find_package(Libaio ${required_${CALIB_LIBAIO}})
	endif()
endfunction()

# PUBLIC definitions: the tests ask for them too. PRIVATE libraries: nothing else uses them.
function(calib_link_engines target)
	if(TARGET PkgConfig::LIBURING)
		target_sources(${target} PRIVATE src/engine/io_uring.c)
		target_compile_definitions(${target} PUBLIC CALIB_HAVE_IO_URING)
		target_link_libraries(${target} PRIVATE PkgConfig::LIBURING)
	endif()
	if(TARGET Libaio::Libaio)
		target_sources(${target} PRIVATE src/engine/libaio.c)
		target_compile_definitions(${target} PUBLIC CALIB_HAVE_LIBAIO)
		target_link_libraries(${target} PRIVATE Libaio::Libaio)
	endif()
endfunction()
