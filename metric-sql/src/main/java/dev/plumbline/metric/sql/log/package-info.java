/**
 * What the SQL side asks of the Metric process at its site: ownership of tables, the redo log and
 * its entries. {@link dev.plumbline.metric.sql.log.MetricProcess} is the whole interface; {@link
 * dev.plumbline.metric.sql.log.NodeProcess} asks the process of a node.
 */
package dev.plumbline.metric.sql.log;
