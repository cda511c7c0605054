# Turns files into the functions of embedded_files.h:
#   cmake -DOUT=embedded_files.cpp -Dpage_html=FILE -Dopenapi_json=FILE -P embed.cmake
set(text "#include \"server/api/embedded_files.h\"\n\nnamespace headroom::server {\n")
foreach(function page_html openapi_json)
  file(READ ${${function}} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND text
    "\nnamespace {\nconstexpr unsigned char ${function}_bytes[] = {${bytes}};\n}  // namespace\n\n"
    "std::string_view ${function}() {\n"
    "  return {reinterpret_cast<const char*>(${function}_bytes), sizeof(${function}_bytes)};\n}\n")
endforeach()
file(WRITE ${OUT} "${text}\n}  // namespace headroom::server\n")
