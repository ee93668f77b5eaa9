# calib_warnings: link it PRIVATE. Presets for CI set CMAKE_COMPILE_WARNING_AS_ERROR beside it.
add_library(calib_warnings INTERFACE)
target_compile_options(calib_warnings INTERFACE
	-Wall
	-Wextra
	-Wpedantic
	-Wshadow
	-Wconversion
	-Wstrict-prototypes
	-Wmissing-prototypes
	-Wpointer-arith
	-Wcast-qual
	-Wwrite-strings
	-Wformat=2
	-Wundef
	-Wvla)
