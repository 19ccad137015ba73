package io.sei.operator.testkit.controlplane;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/** Users of the API server, and the keys with which it signs service account tokens. */
final class Credentials {

  private final Path directory;
  private final Map<String, String> tokens = new LinkedHashMap<>();

  private Credentials(Path directory) {
    this.directory = directory;
  }

  /** Writes a token for each user, all in {@code system:masters}, and fresh signing keys. */
  static Credentials create(Path directory, String... users) {
    Credentials credentials = new Credentials(directory);
    for (String user : users) {
      credentials.tokens.put(user, UUID.randomUUID().toString());
    }
    credentials.write();
    return credentials;
  }

  String token(String user) {
    String token = tokens.get(user);
    if (token == null) {
      throw new IllegalArgumentException("no user " + user + "; there are " + tokens.keySet());
    }
    return token;
  }

  Path tokenFile() {
    return directory.resolve("tokens.csv");
  }

  Path serviceAccountKey() {
    return directory.resolve("service-account.key");
  }

  Path serviceAccountPublicKey() {
    return directory.resolve("service-account.pub");
  }

  /** Returns the directory for the self-signed certificate that the API server makes. */
  Path servingDirectory() {
    return directory.resolve("serving");
  }

  /** Returns whether the API server has made its certificate yet. */
  boolean hasServingCertificate() {
    return Files.exists(servingCertificate()) && Files.exists(servingKey());
  }

  /** The API server's certificate in the form {@code certificate-authority-data} wants. */
  String authorityData() {
    try {
      return Base64.getEncoder().encodeToString(Files.readAllBytes(servingCertificate()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String kubeconfig(String user, String server) {
    return """
    apiVersion: v1
    kind: Config
    clusters:
      - name: control-plane
        cluster:
          server: %s
          certificate-authority-data: %s
    users:
      - name: %s
        user:
          token: %s
    contexts:
      - name: control-plane
        context:
          cluster: control-plane
          user: %s
          namespace: default
    current-context: control-plane
    """
        .formatted(server, authorityData(), user, token(user), user);
  }

  /** The certificate that the API server makes, with that of the authority that signed it. */
  Path servingCertificate() {
    return servingDirectory().resolve("apiserver.crt");
  }

  private Path servingKey() {
    return servingDirectory().resolve("apiserver.key");
  }

  private void write() {
    String lines =
        tokens.entrySet().stream()
            .map(
                e ->
                    "%s,%s,%s,\"system:masters\"%n".formatted(e.getValue(), e.getKey(), e.getKey()))
            .collect(Collectors.joining());
    KeyPair pair = keyPair();
    try {
      Files.createDirectories(servingDirectory());
      Files.writeString(tokenFile(), lines);
      Files.writeString(serviceAccountKey(), pem("PRIVATE KEY", pair.getPrivate()));
      Files.writeString(serviceAccountPublicKey(), pem("PUBLIC KEY", pair.getPublic()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static KeyPair keyPair() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(256);
      return generator.generateKeyPair();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has elliptic curves", e);
    }
  }

  private static String pem(String type, Key key) {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key.getEncoded());
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(type, body, type);
  }
}
