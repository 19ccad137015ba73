package io.sei.operator.base;

import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The certificates of those who may sign a server's. Java checks the rest, as always. */
public final class TrustedCertificates {

  private final SSLContext context;

  private TrustedCertificates(SSLContext context) {
    this.context = context;
  }

  /**
   * Reads them once.
   *
   * @param file certificates in PEM
   * @throws IllegalArgumentException if it cannot be read, or has none
   */
  public static TrustedCertificates of(Path file) {
    try (var stream = Files.newInputStream(file)) {
      return new TrustedCertificates(
          context(CertificateFactory.getInstance("X.509").generateCertificates(stream)));
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Makes a client trust these certificates and no others. */
  void trustedBy(HttpClient.Builder client) {
    client.sslContext(context);
  }

  private static SSLContext context(Collection<? extends Certificate> trusted)
      throws IOException, GeneralSecurityException {
    if (trusted.isEmpty()) {
      throw new GeneralSecurityException("no certificate");
    }
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    for (Certificate certificate : trusted) {
      store.setCertificateEntry("trusted-" + store.size(), certificate);
    }
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }
}
