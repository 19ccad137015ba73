package io.sei.operator.sidecar;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A bearer token in a file that somebody else, usually the kubelet, replaces now and then. */
final class TokenFile {
  private static final Logger log = LoggerFactory.getLogger(TokenFile.class);

  /** What RFC 6750 allows in an Authorization header. */
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]+=*");

  private final Path path;
  private FileTime readAt;
  private Optional<String> token = Optional.empty();

  TokenFile(Path path) {
    this.path = path;
  }

  /** The token, or empty if there is no such file or nothing usable in it. */
  synchronized Optional<String> current() {
    var modified = lastModified();
    if (modified.isEmpty()) {
      readAt = null;
      token = Optional.empty();
    } else if (!modified.get().equals(readAt)) {
      token = read();
      readAt = modified.get();
    }
    return token;
  }

  /** The token as the file holds it now, even if its time has not changed. */
  synchronized Optional<String> reread() {
    readAt = null;
    return current();
  }

  /** What is wrong with the file that there is no token. */
  String absence() {
    return path + (Files.exists(path) ? " holds none" : " does not exist");
  }

  private Optional<FileTime> lastModified() {
    try {
      return Optional.of(Files.getLastModifiedTime(path));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private Optional<String> read() {
    try {
      var text = Files.readString(path).strip();
      if (TOKEN.matcher(text).matches()) {
        return Optional.of(text);
      }
      log.warn("{} holds no bearer token; sidecars are asked without one", path);
    } catch (IOException e) {
      log.warn("Cannot read {}; sidecars are asked without a token", path, e);
    }
    return Optional.empty();
  }
}
