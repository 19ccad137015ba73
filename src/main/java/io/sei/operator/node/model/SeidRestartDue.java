package io.sei.operator.node.model;

/**
 * That seid has to start again for what its files have.
 *
 * @param byItself whether it is restarted; else it waits for a person, or for its next start
 * @param why what is different, for a human
 */
public record SeidRestartDue(boolean byItself, String why) {}
