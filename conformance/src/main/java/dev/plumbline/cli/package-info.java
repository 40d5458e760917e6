/** The command line: one class a subcommand, and nothing that another package could need. */
package dev.plumbline.cli;
