/** How Metric's logs and machines read in its specifications' terms. */
package dev.plumbline.metric.binding;
