/**
 * Generated worlds: constants of a model drawn from a seed, searched, and shrunk where they fail.
 */
package dev.plumbline.worlds;
