/**
 * Code to specification: steps a specification along the logs of a run, keeping the exact set of
 * states that it can be in.
 */
package dev.plumbline.validate;
