/** How the machines are run: their nodes, their clients, what may happen to them. */
package ${package}.system;
