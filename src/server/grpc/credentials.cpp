#include "server/grpc/credentials.h"

#include <grpc/grpc.h>

#include <utility>

#include "base/error.h"
#include "base/files/file.h"

namespace headroom {

FileCredentials::FileCredentials(TlsFiles files) : files_(std::move(files)), pem_(read()) {
  const auto request = files_.client_ca.empty()
                           ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                           : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
  credentials_ = grpc_ssl_server_credentials_create_with_options(
      grpc_ssl_server_credentials_create_options_using_config_fetcher(request, fetch, this));
}

FileCredentials::~FileCredentials() {
  grpc_server_credentials_release(credentials_);
}

void FileCredentials::reload() {
  Pem fresh = read();
  const std::lock_guard lock(mutex_);
  pem_ = std::move(fresh);
  fetched_ = false;
}

FileCredentials::Pem FileCredentials::read() const {
  Pem pem{read_file(files_.certificate, ErrorCode::usage), read_file(files_.key, ErrorCode::usage),
          ""};
  if (!files_.client_ca.empty()) pem.client_ca = read_file(files_.client_ca, ErrorCode::usage);
  return pem;
}

int FileCredentials::AddPortToServer(const std::string& address, grpc_server* server) {
  return grpc_server_add_http2_port(server, address.c_str(), credentials_);
}

grpc_ssl_certificate_config_reload_status FileCredentials::fetch(
    void* self, grpc_ssl_server_certificate_config** config) {
  auto& own = *static_cast<FileCredentials*>(self);
  const std::lock_guard lock(own.mutex_);
  if (own.fetched_) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
  const grpc_ssl_pem_key_cert_pair pair = {own.pem_.key.c_str(), own.pem_.certificate.c_str()};
  // gRPC wants roots even where it asks nobody for a certificate, and then uses them for nothing.
  const bool any_client = own.files_.client_ca.empty();
  const std::string& roots = any_client ? own.pem_.certificate : own.pem_.client_ca;
  *config = grpc_ssl_server_certificate_config_create(roots.c_str(), &pair, 1);
  own.fetched_ = true;
  return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
}

}  // namespace headroom
