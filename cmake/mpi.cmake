# MPI is optional: it carries ranks over several processes and hosts, in a program of its own that mpirun starts, so
# that nothing else depends on it. AUTO builds that where MPI is found; ON insists; OFF leaves it out.
set(RINGSIDE_MPI AUTO CACHE STRING "Build ringside-rank, ranks as processes of MPI: AUTO, ON or OFF")
set_property(CACHE RINGSIDE_MPI PROPERTY STRINGS AUTO ON OFF)

set(RINGSIDE_HAS_MPI OFF)
if(NOT RINGSIDE_MPI STREQUAL OFF)
    find_package(MPI 3.0 COMPONENTS C)
    set(RINGSIDE_HAS_MPI ${MPI_C_FOUND})
    if(RINGSIDE_MPI STREQUAL ON AND NOT RINGSIDE_HAS_MPI)
        message(FATAL_ERROR "RINGSIDE_MPI is ON, but no MPI 3 was found. On Debian: apt-get install libopenmpi-dev openmpi-bin")
    endif()
endif()
message(STATUS "Ranks by MPI: ${RINGSIDE_HAS_MPI}")
