import CZMQ

/// The program at a connection's other end, as far as the kernel reports it: a process of this
/// machine, or a machine.
package struct PeerProgram: Hashable, Sendable {
  /// The number of the process or of the machine; 0 if unknown.
  package let number: UInt64

  /// Creates a program from its number; 0 stands for an unknown program.
  package init(number: UInt64) { self.number = number }

  /// The program at the other end of the connection with a descriptor.
  package init(_ descriptor: Int32) { self.init(number: czmq_peer_program(descriptor)) }
}
