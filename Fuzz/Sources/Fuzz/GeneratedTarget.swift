import Foundation
import GenericState
import StoreState

/// Generated code and the types that the other targets do not have: what is read is written as it
/// was, and typed and generic deltas agree.
enum GeneratedTarget {
  static func run(_ bytes: ArraySlice<UInt8>) {
    if let state = try? FuzzGenerated(encoded: bytes) {
      // A former name or a default is written as this build has it.
      let again = try? FuzzGenerated(encoded: state.encoded())
      expect(again?._$isSame(as: state) == true, "generated code reads something else again")
      check(state)
    }
    read(bytes, [FuzzLetter: Int].self)
    read(bytes, Set<FuzzLetter>.self)
    read(bytes, PersistentMap<String, [Int]>.self)
    read(bytes, PersistentMap<Double, Int>.self)
    read(bytes, PersistentSet<FuzzLetter>.self)
    read(bytes, [URL?].self)
    read(bytes, Set<URL>.self)
    read(bytes, [Data].self)
    read(bytes, [UUID: Date].self)
    read(bytes, [Float16].self)
    change(bytes, FuzzGenerated(), FuzzGenerated.document)
    change(bytes, FuzzLetter.pair(zz: 1, a: "é"))
    change(bytes, PersistentMap(["a": [1], "é": []]))
    change(bytes, PersistentSet(["a", "é"]))
    change(bytes, PersistentMap([0.0: [1], .nan: []]))
    change(bytes, Data(repeating: 7, count: 50)[10...])
    change(bytes, [URL(string: "http://x/")])
    TranslatedTarget.run(bytes)
  }

  private static func read<Value: WireValue>(_ bytes: ArraySlice<UInt8>, _ type: Value.Type) {
    guard let value = try? Value(encoded: bytes) else { return }
    expect(value.encoded().elementsEqual(bytes), "\(type) is written differently")
    check(value)
  }

  private static func check(_ value: some WireValue) {
    expect((try? Digest.of(canonical: value.encoded())) == value._$digest, "another digest")
  }

  private static func change<State: ReplicatedState>(
    _ bytes: ArraySlice<UInt8>,
    _ state: State,
    _ known: SchemaDocument? = nil,
  ) {
    let before = state.encoded()
    let result = try? state.applying(delta: bytes)
    expect(state.encoded() == before, "a copy has changed")
    guard let result else { return }
    check(result)
    let document = known ?? SchemaRegistry.document(for: State.self)
    let generic = try? GenericValue(encoded: before).applying(delta: bytes, in: document)
    expect(generic?.encoded() == result.encoded(), "typed and generic deltas disagree")
    guard let delta = result.delta(from: state) else {
      return expect(result.encoded() == before, "no delta between values that differ")
    }
    let again = try? state.applying(delta: delta)
    expect(again?.encoded() == result.encoded(), "a delta leads elsewhere")
  }
}

/// A state of another build, from its snapshot on: its digest is the writer's.
enum TranslatedTarget {
  static func run(_ bytes: ArraySlice<UInt8>) {
    guard let resolution = OtherBuild.resolution, let reader = OtherBuild.document,
      var state = try? TranslatedState(resolution),
      let first = try? state.reset(to: FuzzState?.some(FuzzState()).encoded()[...]),
      var copy = try? GenericValue(encoded: first)
    else { return expect(false, "no other build") }
    let optional = try? SchemaDocument(
      root: .optional(reader.root),
      definitions: reader.definitions,
    )
    guard let optional else { return expect(false, "no optional") }
    var typed = FuzzState?.some(FuzzState())
    var decoder = CBORDecoder(bytes)
    while !decoder.isAtEnd, let delta = try? decoder.rawItem() {
      guard let next = try? typed.applying(delta: delta) else { return }
      typed = next
      let translated: [UInt8]?
      do throws(CodecError) {
        translated = try state.apply(delta)
      } catch {
        return expect(false, "\(error): what fits is not translated")
      }
      expect(state.digest == typed._$digest, "another digest than the writer's")
      guard let translated else { continue }
      guard let after = try? copy.applying(delta: translated, in: optional) else {
        return expect(false, "a translated delta does not fit")
      }
      copy = after
    }
    var again = state
    let snapshot = try? again.reset(to: typed.encoded()[...])
    expect(snapshot.map { copy.encoded() == $0 } == true, "deltas and a snapshot disagree")
  }
}
