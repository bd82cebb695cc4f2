#if os(Linux)
import Foundation
import Glibc
import StoreProtocol

/// Relays between one user's clients and a daemon's sockets, and records every byte that the daemon
/// sends to them.
final class RecordingRelay: Sendable {
  /// The daemon's bytes on one connection.
  struct Record: Sendable {
    /// The socket: `ctl` or `pub`.
    let file: String
    var bytes: [UInt8] = []

    /// The bodies of the frames, of which the first is the handshake's.
    var frames: [ArraySlice<UInt8>] { ZMTP.frames(in: Array(bytes.dropFirst(64))) }

    /// Whether a delta on a topic contains a text.
    func hasDelta(on topic: Topic, with text: String) -> Bool {
      let frames = frames
      return zip(frames, frames.dropFirst()).contains { previous, frame in
        Eavesdropper.isDelta(frame, behind: previous, topic, text)
      }
    }
  }

  /// The directory in which clients find the daemon's sockets.
  let directory: String
  private let records = Watched<[Record]>([])
  private let listeners: [Int32]

  /// Listens in its own directory; at the daemon, the kernel vouches for `user`.
  init(_ world: World, as user: UInt32) throws {
    directory = "\(world.directory)/relay"
    guard mkdir(directory, 0o711) == 0 else { throw Self.failure("no directory") }
    let files = ["ctl", "pub"]
    listeners = try files.map { [directory] in try Self.listen("\(directory)/\($0)") }
    for (file, listener) in zip(files, listeners) {
      let (records, target) = (records, "\(world.directory)/\(file)")
      Thread.detachNewThread {
        defer { close(listener) }
        // The threads that it starts inherit the user.
        guard (try? RawPeer.become(user)) != nil else { return }
        while case let client = accept(listener, nil, nil), client >= 0 {
          guard let server = try? RawPeer.connect(target) else {
            close(client)
            continue
          }
          Thread.detachNewThread { Relay.pass(from: client, to: server) }
          Self.record(file, from: server, to: client, in: records)
        }
      }
    }
  }

  deinit {
    for listener in listeners { _ = shutdown(listener, Int32(SHUT_RDWR)) }
  }

  private static func record(
    _ file: String,
    from server: Int32,
    to client: Int32,
    in records: Watched<[Record]>,
  ) {
    var number = 0
    records.update { records in
      number = records.count
      records.append(Record(file: file))
    }
    let own = number
    Thread.detachNewThread {
      Relay.pass(from: server, to: client) { bytes in
        // Recorded before the client receives them.
        records.update { $0[own].bytes += bytes }
      }
    }
  }

  /// The daemon's bytes so far, by connection.
  var all: [Record] { records.value }

  /// Waits until `connections` connections have received a delta with a text on a topic.
  func hasDeltas(on topic: Topic, with text: String, connections: Int) async throws {
    try await records.wait(within: .seconds(20), for: text) { records in
      let count = records.count { $0.file == "pub" && $0.hasDelta(on: topic, with: text) }
      return count == connections ? true : nil
    }
  }

  private static func listen(_ path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isListening = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
          && chmod(path, 0o666) == 0 && Glibc.listen(descriptor, 16) == 0
      }
    }
    guard isListening else { throw failure("listening at \(path) failed") }
    return descriptor
  }

  private static func failure(_ what: String) -> ProcessFailure {
    ProcessFailure("\(what): \(String(cString: strerror(errno)))")
  }
}
#endif
