/**
 * Model checking: what {@code checks.yaml} lists, the processes that check it, what is remembered
 * of their outcomes, and the reports. Also where things are ({@link
 * dev.plumbline.check.Workspace}).
 */
package dev.plumbline.check;
