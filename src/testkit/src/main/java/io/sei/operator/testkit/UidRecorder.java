package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Every uid that objects of one name have had since it began to watch, oldest first. */
public final class UidRecorder implements AutoCloseable {

  private final List<String> uids = new CopyOnWriteArrayList<>();
  private final Watch watch;

  private <T extends HasMetadata> UidRecorder(Resource<T> object) {
    watch =
        object.watch(
            new Watcher<>() {
              @Override
              public void eventReceived(Action action, T seen) {
                String uid = seen.getMetadata().getUid();
                if (!uids.contains(uid)) {
                  uids.add(uid);
                }
              }

              @Override
              public void onClose(WatcherException cause) {}
            });
  }

  /** Watches the object of this name; one that exists already counts. */
  public static <T extends HasMetadata> UidRecorder of(Resource<T> object) {
    return new UidRecorder(object);
  }

  /** The uids seen so far. */
  public List<String> uids() {
    return List.copyOf(uids);
  }

  @Override
  public void close() {
    watch.close();
  }
}
