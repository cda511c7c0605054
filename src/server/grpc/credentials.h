// TLS of the gRPC port with the files that the HTTP port has, which may be read again while it
// runs: gRPC asks at every handshake whether there are newer ones.
#pragma once

#include <grpc/grpc_security.h>
#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <mutex>
#include <string>

#include "server/http/tls.h"

namespace headroom {

class FileCredentials : public grpc::ServerCredentials {
 public:
  // Throws ErrorCode::usage for a file that cannot be read.
  explicit FileCredentials(TlsFiles files);
  ~FileCredentials() override;
  FileCredentials(const FileCredentials&) = delete;
  FileCredentials& operator=(const FileCredentials&) = delete;

  void reload();  // throws likewise; what was there stays then

  // The key is in each call's metadata, where the router looks.
  void SetAuthMetadataProcessor(
      const std::shared_ptr<grpc::AuthMetadataProcessor>& /*processor*/) override {}

 private:
  struct Pem {
    std::string certificate;
    std::string key;
    std::string client_ca;
  };

  int AddPortToServer(const std::string& address, grpc_server* server) override;
  Pem read() const;
  static grpc_ssl_certificate_config_reload_status fetch(
      void* self, grpc_ssl_server_certificate_config** config);

  const TlsFiles files_;
  std::mutex mutex_;  // guards what follows
  Pem pem_;
  bool fetched_ = false;  // gRPC has it
  grpc_server_credentials* credentials_ = nullptr;
};

}  // namespace headroom
