/**
 * The model checker: the only package that touches the classes of TLC and SANY. It loads modules,
 * steps specifications, reads their values, and says what is wrong with input.
 */
package dev.plumbline.tlc;
