package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/** A real seid of the same pod, found in {@code /proc} as the real sidecar finds it. */
final class SeidOfPod implements SeidProcess {

  private static final URI STATUS = URI.create("http://localhost:26657/status");
  private static final int TIMEOUT_MILLIS = 500;
  private static final ObjectMapper JSON = new ObjectMapper();

  @Override
  public Optional<String> run() {
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
      for (Path process : processes) {
        if (isSeid(process)) {
          return Optional.of(process.getFileName().toString());
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The shell that waits for the sidecar is not yet seid, and neither is {@code seid init}. */
  private static boolean isSeid(Path process) {
    try {
      String[] words =
          Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1).split("\0");
      return words.length > 1
          && (words[0].equals("seid") || words[0].endsWith("/seid"))
          && words[1].equals("start");
    } catch (IOException hasEnded) {
      return false;
    }
  }

  @Override
  public OptionalLong height() {
    try {
      var connection = (HttpURLConnection) STATUS.toURL().openConnection();
      connection.setConnectTimeout(TIMEOUT_MILLIS);
      connection.setReadTimeout(TIMEOUT_MILLIS);
      try (InputStream body = connection.getInputStream()) {
        JsonNode height = JSON.readTree(body).findValue("latest_block_height");
        return height == null ? OptionalLong.empty() : OptionalLong.of(height.asLong());
      }
    } catch (IOException silent) {
      return OptionalLong.empty();
    }
  }

  @Override
  public void terminate() {
    run().map(Long::valueOf).flatMap(ProcessHandle::of).ifPresent(ProcessHandle::destroy);
  }
}
