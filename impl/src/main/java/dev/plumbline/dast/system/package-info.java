/** How DAST's machines are run: nodes, clients, loads, and what runs should come into. */
package dev.plumbline.dast.system;
