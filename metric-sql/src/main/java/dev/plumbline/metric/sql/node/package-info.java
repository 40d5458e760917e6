/** The SQL side of one site as a process, beside a node that runs the site's Metric process. */
package dev.plumbline.metric.sql.node;
