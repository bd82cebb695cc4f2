import StoreBytes
package import StoreProtocol
import Synchronization

/// The reduction in progress, and the reductions during which the daemon ended before.
///
/// A daemon notes each reduction before it reads the action's bytes, and removes the note after the
/// step is recorded. The notes are in memory that outlives the process: a note that the next daemon
/// finds there is a **crash**. An action that was being reduced at ``mostRuns`` crashes is refused,
/// so that a client that sends it again does not end the daemon again. Neither run has left a
/// record, so the action is still applied at most once.
///
/// Only the end of the process is covered. A note from before a restart of the machine is ignored,
/// since it may be an old one.
@MainActor
package final class CrashNotes {
  /// The greatest number of times that an action is reduced, if each run ends the daemon.
  package static let mostRuns = 2
  /// The number of crashes during equal actions, within ``blockMilliseconds``, after which such
  /// actions of all clients are refused.
  ///
  /// The first crash counts only if its action is sent again, since a daemon without crashes spends
  /// no time on hashes of actions.
  package static let crashesBeforeBlock = 3
  /// How long equal actions are refused at first; the time doubles with each further crash.
  package static let blockMilliseconds: UInt64 = 600_000
  /// Crashes are forgotten after a day, which is also the longest time of a refusal.
  package static let keptMilliseconds: UInt64 = 86_400_000
  /// The number of crashes that are kept, the newest ones.
  package static let mostCrashes = 40
  /// The bytes of a name that are noted.
  package static let mostNameBytes = Note.mostNameBytes
  /// The bytes of the memory.
  package nonisolated static let bytes = 8192

  private let words: UnsafeMutablePointer<UInt64>
  private let release: @Sendable () -> Void
  /// Whether a reduction is noted.
  @exclusivity(unchecked) package private(set) var isOpen = false
  /// The name in the memory: copied only if it changes, because each action writes a note.
  @exclusivity(unchecked) private var notedName = ""
  /// The crash that was found at the start; nil if the daemon before did not end in a reduction.
  package private(set) var found: Crash?

  /// Takes over memory, and the note that a daemon has left in it.
  ///
  /// - Parameters:
  ///   - memory: Memory of ``bytes`` bytes, aligned for words. All contents are allowed; those
  ///     that are no notes are erased.
  ///   - boot: Identifies the start of the machine.
  ///   - wallMilliseconds: The time of the start, in milliseconds since 1970.
  ///   - release: Releases the memory.
  package init(
    _ memory: UnsafeMutableRawPointer,
    boot: String,
    at wallMilliseconds: UInt64,
    release: @escaping @Sendable () -> Void,
  ) {
    words = memory.bindMemory(to: UInt64.self, capacity: Self.bytes / 8)
    self.release = release
    let isReadable =
      words[Place.format] == Place.mark && words[Place.count] <= UInt64(Self.mostCrashes)
    if !isReadable {
      words.update(repeating: 0, count: Self.bytes / 8)
      words[Place.format] = Place.mark
    }
    dropOld(at: wallMilliseconds)
    let isSameBoot = words[Place.boot] == Self.hash(of: boot)
    words[Place.boot] = Self.hash(of: boot)
    defer {
      words[Place.note] = Cause.none
      words[Place.note + Note.nameBytes] = 0
    }
    guard isSameBoot, words[Place.note] != Cause.none else { return }
    let crash = Crash(note: words + Place.note, at: wallMilliseconds)
    add(crash)
    found = crash
  }

  /// Creates notes that end with the process.
  ///
  /// - Parameters:
  ///   - bytes: What an earlier daemon has left, at most ``bytes`` bytes.
  ///   - wallMilliseconds: The time of the start, in milliseconds since 1970.
  package convenience init(copying bytes: [UInt8] = [], at wallMilliseconds: UInt64 = 0) {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: Self.bytes, alignment: 8)
    memory.initializeMemory(as: UInt64.self, repeating: 0, count: Self.bytes / 8)
    memory.copyMemory(from: bytes, byteCount: min(bytes.count, Self.bytes))
    // Only the notes use it, and release it last.
    nonisolated(unsafe) let owned = memory
    self.init(memory, boot: "", at: wallMilliseconds, release: { owned.deallocate() })
  }

  /// What the next daemon finds if this one ends now.
  package var contents: [UInt8] {
    Array(UnsafeRawBufferPointer(start: words, count: Self.bytes))
  }

  deinit { release() }

  private static func hash(of text: String) -> UInt64 { SipHash24.hash(Array(text.utf8)[...]) }

  // MARK: Reductions

  /// Notes that a client's action is about to be reduced.
  ///
  /// - Parameters:
  ///   - action: The action's bytes.
  ///   - client: Its client.
  ///   - sequence: Its number among those of the client.
  ///   - scope: The name of the scope that it was sent to.
  ///   - wallMilliseconds: The time, in milliseconds since 1970.
  /// - Throws: The outcome of an action that must not be reduced again. Then nothing is noted.
  package func begin(
    _ action: ArraySlice<UInt8>,
    of client: Identifier,
    _ sequence: UInt64,
    to scope: String,
    at wallMilliseconds: UInt64,
  ) throws(Outcome.Failure) {
    var content: UInt64 = 0
    if words[Place.count] > 0 {
      content = Self.content(of: action, to: scope)
      try check(content, of: client, sequence, at: wallMilliseconds)
    }
    begin(Cause.action, client, sequence, content, scope)
  }

  /// Notes that a step without a client is about to be made.
  ///
  /// - Parameter name: Names its cause to the operator; never empty.
  package func begin(_ name: String) {
    begin(Cause.other, Identifier(high: 0, low: 0), 0, 0, name)
  }

  /// Writes all words of the note, so that none is left of the step before.
  private func begin(
    _ cause: UInt64,
    _ client: Identifier,
    _ sequence: UInt64,
    _ content: UInt64,
    _ name: String,
  ) {
    let note = words + Place.note
    note[Note.high] = client.high
    note[Note.low] = client.low
    note[Note.sequence] = sequence
    note[Note.content] = content
    if name != notedName {
      note[Note.nameBytes] = Self.copy(name, to: note + Note.name)
      notedName = name
    }
    set(cause)
    isOpen = true
  }

  /// Writes the beginning of a name.
  ///
  /// It runs for each action. In an isolated function, the closure would check its isolation, and a
  /// slice of a buffer costs more than the copy.
  ///
  /// - Returns: The number of its bytes.
  private nonisolated static func copy(
    _ name: String,
    to place: UnsafeMutablePointer<UInt64>,
  ) -> UInt64 {
    var name = name
    return name.withUTF8 { text in
      guard let start = text.baseAddress else { return 0 }
      let count = min(text.count, Note.mostNameBytes)
      UnsafeMutableRawPointer(place).copyMemory(from: start, byteCount: count)
      return UInt64(count)
    }
  }

  /// Removes the note: the step is recorded, or was abandoned.
  package func end() {
    set(Cause.none)
    isOpen = false
  }

  /// Writes the word that makes the other words of the note valid.
  ///
  /// The store is atomic so that the compiler keeps its place between the other words and the
  /// reduction. The memory stays when the process ends, so no barrier of the machine is needed.
  private func set(_ cause: UInt64) {
    UnsafeMutableRawPointer(words + Place.note).assumingMemoryBound(to: Atomic<UInt64>.self)
      .pointee.store(cause, ordering: .releasing)
  }

  // MARK: Crashes

  /// The crashes of the last day, oldest first.
  package func crashes(at now: UInt64) -> [Crash] {
    dropOld(at: now)
    return crashes
  }

  /// The number of crashes during steps of a cause that is no client's action.
  package func runs(of name: String) -> Int {
    let crash = crashes.first { $0.client == nil && $0.name == name }
    return crash.map { Int(clamping: max(1, $0.sequence)) } ?? 0
  }

  /// Whether an action is refused when its client sends it again.
  package func refusesNext(_ crash: Crash, at now: UInt64) -> Bool {
    guard let client = crash.client else { return false }
    let runs = indices(of: client, crash.sequence).count
    return runs >= Self.mostRuns || millisecondsLeft(of: crash.content, at: now) > 0
  }

  private var crashes: [Crash] { Self.crashes(in: words) }

  private static func crashes(in words: UnsafePointer<UInt64>) -> [Crash] {
    (0..<count(in: words)).map { Crash(words + Place.crashes + $0 * Crash.words) }
  }

  private static func count(in words: UnsafePointer<UInt64>) -> Int {
    min(Int(clamping: words[Place.count]), mostCrashes)
  }

  /// The crashes in a file's bytes, oldest first; nil if they are no notes.
  package static func crashes(inFile bytes: [UInt8]) -> [Crash]? {
    guard bytes.count == Self.bytes else { return nil }
    return bytes.withUnsafeBytes { bytes in
      let words = bytes.assumingMemoryBound(to: UInt64.self)
      guard words[Place.format] == Place.mark, let start = words.baseAddress else { return nil }
      return crashes(in: start)
    }
  }

  /// The place of the word in a file that forgives all crashes when it is 0.
  package static let countOffset = Place.count * 8

  /// Whether crashes are kept.
  package var hasCrashes: Bool { words[Place.count] > 0 }

  /// The number of crashes; another program may set it to zero.
  package var count: Int { Self.count(in: words) }

  private func place(_ index: Int) -> UnsafeMutablePointer<UInt64> {
    words + Place.crashes + index * Crash.words
  }

  /// Adds a crash, as the newest one.
  ///
  /// Crashes without a client are kept once for each cause, with their number, and make room first:
  /// no client's action is refused for their sake.
  private func add(_ crash: Crash) {
    var crash = crash
    // Read once, because another program may set it to zero at any time.
    var count = count
    func isOther(_ index: Int) -> Bool { place(index)[Note.cause] != Cause.action }
    let repeated = (0..<count).first {
      crash.client == nil && isOther($0) && Crash(place($0)).name == crash.name
    }
    let least = (0..<count).first(where: isOther) ?? 0
    if let removed = repeated ?? (count == Self.mostCrashes ? least : nil) {
      count -= 1
      if removed == repeated { crash.sequence = max(1, Crash(place(removed)).sequence) + 1 }
      place(removed).update(from: place(removed + 1), count: (count - removed) * Crash.words)
    }
    crash.write(to: place(count))
    words[Place.count] = UInt64(count + 1)
  }

  /// Forgets the crashes of the day before.
  private func dropOld(at now: UInt64) {
    let count = count
    var kept = 0
    for index in 0..<count {
      let crash = place(index)
      // A clock that was set back does not prolong anything.
      crash[Note.words] = min(crash[Note.words], now)
      if now - crash[Note.words] >= Self.keptMilliseconds { continue }
      if kept < index { place(kept).update(from: crash, count: Crash.words) }
      kept += 1
    }
    if kept < count { words[Place.count] = UInt64(kept) }
  }

  /// The crashes during an action.
  private func indices(of client: Identifier, _ sequence: UInt64) -> [Int] {
    (0..<count).filter { index in
      let crash = place(index)
      return crash[Note.cause] == Cause.action && crash[Note.high] == client.high
        && crash[Note.low] == client.low && crash[Note.sequence] == sequence
    }
  }

  /// Refuses an action that was being reduced at earlier crashes.
  private func check(
    _ content: UInt64,
    of client: Identifier,
    _ sequence: UInt64,
    at now: UInt64,
  ) throws(Outcome.Failure) {
    dropOld(at: now)
    let runs = indices(of: client, sequence)
    // The first run of an action has no hash: until then there was no crash to compare with.
    for index in runs { place(index)[Note.content] = content }
    if runs.count >= Self.mostRuns {
      throw Outcome.Failure(
        code: Outcome.crashed,
        message: "The daemon ended \(runs.count) times while it reduced this action.",
      )
    }
    let left = millisecondsLeft(of: content, at: now)
    guard left > 0 else { return }
    throw Outcome.Failure(
      code: Outcome.crashed,
      message: "The daemon ended several times while it reduced such an action. It refuses them "
        + "for \((left + 999) / 1000) s more, or until the command storectl forgive.",
    )
  }

  /// How long equal actions are still refused, in milliseconds.
  private func millisecondsLeft(of content: UInt64, at now: UInt64) -> UInt64 {
    guard content != 0 else { return 0 }
    var times: [UInt64] = []
    var length: UInt64 = 0
    for index in 0..<count {
      let crash = place(index)
      guard crash[Note.cause] == Cause.action, crash[Note.content] == content else { continue }
      times.append(crash[Note.words])
      let first = times.count - Self.crashesBeforeBlock
      if length > 0 {
        length = min(2 * length, Self.keptMilliseconds)
      } else if first >= 0, crash[Note.words] < times[first] &+ Self.blockMilliseconds {
        length = Self.blockMilliseconds
      }
    }
    guard let last = times.last, now < last &+ length else { return 0 }
    return last + length - now
  }

  /// A hash of an action and its scope.
  private static func content(of action: ArraySlice<UInt8>, to scope: String) -> UInt64 {
    var hash = SipHash24()
    var scope = scope
    scope.withUTF8 { hash.append(UnsafeRawBufferPointer($0)) }
    hash.append(0)
    action.withUnsafeBytes { hash.append($0) }
    // Zero stands for an unknown content.
    return max(1, hash.finish())
  }
}

/// A reduction during which a daemon ended.
package struct Crash: Hashable, Sendable {
  /// The client whose action was being reduced; nil for another cause.
  package var client: Identifier?
  /// The action's number among those of the client; for another cause, the number of its crashes.
  package var sequence: UInt64
  /// A hash of the action and its scope; 0 if it is unknown.
  fileprivate var content: UInt64
  /// The name of the action's scope, or of the other cause, cut to 128 bytes.
  package var name: String
  /// When the next daemon found it, in milliseconds since 1970.
  package var wallMilliseconds: UInt64

  fileprivate static let words = Note.words + 1

  fileprivate init(note: UnsafePointer<UInt64>, at wallMilliseconds: UInt64) {
    let isOfClient = note[Note.cause] == Cause.action
    client = isOfClient ? Identifier(high: note[Note.high], low: note[Note.low]) : nil
    sequence = note[Note.sequence]
    content = note[Note.content]
    let bytes = UnsafeRawBufferPointer(start: note + Note.name, count: Note.mostNameBytes)
    name = String(decoding: bytes.prefix(Int(clamping: note[Note.nameBytes])), as: UTF8.self)
    self.wallMilliseconds = wallMilliseconds
  }

  fileprivate init(_ place: UnsafePointer<UInt64>) {
    self.init(note: place, at: place[Note.words])
  }

  fileprivate func isOf(_ client: Identifier, _ sequence: UInt64) -> Bool {
    self.client == client && self.sequence == sequence
  }

  fileprivate func write(to place: UnsafeMutablePointer<UInt64>) {
    place[Note.cause] = client == nil ? Cause.other : Cause.action
    place[Note.high] = client?.high ?? 0
    place[Note.low] = client?.low ?? 0
    place[Note.sequence] = sequence
    place[Note.content] = content
    let room = UnsafeMutableRawBufferPointer(start: place + Note.name, count: Note.mostNameBytes)
    let text = Array(name.utf8.prefix(room.count))
    room.copyBytes(from: text)
    place[Note.nameBytes] = UInt64(text.count)
    place[Note.words] = wallMilliseconds
  }
}

/// The words of the memory.
private enum Place {
  static let format = 0
  /// The number of kept crashes.
  static let count = 1
  /// A hash of the machine's start.
  static let boot = 2
  /// The reduction in progress.
  static let note = 8
  static let crashes = 40
  /// Identifies the first version of the notes.
  static let mark: UInt64 = 0x3173_6873_6172_6373
}

/// The words of a note.
private enum Note {
  static let cause = 0
  static let high = 1
  static let low = 2
  static let sequence = 3
  static let content = 4
  static let nameBytes = 5
  static let name = 6
  static let mostNameBytes = 128
  static let words = name + mostNameBytes / 8
}

/// The causes of steps.
private enum Cause {
  static let none: UInt64 = 0
  static let action: UInt64 = 1
  static let other: UInt64 = 2
}
