package io.sei.operator.node.upgrade;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradePolicy;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.chain.ChainAnswer;
import io.sei.operator.chain.ChainHead;
import io.sei.operator.chain.ChainState;
import io.sei.operator.chain.UpgradePlan;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.testkit.HostileInput;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The templates are {@code a:{name}} and {@code b:{name}}, and the chain is at height 50. An entry
 * is a name, a height and an image; {@code #1} is a digest, and {@code !} another one elsewhere.
 * What the chain plans ends with {@code ?} where one node alone says so.
 */
class ChainListingTest {

  private static final List<String> TEMPLATES = List.of("a:{name}", "b:{name}");
  private static final String NONE = "-";
  private static final int STATUSES = 2_000;

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      nullValues = "?",
      value = {
        "two nodes report it       | -            | v2 100  | -            | v2 100 a:v2",
        "one node reports it       | -            | v2 100? | -            | -",
        "nobody has answered       | -            | ?       | -            | -",
        "nobody has, after restart | v2 100 a:v2#1| ?       | -            | v2 100 a:v2#1",
        "nothing new               | v2 100 a:v2#1| v2 100  | -            | v2 100 a:v2#1",
        "name that makes no tag    | -            | v2/x 100| -            | -",
        "name that begins with .   | -            | .v2 100 | -            | -",
        "tag that moves            | -            | latest 100 | -         | -",
        "cancelled                 | v2 100 a:v2#1| -       | -            | -",
        "cancelled, one node says  | v2 100 a:v2#1| -?      | -            | v2 100 a:v2#1",
        "reached by others         | v2 50 a:v2#1 | -       | -            | v2 50 a:v2#1",
        "put off                   | v2 100 a:v2#1| v2 200  | -            | v2 200 a:v2#1",
        "put off, one node says    | v2 100 a:v2#1| v2 200? | -            | v2 100 a:v2#1",
        "another in its place      | v2 100 a:v2#1| v3 200  | -            | v3 200 a:v3",
        "another, one node says    | v2 100 a:v2#1| v3 200? | -            | v2 100 a:v2#1",
        "next while one is behind  | v2 40 a:v2#1 | v3 100  | -            | v2 40 a:v2#1, v3 100"
            + " a:v3",
        "others have a digest      | -            | v2 100  | b:v2#1       | v2 100 b:v2#1",
        "others found one first    | v2 100 a:v2  | v2 100  | a:v2#1 b:v2#1| v2 100 a:v2#1",
        "others have none yet      | v2 100 a:v2  | v2 100  | a:v2         | v2 100 a:v2",
        "others disagree           | v2 100 a:v2  | v2 100  | a:v2#1 a:v2#2| v2 100 a:v2",
        "agreed                    | v2 100 a:v2#1| v2 100  | b:v2#1       | v2 100 a:v2#1",
        "another digest elsewhere  | v2 100 a:v2#1| v2 100  | a:v2#2       | v2 100 a:v2#1!",
        "it stays in dispute       | v2 100 a:v2#1!| v2 100 | a:v2#1       | v2 100 a:v2#1!",
        "digest of other templates | -            | v2 100  | c:v2#2       | v2 100 a:v2",
        "a plan without a patch    | -            | v6.8 100 | -           | v6.8 100 a:v6.8.0",
        "its other tag has a digest| v6.8 100 a:v6.8#1| v6.8 100 | -       | v6.8 100 a:v6.8#1",
        "a plan of three numbers   | -            | v6.8.1 100 | -         | v6.8.1 100 a:v6.8.1",
        "templates have changed    | v2 100 c:v2#1| v2 100  | c:v2#1       | v2 100 a:v2",
      })
  void listFollowsWhatTwoNodesReport(
      String what, String before, String plan, String others, String after) {
    NodeView view = snapshot(before, plan, TEMPLATES, List.of());

    assertThat(text(ChainListing.of(view, Map.of("v2", images(others))))).isEqualTo(after);
  }

  @Test
  void whatThePersonListsWinsByNameAndByHeight() {
    for (Upgrade listed :
        List.of(new Upgrade("v2", 99L, "x:1", null), new Upgrade("v9", 100L, "x:1", null))) {
      NodeView view = snapshot("v2 100 a:v2#1", "v2 100", TEMPLATES, List.of(listed));

      assertThat(ChainListing.of(view, Map.of())).isEmpty();
      assertThat(ChainEntries.effective(view.declared(), view.stored()).upgrades())
          .containsExactly(listed);
    }
  }

  @Test
  void nothingIsListedWithoutAPolicyAndNothingThatTheNodeIsPast() {
    assertThat(ChainListing.of(snapshot("v2 100 a:v2#1", "v2 100", List.of(), List.of()), Map.of()))
        .isEmpty();
    NodeView reached = snapshot("v2 100 a:v2#1", null, TEMPLATES, List.of());
    assertThat(ChainListing.of(reached.withHeight(Optional.of(101L)), Map.of())).isEmpty();
    assertThat(ChainListing.of(reached.withHeight(Optional.of(100L)), Map.of()))
        .as("it has the block of the height, and may be about to halt")
        .isNotEmpty();
    NodeView through = snapshot(NONE, "v2 100", TEMPLATES, List.of());
    UpgradeStatus applied = entry("v2 100 a:v2#1").withState(UpgradeState.APPLIED);
    assertThat(
            ChainListing.of(
                through.withStored(through.stored().withUpgrades(List.of(applied))), Map.of()))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"a:v2, false", "a:v2#1, true", "a:v2#1!, false"})
  void onlyWhatHasOneDigestCountsAsListed(String image, boolean counts) {
    NodeView view = snapshot("v2 100 " + image, "v2 100", TEMPLATES, List.of());

    assertThat(ChainEntries.effective(view.declared(), view.stored()).upgrades())
        .isEqualTo(
            counts
                ? List.of(new Upgrade("v2", 100L, entry("v2 100 " + image).image(), null))
                : null);
  }

  /** A record has to be decided again in the same way, or it would be written without end. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void whateverAStatusSaysTheListSettlesAtOnce(int seed) {
    var records = new HostileInput(new Random(seed), List.of("v2", "a:v2", "b:v2", "x/y"), true);
    for (int i = 0; i < STATUSES; i++) {
      List<UpgradeStatus> said =
          Stream.of(records.make(UpgradeStatus.class))
              .filter(
                  upgrade ->
                      upgrade.name() != null && upgrade.height() != null && upgrade.image() != null)
              .toList();
      NodeView empty = snapshot(NONE, "v2 100", TEMPLATES, List.of());
      NodeView before = empty.withStored(empty.stored().withUpgrades(said));
      Map<String, Set<String>> others = Map.of("v2", images("a:v2#1"));
      List<UpgradeStatus> listed = ChainListing.of(before, others);
      List<UpgradeStatus> recorded =
          Stream.concat(said.stream().filter(UpgradeStatus::isApplied), listed.stream()).toList();
      NodeView after = before.withStored(before.stored().withUpgrades(recorded));

      assertThat(ChainListing.of(after, others)).isEqualTo(listed);
      assertThat(ChainEntries.status(after, after.upgrades(), after.stored())).isNotNull();
    }
  }

  private static NodeView snapshot(
      String entries, String plan, List<String> templates, List<Upgrade> listed) {
    List<UpgradeStatus> records =
        entries.equals(NONE)
            ? null
            : Stream.of(entries.split(", ")).map(ChainListingTest::entry).toList();
    return aNode("sei:a")
        .spec(
            spec ->
                spec.withUpgradePolicy(new UpgradePolicy(templates))
                    .withUpgrades(listed.isEmpty() ? null : listed))
        .running()
        .status(status -> status.withUpgrades(records))
        .with(view -> view.withChain(Optional.ofNullable(plan).map(ChainListingTest::chain)))
        .view();
  }

  private static ChainState chain(String plan) {
    String[] words = plan.replace("?", "").split(" ");
    Optional<UpgradePlan> planned =
        words[0].equals(NONE)
            ? Optional.empty()
            : Optional.of(new UpgradePlan(words[0], Long.parseLong(words[1]), false));
    ChainState known =
        ChainState.of(new ChainAnswer(new ChainHead("c", 50, NodeSample.NOW), planned));
    return plan.endsWith("?") ? known : known.witnessed();
  }

  private static UpgradeStatus entry(String text) {
    String[] words = text.split(" ");
    UpgradeStatus entry =
        ChainEntries.sought(words[0], Long.parseLong(words[1]), image(words[2].replace("!", "")));
    return text.endsWith("!") ? entry.withPreviousImageID("another") : entry;
  }

  private static Set<String> images(String texts) {
    return Stream.of(texts.split(" "))
        .filter(text -> !text.equals(NONE))
        .map(ChainListingTest::image)
        .collect(Collectors.toSet());
  }

  private static String image(String text) {
    int digest = text.indexOf('#');
    return digest < 0
        ? text
        : text.substring(0, digest) + "@sha256:" + text.substring(digest + 1).repeat(64);
  }

  private static String text(List<UpgradeStatus> entries) {
    return entries.isEmpty()
        ? NONE
        : entries.stream().map(ChainListingTest::text).collect(Collectors.joining(", "));
  }

  private static String text(UpgradeStatus entry) {
    String image = entry.image().replaceAll("@sha256:(.).*", "#$1");
    return "%s %d %s%s"
        .formatted(entry.name(), entry.height(), image, ChainEntries.isDisputed(entry) ? "!" : "");
  }
}
