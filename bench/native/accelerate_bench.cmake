target_include_directories(accelerate_bench PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(accelerate_bench PRIVATE ${CMAKE_DL_LIBS})
