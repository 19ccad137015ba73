package io.sei.operator.chain;

import static io.sei.operator.chain.Release.require;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * PURE: the releases of seid that are known, and the images that must not run. A version between
 * two releases of a minor version has what the earlier one has. Nothing is known of any other
 * version.
 *
 * @param releases by version, the oldest first
 * @param images builds that no node, or no validator, may run
 */
public record Releases(List<Release> releases, List<Image> images) {

  /** Nodes that an image must not run on. */
  public enum Nodes {
    @JsonProperty("All")
    ALL,
    @JsonProperty("Validators")
    VALIDATORS,
    /** Lifts an earlier ban of the tag. */
    @JsonProperty("None")
    NONE
  }

  /**
   * Images that must not run.
   *
   * @param tag their tags; * stands for any characters
   * @param nodes the nodes that must not run them
   * @param why the reason, which completes "must not run: "
   * @param source page or commit that says so
   */
  public record Image(String tag, Nodes nodes, String why, String source) {
    /** Checks the fields. */
    public Image {
      require(tag != null && !tag.replace("*", "").isEmpty(), "tag must have a character but *");
      require(nodes != null, "nodes is missing");
      require(why != null, "why is missing");
    }

    private boolean covers(String image, boolean isValidator) {
      if (nodes == Nodes.NONE || (nodes == Nodes.VALIDATORS && !isValidator)) {
        return false;
      }
      return isTagLike(SeidVersion.tag(image));
    }

    /** Compares without a regular expression, which some patterns would keep busy for ever. */
    private boolean isTagLike(String candidate) {
      String[] parts = tag.split("\\*", -1);
      String last = parts[parts.length - 1];
      if (parts.length == 1) {
        return candidate.equals(tag);
      }
      int from = parts[0].length();
      if (!candidate.startsWith(parts[0])) {
        return false;
      }
      for (int i = 1; i < parts.length - 1; i++) {
        int at = candidate.indexOf(parts[i], from);
        if (at < 0) {
          return false;
        }
        from = at + parts[i].length();
      }
      return candidate.length() >= from + last.length() && candidate.endsWith(last);
    }
  }

  /** Orders the releases, of which there is one for each version. */
  public Releases {
    releases =
        releases == null
            ? List.of()
            : releases.stream()
                .sorted(Comparator.comparing(Release::version, SeidVersion.BY_NUMBER))
                .toList();
    images = images == null ? List.of() : List.copyOf(images);
    long versions = releases.stream().map(Release::version).distinct().count();
    require(versions == releases.size(), "releases has a version twice");
  }

  /** Returns this list with the entries of another one, which replace those of the same name. */
  public Releases with(Releases other) {
    Map<SeidVersion, Release> byVersion = new TreeMap<>(SeidVersion.BY_NUMBER);
    Stream.of(this, other)
        .flatMap(list -> list.releases.stream())
        .forEach(release -> byVersion.put(release.version(), release));
    Map<String, Image> byTag = new LinkedHashMap<>();
    Stream.of(this, other)
        .flatMap(list -> list.images.stream())
        .forEach(image -> byTag.put(image.tag(), image));
    return new Releases(List.copyOf(byVersion.values()), List.copyOf(byTag.values()));
  }

  /** Returns the release that a version is, or follows with another patch number. */
  public Optional<Release> of(SeidVersion version) {
    return upTo(version)
        .filter(release -> version.isPatchOf(release.version()))
        .reduce((_, later) -> later);
  }

  /** Returns whether a version is known. */
  public boolean has(SeidVersion version) {
    return of(version).isPresent();
  }

  /** Returns the releases after a version, up to another one; none unless both are known. */
  public List<Release> between(SeidVersion from, SeidVersion to) {
    if (!has(from) || !has(to)) {
      return List.of();
    }
    return upTo(to).filter(release -> from.isBefore(release.version())).toList();
  }

  /** Returns the ports that some release adds or removes. */
  public Set<Integer> changedPorts() {
    return releases.stream()
        .flatMap(release -> release.ports().stream())
        .map(Release.Port::number)
        .collect(Collectors.toSet());
  }

  /** Returns those of these ports that a known version serves. */
  public Set<Integer> servedPorts(SeidVersion version) {
    return changedPorts().stream()
        .filter(port -> isServed(port, version))
        .collect(Collectors.toSet());
  }

  /** Returns the release since which seid does not serve a port; empty if the last one does. */
  public Optional<Release> removalOf(int port) {
    return releases.stream()
        .filter(release -> release.ports().stream().anyMatch(change -> change.number() == port))
        .reduce((_, later) -> later)
        .filter(
            release ->
                release.ports().stream()
                    .anyMatch(
                        change ->
                            change.number() == port && change.change() == Release.Change.REMOVED));
  }

  private boolean isServed(int port, SeidVersion version) {
    Optional<Release.Change> last = changes(port, upTo(version)).reduce((_, later) -> later);
    if (last.isPresent()) {
      return last.get() == Release.Change.ADDED;
    }
    return changes(port, releases.stream()).findFirst().get() == Release.Change.REMOVED;
  }

  private static Stream<Release.Change> changes(int port, Stream<Release> releases) {
    return releases
        .flatMap(release -> release.ports().stream())
        .filter(candidate -> candidate.number() == port)
        .map(Release.Port::change);
  }

  private Stream<Release> upTo(SeidVersion version) {
    return releases.stream().filter(release -> !version.isBefore(release.version()));
  }

  /** Returns the first release that has the handler of an upgrade; empty if none is known. */
  public Optional<Release> ofPlan(String plan) {
    return releases.stream().filter(release -> plan.equals(release.plan())).findFirst();
  }

  /** Returns the first release that freezes a node; empty if none is known. */
  public Optional<Release> firstWithFreeze() {
    return releases.stream().filter(release -> release.freeze() != null).findFirst();
  }

  /** Returns the reason for which a node must not run an image. */
  public Optional<Image> ban(String image, boolean isValidator) {
    return images.stream().filter(ban -> ban.covers(image, isValidator)).findFirst();
  }
}
