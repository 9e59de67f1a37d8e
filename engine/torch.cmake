# Imported targets for LibTorch out of the Python wheel. find_package(Torch) is a fatal error where no CUDA toolkit is found.
#   lockstep_torch   headers, torch_cpu, c10, and with LOCKSTEP_CUDA torch_cuda and c10_cuda
#   engine_pch       torch/types.h precompiled; engine_reuse_pch(target [WITHOUT sources…]) uses it
file(GLOB _torch_dirs ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch)
set(LOCKSTEP_TORCH_DIR "${_torch_dirs}" CACHE PATH "Folder `torch` of the installed wheel")
if(NOT EXISTS ${LOCKSTEP_TORCH_DIR}/lib/libtorch_cpu.so)
  message(FATAL_ERROR "No torch wheel at '${LOCKSTEP_TORCH_DIR}': run packaging/setup.sh, or set LOCKSTEP_TORCH_DIR, "
                      "or configure with -DLOCKSTEP_COMPUTE=OFF")
endif()
cmake_path(GET LOCKSTEP_TORCH_DIR PARENT_PATH _site_packages)
file(GLOB LOCKSTEP_NVIDIA_LIBRARY_DIRS ${_site_packages}/nvidia/*/lib)

if(LOCKSTEP_CUDA STREQUAL "AUTO")
  include(CheckLanguage)
  check_language(CUDA)
  file(GLOB _cublas ${_site_packages}/nvidia/*/lib/libcublas.so.13)
  if(CMAKE_CUDA_COMPILER AND _cublas)
    set(LOCKSTEP_CUDA ON)
  else()
    set(LOCKSTEP_CUDA OFF)
  endif()
endif()
if(LOCKSTEP_CUDA)
  set(CMAKE_CUDA_STANDARD 20)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90)
  endif()
  # libtorch's own CUDA runtime serves our kernels too.
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
  enable_language(CUDA)
  find_package(CUDAToolkit 13.0 REQUIRED)
endif()
message(STATUS "CUDA kernels: ${LOCKSTEP_CUDA}")

foreach(_name torch_cpu c10)
  add_library(${_name} SHARED IMPORTED)
  set_target_properties(${_name} PROPERTIES IMPORTED_LOCATION ${LOCKSTEP_TORCH_DIR}/lib/lib${_name}.so)
endforeach()
add_library(lockstep_torch INTERFACE)
target_include_directories(lockstep_torch SYSTEM INTERFACE
  ${LOCKSTEP_TORCH_DIR}/include ${LOCKSTEP_TORCH_DIR}/include/torch/csrc/api/include)
target_compile_definitions(lockstep_torch INTERFACE USE_DISTRIBUTED USE_C10D_GLOO)
# at::parallel_for runs on one thread where its callers are compiled without OpenMP. The runtime is the wheel's own, so that
# there is one; wheels differ in its name and place.
file(GLOB _gomp ${LOCKSTEP_TORCH_DIR}/lib/libgomp*.so* ${_site_packages}/torch.libs/libgomp*.so*)
if(NOT _gomp)
  message(FATAL_ERROR "The torch wheel at '${LOCKSTEP_TORCH_DIR}' has no libgomp in torch/lib or torch.libs")
endif()
list(GET _gomp 0 _gomp)
target_compile_options(lockstep_torch INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fopenmp>)
target_link_libraries(lockstep_torch INTERFACE lockstep_defaults torch_cpu c10 ${_gomp})
# libtorch's own CUDA libraries lie in wheels beside it, found at run time through these paths.
target_link_options(lockstep_torch INTERFACE
  -Wl,--allow-shlib-undefined -Wl,--no-as-needed
  "-Wl,-rpath,${LOCKSTEP_TORCH_DIR}/lib" "LINKER:-rpath,$<JOIN:${LOCKSTEP_NVIDIA_LIBRARY_DIRS},$<COMMA>-rpath$<COMMA>>")
if(LOCKSTEP_CUDA)
  foreach(_name torch_cuda c10_cuda)
    add_library(${_name} SHARED IMPORTED)
    set_target_properties(${_name} PROPERTIES IMPORTED_LOCATION ${LOCKSTEP_TORCH_DIR}/lib/lib${_name}.so)
  endforeach()
  target_compile_definitions(lockstep_torch INTERFACE LOCKSTEP_CUDA USE_C10D_NCCL)
  target_include_directories(lockstep_torch SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
  # Headers that a toolkit may lack (NCCL, cuBLAS, cuSPARSE) lie in the wheels too; those of the toolkit come first.
  file(GLOB _wheel_includes ${_site_packages}/nvidia/*/include)
  foreach(_folder ${_wheel_includes})
    target_compile_options(lockstep_torch INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-idirafter${_folder}>)
  endforeach()
  # The runtime by its path: CMake adds it by itself only below this folder, where the language is enabled.
  target_link_libraries(lockstep_torch INTERFACE torch_cuda c10_cuda ${CUDA_cudart_LIBRARY})
endif()

if(LOCKSTEP_PCH)
  lockstep_pch(engine_pch LINKS lockstep_torch HEADERS torch/types.h)
endif()
# For targets that use operators: a source falls from 10 s to 4 s. What uses none (ATen/core/Tensor.h alone, or nothing of
# LibTorch) is quicker WITHOUT: whoever has the header pays 2 s for the templates in it. So it holds no more than this one.
function(engine_reuse_pch target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" WITHOUT)
  if(LOCKSTEP_PCH)
    lockstep_reuse_pch(${target} engine_pch)
    set_source_files_properties(${arg_WITHOUT} TARGET_DIRECTORY ${target} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()
