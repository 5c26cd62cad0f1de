# SPDX-License-Identifier: Apache-2.0
# Run with -P at build time: the page's styles and scripts, without indentation and lines of comment, as arrays in C.
# STYLES, SCRIPTS: lists of files; OUTPUT: the C file.

# page_assets_read(NAME begin end file...): sets NAME to the files' text between begin and end.
function(page_assets_read name begin end)
  set(all "${begin}")
  foreach(file IN LISTS ARGN)
    file(READ ${file} text)
    string(APPEND all "\n${text}")
  endforeach()
  string(REGEX REPLACE "\n[ \t]+" "\n" all "${all}")
  string(REGEX REPLACE "\n//[^\n]*" "" all "${all}")
  string(REGEX REPLACE "\n/[*]([^*]|[*]+[^*/])*[*]+/" "" all "${all}")
  string(REGEX REPLACE "\n+" "\n" all "${all}")
  string(APPEND all "${end}")
  set(${name} "${all}" PARENT_SCOPE)
endfunction()

# page_assets_array(NAME text): appends an array and its size to `source`.
function(page_assets_array name text)
  string(HEX "${text}" bytes)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  set(source "${source}const unsigned char ${name}[] = {${bytes}0};\nconst size_t ${name}_size = ${size};\n" PARENT_SCOPE)
endfunction()

page_assets_read(style "" "" ${STYLES})
page_assets_read(script "(() => {\n\"use strict\";" "})();\n" ${SCRIPTS})
set(source "#include \"report/html/html_parts.h\"\n\n")
page_assets_array(sy_html_style "${style}")
page_assets_array(sy_html_script "${script}")
file(WRITE ${OUTPUT} "${source}")
