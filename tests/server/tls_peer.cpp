#include "server/tls_peer.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>

namespace headroom::testing {
namespace {

using File = std::unique_ptr<FILE, int (*)(FILE*)>;

File open_to_write(const std::filesystem::path& path) {
  return {std::fopen(path.c_str(), "w"), &std::fclose};
}

int connected_socket(int port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  const timeval patience{10, 0};
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  return descriptor;
}

}  // namespace

void write_certificate(const std::string& name, const std::filesystem::path& certificate,
                       const std::filesystem::path& key) {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> pair(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, void (*)(X509*)> made(X509_new(), X509_free);
  X509_set_version(made.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 86'400);
  X509_set_pubkey(made.get(), pair.get());
  X509_NAME* subject = X509_get_subject_name(made.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(made.get(), subject);
  X509_sign(made.get(), pair.get(), EVP_sha256());
  PEM_write_X509(open_to_write(certificate).get(), made.get());
  PEM_write_PrivateKey(open_to_write(key).get(), pair.get(), nullptr, nullptr, 0, nullptr, nullptr);
}

TlsClient::TlsClient(int port, const TlsClientSettings& settings)
    : context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free), socket_(connected_socket(port)) {
  SSL_CTX_set_security_level(context_.get(), 0);  // old versions are the server's to refuse
  SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
  SSL_CTX_set_max_proto_version(context_.get(), settings.newest_version);
  if (!settings.certificate.empty()) {
    SSL_CTX_use_certificate_chain_file(context_.get(), settings.certificate.c_str());
    SSL_CTX_use_PrivateKey_file(context_.get(), settings.key.c_str(), SSL_FILETYPE_PEM);
  }
  connection_.reset(SSL_new(context_.get()), SSL_free);
  SSL_set_fd(connection_.get(), socket_);
  shaken_ = SSL_connect(connection_.get()) == 1;
}

TlsClient::~TlsClient() {
  close();
}

void TlsClient::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

std::string TlsClient::peer_name() const {
  const std::unique_ptr<X509, void (*)(X509*)> peer(SSL_get1_peer_certificate(connection_.get()),
                                                    X509_free);
  char name[256] = {};
  X509_NAME_get_text_by_NID(X509_get_subject_name(peer.get()), NID_commonName, name, sizeof(name));
  return name;
}

std::string TlsClient::protocol() const {
  return SSL_get_version(connection_.get());
}

bool TlsClient::send(std::string_view bytes) {
  return SSL_write(connection_.get(), bytes.data(), static_cast<int>(bytes.size())) ==
         static_cast<int>(bytes.size());
}

RawResponse TlsClient::receive() {
  return receive_response(received_, /*head_only=*/false, [this] {
    char part[16'384];
    const int count = SSL_read(connection_.get(), part, sizeof(part));
    if (count > 0) received_.append(part, static_cast<size_t>(count));
    return count > 0;
  });
}

RawResponse TlsClient::exchange(std::string_view bytes) {
  send(bytes);
  return receive();
}

bool TlsClient::ends_properly() {
  char byte = 0;
  const int count = SSL_read(connection_.get(), &byte, 1);
  return SSL_get_error(connection_.get(), count) == SSL_ERROR_ZERO_RETURN;
}

void TlsClient::renew_keys() {
  SSL_key_update(connection_.get(), SSL_KEY_UPDATE_REQUESTED);
  SSL_do_handshake(connection_.get());
}

}  // namespace headroom::testing
