package io.sei.operator.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.kube.KubernetesClients;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class FieldOwnershipTest {

  private static final JsonMapper JSON = new JsonMapper();

  /** Never connects. */
  private static final KubernetesClient CLIENT =
      KubernetesClients.create(new ConfigBuilder().build());

  private final FieldOwnership ownership = new FieldOwnership(CLIENT, "ours");

  @AfterAll
  static void close() {
    CLIENT.close();
  }

  @Test
  void updatesOfPredecessorsBecomeOurApply() {
    assertFolded(
        """
        [{'manager':'manager','operation':'Update','fieldsV1':{'f:a':{}}}]""",
        """
        [{'manager':'ours','operation':'Apply','fieldsV1':{'f:a':{}}}]""");
  }

  @Test
  void updatesOfPredecessorsAreMergedIntoOurApply() {
    assertFolded(
        """
        [{'manager':'ours','operation':'Apply','fieldsV1':{'f:m':{'f:a':{}}}},
         {'manager':'manager','operation':'Update','fieldsV1':{'f:m':{'f:b':{}},'f:s':{}}}]""",
        """
        [{'manager':'ours','operation':'Apply','fieldsV1':{'f:m':{'f:a':{},'f:b':{}},'f:s':{}}}]""");
  }

  @Test
  void orderOfTheEntriesDoesNotMatter() {
    assertFolded(
        """
        [{'manager':'manager','operation':'Update','time':'t1','fieldsV1':{'f:b':{}}},
         {'manager':'other','operation':'Update','fieldsV1':{'f:x':{}}},
         {'manager':'ours','operation':'Apply','time':'t2','fieldsV1':{'f:a':{}}}]""",
        """
        [{'manager':'ours','operation':'Apply','time':'t1','fieldsV1':{'f:b':{},'f:a':{}}},
         {'manager':'other','operation':'Update','fieldsV1':{'f:x':{}}}]""");
  }

  @Test
  void ourOwnUpdatesAreFoldedToo() {
    assertFolded(
        """
        [{'manager':'ours','operation':'Update','fieldsV1':{'f:a':{}}}]""",
        """
        [{'manager':'ours','operation':'Apply','fieldsV1':{'f:a':{}}}]""");
  }

  @Test
  void whatOthersOwnIsLeftToThem() {
    String others =
        """
        [{'manager':'kubectl-edit','operation':'Update','fieldsV1':{'f:a':{}}},
         {'manager':'manager','operation':'Apply','fieldsV1':{'f:b':{}}},
         {'manager':'manager','operation':'Update','subresource':'status','fieldsV1':{'f:c':{}}},
         {'manager':'ours','operation':'Apply','fieldsV1':{'f:d':{}}}]""";
    assertFolded(others, others);
  }

  @Test
  void whatIsLeftStaysWithItsOwnerAlsoTheNextTime() {
    String left =
        """
        [{'manager':'manager','operation':'Update','time':'t','fieldsV1':{'f:spec':{'f:own':{}}}},
         {'manager':'ours','operation':'Apply','time':'t','fieldsV1':{'f:spec':{'f:a':{}}}}]""";
    assertFolded(
        """
        [{'manager':'manager','operation':'Update','time':'t',
          'fieldsV1':{'f:spec':{'f:own':{},'f:a':{}}}}]""",
        left,
        "spec.own",
        "spec.none",
        "none.at.all");
    assertFolded(left, left, "spec.own");
  }

  @Test
  void whatIsLeftIsTakenOutWithAllThatIsInItAndParentsThatItLeavesEmpty() {
    assertFolded(
        """
        [{'manager':'ours','operation':'Apply','fieldsV1':{'f:spec':{'f:o':{'f:own':{'f:a':{}}}}}},
         {'manager':'manager','operation':'Update',
          'fieldsV1':{'f:m':{},'f:spec':{'f:o':{'f:own':{'f:a':{},'f:b':{}}}}}}]""",
        """
        [{'manager':'ours','operation':'Apply',
          'fieldsV1':{'f:spec':{'f:o':{'f:own':{'f:a':{}}}},'f:m':{}}},
         {'manager':'manager','operation':'Update',
          'fieldsV1':{'f:spec':{'f:o':{'f:own':{'f:a':{},'f:b':{}}}}}}]""",
        "spec.o.own");
    assertFolded(
        """
        [{'manager':'manager','operation':'Update','fieldsV1':{'f:spec':{'f:own':{}}}}]""",
        """
        [{'manager':'manager','operation':'Update','fieldsV1':{'f:spec':{'f:own':{}}}}]""",
        "spec.own");
  }

  @Test
  void objectWithoutManagedFieldsStaysWithout() {
    assertFolded("[]", "[]");
  }

  private void assertFolded(String before, String after, String... left) {
    assertThat(ownership.fold(json(before), Set.of(left))).isEqualTo(json(after));
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(text, e);
    }
  }
}
