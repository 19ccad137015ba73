package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Collections;
import java.util.List;

/** A bearer token as the API server judges it. */
final class ReviewedToken {

  private static final String BEARER = "Bearer ";

  private ReviewedToken() {}

  /**
   * Returns whether the header holds a token for one of these audiences; without any, for the API
   * server.
   */
  static boolean isGenuine(
      KubernetesClient reviewer, String authorization, List<String> audiences) {
    if (!authorization.startsWith(BEARER)) {
      return false;
    }
    TokenReview review =
        reviewer
            .tokenReviews()
            .create(
                new TokenReviewBuilder()
                    .withNewSpec()
                    .withToken(authorization.substring(BEARER.length()))
                    .withAudiences(audiences)
                    .endSpec()
                    .build());
    // The API server names those that the token has in common with the asked for.
    return Boolean.TRUE.equals(review.getStatus().getAuthenticated())
        && (audiences.isEmpty()
            || !Collections.disjoint(audiences, review.getStatus().getAudiences()));
  }
}
