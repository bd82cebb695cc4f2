import Foundation
import Testing

@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// An independent implementation reads the encoder's bytes and writes the same ones.
@Suite(.timeLimit(.minutes(1)))
struct IndependentCBORTests {
  /// Whether Python and its package cbor2 are available.
  static let isAvailable: Bool = {
    let result = try? run(["-c", "import cbor2"], input: "")
    return result?.status == 0
  }()

  private static func run(
    _ arguments: [String],
    input: String,
  ) throws -> (status: Int32, output: String) {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "cbor2-\(UUID())", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Files instead of pipes, which would need concurrent reads and writes.
    let (source, target) = (folder.appending(path: "in"), folder.appending(path: "out"))
    try input.write(to: source, atomically: true, encoding: .utf8)
    try "".write(to: target, atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    // The folder into which `make test` installs missing packages.
    let packages = GoldenFile.folder.appending(path: "../../../.build/python").standardized.path()
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["PYTHONPATH": packages],
      uniquingKeysWith: { old, new in "\(old):\(new)" },
    )
    process.standardInput = try FileHandle(forReadingFrom: source)
    process.standardOutput = try FileHandle(forWritingTo: target)
    process.standardError = process.standardOutput
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus, try String(contentsOf: target, encoding: .utf8))
  }

  @Test(
    "cbor2 reads every encoding and writes the same bytes",
    .enabled(if: isAvailable, "needs python3 with the package cbor2 (pip install cbor2)"),
  )
  func cbor2() throws {
    var lines = try GoldenFile.committed().flatMap(\.lines).compactMap { line -> String? in
      let words = line.split(separator: " ").map(String.init)
      switch words[0] {
      case "schema": return words[1]
      case "value": return words[2]
      case "delta": return words[3]
      default: return nil
      }
    }
    var random = SeededRandom(8949)
    for _ in 0..<400 {
      var state = AllKinds.random(&random)
      // Python treats zeros of both signs as one key.
      state.byFloat = [:]
      lines.append(hexText(state.encoded()))
      var next = state
      for _ in 0..<4 { next.mutate(&random) }
      next.byFloat = [:]
      if let delta = next.delta(from: state) { lines.append(hexText(delta)) }
    }
    #expect(lines.count > 900)
    let script = GoldenFile.folder.appending(path: "check_with_cbor2.py").path()
    let result = try Self.run([script], input: lines.joined(separator: "\n"))
    #expect(result.status == 0, "\(result.output.prefix(2000))")
  }

  @Test(
    "The comparison finds an encoding that is not deterministic",
    .enabled(if: isAvailable, "needs python3 with the package cbor2 (pip install cbor2)"),
  )
  func findsDifferences() throws {
    let script = GoldenFile.folder.appending(path: "check_with_cbor2.py").path()
    for text in ["1800", "a2 02 00 01 00", "fb3ff8000000000000", "d90102 82 02 01", "ff"] {
      let result = try Self.run([script], input: hexText(hex(text)))
      #expect(result.status == 1, "\(text): \(result.output)")
    }
  }
}
