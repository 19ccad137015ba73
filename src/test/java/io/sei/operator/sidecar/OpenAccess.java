package io.sei.operator.sidecar;

import java.util.Optional;

/** Lets every sidecar be called, with the same token or with none. */
public record OpenAccess(Optional<String> token) implements SidecarAccess {

  @Override
  public Optional<String> token(SidecarAddress sidecar) {
    return token;
  }

  @Override
  public void rejected(String token) {
    // Another one would be the same.
  }

  @Override
  public void check(SidecarAddress sidecar) {
    // Nothing is wrong.
  }
}
