/**
 * One declaration a core module: how its names, messages, constants, variables and actions read in
 * the machines' terms. Replay and trace validation are derived from it.
 */
package dev.plumbline.bind;
