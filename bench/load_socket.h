// A client's connection to a server of this machine, plain or through TLS. Certificates are not
// checked: these clients measure and torment servers that they have started themselves.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct ssl_st;

namespace headroom {

enum class Transport { plain, tls };

// A socket connected from `source` to this machine's `port`; -1 when nobody listens.
int connect_to(int port, const std::string& source = "127.0.0.1");

class LoadSocket {
 public:
  enum class Received { bytes, nothing, end };

  // connected() is false when nobody listens, or when the handshake failed. It, send() and
  // receive() give up after `patience_seconds` of silence.
  LoadSocket(int port, Transport transport, double patience_seconds,
             const std::string& source = "127.0.0.1");
  ~LoadSocket();
  LoadSocket(LoadSocket&& other) noexcept;
  LoadSocket& operator=(LoadSocket&& other) noexcept;

  bool connected() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

  bool send(std::string_view bytes) const;
  // Appends all that has arrived; with `wait` at least something, unless it gives up.
  Received receive(std::string& to, bool wait) const;
  // Closing will reset the connection instead of ending it.
  void reset_on_close() const;

 private:
  void close();
  bool wait_for(short event) const;  // poll()'s; false: it gave up
  // Whether what OpenSSL returned with `result` is worth another try, once it waited.
  bool retry(int result) const;
  // As recv() and SSL_read(): the bytes put into `part`, 0 at the end, -1 while there are none.
  int read_part(char* part, int size) const;

  int descriptor_ = -1;
  int patience_ms_;
  std::shared_ptr<ssl_st> tls_;  // none: plain
};

}  // namespace headroom
