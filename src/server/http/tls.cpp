#include "server/http/tls.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <new>
#include <utility>

#include "base/error.h"

namespace headroom {
namespace {

// A client that asks for ever new keys and reads nothing may not fill our memory.
constexpr int most_unsent_replies = 65'536;

std::string why() {
  const unsigned long code = ERR_get_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return reason == nullptr ? "unknown reason" : reason;
}

void require(bool done, const std::filesystem::path& file, std::string_view what) {
  if (done) return;
  const std::string reason = why();
  std::error_code missing;
  if (!std::filesystem::exists(file, missing)) {
    throw Error(ErrorCode::usage, "read " + file.string(), "there is no such file");
  }
  throw Error(ErrorCode::bad_data, "read " + file.string(),
              fmt::format("it is not {} ({})", what, reason));
}

// Of what a client offers.
int choose_protocol(SSL* /*connection*/, const unsigned char** chosen, unsigned char* length,
                    const unsigned char* offered, unsigned int offered_length, void* /*unused*/) {
  static constexpr unsigned char ours[] = "\x08http/1.1";
  unsigned char* found = nullptr;
  const int result =
      SSL_select_next_proto(&found, length, ours, sizeof(ours) - 1, offered, offered_length);
  *chosen = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// There is nobody to ask for a key's password.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*unused*/) {
  return 0;
}

std::shared_ptr<SSL_CTX> read_context(const TlsFiles& files) {
  const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context) throw std::bad_alloc();
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_cipher_list(context.get(), "ECDHE+AESGCM:ECDHE+CHACHA20");  // TLS 1.3 has its own
  SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, nullptr);
  SSL_CTX_set_default_passwd_cb(context.get(), no_password);
  require(SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) == 1,
          files.certificate, "a certificate in PEM");
  require(SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) == 1,
          files.key, "the certificate's key in PEM, without a password");
  if (files.client_ca.empty()) return context;
  require(SSL_CTX_load_verify_locations(context.get(), files.client_ca.c_str(), nullptr) == 1,
          files.client_ca, "certificates in PEM");
  SSL_CTX_set_client_CA_list(context.get(), SSL_load_client_CA_file(files.client_ca.c_str()));
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  static constexpr unsigned char name[] = "headroom";  // sessions are resumed by servers of it
  SSL_CTX_set_session_id_context(context.get(), name, sizeof(name) - 1);
  return context;
}

}  // namespace

void TlsChannel::Free::operator()(ssl_st* connection) const {
  SSL_free(connection);
}

TlsChannel::TlsChannel(ssl_ctx_st& context) : connection_(SSL_new(&context)) {
  BIO* in = BIO_new(BIO_s_mem());
  BIO* out = BIO_new(BIO_s_mem());
  if (!connection_ || in == nullptr || out == nullptr) {
    BIO_free(in);
    BIO_free(out);
    throw std::bad_alloc();
  }
  SSL_set_bio(connection_.get(), in, out);
  SSL_set_accept_state(connection_.get());
}

TlsChannel::State TlsChannel::receive(std::string_view wire, std::string& plain) {
  SSL* connection = connection_.get();
  ERR_clear_error();
  if (BIO_write(SSL_get_rbio(connection), wire.data(), static_cast<int>(wire.size())) !=
      static_cast<int>(wire.size())) {
    throw std::bad_alloc();
  }
  int done = SSL_is_init_finished(connection) != 0 ? 1 : SSL_do_handshake(connection);
  const bool shaken = done == 1;
  std::array<char, 16'384> part;
  while (done > 0 && shaken) {
    done = SSL_read(connection, part.data(), static_cast<int>(part.size()));
    if (done > 0) plain.append(part.data(), static_cast<size_t>(done));
  }
  const int error = SSL_get_error(connection, done);
  ERR_clear_error();
  if (error == SSL_ERROR_ZERO_RETURN) return State::ended;
  const bool flooded = shaken && BIO_pending(SSL_get_wbio(connection)) > most_unsent_replies;
  if (error != SSL_ERROR_WANT_READ || flooded) return State::failed;
  return shaken ? State::open : State::handshake;
}

bool TlsChannel::send(std::string_view plain) {
  ERR_clear_error();
  if (plain.empty()) return true;
  size_t written = 0;  // into memory: all of it
  return SSL_write_ex(connection_.get(), plain.data(), plain.size(), &written) == 1;
}

void TlsChannel::say_goodbye() {
  ERR_clear_error();
  if (SSL_is_init_finished(connection_.get()) != 0) SSL_shutdown(connection_.get());
}

std::string TlsChannel::take_output() {
  BIO* out = SSL_get_wbio(connection_.get());
  std::string bytes(BIO_ctrl_pending(out), '\0');
  if (!bytes.empty()) BIO_read(out, bytes.data(), static_cast<int>(bytes.size()));
  return bytes;
}

TlsContext::TlsContext(TlsFiles files) : files_(std::move(files)), context_(read_context(files_)) {}

void TlsContext::reload() {
  std::shared_ptr<ssl_ctx_st> fresh = read_context(files_);
  const std::lock_guard lock(mutex_);
  context_ = std::move(fresh);
}

std::unique_ptr<TlsChannel> TlsContext::accept() const {
  const std::lock_guard lock(mutex_);
  return std::make_unique<TlsChannel>(*context_);
}

}  // namespace headroom
