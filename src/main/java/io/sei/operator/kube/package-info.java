/** A thin layer over the API server; its reads are live. */
package io.sei.operator.kube;
