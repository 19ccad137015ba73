package io.sei.operator.node.objects;

import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RestoredClaimSizeTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          restoreSize: 20Gi | 20Gi
          restoreSize: 0    | 30Gi
          error: null       | 30Gi
          """)
  void aDriverThatReportsNoSizeLeavesThatOfTheSource(String status, String size) {
    assertThat(RestoredClaim.size(snapshot(status, "data-a"), name -> claim("30Gi")))
        .contains(new Quantity(size));
  }

  @Test
  void aSourceThatIsGoneOrWasImportedLeavesTheSizeOfTheSpec() {
    VolumeSnapshot imported = snapshot("restoreSize: 0", null);

    assertThat(RestoredClaim.size(snapshot("restoreSize: 0", "data-a"), name -> Optional.empty()))
        .isEmpty();
    assertThat(RestoredClaim.size(imported, name -> claim("30Gi"))).isEmpty();
  }

  private static VolumeSnapshot snapshot(String status, String source) {
    return yaml(
        VolumeSnapshot.class,
        """
        spec: {source: {persistentVolumeClaimName: %s}}
        status: {%s}
        """,
        source,
        status);
  }

  private static Optional<PersistentVolumeClaim> claim(String size) {
    return Optional.of(
        yaml(PersistentVolumeClaim.class, "status: {capacity: {storage: %s}}", size));
  }
}
