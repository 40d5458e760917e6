/**
 * What does not outlive a process: temporary folders, which the next one deletes if it is killed,
 * and processes that it started.
 */
package dev.plumbline.scratch;
