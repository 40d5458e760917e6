package dev.plumbline.cluster;

import dev.plumbline.node.KeyStores;
import dev.plumbline.node.NodeConfig;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Date;
import java.util.HexFormat;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * A cluster's own certificate authority: {@code ca.pem}, and {@code NAME.pem} with {@code NAME.key}
 * (PKCS #8) for each name. The authority's key is not kept. Beside them lies {@link
 * NodeConfig#SECRET}, for nodes alone.
 */
public final class Certificates {
  private static final Duration VALID = Duration.ofDays(365);
  private static final String SIGNATURE = "SHA256withECDSA";
  private static final int SERIAL_BITS = 120;
  private static final int TOKEN_BYTES = 24;
  private static final int SECRET_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  /** What programs that ask for a host's name, as JDBC's drivers do, reach a server by. */
  private static final GeneralNames HERE =
      new GeneralNames(
          new GeneralName[] {
            new GeneralName(GeneralName.dNSName, "localhost"),
            new GeneralName(GeneralName.iPAddress, "127.0.0.1")
          });

  private Certificates() {}

  /**
   * Makes an authority, a certificate for each name, and a secret of the nodes, in a folder that
   * only its owner reads.
   */
  public static void make(Path folder, Collection<String> names) throws IOException {
    Files.createDirectories(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    ownersOnly(folder.resolve(NodeConfig.SECRET), random(SECRET_BYTES) + "\n");
    try {
      KeyPair authority = keys();
      X500Name issuer = new X500Name("CN=Plumbline cluster authority");
      write(folder.resolve("ca.pem"), certificate(issuer, issuer, authority, authority, true));
      for (String name : names) {
        KeyPair own = keys();
        X500Name subject = new X500Name("CN=" + name);
        write(folder.resolve(name + ".pem"), certificate(issuer, subject, authority, own, false));
        write(folder.resolve(name + ".key"), new JcaPKCS8Generator(own.getPrivate(), null));
      }
    } catch (GeneralSecurityException | OperatorCreationException e) {
      throw new IOException("certificates cannot be made: " + e.getMessage(), e);
    }
  }

  /**
   * A file with a name's key, its certificate and the authority's, for a program that is no node.
   * Its password is {@link KeyStores#PASSWORD}.
   */
  public static Path store(Path folder, String name) throws IOException {
    Path file = folder.resolve(name + ".p12");
    ownersOnly(file, KeyStores.file(folder, name));
    return file;
  }

  private static KeyPair keys() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
    return generator.generateKeyPair();
  }

  private static X509Certificate certificate(
      X500Name issuer, X500Name subject, KeyPair authority, KeyPair own, boolean isAuthority)
      throws GeneralSecurityException, OperatorCreationException, IOException {
    PrivateKey signer = authority.getPrivate();
    Instant now = Instant.now();
    X509v3CertificateBuilder builder =
        new JcaX509v3CertificateBuilder(
                issuer,
                new BigInteger(SERIAL_BITS, RANDOM),
                Date.from(now.minus(Duration.ofHours(1))),
                Date.from(now.plus(VALID)),
                subject,
                own.getPublic())
            .addExtension(Extension.basicConstraints, true, new BasicConstraints(isAuthority))
            .addExtension(
                Extension.keyUsage,
                true,
                new KeyUsage(isAuthority ? KeyUsage.keyCertSign : KeyUsage.digitalSignature))
            .addExtension(Extension.subjectAlternativeName, false, HERE);
    return new JcaX509CertificateConverter()
        .getCertificate(builder.build(new JcaContentSignerBuilder(SIGNATURE).build(signer)));
  }

  private static void write(Path file, Object what) throws IOException {
    StringWriter text = new StringWriter();
    try (JcaPEMWriter pem = new JcaPEMWriter(text)) {
      pem.writeObject(what);
    }
    ownersOnly(file, text.toString());
  }

  /** Writes a file with a token that cannot be guessed. */
  public static void token(Path file) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    ownersOnly(file, random(TOKEN_BYTES) + "\n");
  }

  private static String random(int bytes) {
    byte[] random = new byte[bytes];
    RANDOM.nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  /** Writes a file that nobody else could ever read. */
  private static void ownersOnly(Path file, String text) throws IOException {
    ownersOnly(file, text.getBytes(StandardCharsets.UTF_8));
  }

  private static void ownersOnly(Path file, byte[] bytes) throws IOException {
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.write(file, bytes);
  }
}
