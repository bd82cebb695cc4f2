import GenericState
import StoreState

/// The translation between a client and a daemon of another build for one scope: from the daemon's
/// states to this program's, and from this program's actions to the daemon's (`docs/PROTOCOL.md`
/// §2.1).
@MainActor
final class ScopeTranslation {
  /// The daemon's schemas, with which the scope is joined.
  let hashes: ClientScope.Hashes
  /// Nil if both programs have the same actions.
  let action: ActionTranslation?
  /// The state in the daemon's form; nil if both programs have the same form.
  private var state: TranslatedState?

  init(hashes: ClientScope.Hashes, state: TranslatedState?, action: ActionTranslation?) {
    self.hashes = hashes
    self.state = state
    self.action = action
  }

  var translatesState: Bool { state != nil }

  /// Takes a snapshot.
  ///
  /// - Returns: The snapshot for this program; nil when it is the same.
  func reset(to snapshot: ArraySlice<UInt8>) throws(CodecError) -> [UInt8]? {
    try state?.reset(to: snapshot)
  }

  /// Takes a delta, of a state that is translated.
  ///
  /// - Returns: The delta for this program; nil when this program's state does not change.
  func apply(_ delta: ArraySlice<UInt8>) throws(CodecError) -> [UInt8]? {
    try state?.apply(delta) ?? nil
  }

  /// The digest of the daemon's state; nil when it is this program's.
  var digest: Digest? { state?.digest }
}
