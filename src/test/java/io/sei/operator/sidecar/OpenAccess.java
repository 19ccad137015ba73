package io.sei.operator.sidecar;

/** Lets every sidecar be asked, with a token of one audience. */
public record OpenAccess(Audience audience) implements SidecarAccess {

  @Override
  public Audience audience(SidecarAddress sidecar) {
    return audience;
  }

  @Override
  public void check(SidecarAddress sidecar) {
    // Nothing is wrong.
  }
}
