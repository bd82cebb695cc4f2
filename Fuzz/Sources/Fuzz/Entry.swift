/// What libFuzzer calls with every input: the first byte picks a target, the rest is its bytes.
///
/// A target traps when a promise is broken; an error that is thrown is a promise kept.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let selector = input.first else { return 0 }
  let bytes = input[1...]
  // The first targets share their numbers with a corpus that has long been growing.
  if selector >= 0xf0 {
    GeneratedTarget.run(bytes)
    return 0
  }
  switch selector % 8 {
  case 0: ItemTarget.run(bytes)
  case 1: ValueTarget.run(bytes)
  case 2: DeltaTarget.run(bytes)
  case 3: SchemaTarget.run(bytes)
  case 4: DocumentTarget.run(bytes)
  case 5: JSONTarget.run(bytes)
  case 6: TypedTarget.run(bytes)
  default: MessageTarget.run(bytes)
  }
  return 0
}

/// Traps when a promise is broken; the fuzzer keeps the input.
func expect(
  _ condition: @autoclosure () -> Bool,
  _ message: @autoclosure () -> String,
) {
  guard !condition() else { return }
  fatalError("A promise is broken: \(message())")
}
