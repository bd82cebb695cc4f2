import Foundation
import StoreActor
import StoreDependencies
import Testing

private typealias Counts = [String: Int]

/// A state with counts in a file.
private struct FileState: Sendable {
  @Shared var counts: Counts
}

private func shared(_ url: URL, isLive: Bool = false) -> Shared<Counts> {
  withDependencies {
    $0.defaultFileStorage = .fileSystem
    if isLive { $0.context = .live }
  } operation: {
    Shared(wrappedValue: [:], .fileStorage(url))
  }
}

private func counts(in url: URL) -> Counts? {
  (try? Data(contentsOf: url)).flatMap { try? JSONDecoder().decode(Counts.self, from: $0) }
}

/// Tests of values in real files.
@Suite(.timeLimit(.minutes(2)))
@MainActor
struct SharedFileTests {
  private let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("files \(UUID())")

  init() throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  private func removeDirectory() { try? FileManager.default.removeItem(at: directory) }

  // MARK: The end of a program

  @Test(arguments: [true, false])
  func `The last change is in the file when the program ends`(exits: Bool) async throws {
    defer { removeDirectory() }
    let path = directory.appendingPathComponent("counts.json").path
    await #expect(processExitsWith: .success) { [path = path as String, exits = exits as Bool] in
      let counts = shared(URL(fileURLWithPath: path))
      for number in 1...500 { counts.withLock { $0["n"] = number } }
      if exits { exit(EXIT_SUCCESS) }
    }
    #expect(counts(in: URL(fileURLWithPath: path)) == ["n": 500])
  }

  @Test func `A reducer's last change is in the file when the program ends`() async throws {
    defer { removeDirectory() }
    let path = directory.appendingPathComponent("counts.json").path
    await #expect(processExitsWith: .success) { [path = path as String] in
      await MainActor.run {
        let core = RootCore<FileState, Int>(
          initialState: { FileState(counts: shared(URL(fileURLWithPath: path))) },
          reducer: {
            Reduce { state, number in
              state.$counts.withLock { $0["n"] = number }
              // A step does not wait for the disk.
              precondition(state.$counts.saveError == nil)
              return .none
            }
          },
        )
        for number in 1...20 { core.send(number) }
        exit(EXIT_SUCCESS)
      }
    }
    #expect(counts(in: URL(fileURLWithPath: path)) == ["n": 20])
  }

  @Test func `The first change is written when it returns, and in a daemon afterwards`()
    async throws
  {
    defer { removeDirectory() }
    let path = directory.appendingPathComponent("counts.json").path
    await #expect(processExitsWith: .success) { [path = path as String] in
      let url = URL(fileURLWithPath: path)
      shared(url).withLock { $0["n"] = 1 }
      precondition(counts(in: url) == ["n": 1])
    }
    await #expect(processExitsWith: .success) { [path = path as String] in
      SharedProcess.beginHosting()
      let url = URL(fileURLWithPath: path)
      let isWriting = LockIsolated(false)
      let value = withDependencies {
        $0.defaultFileStorage = .fileSystem
      } operation: {
        Shared<Counts>(
          wrappedValue: [:],
          .fileStorage(
            url,
            decode: { @Sendable in try JSONDecoder().decode(Counts.self, from: $0) },
            encode: { @Sendable in
              isWriting.setValue(!Thread.isMainThread)
              return try JSONEncoder().encode($0)
            },
          ),
        )
      }
      await MainActor.run { value.withLock { $0["n"] = 2 } }
      precondition(SharedProcess.drainFiles().isEmpty)
      precondition(counts(in: url) == ["n": 2] && isWriting.value)
    }
  }

  // MARK: One file

  @Test func `One file is one value, however its name is written`() async throws {
    defer { removeDirectory() }
    let link = directory.appendingPathComponent("link")
    let inner = directory.appendingPathComponent("inner")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: inner)
    let names = ["inner/c.json", "./inner/../inner/c.json", "link/c.json", "inner//c.json"]
    let values =
      names.map { shared(URL(fileURLWithPath: directory.path + "/" + $0)) }
      + [shared(URL(fileURLWithPath: "c.json", relativeTo: URL(fileURLWithPath: inner.path)))]
    for (number, value) in values.enumerated() { value.withLock { $0["\(number)"] = number } }
    for value in values { try await value.save() }
    let all = ["0": 0, "1": 1, "2": 2, "3": 3, "4": 4]
    #expect(values.allSatisfy { $0.wrappedValue == all })
    #expect(counts(in: inner.appendingPathComponent("c.json")) == all)
  }

  @Test func `A file in memory is one value, however its name is written`() {
    withDependencies {
      $0.defaultFileStorage = .inMemory
    } operation: {
      let one = Shared(wrappedValue: 0, .fileStorage(URL(fileURLWithPath: "/a/b.json")))
      let same = Shared(wrappedValue: 0, .fileStorage(URL(fileURLWithPath: "/a/./c/../b.json")))
      one.withLock { $0 = 1 }
      #expect(same.wrappedValue == 1)
    }
  }

  // MARK: Errors

  @Test func `A file that cannot be read is not replaced by a change`() async throws {
    defer { removeDirectory() }
    let url = directory.appendingPathComponent("counts.json")
    let precious = Data(#"{"precious": 1,"#.utf8)
    try precious.write(to: url)
    let value = shared(url)
    #expect(value.loadError is DecodingError)
    value.withLock { $0["new"] = 1 }
    #expect(try Data(contentsOf: url) == precious)
    #expect("\(try #require(value.saveError))".contains("could not be read"))
    #expect(value.wrappedValue == ["new": 1])
    await #expect(throws: DecodingError.self) { try await value.load() }

    // The file is repaired.
    try Data(#"{"precious": 1}"#.utf8).write(to: url)
    try await value.load()
    #expect(value.wrappedValue == ["precious": 1] && value.loadError == nil)
    value.withLock { $0["new"] = 2 }
    try await value.save()
    #expect(counts(in: url) == ["precious": 1, "new": 2] && value.saveError == nil)
  }

  @Test func `A file that cannot be read is replaced at the next save`() async throws {
    defer { removeDirectory() }
    let url = directory.appendingPathComponent("counts.json")
    try Data("?".utf8).write(to: url)
    let value = shared(url)
    value.withLock { $0["new"] = 1 }
    #expect(value.saveError != nil)
    try await value.save()
    #expect(value.loadError == nil && value.saveError == nil)
    value.withLock { $0["new"] = 2 }
    try await value.save()
    #expect(counts(in: url) == ["new": 2])
  }

  @Test func `Errors of keys are reported outside of tests`() async throws {
    defer { removeDirectory() }
    let url = directory.appendingPathComponent("counts.json")
    try Data("?".utf8).write(to: url)
    withKnownIssue {
      let value = shared(url, isLive: true)
      value.withLock { $0["new"] = 1 }
    } matching: {
      $0.description.contains("counts.json") && $0.description.contains("could not be read")
    }
    struct Failure: Error {}
    await withKnownIssue {
      let value = withDependencies {
        $0.defaultFileStorage = .inMemory
        $0.context = .live
      } operation: {
        Shared(
          wrappedValue: 0,
          .fileStorage(
            url,
            decode: { @Sendable _ in 0 },
            encode: { @Sendable _ in throw Failure() },
          ),
        )
      }
      value.withLock { $0 = 1 }
      await #expect(throws: Failure.self) { try await value.save() }
    } matching: {
      $0.description.contains("counts.json") && $0.description.contains("could not be saved")
    }
  }

  @Test func `An error of reading is over when a change is saved`() {
    let value = Shared(wrappedValue: 0, FallibleKey())
    #expect(value.loadError is FallibleKey.Failure)
    value.withLock { $0 = 1 }
    #expect(value.loadError == nil && value.wrappedValue == 1)
  }
}

/// A key whose reads fail.
private struct FallibleKey: SharedKey, Hashable {
  struct Failure: Error {}

  func load(context: LoadContext<Int>, continuation: LoadContinuation<Int>) {
    continuation.resume(throwing: Failure())
  }

  func subscribe(
    context: LoadContext<Int>,
    subscriber: SharedSubscriber<Int>,
  ) -> SharedSubscription {
    SharedSubscription {}
  }

  func save(_ value: Int, context: SaveContext, continuation: SaveContinuation) {
    continuation.resume()
  }
}
