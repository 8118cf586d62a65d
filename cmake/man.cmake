# Manual pages, printed by the commands themselves from their option tables: build/PRESET/man/man1/*.1.
set(man_pages)
foreach(command sbatch srun salloc sattach squeue sinfo scancel scontrol sstat sbcast sacct sprio sdiag strigger scrontab yardmaster)
  if(TARGET ${command})
    set(page ${CMAKE_BINARY_DIR}/man/man1/${command}.1)
    add_custom_command(OUTPUT ${page}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/man/man1
      COMMAND ${command} --man > ${page}
      DEPENDS ${command} VERBATIM)
    list(APPEND man_pages ${page})
  endif()
endforeach()
add_custom_target(man ALL DEPENDS ${man_pages})
install(FILES ${man_pages} DESTINATION share/man/man1)
