/** How K2's logs and machines read in the terms of its specification modules. */
package dev.plumbline.k2.binding;
