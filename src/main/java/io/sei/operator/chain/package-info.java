/** Client of a node's RPC, and, pure, what its answers mean. */
package io.sei.operator.chain;
