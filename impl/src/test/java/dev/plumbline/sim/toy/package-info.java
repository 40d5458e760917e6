/** A primary-backup store: small, correct unless a bug is switched on; tests the simulator. */
package dev.plumbline.sim.toy;
