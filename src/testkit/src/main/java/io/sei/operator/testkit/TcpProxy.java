package io.sei.operator.testkit;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A TCP proxy in front of the API server, whose connections fail as networks make them fail. */
public final class TcpProxy implements AutoCloseable {

  /** The two sockets of a connection. */
  private final class Connection implements AutoCloseable {

    private final Socket client;
    private final Socket server;
    private volatile boolean isForwarding = true;

    private Connection(Socket client) throws IOException {
      this.client = client;
      this.server = new Socket(upstreamAddress.getAddress(), upstreamAddress.getPort());
    }

    private void forward(Socket from, Socket to) {
      try (this) {
        byte[] buffer = new byte[16 * 1024];
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
          if (isForwarding) {
            out.write(buffer, 0, read);
          }
        }
      } catch (IOException e) {
        // One of the sides has gone, and with it the connection.
      }
    }

    @Override
    public void close() {
      connections.remove(this);
      closeQuietly(client);
      closeQuietly(server);
    }
  }

  private final Config upstream;
  private final InetSocketAddress upstreamAddress;
  private final ServerSocket listener;
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

  /** Starts on a free port of the loopback address, in front of the server of this config. */
  public TcpProxy(Config upstream) {
    this.upstream = upstream;
    URI server = URI.create(upstream.getMasterUrl());
    this.upstreamAddress = new InetSocketAddress(server.getHost(), server.getPort());
    try {
      listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().name("tcp-proxy").start(this::accept);
  }

  /** A client configuration for this proxy and the same user. */
  public Config config() {
    return new ConfigBuilder(upstream)
        .withMasterUrl("https://127.0.0.1:" + listener.getLocalPort())
        .build();
  }

  /** Connections that are open now stay open, and nothing that is sent on them arrives. */
  public void stopForwarding() {
    connections.forEach(connection -> connection.isForwarding = false);
  }

  /** Ends connections that are open now towards the client, by a FIN without a TLS close. */
  public void finish() {
    connections.forEach(
        connection -> {
          try {
            connection.client.shutdownOutput();
          } catch (IOException e) {
            // The client has closed it by itself.
          }
        });
  }

  @Override
  public void close() {
    closeQuietly(listener);
    connections.forEach(Connection::close);
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Thread.ofVirtual().start(() -> serve(client));
      }
    } catch (IOException e) {
      // The proxy is closed.
    }
  }

  private void serve(Socket client) {
    try {
      var connection = new Connection(client);
      connections.add(connection);
      Thread.ofVirtual().start(() -> connection.forward(connection.server, client));
      connection.forward(client, connection.server);
    } catch (IOException e) {
      // As a proxy does whose server is away.
      closeQuietly(client);
    }
  }

  private static void closeQuietly(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception e) {
      // It is closed either way.
    }
  }
}
