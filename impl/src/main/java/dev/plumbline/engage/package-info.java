/**
 * ENGAGE's machines: cloudlets, brokers and the client's side of a session.
 *
 * <p>What a cloudlet does by itself ({@link dev.plumbline.engage.Cloudlet}) is the specification's
 * module {@code EngageCloudlet}. {@link dev.plumbline.engage.TreeCloudlet} and {@link
 * dev.plumbline.engage.Broker} are {@code BrokerCausality}, {@link
 * dev.plumbline.engage.MeshCloudlet}, without brokers, is {@code SessionGuarantees}.
 */
package dev.plumbline.engage;
