# cmake --install: program, CUDA module, assets, desktop entries, icon, the type of session files. The program finds its assets by its own place
# (../share/headlight), so the prefix may be anything and may be moved.
# What is installed is the program alone: the tests need not be built for it.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
install(TARGETS headlight RUNTIME DESTINATION bin)
if(TARGET headlight_cuda)
  install(TARGETS headlight_cuda LIBRARY DESTINATION lib/headlight)
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/assets/ DESTINATION share/headlight PATTERN "*.desktop" EXCLUDE
        PATTERN "headlight-mime.xml" EXCLUDE)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/CHANGELOG.md DESTINATION share/doc/headlight)
file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/*.md ${CMAKE_SOURCE_DIR}/docs/*.ipynb)
install(FILES ${pages} DESTINATION share/doc/headlight/docs)
# The Python package, which calls the program; it looks for it beside itself too.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/python/headlight DESTINATION lib/python3/dist-packages PATTERN "__pycache__" EXCLUDE)
if(HEADLIGHT_APP)
  install(FILES ${CMAKE_SOURCE_DIR}/assets/headlight.desktop DESTINATION share/applications)
  install(FILES ${CMAKE_SOURCE_DIR}/assets/icon/headlight.svg DESTINATION share/icons/hicolor/scalable/apps)
  install(FILES ${CMAKE_SOURCE_DIR}/assets/icon/headlight-256.png DESTINATION share/icons/hicolor/256x256/apps RENAME headlight.png)
  install(FILES ${CMAKE_SOURCE_DIR}/assets/headlight-open.desktop DESTINATION share/applications)
  install(FILES ${CMAKE_SOURCE_DIR}/assets/headlight-mime.xml DESTINATION share/mime/packages RENAME headlight.xml)
endif()

# cpack -G DEB in the build folder: headlight_VERSION_ARCHITECTURE.deb. The packages of the libraries are asked of dpkg-shlibdeps;
# fonts are recommended, and so are xclip for pictures on the clipboard and pip to fetch models.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME headlight)
set(CPACK_PACKAGE_VENDOR Headlight)
set(CPACK_PACKAGE_CONTACT "Headlight <headlight@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Shows how a Transformer computes attention: tokens, embeddings and positions, queries, keys and values, masks,
every head's pattern and the weighted sums, computed anew at every keystroke.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libgl1-mesa-dri, fonts-dejavu-core, fonts-inter, fonts-jetbrains-mono, fonts-noto-core, fonts-noto-cjk, python3-numpy, python3-pip, xclip")
include(CPack)
