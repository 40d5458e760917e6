/** Deliberate defects of DAST's nodes: each alters one kind of message that a node sends. */
package dev.plumbline.dast.bugs;
