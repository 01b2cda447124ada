# The peer, sdsl-lite, is a header library that gets POPCNT from the compiler's flags: they are for
# its file alone.
find_path(SDSL_INCLUDE_DIR sdsl/wm_int.hpp)
find_library(SDSL_LIBRARY sdsl)
if(SDSL_INCLUDE_DIR AND SDSL_LIBRARY)
  target_sources(wavelet_bench PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/wavelet/sdsl_matrix.cc)
  target_include_directories(wavelet_bench SYSTEM PRIVATE ${SDSL_INCLUDE_DIR})
  target_link_libraries(wavelet_bench PRIVATE ${SDSL_LIBRARY})
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/wavelet/sdsl_matrix.cc PROPERTIES COMPILE_OPTIONS "-O3;-mpopcnt;-w")
else()
  message(STATUS "wavelet_bench is left out: it needs sdsl-lite (Debian: libsdsl-dev)")
  set_target_properties(wavelet_bench PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
target_include_directories(wavelet_bench PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
