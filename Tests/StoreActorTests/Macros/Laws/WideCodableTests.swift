import Foundation
import StoreActor
import StoreState
import Testing

private struct Numbers: Codable, Hashable, Sendable {
  var signed: Int128 = 0
  var unsigned: UInt128 = 0
  var list: [Int128] = []
  var half: Float16 = 0
  var decimal = Decimal(0)
  var duration = Duration.zero
  var numbers: ContiguousArray<Int> = []
  var range = 0..<3
}

private enum Side: String, Codable, CodingKeyRepresentable { case right, left }

private struct Tables: Codable, Hashable, Sendable {
  var persistent: PersistentMap<UUID, Int> = [:]
  var persistentSet: PersistentSet<UUID> = []
  var bySide: [Side: Int] = [:]
  var byNumber: [Int: String] = [:]
  var single: Float = 0
}

@ObservableState
private struct Shelf: Equatable, ReplicatedState { @ReplicatedAsCodable var tables = Tables() }

@ObservableState
private struct WideState: Equatable, ReplicatedState {
  @ReplicatedAsCodable var numbers = Numbers()
  @ReplicatedAsCodable var wide: Int128 = 0
  @ReplicatedAsCodable var decimal = Decimal.nan
}

@Suite("Numbers of any Codable type")
struct WideCodableTests {
  @Test("Integers of 128 bits, decimals, halves and durations are read back")
  func numbers() throws {
    var states = [WideState()]
    func add(_ change: (inout WideState) -> Void) {
      var state = WideState()
      change(&state)
      states.append(state)
    }
    add { $0.wide = .min }
    add { $0.wide = -1 }
    add { $0.numbers.signed = .max }
    add { $0.numbers.unsigned = .max }
    add { $0.numbers.list = [1 << 64, -1 << 64, -5] }
    add { $0.numbers.half = .infinity }
    add { $0.numbers.half = -0.0 }
    add { $0.decimal = 3 }
    add { $0.numbers.decimal = Decimal(sign: .minus, exponent: -20, significand: 123_456_789) }
    add { $0.numbers.duration = .nanoseconds(-3) }
    add { $0.numbers.numbers = [1, 2] }
    try checkLaws(states)
    for state in states { #expect(try WideState(encoded: state.encoded()).wide == state.wide) }
  }

  @Test("Halves that do not form an integer of 128 bits are an error")
  func halves() throws {
    let bytes = WideState(wide: 7).encoded()
    let place = try #require(bytes.firstRange(of: [0x64] + Array("wide".utf8))).upperBound
    #expect(Array(bytes[place..<(place + 3)]) == [0x82, 0x00, 0x07])
    for half in [[0x81, 0x07], [0x07], [0x82, 0x07, 0x20], [0x82, 0xf6, 0x00]] as [[UInt8]] {
      let changed = bytes[..<place] + half + bytes[(place + 3)...]
      let error = #expect(throws: CodecError.self) { try WideState(encoded: Array(changed)) }
      #expect(error?.code == .typeMismatch)
      #expect(error?.path == [.name("wide")])
    }
  }

  @Test("Dictionaries whose keys represent texts are maps, also empty ones")
  func tables() throws {
    let tables = [
      Tables(), Tables(bySide: [.right: 1, .left: 2]), Tables(byNumber: [10: "a", -1: "b"]),
      Tables(single: 0.1), Tables(single: .nan),
      Tables(persistent: PersistentMap(uniqueKeysWithValues: (0..<20).map { (UUID($0), $0) })),
      Tables(persistentSet: PersistentSet((0..<20).map { UUID($0) })),
    ]
    try checkLaws(tables.map { Shelf(tables: $0) })
  }

  @Test("A float that 32 bits cannot hold is an error, not another float")
  func singles() throws {
    let bytes = Shelf(tables: Tables(single: 1)).encoded()
    let name = [0x66] + Array("single".utf8)
    let place = try #require(bytes.firstRange(of: name)).upperBound
    for (number, isSingle) in [(0.1, false), (1e300, false), (Double(Float(0.1)), true)] {
      let changed = Array(bytes[..<place] + number.encoded() + bytes[(place + 3)...])
      if isSingle {
        #expect(try Shelf(encoded: changed).tables.single == 0.1)
      } else {
        let error = #expect(throws: CodecError.self) { try Shelf(encoded: changed) }
        #expect(error?.message.contains("32 bits") == true)
      }
    }
  }
}
