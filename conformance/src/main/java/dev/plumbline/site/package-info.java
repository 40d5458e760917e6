/** The site: the repository's documents and the audit's claims, as Sphinx builds them. */
package dev.plumbline.site;
