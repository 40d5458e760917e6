/** What seeded bugs of all protocols share. Not on the normal class path. */
package dev.plumbline.bugs;
