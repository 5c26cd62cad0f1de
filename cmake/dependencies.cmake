# SPDX-License-Identifier: Apache-2.0
# What must be there to build, with the oldest versions that are tried (Debian 12's). tools/packages-*.txt name the
# Debian packages. Libraries that are chosen among (OpenBLAS, BLIS, oneDNN) are found when the program runs, not here.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium>=1.0.18)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc>=2.9)
if(STEELYARD_TESTS)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka>=1.1.5)
endif()
