/** How DAST's logs and machines read in the terms of its specification. */
package dev.plumbline.dast.binding;
