package dev.plumbline.machine;

/** A protocol message. Implementations are records whose components Jackson can write and read. */
public interface Message {}
