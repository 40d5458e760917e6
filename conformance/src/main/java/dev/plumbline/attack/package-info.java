/** A hostile peer of a node: malformed records and frames, wrong certificates, floods. */
package dev.plumbline.attack;
