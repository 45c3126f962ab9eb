# subfloor_embed_device_texts(FOLDER OUT): a source file that holds every FOLDER/*.txt as text, so that the product needs no
# file at run time. Written anew when a text changes.
function(subfloor_embed_device_texts FOLDER OUT)
  file(GLOB texts CONFIGURE_DEPENDS ${FOLDER}/*.txt)
  list(SORT texts)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${texts})
  set(rows "")
  foreach(file ${texts})
    file(READ ${file} text)
    get_filename_component(name ${file} NAME)
    string(APPEND rows "    DeviceText{\"${name}\", R\"text(${text})text\"},\n")
  endforeach()
  set(source ${CMAKE_BINARY_DIR}/gen/device_texts.cc)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "#include <array>

#include \"device/description/known_devices.h\"

namespace subfloor::device {
namespace {
constexpr std::array kTexts = {
@rows@};
}  // namespace

std::span<const DeviceText> DeviceTexts() { return kTexts; }

}  // namespace subfloor::device
")
  set(${OUT} ${source} PARENT_SCOPE)
endfunction()
