# Installs the content of the wheel (./dev wheel, tools/wheel.py): the Python package, and inside it the programs without the window and
# without LibTorch, with the same relative paths as in a build.
find_package(Qt6 REQUIRED COMPONENTS Core Network)
find_package(fmt REQUIRED)
find_package(tomlplusplus REQUIRED)
set(inside batchscope/_installed)

# The programs once more, around one library of all their rooms: six copies of the rooms would make a wheel of 19 MB instead of 13.
add_library(wheel_rooms SHARED EXCLUDE_FROM_ALL)
foreach(room cli web common sweep pool run http policy storage goodput protocol)
  target_sources(wheel_rooms PRIVATE $<TARGET_OBJECTS:batchscope_${room}>)
endforeach()
target_link_libraries(wheel_rooms PRIVATE batchscope_cli batchscope_web)  # for the libraries that these link; the rooms' objects are all here
target_link_options(wheel_rooms PRIVATE -Wl,-Bsymbolic-functions)
set_target_properties(wheel_rooms PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME batchscope
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/wheel/lib)
install(TARGETS wheel_rooms LIBRARY DESTINATION ${inside}/lib COMPONENT wheel EXCLUDE_FROM_ALL)
add_custom_target(wheel)
foreach(program ${programs})
  add_executable(wheel-${program} EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${program}>)
  target_link_libraries(wheel-${program} PRIVATE wheel_rooms Qt6::Core Qt6::Network fmt::fmt tomlplusplus::tomlplusplus)
  # Linked with its final RPATH: another one would leave the length of the build folder's name in the file, and another build-id.
  set_target_properties(wheel-${program} PROPERTIES OUTPUT_NAME ${program} LINKER_LANGUAGE CXX INSTALL_RPATH $ORIGIN/../lib
    BUILD_WITH_INSTALL_RPATH ON RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/wheel/bin)
  install(TARGETS wheel-${program} RUNTIME DESTINATION ${inside}/bin COMPONENT wheel EXCLUDE_FROM_ALL)
  add_dependencies(wheel wheel-${program})
endforeach()
install(TARGETS draw_digits RUNTIME DESTINATION ${inside}/bin COMPONENT wheel EXCLUDE_FROM_ALL)  # for examples/python
foreach(target page batchscope_python draw_digits)
  if(TARGET ${target})
    add_dependencies(wheel ${target})
  endif()
endforeach()
if(TARGET page)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/share/batchscope/page DESTINATION ${inside}/share/batchscope
    COMPONENT wheel EXCLUDE_FROM_ALL)
endif()

# The package for pip's interpreter, and once more for any other interpreter that `batchscope run` starts.
foreach(place . ${inside}/bin/python)
  install(DIRECTORY engine/python/batchscope DESTINATION ${place} COMPONENT wheel EXCLUDE_FROM_ALL
    FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN __pycache__ EXCLUDE)
endforeach()
install(FILES engine/python/hook/sitecustomize.py DESTINATION ${inside}/bin/python/hook COMPONENT wheel EXCLUDE_FROM_ALL)

# Qt loads TLS, for `batchscope serve --certificate`, from its folder of plugins: this one, not the system's.
install(FILES ${QT6_INSTALL_PREFIX}/${QT6_INSTALL_PLUGINS}/tls/libqopensslbackend.so DESTINATION ${inside}/plugins/tls
  COMPONENT wheel EXCLUDE_FROM_ALL)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/qt.conf CONTENT "[Paths]\nPrefix = ..\n")
install(FILES ${CMAKE_BINARY_DIR}/qt.conf DESTINATION ${inside}/bin COMPONENT wheel EXCLUDE_FROM_ALL)
