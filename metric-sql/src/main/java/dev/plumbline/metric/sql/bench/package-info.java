/** Measures the sites' SQL servers beside PostgreSQL alone and with synchronous standbys. */
package dev.plumbline.metric.sql.bench;
