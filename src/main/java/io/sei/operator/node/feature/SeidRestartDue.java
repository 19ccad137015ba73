package io.sei.operator.node.feature;

/**
 * Restart of seid in its present pod, which it needs in order to read its configuration files.
 *
 * @param byItself whether the operator restarts it; else it waits for the user or its next start
 * @param why what is different, for the user
 */
public record SeidRestartDue(boolean byItself, String why) {}
