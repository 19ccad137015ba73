package io.sei.operator.testkit;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Ends an operator's life at one of its requests, to the API server or to a sidecar, as SIGKILL
 * does: from then on nothing of it gets out, and no answer gets in.
 *
 * <p>Not counted are watches and the lists that fill caches, leases, events, and logs, which are
 * read beside the reconciles. A dead operator's are refused all the same.
 */
public final class KillSwitch implements Interceptor {

  /** Side of its last request on which an operator dies. */
  public enum Moment {
    /** The request is never sent. */
    BEFORE,
    /** The request is carried out, and its answer is lost. */
    AFTER
  }

  private static final Pattern CACHED =
      Pattern.compile("labelSelector=sei\\.io/node(deployment)?(,!sei\\.io/node)?(&|$)");

  private static final Pattern OURS = Pattern.compile("/sei(nodes|nodedeployments|nodetasks)$");

  private int survived = Integer.MAX_VALUE;
  private Moment moment = Moment.BEFORE;
  private String last;
  private boolean dead;
  private boolean held;

  /** The operator survives so many requests from now on, and dies at the next one. */
  public synchronized void arm(int requests, Moment at) {
    survived = requests;
    moment = at;
    last = null;
    dead = false;
  }

  /** Ends no operator from now on. */
  public synchronized void disarm() {
    arm(Integer.MAX_VALUE, Moment.BEFORE);
  }

  /** Returns whether the operator is dead. */
  public synchronized boolean hasStruck() {
    return dead;
  }

  /** The request the operator died at; null if it lives, or before one is chosen. */
  public synchronized String lastRequest() {
    return last;
  }

  /** Requests wait before they are sent until {@link #release()}. */
  public synchronized void hold() {
    held = true;
  }

  /** Lets requests go that wait. */
  public synchronized void release() {
    held = false;
    notifyAll();
  }

  @Override
  public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
    if (!admits(name(request), isCounted(request))) {
      throw new IllegalStateException("a dead operator asks for " + name(request));
    }
  }

  @Override
  public void after(
      HttpRequest request,
      HttpResponse<?> response,
      AsyncBody.Consumer<List<ByteBuffer>> consumer) {
    if (!hears(name(request))) {
      throw new IllegalStateException("a dead operator hears nothing of " + name(request));
    }
  }

  @Override
  public void afterConnectionFailure(HttpRequest request, Throwable failure) {
    hears(name(request));
  }

  /** Returns whether a request may be sent; returns when that is decided. */
  synchronized boolean admits(String request, boolean counted) {
    while (held && counted) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    if (last != null) {
      return false;
    }
    if (!counted || survived-- > 0) {
      return true;
    }
    last = request;
    dead = moment == Moment.BEFORE;
    return !dead;
  }

  /** Returns whether the answer to a request may be heard. */
  synchronized boolean hears(String request) {
    dead |= request.equals(last);
    return !dead;
  }

  private static String name(HttpRequest request) {
    return request.method() + " " + request.uri().getPath();
  }

  private static boolean isCounted(HttpRequest request) {
    String query = request.uri().getQuery();
    var seen =
        new RequestLog.Request(Instant.EPOCH, request.method(), request.uri().getPath(), query);
    boolean isLog = seen.path().endsWith("/log");
    return !seen.isWatch()
        && !seen.isAside()
        && !fillsCache(seen)
        && !isLog
        && !seen.path().equals("/version");
  }

  /** Caches hold what has a label, or all of a kind of ours; other lists select by a value. */
  private static boolean fillsCache(RequestLog.Request request) {
    return request.query() != null
        && request.query().contains("limit=")
        && (CACHED.matcher(request.query()).find() || OURS.matcher(request.path()).find());
  }
}
