/** Metric in the simulator: the deployment, its clients, and what must hold when all is quiet. */
package dev.plumbline.metric.system;
