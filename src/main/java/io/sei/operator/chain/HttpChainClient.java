package io.sei.operator.chain;

import io.sei.operator.base.UntrustedHttp;
import io.sei.operator.base.UntrustedText;
import io.sei.operator.config.UrlTemplate;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

/** Asks over CometBFT's RPC, without a token. Nothing that it answers is trusted. */
public final class HttpChainClient implements ChainClient, SyncClient, AutoCloseable {

  /** A status is 2 KiB, and a plan with long words of its proposer as much. */
  private static final int MAX_BODY_BYTES = 64 * 1024;

  /** Peers of a node may be described in megabytes, behind their number. */
  private static final int MAX_NET_INFO_BYTES = 4 * 1024;

  /** Sei allows 10,000 characters for the description of each of ten proposals. */
  private static final int MAX_PROPOSALS_BYTES = 512 * 1024;

  /** A block of pacific-1 is some 100 KiB, one that is full more than most networks allow. */
  private static final int MAX_BLOCK_BYTES = 4 * 1024 * 1024;

  private static final int THREADS = 2;

  private static final String STATUS = "/status";

  private static final String NET_INFO = "/net_info";

  /** CometBFT takes a string in quotes. */
  private static final String CURRENT_PLAN =
      "/abci_query?path=%22/cosmos.upgrade.v1beta1.Query/CurrentPlan%22";

  private final UrlTemplate url;
  private final UntrustedHttp http;

  /**
   * @param url where the RPC of nodes is
   */
  public HttpChainClient(UrlTemplate url) {
    this(url, LIMIT);
  }

  HttpChainClient(UrlTemplate url, Duration timeout) {
    this.url = url;
    this.http = new UntrustedHttp("chain-http", THREADS, timeout);
  }

  @Override
  public CompletableFuture<ChainAnswer> ask(NodeRpc node, String chainId) {
    // All at once, so that all are there in time.
    var head = get(node, STATUS).thenApply(RpcAnswers::head);
    var plan =
        get(node, CURRENT_PLAN).thenApply(RpcAnswers::queried).thenApply(CurrentPlan::decode);
    var proposed =
        get(node, Governance.OPEN_PROPOSALS, MAX_PROPOSALS_BYTES)
            .thenApply(RpcAnswers::queried)
            .thenApply(body -> Optional.of(Governance.proposed(body)))
            .exceptionally(error -> Optional.empty());
    return head.thenCombine(plan, ChainAnswer::new)
        .thenCombine(proposed, ChainAnswer::withProposed)
        .thenApply(answer -> of(chainId, answer.head().chainId(), answer))
        .exceptionallyCompose(error -> CompletableFuture.failedFuture(unusable(error)));
  }

  @Override
  public CompletableFuture<Duration> votingPeriod(NodeRpc node) {
    return get(node, Governance.VOTING_PARAMS)
        .thenApply(RpcAnswers::queried)
        .thenApply(Governance::votingPeriod)
        .exceptionallyCompose(error -> CompletableFuture.failedFuture(unusable(error)));
  }

  @Override
  public CompletableFuture<SyncState> askSync(NodeRpc node, String chainId) {
    // One after the other over one connection, which seid closes when it is idle for ten seconds.
    return get(node, STATUS)
        .thenApply(RpcAnswers::sync)
        .thenApply(answer -> of(chainId, answer.chainId(), answer))
        .thenCompose(state -> peers(node).thenApply(peers -> withPeers(state, peers)))
        .exceptionallyCompose(error -> CompletableFuture.failedFuture(unusable(error)));
  }

  private CompletableFuture<Optional<Integer>> peers(NodeRpc node) {
    return get(node, NET_INFO, MAX_NET_INFO_BYTES)
        .thenApply(RpcAnswers::peers)
        .exceptionally(error -> Optional.empty());
  }

  /**
   * Asks a node for the version of its seid. Waits for the answer, {@link #LIMIT} at most.
   *
   * @return empty if the answer has no version
   */
  public Optional<SeidVersion> version(NodeRpc node) {
    try {
      return RpcAnswers.version(get(node, "/abci_info").join());
    } catch (CompletionException e) {
      throw unusable(e);
    }
  }

  /**
   * Looks for a transaction in a block of a node, which needs no index of transactions. Waits for
   * the answers, {@link #LIMIT} each at most.
   *
   * @param txHash SHA-256 of the transaction in hexadecimal
   * @throws UnusableAnswer also if the node does not have the block
   */
  public SearchedBlock search(NodeRpc node, long height, String txHash) {
    try {
      var block =
          BlockAnswers.block(get(node, "/block?height=" + height, MAX_BLOCK_BYTES).join(), txHash);
      if (block.index().isEmpty()) {
        return new SearchedBlock(block.time(), Optional.empty());
      }
      byte[] results = get(node, "/block_results?height=" + height, MAX_BLOCK_BYTES).join();
      return new SearchedBlock(
          block.time(),
          Optional.of(BlockAnswers.result(results, height, block.index().getAsInt())));
    } catch (CompletionException e) {
      throw unusable(e);
    }
  }

  private static SyncState withPeers(SyncState state, Optional<Integer> peers) {
    return new SyncState(
        state.chainId(),
        state.height(),
        state.time(),
        state.catchingUp(),
        state.furthest(),
        peers,
        state.signingKey());
  }

  /** Ends the threads; requests in flight fail. */
  @Override
  public void close() {
    http.close();
  }

  private CompletableFuture<byte[]> get(NodeRpc node, String path) {
    return get(node, path, MAX_BODY_BYTES);
  }

  private CompletableFuture<byte[]> get(NodeRpc node, String path, int limit) {
    try {
      URI base =
          url.urlOf(node.namespace(), node.nodeName(), node.podIp())
              .orElseThrow(() -> new UnusableAnswer("its pod has no address yet"));
      var request = HttpRequest.newBuilder(URI.create(base + path)).GET().build();
      return http.send(request, limit).thenApply(HttpResponse::body);
    } catch (IllegalArgumentException | UnusableAnswer e) {
      // Names that the configured template does not make a host of, or a pod without an address.
      return CompletableFuture.failedFuture(e);
    }
  }

  private static <A> A of(String chainId, String said, A answer) {
    if (!chainId.equals(said)) {
      throw new UnusableAnswer("it is on chain \"%s\"".formatted(UntrustedText.clean(said)));
    }
    return answer;
  }

  private static UnusableAnswer unusable(Throwable error) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    if (cause instanceof UnusableAnswer said) {
      return said;
    }
    if (cause instanceof TimeoutException || cause instanceof HttpTimeoutException) {
      return new UnusableAnswer("its RPC does not answer in time");
    }
    return new UnusableAnswer(
        cause instanceof ConnectException
            ? "cannot connect to its RPC"
            : UntrustedText.clean(cause.getClass().getSimpleName() + ": " + cause.getMessage()));
  }
}
