import CZMQ

/// Which program is at a connection's other end, as far as the kernel tells: a process of this
/// machine, or a machine.
package struct PeerProgram: Hashable, Sendable {
  /// The process's number, or one of the machine's; 0 where nothing is known.
  package let number: UInt64

  /// The program with a number; those of which nothing is known have 0.
  package init(number: UInt64) { self.number = number }

  /// The program at the other end of the connection with a descriptor.
  package init(_ descriptor: Int32) { self.init(number: czmq_peer_program(descriptor)) }
}
