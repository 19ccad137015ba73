package io.sei.operator.base;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A bearer token in a file that another program, usually the kubelet, replaces now and then. */
public final class TokenFile {
  private static final Logger log = LoggerFactory.getLogger(TokenFile.class);

  /** Characters that RFC 6750 allows in an Authorization header. */
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]+=*");

  private final Path path;
  private volatile boolean warned;

  /**
   * @param path need not exist
   */
  public TokenFile(Path path) {
    this.path = path;
  }

  /** The token as the file holds it now, or empty if there is no such file or no token in it. */
  public Optional<String> read() {
    try {
      var text = Files.readString(path).strip();
      if (TOKEN.matcher(text).matches()) {
        warned = false;
        return Optional.of(text);
      }
      warn("holds no bearer token");
    } catch (NoSuchFileException e) {
      warned = false;
    } catch (IOException e) {
      warn("cannot be read: " + e);
    }
    return Optional.empty();
  }

  /** Logs a fault once until it changes, and not for each request. */
  private void warn(String fault) {
    if (!warned) {
      warned = true;
      log.warn("{} {}; requests go without a token", path, fault);
    }
  }
}
