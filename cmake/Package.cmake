# Installation, and its Debian packages (./dev package): batchscope, the programs with the examples, and libbatchscope-dev,
# the libraries for training programs and for reading the store. All programs are in one folder, as in the build, because
# they look for one another beside themselves; bin has links to those that people call.
set(programs_folder lib/batchscope)

set(programs batchscope batchscope-node batchscope-pool batchscope-serve batchscope-simulate batchscope-sweep)
install(TARGETS ${programs} batchscope-probe
  RUNTIME DESTINATION ${programs_folder} COMPONENT programs)
set(called batchscope)
if(BATCHSCOPE_DESKTOP)
  install(TARGETS batchscope-desktop batchscope-svg2png RUNTIME DESTINATION ${programs_folder} COMPONENT programs)
  list(APPEND called batchscope-desktop)
endif()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/links)
foreach(name ${called})
  file(CREATE_LINK ../${programs_folder}/${name} ${CMAKE_BINARY_DIR}/links/${name} SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/links/${name} DESTINATION bin COMPONENT programs)
endforeach()

# Examples: a folder with a recipe, whose program is the target of the folder's name.
file(GLOB recipes CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/*/recipe.toml)
foreach(recipe ${recipes})
  cmake_path(GET recipe PARENT_PATH folder)
  cmake_path(GET folder FILENAME name)
  if(TARGET ${name})
    install(TARGETS ${name} RUNTIME DESTINATION ${programs_folder} COMPONENT programs)
    install(FILES ${recipe} DESTINATION share/batchscope/recipes/${name} COMPONENT programs)
  endif()
endforeach()
install(DIRECTORY examples/sweeps DESTINATION share/batchscope COMPONENT programs FILES_MATCHING PATTERN "*.toml")
install(FILES resources/grafana/batchscope.json DESTINATION share/batchscope/grafana COMPONENT programs)
if(TARGET page)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/share/batchscope/page DESTINATION share/batchscope COMPONENT programs)
endif()
install(TARGETS draw_digits RUNTIME DESTINATION ${programs_folder} COMPONENT programs)

# The package `batchscope` in the folder of Debian's Python packages, and the folder that the supervisor puts before a
# script, from which other interpreters import the package.
install(DIRECTORY engine/python/batchscope DESTINATION lib/python3/dist-packages COMPONENT python
  FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN __pycache__ EXCLUDE)
install(FILES engine/python/hook/sitecustomize.py DESTINATION share/batchscope/python/hook COMPONENT python)
file(CREATE_LINK ../../../lib/python3/dist-packages/batchscope ${CMAKE_BINARY_DIR}/links/python SYMBOLIC)
install(FILES ${CMAKE_BINARY_DIR}/links/python DESTINATION share/batchscope/python RENAME batchscope COMPONENT python)

# The engine below it, if the interpreter has PyTorch.
set(packages programs:batchscope engine:libbatchscope-dev python:python3-batchscope)
if(TARGET batchscope_python)
  install(TARGETS batchscope_python LIBRARY DESTINATION lib/python3/dist-packages/batchscope COMPONENT torch)
  install(FILES ${BATCHSCOPE_ENGINE_FOR} DESTINATION lib/python3/dist-packages/batchscope COMPONENT torch)
  list(APPEND packages torch:python3-batchscope-torch)
endif()

# The engine and the store. Their libraries are static; LibTorch and the others come with the packages it depends on.
install(TARGETS batchscope_train batchscope_replica batchscope_goodput batchscope_storage batchscope_protocol EXPORT batchscope
  ARCHIVE DESTINATION lib/${CMAKE_LIBRARY_ARCHITECTURE} COMPONENT engine)
install(EXPORT batchscope NAMESPACE batchscope:: FILE batchscopeTargets.cmake
  DESTINATION lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/batchscope COMPONENT engine)
install(FILES cmake/batchscopeConfig.cmake
  DESTINATION lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/batchscope COMPONENT engine)
foreach(room engine/train engine/replica engine/goodput storage engine/protocol)
  install(DIRECTORY ${room}/include/ DESTINATION include COMPONENT engine)
endforeach()

# Debian's papers: manual pages made from the help, and the shells' completions. The programs print both, so they are a
# separate target.
find_program(HELP2MAN help2man)
find_program(GZIP gzip)
if(HELP2MAN AND GZIP)
  set(papers_folder ${CMAKE_BINARY_DIR}/papers)
  file(MAKE_DIRECTORY ${papers_folder})
  set(papers)
  set(purpose_batchscope "elastic deep-learning training on one machine")
  set(purpose_batchscope-desktop "the window of BatchScope, an oscilloscope for elastic training")
  foreach(name ${called})
    set(page ${papers_folder}/${name}.1)
    add_custom_command(OUTPUT ${page}.gz
      COMMAND ${HELP2MAN} --no-info --section=1 --name=${purpose_${name}} --output=${page} $<TARGET_FILE:${name}>
      COMMAND ${GZIP} -9nf ${page}
      DEPENDS ${name} VERBATIM)
    list(APPEND papers ${page}.gz)
    install(FILES ${page}.gz DESTINATION share/man/man1 COMPONENT programs OPTIONAL)
  endforeach()
  foreach(shell bash:bash-completion/completions/batchscope zsh:zsh/vendor-completions/_batchscope
          fish:fish/vendor_completions.d/batchscope.fish)
    string(REGEX MATCH "(.*):(.*)/(.*)" _ ${shell})
    set(script ${papers_folder}/${CMAKE_MATCH_1}/${CMAKE_MATCH_3})
    file(MAKE_DIRECTORY ${papers_folder}/${CMAKE_MATCH_1})
    add_custom_command(OUTPUT ${script} COMMAND batchscope completion ${CMAKE_MATCH_1} > ${script} DEPENDS batchscope)
    list(APPEND papers ${script})
    install(FILES ${script} DESTINATION share/${CMAKE_MATCH_2} COMPONENT programs OPTIONAL)
  endforeach()
  add_custom_target(papers DEPENDS ${papers})
endif()
set(author "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")  # as Debian's own tools have it
if("$ENV{DEBFULLNAME}" STREQUAL "" OR "$ENV{DEBEMAIL}" STREQUAL "")
  set(author "BatchScope developers <developers@batchscope.invalid>")
endif()
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/changelog.Debian CONTENT
"batchscope (${PROJECT_VERSION}) unstable; urgency=medium

  * Built by ./dev package; see CHANGELOG.md.

 -- ${author}  ${date}
")
install(CODE "execute_process(COMMAND gzip -9nkf ${CMAKE_BINARY_DIR}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)"
  ALL_COMPONENTS)
set(CPACK_COMPONENTS_ALL)
foreach(package ${packages})
  string(REGEX MATCH "(.*):(.*)" _ ${package})
  set(component ${CMAKE_MATCH_1})
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(doc share/doc/${CMAKE_MATCH_2})
  install(FILES resources/package/copyright DESTINATION ${doc} COMPONENT ${component})
  # A native package's changelog, as its version has no Debian revision.
  install(FILES ${CMAKE_BINARY_DIR}/changelog.Debian.gz DESTINATION ${doc} RENAME changelog.gz COMPONENT ${component})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT ${author})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME batchscope)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION science)
# Without OpenBLAS LibTorch falls back to a reference BLAS that is 49 times slower.
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_DEPENDS "libopenblas0-pthread")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS "qt6-wayland, fonts-dejavu-core, python3-batchscope")
set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION
"oscilloscope for elastic deep-learning training
BatchScope launches and supervises adaptive-batch-size training on the GPUs
or CPU cores of one workstation, records every step, and draws gain, batch
size, goodput and epoch progress live, with buttons that checkpoint the run
and restart it on another number of replicas. It holds the command line, the
window, and example programs with their recipes.")
set(CPACK_DEBIAN_ENGINE_PACKAGE_NAME libbatchscope-dev)
set(CPACK_DEBIAN_ENGINE_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_ENGINE_PACKAGE_DEPENDS "libtorch-dev, libgloo-dev, libfmt-dev, libnlopt-cxx-dev, libsqlitecpp-dev, libsqlite3-dev, libssl-dev, nlohmann-json3-dev, zlib1g-dev")
set(CPACK_DEBIAN_ENGINE_PACKAGE_SUGGESTS "batchscope")
set(CPACK_DEBIAN_ENGINE_DESCRIPTION
"elastic data-parallel training on LibTorch
The engine of BatchScope, for training programs in C++: adaptive batch sizes,
AdaScale, gradient noise scale, elastic checkpoints; and the store, for
programs that read what was recorded. With CMake: find_package(batchscope) and
the targets batchscope::batchscope_train and batchscope::batchscope_storage.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-batchscope)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3:any (>= 3.9)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "batchscope, python3-batchscope-torch")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/resources/package/python/postinst
  ${CMAKE_SOURCE_DIR}/resources/package/python/prerm)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION
"charts of Python training scripts
The Python package batchscope, with which a training script reports its loss,
its steps and other values to BatchScope in one line; and the hook with which
unchanged scripts on AdaptDL report every step. Without BatchScope all of it
does nothing.")
set(CPACK_DEBIAN_TORCH_PACKAGE_NAME python3-batchscope-torch)
set(CPACK_DEBIAN_TORCH_PACKAGE_SECTION python)
# The module is for one version of Python, and the files beside it are python3-batchscope's.
set(CPACK_DEBIAN_TORCH_PACKAGE_DEPENDS "python3-batchscope (= ${PROJECT_VERSION}), python3-torch, ${BATCHSCOPE_PYTHON_DEPENDS}, libopenblas0-pthread")
set(CPACK_DEBIAN_TORCH_PACKAGE_RECOMMENDS "batchscope")
set(CPACK_DEBIAN_TORCH_DESCRIPTION
"elastic data-parallel training with PyTorch
The Python package batchscope.torch, which has the calls of AdaptDL on the
engine of BatchScope: scripts train on any number of replicas, with batch sizes
and learning rates that follow the gradients' noise, and are checkpointed and
restarted in a tenth of a second. A script for AdaptDL changes its imports.")
include(CPack)
