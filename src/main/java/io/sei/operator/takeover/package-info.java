/** The Go operator: its field managers, whether it runs, and what its pods stand for. */
package io.sei.operator.takeover;
