package io.sei.operator.api.v1alpha1;

/** Patterns of the schema, shared with the operator's own validation. */
public final class Patterns {

  /** A DNS-1123 label without its length limit, as the Go operator's CRDs have it. */
  public static final String DNS_LABEL = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

  /** A DNS-1123 subdomain without its length limit, as most names of Kubernetes objects are. */
  public static final String DNS_SUBDOMAIN =
      "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";

  /** Name of a key in the operator's keyring. */
  public static final String KEY_NAME = "^[a-zA-Z0-9_-]+$";

  /** Name of a node or a fleet: what a Service may be called, and one label of a host name. */
  static final String NAME = "^[a-z][-a-z0-9]*$";

  static final String NAME_MESSAGE =
      "metadata.name must begin with a letter and have no dots: Services and host names are made of"
          + " it";

  /** A reference to a container image, as runtimes parse it. */
  static final String IMAGE =
      "^(([a-zA-Z0-9][-a-zA-Z0-9.]*|[[][a-fA-F0-9:]+[]])(:[0-9]+)?/)?[a-z0-9]+(([.]|__?|-+)[a-z0-9]+)*"
          + "(/[a-z0-9]+(([.]|__?|-+)[a-z0-9]+)*)*(:[a-zA-Z0-9_][-a-zA-Z0-9_.]{0,127})?"
          + "(@[a-zA-Z0-9+._-]+:[a-fA-F0-9]{32,})?$";

  static final String IMAGE_MESSAGE =
      "must be an image reference, such as ghcr.io/sei-protocol/sei:v6.0.0";

  /** A quantity that the API server can parse, without a minus. */
  public static final String QUANTITY =
      "^\\+?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][-+]?[0-9]+)?$";

  /** A time span as Go writes it, in hours, minutes and seconds. */
  public static final String DURATION = "^([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,6}s)?$";

  /** A Go duration with fractions and smaller units, as sidecars read it; empty counts as unset. */
  public static final String GO_DURATION = "^(0|([0-9]+([.][0-9]+)?(h|m|s|ms|us|ns))*)$";

  /** A port from 1 to 65535, as seid needs it. */
  private static final String PORT =
      ":([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])$";

  /** Address of a listener; an IPv6 address is in brackets. */
  public static final String ADDRESS = "^([^@:,/[:space:]]+|[[][a-fA-F0-9:]+[]])" + PORT;

  /**
   * A peer: the 20 bytes of its identity in hexadecimal and where it listens, as seid v6.6.2 reads
   * them at its start (sei-tendermint, types/node_id.go and internal/p2p/address.go).
   */
  public static final String PEER =
      "^[0-9a-fA-F]{40}@([^@:,/\\s\\[\\]]+|\\[[a-fA-F0-9:]+\\])" + PORT;

  /** Address on which seid listens for a remote signer: all addresses of its pod. */
  public static final String LISTEN = "^tcp://(0[.]0[.]0[.]0|\\[::\\]):[1-9][0-9]{3,4}$";

  /** 32 bytes in base64, spelled in the only way in which every decoder and encoder agrees. */
  public static final String PUBLIC_KEY = "^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$";

  /** A key of a ConfigMap. */
  public static final String CONFIG_KEY = "^[-._a-zA-Z0-9]+$";

  /** A file in seid's directory of configuration. */
  public static final String TOML_FILE = "^[A-Za-z0-9_-]+\\.toml$";

  /** A key of a TOML file, with the names of its tables before it. */
  public static final String TOML_KEY = "^[^.]+(\\.[^.]+)*$";

  /** Amount by which a volume grows. */
  public static final String GROWTH = "^[1-9][0-9]{0,5}(%|Gi|Ti)$";

  /** The node of a fleet whose volume is snapshotted. */
  public static final String SNAPSHOT_NODE = "^(Last|0|[1-9][0-9]?)$";

  /** Access type of a wasm code: the words of wasmd, or one address. */
  public static final String PERMISSION = "^(nobody|everybody|sei1.+)$";

  /** Message for a malformed peer. */
  public static final String PEER_SENTENCE =
      "must be ID@HOST:PORT, the 40 hexadecimal digits of a node id first, such as"
          + " 3f472746f46493309650e5a033076689996c8881@peer.example.com:26656";

  /** Message for a malformed duration. */
  public static final String DURATION_SENTENCE =
      "must be hours, minutes and seconds without spaces, such as 168h: there is no unit for days";

  private Patterns() {}
}
