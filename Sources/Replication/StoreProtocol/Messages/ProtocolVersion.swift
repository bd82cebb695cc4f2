/// The protocol's newest version.
package let protocolVersion: UInt64 = 1

/// The versions that this program speaks.
package let protocolVersions: ClosedRange<UInt64> = 1...protocolVersion

/// A peer's features beyond its version of the protocol; in force if both ends know them.
package struct ProtocolFeatures: OptionSet, Hashable, Sendable {
  package var rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// A snapshot may be of an earlier revision than the fence's, followed by a replay; and the
  /// daemon sends `working` while captures are in progress.
  package static let snapshotThenReplay = ProtocolFeatures(rawValue: 1)

  /// A view that not every client may see is sent on the control socket, without a fence.
  package static let unicastViews = ProtocolFeatures(rawValue: 2)

  /// An action may name the span that it belongs to.
  package static let traces = ProtocolFeatures(rawValue: 4)

  /// An outcome may have the reply of a reducer.
  package static let replies = ProtocolFeatures(rawValue: 8)

  /// An action may name the digest of its scope's state, without which it is not applied.
  package static let conditions = ProtocolFeatures(rawValue: 16)

  /// All features that this program knows.
  package static let known: ProtocolFeatures = [
    .snapshotThenReplay, .unicastViews, .traces, .replies, .conditions,
  ]
}
