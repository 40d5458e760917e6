/** How the machines and their logs read in the specification's terms. */
package ${package}.binding;
