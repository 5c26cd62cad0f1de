# SPDX-License-Identifier: Apache-2.0
# What must be there to build, with the oldest versions that are tried (Debian 12's). tools/packages-*.txt name the
# Debian packages. Libraries that are chosen among (OpenBLAS, BLIS, oneDNN) are found when the program runs, not here.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium>=1.0.18)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc>=2.9)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3>=3.40)
if(STEELYARD_ZLIB)
  pkg_check_modules(ZLIB IMPORTED_TARGET zlib>=1.2.13)
  if(NOT ZLIB_FOUND)
    message(STATUS "zlib not found: `steelyard replay` will refuse gzip files (Debian: zlib1g-dev)")
  endif()
endif()
if(STEELYARD_TESTS)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka>=1.1.5)
endif()
