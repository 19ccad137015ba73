/**
 * Pure: from pods, claims, Events and Kubernetes nodes to the reason why a node makes no progress.
 * Events and Kubernetes nodes are read only for a pod that is missing, unready for a minute, or no
 * longer reported.
 */
package io.sei.operator.diagnosis;
