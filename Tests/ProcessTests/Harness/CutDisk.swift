import Foundation
import Testing

@testable import StoreJournal

/// A program's operations on the files of a directory, as `cutdisk.c` recorded them.
///
/// They determine the content of a disk that loses all unsynced data.
struct CutDisk: Sendable {
  /// One recorded operation.
  struct Step: Sendable {
    let kind: Character
    let file: Int32
    let place: UInt64
    let bytes: ArraySlice<UInt8>
    /// The log's length in bytes after this record.
    let end: Int

    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  let steps: [Step]

  /// Builds the library that is preloaded into a program.
  ///
  /// - Parameters:
  ///   - world: The world in whose directory it is built.
  ///   - file: Another library's source, below the folder of programs.
  /// - Returns: The path of the library.
  /// - Throws: A failure if it does not build.
  static func build(
    in world: World,
    _ file: String = "CutDisk/cutdisk.c",
  ) async throws -> String {
    let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Programs/\(file)").path()
    let library = "\(world.directory)/under.so"
    let run = try await world.run(
      "/usr/bin/cc",
      "-shared",
      "-fPIC",
      "-O1",
      "-o",
      library,
      source,
      "-ldl",
    )
    guard run.isSuccess else { throw ProcessFailure("\(file) does not build: \(run.errorText)") }
    return library
  }

  /// Reads a log.
  init(_ path: String) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    func number(_ place: Int, _ count: Int) -> UInt64 {
      (0..<count).reduce(0) { $0 | UInt64(bytes[place + $1]) << (8 * UInt64($1)) }
    }
    var steps: [Step] = []
    var place = 0
    while place + 17 <= bytes.count {
      let count = Int(number(place + 13, 4))
      // The program was killed while it wrote.
      if place + 17 + count > bytes.count { break }
      steps.append(
        Step(
          kind: Character(UnicodeScalar(bytes[place])),
          file: Int32(number(place + 1, 4)),
          place: number(place + 5, 8),
          bytes: bytes[place + 17..<place + 17 + count],
          end: place + 17 + count,
        )
      )
      place += 17 + count
    }
    self.steps = steps
  }

  /// A disk after some of the steps: the synced data, and the data that is only in memory.
  struct State {
    private struct File {
      var synced: [UInt8] = []
      var pending: [Step] = []
    }

    private enum Naming {
      case name(String, Int32)
      case rename(String, String)
      case unlink(String)

      var folder: String {
        switch self {
        case .name(let path, _), .rename(_, let path), .unlink(let path):
          (path as NSString).deletingLastPathComponent
        }
      }
    }

    private var files: [Int32: File] = [:]
    private var names: [String: Int32] = [:]
    private var namings: [Naming] = []
    /// The last revision that the program has marked as durable.
    private(set) var mark: UInt64 = 0

    mutating func take(_ step: Step) {
      switch step.kind {
      case "N": namings.append(.name(step.text, step.file))
      case "W", "T": files[step.file, default: File()].pending.append(step)
      case "S":
        var file = files[step.file] ?? File()
        for pending in file.pending { Self.apply(pending, to: &file.synced) }
        file.pending = []
        files[step.file] = file
      // After a failed sync the cache marks the pages as clean, and no later sync writes them.
      case "F": files[step.file]?.pending = []
      case "R":
        let paths = step.text.split(separator: "\0").map(String.init)
        namings.append(.rename(paths[0], paths[1]))
      case "U": namings.append(.unlink(step.text))
      case "D":
        for naming in namings where naming.folder == step.text { Self.apply(naming, to: &names) }
        namings.removeAll { $0.folder == step.text }
      case "M": mark = UInt64(step.text.split(separator: "\n").last ?? "") ?? mark
      default: preconditionFailure("The log of the disk has an entry of kind \(step.kind)")
      }
    }

    private static func apply(_ step: Step, to bytes: inout [UInt8], upTo limit: Int = .max) {
      let place = Int(step.place)
      if step.kind == "T" {
        if bytes.count > place {
          bytes.removeSubrange(place...)
        } else {
          bytes += Array(repeating: 0, count: place - bytes.count)
        }
        return
      }
      let written = step.bytes.prefix(limit)
      if bytes.count < place + written.count {
        bytes += Array(repeating: 0, count: place + written.count - bytes.count)
      }
      bytes.replaceSubrange(place..<place + written.count, with: written)
    }

    private static func apply(_ naming: Naming, to names: inout [String: Int32]) {
      switch naming {
      case .name(let path, let file): names[path] = file
      case .rename(let from, let to): names[to] = names.removeValue(forKey: from)
      case .unlink(let path): names[path] = nil
      }
    }

    /// Creates a directory in its state after a cut.
    ///
    /// - Parameters:
    ///   - root: The directory that the program had.
    ///   - copy: The path of the new directory.
    ///   - generator: Chooses the unsynced operations that reached the disk, and how many sectors
    ///     of each; nil if none did.
    /// - Throws: An error if a file cannot be written.
    func write(
      _ root: String,
      to copy: String,
      _ generator: inout (any RandomNumberGenerator)?,
    ) throws {
      var names = names
      if var random = generator {
        // A file system keeps the order of its names.
        let kept = Int.random(in: 0...namings.count, using: &random)
        for naming in namings.prefix(kept) { Self.apply(naming, to: &names) }
        generator = random
      }
      try? FileManager.default.removeItem(atPath: copy)
      for folder in ["log", "snapshots"] {
        try FileManager.default.createDirectory(
          atPath: "\(copy)/\(folder)",
          withIntermediateDirectories: true,
        )
      }
      for (path, number) in names {
        let file = files[number] ?? File()
        var bytes = file.synced
        if var random = generator {
          for step in file.pending where Bool.random(using: &random) {
            // A sector reaches the disk as a whole or not at all.
            let sectors = Int.random(in: 0...(step.bytes.count + 511) / 512, using: &random)
            Self.apply(step, to: &bytes, upTo: sectors * 512)
          }
          generator = random
        }
        let made = copy + path.dropFirst(root.count)
        try Data(bytes).write(to: URL(filePath: made))
        if made.hasSuffix(".log") { try Self.afterPowerCut(made, bytes) }
      }
    }

    /// Writes this file's identity and an earlier boot into a segment's header.
    private static func afterPowerCut(_ path: String, _ bytes: [UInt8]) throws {
      // A header that did not reach the disk stays as it is.
      guard var header = try? LogHeader(bytes, path: path) else { return }
      let seal = Array(bytes[LogHeader.sealRange])
      header.boot = "earlier"
      header.file = try #require(try LogFile.identity(of: path))
      var page = header.encode()
      page.replaceSubrange(LogHeader.sealRange, with: seal)
      let handle = try FileHandle(forWritingTo: URL(filePath: path))
      try handle.write(contentsOf: page)
      try handle.close()
    }
  }
}
