/// The protocol's newest version.
package let protocolVersion: UInt64 = 1

/// The versions that this program speaks.
package let protocolVersions: ClosedRange<UInt64> = 1...protocolVersion

/// What a peer knows beyond its version of the protocol; in force where both ends know it.
package struct ProtocolFeatures: OptionSet, Hashable, Sendable {
  package var rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// A snapshot of an earlier revision than the fence's may come, and a replay behind it; and
  /// `working` while captures are being made.
  package static let snapshotThenReplay = ProtocolFeatures(rawValue: 1)

  /// A view that not everybody may see comes on the control socket, without a fence.
  package static let unicastViews = ProtocolFeatures(rawValue: 2)

  /// An action may say which span it belongs to.
  package static let traces = ProtocolFeatures(rawValue: 4)

  /// All that this program knows.
  package static let known: ProtocolFeatures = [.snapshotThenReplay, .unicastViews, .traces]
}
