package dev.plumbline.node;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.stream.Collectors;

/** What lies in a folder of certificates (ca.pem, NAME.pem and NAME.key), as Java reads it. */
public final class KeyStores {
  /** Of keys and of whole stores: their files are their owner's alone. */
  public static final String PASSWORD = "changeit";

  private static final String AUTHORITY = "ca";

  private KeyStores() {}

  /**
   * The authority's certificate alone.
   *
   * @throws IOException if there is none, or it cannot be read
   */
  public static KeyStore authority(Path folder) throws IOException {
    return of("JKS", folder, null);
  }

  /**
   * A key with its certificate. JKS, since it starts the quickest.
   *
   * @throws IOException if there is none, or it cannot be read
   */
  public static KeyStore own(Path folder, String name) throws IOException {
    return of("JKS", folder, name);
  }

  /**
   * A file (PKCS #12) with both: key store and trust store of a program that is no node.
   *
   * @throws IOException if they are not there, or cannot be read
   */
  public static byte[] file(Path folder, String name) throws IOException {
    try {
      KeyStore store = of("PKCS12", folder, name);
      store.setCertificateEntry(AUTHORITY, certificate(folder.resolve("ca.pem")));
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      store.store(bytes, PASSWORD.toCharArray());
      return bytes.toByteArray();
    } catch (GeneralSecurityException e) {
      throw wrong(folder, e);
    }
  }

  private static KeyStore of(String type, Path folder, String name) throws IOException {
    try {
      KeyStore store = KeyStore.getInstance(type);
      store.load(null, null);
      if (name == null) {
        store.setCertificateEntry(AUTHORITY, certificate(folder.resolve("ca.pem")));
      } else {
        store.setKeyEntry(
            name,
            key(folder.resolve(name + ".key")),
            PASSWORD.toCharArray(),
            new Certificate[] {certificate(folder.resolve(name + ".pem"))});
      }
      return store;
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw wrong(folder, e);
    }
  }

  /** What is wrong with the files of a folder. */
  static IOException wrong(Path folder, Exception e) {
    return new IOException("TLS with the files of " + folder + ": " + e.getMessage(), e);
  }

  private static byte[] read(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IOException("no file " + file + ", which TLS needs");
    }
    return Files.readAllBytes(file);
  }

  private static X509Certificate certificate(Path file)
      throws IOException, GeneralSecurityException {
    return (X509Certificate)
        CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(read(file)));
  }

  /** A key of an elliptic curve (PKCS #8, PEM). */
  private static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
    String base64 =
        new String(read(file), StandardCharsets.US_ASCII)
            .lines()
            .filter(line -> !line.startsWith("-----"))
            .collect(Collectors.joining());
    return KeyFactory.getInstance("EC")
        .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64)));
  }
}
