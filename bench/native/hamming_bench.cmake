# The peer is Debian's faiss, as it is shipped.
find_path(FAISS_INCLUDE_DIR faiss/IndexBinaryFlat.h)
find_library(FAISS_LIBRARY faiss)
find_package(OpenMP)
find_package(LAPACK)  # faiss calls it elsewhere
if(FAISS_INCLUDE_DIR AND FAISS_LIBRARY AND OpenMP_CXX_FOUND AND LAPACK_FOUND)
  target_include_directories(hamming_bench SYSTEM PRIVATE ${FAISS_INCLUDE_DIR})
  target_link_libraries(hamming_bench PRIVATE ${FAISS_LIBRARY} OpenMP::OpenMP_CXX LAPACK::LAPACK)
else()
  message(STATUS "hamming_bench is left out: it needs faiss (Debian: libfaiss-dev)")
  set_target_properties(hamming_bench PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
