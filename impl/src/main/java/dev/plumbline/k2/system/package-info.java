/** K2 in the simulator: the deployment, its client, and what must hold when all is quiet. */
package dev.plumbline.k2.system;
