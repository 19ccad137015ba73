package io.sei.operator.kube;

import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Requests short-lived tokens of ServiceAccounts (TokenRequest), each when it is first needed, and
 * returns the same token while it is valid for another two minutes.
 */
public final class ServiceAccountTokens {

  /** The shortest lifetime that the API server grants. */
  private static final Duration LIFETIME = Duration.ofMinutes(10);

  /** Covers the request that the token is returned for, and clocks that differ. */
  private static final Duration MARGIN = Duration.ofMinutes(2);

  /** A token that is rejected sooner is valid, and its receiver would reject another one too. */
  private static final Duration MIN_AGE_TO_REPLACE = Duration.ofMinutes(1);

  /** All nodes share an account, and one refusal per node would look like an attack. */
  private static final Duration REFUSAL_MEMORY = Duration.ofSeconds(10);

  private static final Set<Integer> LASTING =
      Set.of(HttpURLConnection.HTTP_FORBIDDEN, HttpURLConnection.HTTP_NOT_FOUND);

  private record Account(String namespace, String name) {}

  private record Key(Account account, Optional<String> audience) {}

  private record Token(String value, Instant requestedAt, Instant usableUntil) {}

  private record Refused(KubernetesClientException refusal, Instant until) {}

  /** The place of one token; its monitor is held while the token is requested. */
  private static final class Slot {
    private volatile Token token;

    private boolean isUsable(Instant now) {
      return token != null && now.isBefore(token.usableUntil());
    }

    /** A slot without a token is in use: its token is being requested. */
    private boolean isOutdated(Instant now) {
      Token known = token;
      return known != null && !now.isBefore(known.usableUntil());
    }

    private boolean holds(String value, Instant since) {
      Token known = token;
      return known != null && known.value().equals(value) && !known.requestedAt().isAfter(since);
    }
  }

  private final KubernetesClient client;
  private final Clock clock;
  private final Map<Key, Slot> slots = new ConcurrentHashMap<>();
  private final Map<Account, Refused> refusals = new ConcurrentHashMap<>();

  /**
   * @param clock tells ages, whatever the time is said to be
   */
  public ServiceAccountTokens(KubernetesClient client, Clock clock) {
    this.client = client;
    this.clock = clock;
  }

  /**
   * Returns a token of a ServiceAccount; requests one if none is kept.
   *
   * @param audience who accepts the token; empty means the API server
   * @throws KubernetesClientException if the API server issues none: 403 without the right to
   *     {@code serviceaccounts/token}, 404 without the account
   */
  public String token(String namespace, String account, Optional<String> audience) {
    Key key = new Key(new Account(namespace, account), audience);
    Slot slot = slots.computeIfAbsent(key, unknown -> new Slot());
    synchronized (slot) {
      Instant now = clock.instant();
      if (slot.isUsable(now)) {
        return slot.token.value();
      }
      slots.values().removeIf(other -> other != slot && other.isOutdated(now));
      try {
        slot.token = request(key, now);
      } catch (KubernetesClientException e) {
        slots.remove(key, slot);
        throw e;
      }
      // The request for another node may have removed the slot while its token was outdated.
      slots.put(key, slot);
      return slot.token.value();
    }
  }

  /**
   * Forgets a token that a receiver rejected although it is valid by its age: the account may have
   * been recreated, or the API server's signing key replaced.
   */
  public void rejected(String token) {
    Instant settled = clock.instant().minus(MIN_AGE_TO_REPLACE);
    slots.values().removeIf(slot -> slot.holds(token, settled));
  }

  private Token request(Key key, Instant now) {
    Account account = key.account();
    Refused refused = refusals.get(account);
    if (refused != null && now.isBefore(refused.until())) {
      throw refused.refusal();
    }
    try {
      TokenRequest issued =
          client
              .serviceAccounts()
              .inNamespace(account.namespace())
              .withName(account.name())
              .tokenRequest(
                  new TokenRequestBuilder()
                      .withNewSpec()
                      .withAudiences(key.audience().map(List::of).orElse(List.of()))
                      .withExpirationSeconds(LIFETIME.toSeconds())
                      .endSpec()
                      .build());
      refusals.remove(account);
      return new Token(issued.getStatus().getToken(), now, now.plus(LIFETIME).minus(MARGIN));
    } catch (KubernetesClientException e) {
      if (LASTING.contains(e.getCode())) {
        refusals.put(account, new Refused(e, now.plus(REFUSAL_MEMORY)));
      }
      throw e;
    }
  }
}
