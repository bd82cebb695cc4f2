import StoreExposures
import StoreHistory
import StoreState

/// Encodes captures of scopes.
///
/// The cost is proportional to the size of the state, so a job does not run on the main thread.
///
/// The server hands out jobs; its driver runs each on any thread and returns the result. A
/// job reads versions, which are immutable values.
package struct CaptureJob: Sendable {
  /// One capture of a job.
  struct Work: Sendable {
    /// The server's number for it.
    let id: UInt64
    let source: ErasedScope
    /// The client's version, from which a catch-up starts; nil for a snapshot or a comparison.
    let old: RootVersion?
    /// The digest of the client's state, for a comparison.
    let digest: Digest?
    /// The version to capture.
    let new: RootVersion
    /// The greatest size of a catch-up, in bytes.
    let catchUpLimit: Int
    /// The size of a snapshot's pieces, in bytes.
    let pieceBytes: Int

    func run() -> Made {
      new.read { new in
        let own = source.digest(new)
        let content: CaptureContent =
          if let digest {
            // Another state is as a catch-up that is too large: a snapshot replaces it.
            digest == own ? .catchUp(nil) : .tooLarge
          } else {
            old.map { $0.read { catchUp(from: $0, to: new) } } ?? snapshot(of: new)
          }
        return Made(id: id, content: content, digest: own)
      }
    }

    private func snapshot(of root: ErasedScope.Place) -> CaptureContent {
      var encoder = CBOREncoder(pieces: pieceBytes)
      source.encode(root, &encoder)
      return .snapshot(Snapshot(pieces: encoder.pieces))
    }

    private func catchUp(
      from old: ErasedScope.Place,
      to new: ErasedScope.Place,
    ) -> CaptureContent {
      var encoder = CBOREncoder()
      guard source.encodeDelta(old, new, &encoder) else { return .catchUp(nil) }
      return encoder.count > catchUpLimit ? .tooLarge : .catchUp(encoder.bytes)
    }
  }

  /// The result of one capture.
  struct Made: Sendable {
    let id: UInt64
    let content: CaptureContent
    /// The digest of the scope at the version that was captured.
    let digest: Digest
  }

  /// The result of a job.
  package struct Result: Sendable {
    let made: [Made]
    let holder: Holder
  }

  let works: [Work]
  /// The holder whose share of jobs it counts towards.
  let holder: Holder

  /// Encodes the captures, on the caller's thread.
  package func run() -> Result { Result(made: works.map { $0.run() }, holder: holder) }
}

/// The content of a capture.
enum CaptureContent: Sendable {
  /// The scope's state.
  case snapshot(Snapshot)
  /// The delta from one version to the captured one; nil if the scope did not change.
  case catchUp([UInt8]?)
  /// The delta from one version to the captured one does not fit a frame.
  case tooLarge

  /// The size of the content in memory, in bytes.
  var bytes: Int {
    switch self {
    case .snapshot(let snapshot): snapshot.count
    case .catchUp(let delta): delta?.count ?? 0
    case .tooLarge: 0
    }
  }
}

/// A scope's state as it is sent: encoded once, directly into pieces.
struct Snapshot: Sendable {
  let pieces: [[UInt8]]
  /// The number of bytes in all pieces.
  let count: Int

  init(pieces: [[UInt8]]) {
    self.pieces = pieces
    count = pieces.reduce(0) { $0 + $1.count }
  }

  /// The position of a reader.
  struct Position: Hashable {
    /// The number of bytes that were read.
    private(set) var offset = 0
    private var piece = 0
    private var place = 0

    /// Reads the next bytes: at most `limit`, and from one piece.
    mutating func read(_ limit: Int, of snapshot: Snapshot) -> ArraySlice<UInt8> {
      let bytes = snapshot.pieces[piece]
      let end = min(place + limit, bytes.count)
      let slice = bytes[place..<end]
      offset += slice.count
      place = end
      if end == bytes.count { (piece, place) = (piece + 1, 0) }
      return slice
    }
  }
}
