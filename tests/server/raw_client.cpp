#include "server/raw_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

namespace headroom::testing {
namespace {

constexpr int patience_ms = 10'000;

bool wait_for(int socket, short events) {
  pollfd waited{socket, events, 0};
  return poll(&waited, 1, patience_ms) == 1;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return tolower(c); });
  return text;
}

}  // namespace

std::string RawResponse::error_code() const {
  const Json parsed = json();
  if (!parsed.is_object() || !parsed.contains("error") || !parsed["error"].is_object()) return "";
  return parsed["error"].value("code", "");
}

RawClient::RawClient(int port, int receive_buffer) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
  if (receive_buffer > 0) {
    setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
}

RawClient::~RawClient() {
  close();
}

void RawClient::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

bool RawClient::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool RawClient::fill() {
  char buffer[16'384];
  if (!wait_for(socket_, POLLIN)) return false;
  const ssize_t count = recv(socket_, buffer, sizeof(buffer), 0);
  if (count <= 0) return false;
  received_.append(buffer, static_cast<size_t>(count));
  return true;
}

RawResponse RawClient::receive(bool head_only) {
  return receive_response(received_, head_only, [this] { return fill(); });
}

RawResponse receive_response(std::string& received, bool head_only,
                             const std::function<bool()>& fill) {
  RawResponse response;
  size_t end = 0;
  while ((end = received.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return response;
  }
  std::istringstream head(received.substr(0, end));
  received.erase(0, end + 4);
  std::string version;
  head >> version >> response.status;
  std::string line;
  std::getline(head, line);
  while (std::getline(head, line)) {
    const size_t colon = line.find(": ");
    if (line.ends_with('\r')) line.pop_back();
    response.fields[lower_case(line.substr(0, colon))] = line.substr(colon + 2);
  }
  const size_t length = response.fields.contains("content-length") && !head_only
                            ? std::stoul(response.fields["content-length"])
                            : 0;
  while (received.size() < length) {
    if (!fill()) return {};
  }
  response.body = received.substr(0, length);
  received.erase(0, length);
  return response;
}

RawResponse RawClient::exchange(std::string_view bytes, bool head_only) {
  send(bytes);
  return receive(head_only);
}

bool RawClient::closed_silently() {
  char byte = 0;
  return received_.empty() && wait_for(socket_, POLLIN) && recv(socket_, &byte, 1, 0) <= 0;
}

bool RawClient::hung_up_on() {
  while (fill()) {
  }
  return wait_for(socket_, POLLIN);
}

bool RawClient::wait_for_reset() const {
  return wait_for(socket_, 0);
}

std::string post(std::string_view path, std::string_view body, std::string_view fields) {
  std::ostringstream request;
  request << "POST " << path << " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          << fields << "Content-Length: " << body.size() << "\r\n\r\n"
          << body;
  return request.str();
}

std::string get(std::string_view path, std::string_view fields) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(fields) +
         "\r\n";
}

}  // namespace headroom::testing
