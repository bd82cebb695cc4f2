import StoreActor
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreServer

/// A daemon that restarts with another build than the one that stored its state.
@MainActor
@Suite struct RecoveryBuildTests {
  /// Writes the record of a step.
  private func record<Root>(
    _ revision: UInt64,
    _ form: DurableForm<Root>,
    from old: Root,
    to new: Root,
    into encoder: inout CBOREncoder,
  ) {
    var delta = CBOREncoder.durable
    withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) { #expect(form.encodeDelta(old, $0, &delta)) }
    }
    JournalRecord(revision: revision, wallMilliseconds: 1, origin: .daemon, delta: delta.bytes)
      .encode(to: &encoder)
  }

  /// The records of consecutive steps, by default from revision 1.
  private func records<Root>(
    _ form: DurableForm<Root>,
    _ states: Root...,
    from first: UInt64 = 1,
  ) -> ArraySlice<UInt8> {
    var encoder = CBOREncoder.durable
    for (index, (old, new)) in zip(states, states.dropFirst()).enumerated() {
      record(first + UInt64(index), form, from: old, to: new, into: &encoder)
    }
    return encoder.bytes[...]
  }

  private func snapshot<Root>(_ form: DurableForm<Root>, _ root: Root) -> ArraySlice<UInt8> {
    SnapshotBytes.encode(revision: 0, KeptHistory()) { form.encode(root, &$0) }[...]
  }

  private static let earlier = DurableForm(Earlier.State.self)
  private static let later = DurableForm(Later.State.self)

  /// The earlier build's state as the later build reads it.
  private func recovery() throws -> Recovery<Later.State> {
    let first = Earlier.State(count: 1, title: "one", secret: 10, shown: 100)
    let second = Earlier.State(count: 2, title: "two", secret: 20, shown: 200)
    let recovery = Recovery(Self.later, initial: Later.State())
    try recovery.written(by: Self.earlier.schema)
    try recovery.take(snapshot: snapshot(Self.earlier, first))
    try recovery.take(records: records(Self.earlier, first, second))
    return recovery
  }

  @Test func `A snapshot and records of another build are read by the names of fields`() throws {
    let recovered = try recovery().finish()
    #expect(recovered.revision == 1)
    #expect(recovered.root.count == 2)
    #expect(recovered.root.name == "two", "It was called title")
    #expect(recovered.root.added == 7, "It has its default")
  }

  @Test func `A property that became hidden, or visible, is the same field`() throws {
    let root = try recovery().finish().root
    #expect(root.secret == 20, "It was hidden")
    #expect(root.shown == 200, "It was visible")
    // The two builds differ on the wire.
    #expect(try Later.State(encoded: root.encoded()).shown == 0)
    #expect(try Later.State(encoded: root.encoded()).secret == 20)
  }

  @Test func `Each build's records are read by its own schema, one after the other`() throws {
    let recovery = try recovery()
    let before = recovery.finish().root
    var after = before
    (after.name, after.added, after.shown) = ("three", 8, 300)
    try recovery.written(by: Self.later.schema)
    try recovery.take(records: records(Self.later, before, after, from: 2))
    #expect(recovery.finish().root == after)
    // An older build then continues with the fields that it knows.
    let older = Recovery(Self.earlier, initial: Earlier.State())
    try older.written(by: Self.later.schema)
    try older.take(snapshot: snapshot(Self.later, after))
    let root = older.finish().root
    #expect(root == Earlier.State(count: 2, title: "none", secret: 20, shown: 300))
  }

  @Test func `The versions before the newest are those of this build as well`() throws {
    let recovered = try recovery().finish()
    let version = try #require(recovered.versions[0])
    #expect(version == Later.State(count: 1, name: "one", secret: 10, shown: 100))
  }

  @Test func `Types that cannot be read are refused with the difference, before anything is`()
    throws
  {
    let recovery = Recovery(DurableForm(Foreign.State.self), initial: Foreign.State())
    let error = #expect(throws: CodecError.self) {
      try recovery.written(by: Self.earlier.schema)
    }
    let words = error.map { "\($0)" } ?? ""
    #expect(words.contains("secret"), "\(words)")
    #expect(!words.contains("title"), "Only the differences are named: \(words)")
  }
}

private enum Earlier {
  @ObservableState
  struct State: DurableState, Equatable, Sendable {
    var count = 0
    var title = "none"
    @ReplicationIgnored var secret = 0
    var shown = 0
  }
}

private enum Later {
  @ObservableState
  struct State: DurableState, Equatable, Sendable {
    var added = 7
    var count = 0
    @Replicated(formerly: "title") var name = "none"
    var secret = 0
    @ReplicationIgnored var shown = 0
  }
}

private enum Foreign {
  @ObservableState
  struct State: DurableState, Equatable, Sendable {
    var count = 0
    var title = "none"
    @ReplicationIgnored var secret: [String: Int] = [:]
  }
}
