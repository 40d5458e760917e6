package dev.plumbline.node;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** The JDK's own TLS client, with a certificate of a folder that {@code Certificates} made. */
final class TestTls {
  private TestTls() {}

  static SSLSocketFactory factory(Path authority, Path identity, String name) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("ca", certificate(authority.resolve("ca.pem")));
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted);
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    KeyStore own = KeyStore.getInstance("PKCS12");
    own.load(null, null);
    if (identity != null) {
      own.setKeyEntry(
          name,
          key(identity.resolve(name + ".key")),
          new char[0],
          new Certificate[] {certificate(identity.resolve(name + ".pem"))});
    }
    keys.init(own, new char[0]);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context.getSocketFactory();
  }

  private static Certificate certificate(Path file) throws Exception {
    try (InputStream in = Files.newInputStream(file)) {
      return CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  private static PrivateKey key(Path file) throws Exception {
    String base64 = Files.readString(file).replaceAll("-----.*-----", "").replaceAll("\\s", "");
    return KeyFactory.getInstance("EC")
        .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64)));
  }
}
