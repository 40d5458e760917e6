/** Temporary folders, which the next process deletes if this one is killed. */
package dev.plumbline.scratch;
