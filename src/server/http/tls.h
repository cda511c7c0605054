// TLS for the sockets: certificates, and the two directions of one connection as plain strings. It
// reads and writes no socket, so that sessions keep their timeouts and whoever has a response may
// encrypt it (reply_socket.h).
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

struct ssl_ctx_st;  // OpenSSL's SSL_CTX and SSL
struct ssl_st;

namespace headroom {

struct TlsFiles {
  std::filesystem::path certificate;  // PEM, with the chain behind it
  std::filesystem::path key;          // PEM
  std::filesystem::path client_ca;    // PEM; empty: clients need no certificate
};

// One connection, the server's side. One thread at a time.
class TlsChannel {
 public:
  enum class State {
    handshake,  // nothing can be said yet
    open,
    ended,   // the client said that it sends no more
    failed,  // what came is no TLS, or no client that is let in
  };

  explicit TlsChannel(ssl_ctx_st& context);

  // Takes bytes of the socket and appends what they say to `plain`. What must be answered, an alert
  // among it, is in the output then.
  State receive(std::string_view wire, std::string& plain);

  // Puts `plain` into the output. False before the handshake or after a failure.
  bool send(std::string_view plain);
  void say_goodbye();

  // What the socket must send, in this order and before anything that is put in later.
  std::string take_output();

 private:
  struct Free {
    void operator()(ssl_st* connection) const;
  };

  std::unique_ptr<ssl_st, Free> connection_;
};

// TLS 1.2 and 1.3, HTTP/1.1, ciphers with forward secrecy alone.
class TlsContext {
 public:
  // Throws ErrorCode::usage for a file that is not there, ErrorCode::bad_data for one that holds no
  // certificate or key, or a key of another certificate.
  explicit TlsContext(TlsFiles files);

  // Reads the files again, for connections that come from now on. Throws likewise; what was there
  // stays then.
  void reload();

  std::unique_ptr<TlsChannel> accept() const;

 private:
  const TlsFiles files_;
  mutable std::mutex mutex_;
  std::shared_ptr<ssl_ctx_st> context_;
};

}  // namespace headroom
