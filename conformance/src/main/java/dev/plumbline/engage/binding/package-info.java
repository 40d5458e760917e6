/** How ENGAGE's logs and machines read in the specification's terms. */
package dev.plumbline.engage.binding;
