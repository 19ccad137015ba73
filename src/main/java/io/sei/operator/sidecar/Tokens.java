package io.sei.operator.sidecar;

import io.sei.operator.config.SidecarConfig;
import java.util.Optional;

/** The tokens that the operator can show, one for each audience. */
final class Tokens {
  private final TokenFile ofApiServer;
  private final TokenFile ofSidecars;

  Tokens(SidecarConfig config) {
    this.ofApiServer = new TokenFile(config.tokenFile());
    this.ofSidecars = new TokenFile(config.audienceTokenFile());
  }

  /** A token for this audience and for no other, if there is one. */
  Optional<String> current(Audience audience) {
    return file(audience).current();
  }

  /** The same, as the file holds it now even if its time has not changed. */
  Optional<String> reread(Audience audience) {
    return file(audience).reread();
  }

  /** Why a request was sent without a token. */
  String absence(Audience audience) {
    return "no token was sent: " + file(audience).absence();
  }

  private TokenFile file(Audience audience) {
    return audience == Audience.SIDECAR ? ofSidecars : ofApiServer;
  }
}
