// The other side of TLS: certificates made on the spot, and a client that speaks it with OpenSSL.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "server/raw_client.h"

struct ssl_st;
struct ssl_ctx_st;

namespace headroom::testing {

// Writes a new key and a certificate for `name` that it signs itself.
void write_certificate(const std::string& name, const std::filesystem::path& certificate,
                       const std::filesystem::path& key);

struct TlsClientSettings {
  int newest_version = 0;  // OpenSSL's number; 0: any
  std::filesystem::path certificate = {};
  std::filesystem::path key = {};
};

class TlsClient {
 public:
  // `shaken()` says whether the handshake came to its end.
  explicit TlsClient(int port, const TlsClientSettings& settings = {});
  ~TlsClient();
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  bool shaken() const { return shaken_; }
  std::string peer_name() const;  // of the server's certificate
  std::string protocol() const;   // "TLSv1.3"

  bool send(std::string_view bytes);
  RawResponse receive();
  RawResponse exchange(std::string_view bytes);
  // Whether the server says goodbye, as TLS wants it, before it hangs up.
  bool ends_properly();
  void close();       // without a goodbye
  void renew_keys();  // and asks the server to

 private:
  std::shared_ptr<ssl_ctx_st> context_;
  std::shared_ptr<ssl_st> connection_;
  int socket_ = -1;
  bool shaken_ = false;
  std::string received_;
};

}  // namespace headroom::testing
