/**
 * Seeded bugs of K2: each a machine with one overridden method. Not on the normal class path;
 * {@code ./plumb simulate k2 --bugs impl/bugs/target/classes --bug NAME} runs one.
 */
package dev.plumbline.k2.bugs;
