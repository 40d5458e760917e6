/**
 * A cluster of {@code dev.plumbline.node} processes on one machine: certificates, network
 * namespaces, link delays, processes.
 */
package dev.plumbline.cluster;
