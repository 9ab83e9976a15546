# cmake --install: program, CUDA module, assets, desktop entry, icon. The program finds its assets by its own place
# (../share/headlight), so the prefix may be anything and may be moved.
install(TARGETS headlight RUNTIME DESTINATION bin)
if(TARGET headlight_cuda)
  install(TARGETS headlight_cuda LIBRARY DESTINATION lib/headlight)
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/assets/ DESTINATION share/headlight PATTERN "*.desktop" EXCLUDE)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md DESTINATION share/doc/headlight)
if(HEADLIGHT_APP)
  install(FILES ${CMAKE_SOURCE_DIR}/assets/headlight.desktop DESTINATION share/applications)
  install(FILES ${CMAKE_SOURCE_DIR}/assets/icon/headlight.svg DESTINATION share/icons/hicolor/scalable/apps)
  install(FILES ${CMAKE_SOURCE_DIR}/assets/icon/headlight-256.png DESTINATION share/icons/hicolor/256x256/apps RENAME headlight.png)
endif()
