import StoreState

/// Encoding a scope of one version of the root: as much work as the state is large, so it is
/// nothing for the main thread.
///
/// The server hands jobs out (``ReplicaServer/takeJobs()``), whoever drives it runs each on any
/// thread and hands the result in. A job reads one version, which is a value and never changes.
package struct CaptureJob: Sendable {
  /// What a job found.
  package struct Result: Sendable {
    let id: UInt64
    let form: Form
    /// The digest of the scope at the job's version.
    let digest: Digest
  }

  enum Form: Sendable {
    case snapshot([UInt8])
    /// What leads from the client's version to the job's; nil when that is nothing.
    case replay([UInt8]?)
  }

  let id: UInt64
  private let work: @Sendable () -> (Form, Digest)

  /// A job on a scope.
  ///
  /// - Parameters:
  ///   - id: The server's number for it.
  ///   - source: The scope.
  ///   - old: The version that the client has; nil where it is to get everything.
  ///   - new: The version to capture.
  ///   - replayLimit: The bytes beyond which a change is better sent in pieces, as a snapshot.
  init<Root: Sendable, RootAction>(
    id: UInt64,
    source: ScopeSource<Root, RootAction>,
    from old: Root?,
    to new: Root,
    replayLimit: Int,
  ) {
    self.id = id
    work = {
      var encoder = CBOREncoder()
      if let old {
        let hasChanged = source.encodeDelta(from: old, to: new, into: &encoder)
        if encoder.bytes.count <= replayLimit {
          return (.replay(hasChanged ? encoder.bytes : nil), source.digest(of: new))
        }
        encoder = CBOREncoder()
      }
      source.encode(new, to: &encoder)
      return (.snapshot(encoder.bytes), source.digest(of: new))
    }
  }

  /// Does the work, on whatever thread it is called.
  package func run() -> Result {
    let (form, digest) = work()
    return Result(id: id, form: form, digest: digest)
  }
}

/// A capture that sessions wait for, or that is on its way to them; shared by all who join the same
/// scope at the same version.
@MainActor
final class ScopeCapture {
  let id: UInt64
  /// The revision that the clients have; nil where they get everything.
  let base: UInt64?
  /// What there is to send; nil while a job is at it.
  var form: CaptureJob.Form?

  init(id: UInt64, base: UInt64?) {
    self.id = id
    self.base = base
  }
}
