package io.sei.operator.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * An HTTPS server on 127.0.0.1, for an API server to ask. All of a JVM have one key, since to make
 * one takes a process and a second.
 */
public final class LocalHttps implements AutoCloseable {

  private static final String NAME = "local";
  private static final char[] PASSWORD = "throw-away".toCharArray();

  /** Keys, made when the first server starts. */
  private static final class Keys {
    private static final KeyStore STORE = makeKeys();
  }

  private final HttpsServer server;

  /** Starts it. */
  public LocalHttps(HttpHandler handler) {
    try {
      server = HttpsServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
      server.setHttpsConfigurator(new HttpsConfigurator(tls(Keys.STORE)));
      server.setExecutor(
          Executors.newCachedThreadPool(
              Thread.ofPlatform().daemon().name("local-https").factory()));
      server.createContext("/", handler);
      server.start();
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the port of the server. */
  public int port() {
    return server.getAddress().getPort();
  }

  /** Its certificate, in DER, which is its own authority. */
  public byte[] certificate() {
    try {
      return Keys.STORE.getCertificate(NAME).getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }

  /** Makes keys with the JDK's own tool, since no library at hand makes certificates. */
  private static KeyStore makeKeys() {
    try {
      Path directory = Files.createTempDirectory("local-https");
      Path file = directory.resolve("local.p12");
      try {
        return keys(file);
      } finally {
        Files.deleteIfExists(file);
        Files.delete(directory);
      }
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static KeyStore keys(Path file) throws IOException, GeneralSecurityException {
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-genkeypair",
                "-alias",
                NAME,
                "-keyalg",
                "EC",
                "-dname",
                "CN=local",
                "-ext",
                "san=ip:127.0.0.1",
                "-ext",
                "bc:c",
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(keytool.getInputStream().readAllBytes(), UTF_8);
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream stream = Files.newInputStream(file)) {
      keys.load(stream, PASSWORD);
    } catch (IOException e) {
      throw new UncheckedIOException(output, e);
    }
    return keys;
  }

  private static SSLContext tls(KeyStore keys) throws GeneralSecurityException {
    var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context;
  }
}
