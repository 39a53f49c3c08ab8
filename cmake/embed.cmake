# Writes a C++ file with a function that gives the contents of other files.
# Usage: cmake -DFUNCTION=name -DOUTPUT=file.cpp "-DINPUTS=a.json,b.json" -P embed.cmake
string(REPLACE "," ";" inputs "${INPUTS}")
set(arrays "")
set(entries "")
set(count 0)
foreach(input IN LISTS inputs)
  file(READ ${input} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)"
    "\\1\n" bytes "${bytes}")
  string(APPEND arrays "const unsigned char kFile${count}[] = {\n${bytes}};\n")
  get_filename_component(name ${input} NAME)
  string(REGEX REPLACE "[.]json$" "" name ${name})
  string(APPEND entries
    "      {\"${name}\", {reinterpret_cast<const char*>(kFile${count}), sizeof kFile${count}}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"uaspl/base/embedded.hpp\"

namespace uaspl {
namespace {

${arrays}
}  // namespace

std::span<const EmbeddedFile> ${FUNCTION}() {
  static const EmbeddedFile kFiles[] = {
${entries}  };
  return kFiles;
}

}  // namespace uaspl
")
