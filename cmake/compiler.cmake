# SPDX-License-Identifier: Apache-2.0
# The language, and the warnings that we keep at none. Settings that change results (floating point) are here too.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "kind of build" FORCE)
endif()

add_compile_definitions(_GNU_SOURCE)
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
                    -Wwrite-strings -Wvla -Wundef -Wformat=2 -Wno-format-nonliteral)
# Sums are compared to the last bit: no contraction of a * b + c, whatever the compiler's default.
add_compile_options(-ffp-contract=off -fno-math-errno)
if(STEELYARD_WERROR)
  add_compile_options(-Werror)
endif()
