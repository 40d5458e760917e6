/** The binding by which the YCSB client drives a cluster of ENGAGE. */
package dev.plumbline.engage.ycsb;
