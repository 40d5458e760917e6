/** Metric's entry-consistent store on Cassandra. */
package dev.plumbline.metric.node;
