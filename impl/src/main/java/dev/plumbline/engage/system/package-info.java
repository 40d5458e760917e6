/** ENGAGE in the simulator: deployments, clients, machines. */
package dev.plumbline.engage.system;
