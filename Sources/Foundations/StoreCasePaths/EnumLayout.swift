/// The functions that the compiler leaves in an enum's metadata: which case a value is of, and how
/// to get at what that holds.
///
/// There is no way to ask for it in the language; a mirror takes a microsecond, and cannot tell
/// cases apart that differ by nothing but their labels.
package struct EnumFunctions<Value> {
  fileprivate let metadata = unsafeBitCast(Value.self, to: UnsafeRawPointer.self)
  private let getTag: GetTag
  private let project: Project
  private let setTag: SetTag

  private typealias GetTag =
    @convention(c) (_ value: UnsafeRawPointer, _ metadata: UnsafeRawPointer) -> UInt32

  private typealias Project =
    @convention(c) (_ value: UnsafeMutableRawPointer, _ metadata: UnsafeRawPointer) -> Void

  private typealias SetTag =
    @convention(c) (
      _ value: UnsafeMutableRawPointer, _ tag: UInt32, _ metadata: UnsafeRawPointer
    ) -> Void

  /// Finds the functions; nil when values of the type are not of an enum.
  package init?() {
    guard MetadataKind(rawValue: metadata.load(as: UInt.self)) != nil else { return nil }
    // The table of a type's basic operations stands one word before its metadata: eight functions,
    // size and stride in a word each, flags and spare bit patterns in one together, then these.
    let witnesses = metadata.load(fromByteOffset: -word, as: UnsafeRawPointer.self)
    let offset = 10 * word + 2 * MemoryLayout<UInt32>.size
    getTag = witnesses.load(fromByteOffset: offset, as: GetTag.self)
    project = witnesses.load(fromByteOffset: offset + word, as: Project.self)
    setTag = witnesses.load(fromByteOffset: offset + 2 * word, as: SetTag.self)
  }

  /// Which of the cases a value is of: a number that is the same for all values of a case.
  ///
  /// Cases that hold something that takes memory come first.
  package func tag(of value: Value) -> Int {
    withUnsafePointer(to: value) { tag(at: $0) }
  }

  /// Which of the cases the value at a place is of.
  fileprivate func tag(at place: UnsafePointer<Value>) -> Int {
    Int(getTag(UnsafeRawPointer(place), metadata))
  }

  /// Turns a value, in its place, into its payload.
  fileprivate func projectPayload(of value: UnsafeMutableRawPointer) {
    project(value, metadata)
  }

  /// Turns a payload, in its place, into the value.
  fileprivate func injectTag(_ tag: Int, at value: UnsafeMutableRawPointer) {
    setTag(value, UInt32(tag), metadata)
  }
}

/// The cases of an enum and what they hold, as its metadata tells; read once for a type.
package struct EnumLayout<Value> {
  private struct Payload {
    /// Nil where the case holds nothing, or where the type has no name at run time.
    let type: Any.Type?
    let isIndirect: Bool
  }

  private let functions: EnumFunctions<Value>
  private let payloads: [Payload]

  /// Reads the metadata; nil when values of the type are not of an enum.
  package init?() {
    guard let functions = EnumFunctions<Value>() else { return nil }
    self.functions = functions
    payloads = Self.payloads(in: functions.metadata)
  }

  /// Which of the cases a value is of.
  package func tag(of value: Value) -> Int {
    functions.tag(of: value)
  }

  /// The types of what the cases hold, by their numbers; nil where a case holds nothing, or where
  /// the type has no name at run time.
  ///
  /// Of a payload of one value with a label it is the value's type.
  package var payloadTypes: [Any.Type?] { payloads.map(\.type) }

  /// Takes out the payload of a value.
  ///
  /// - Parameters:
  ///   - value: A value of the case.
  ///   - tag: The case's number.
  ///   - type: The type of the case's payload.
  /// - Returns: The payload.
  package func payload<P>(of value: Value, tag: Int, as type: P.Type) -> P {
    precondition(payloads[tag].type == type, "Case \(tag) of \(Value.self): no \(type)")
    return withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { copy in
      copy.initializeElement(at: 0, to: value)
      guard let pointer = UnsafeMutableRawBufferPointer(copy).baseAddress else {
        preconditionFailure("\(Value.self) takes no memory, but holds a \(type)")
      }
      functions.projectPayload(of: pointer)
      guard payloads[tag].isIndirect else {
        return pointer.assumingMemoryBound(to: P.self).move()
      }
      let box = pointer.load(as: Unmanaged<AnyObject>.self)
      defer { box.release() }
      return Box(at: pointer).contents(P.self).load(as: P.self)
    }
  }
}

// MARK: - Payloads in their places

extension EnumLayout {
  /// Which of the cases the value at a place is of.
  package func tag(at place: UnsafePointer<Value>) -> Int { functions.tag(at: place) }

  /// Looks at what a value holds, without a copy.
  ///
  /// - Parameters:
  ///   - value: Where a value of the case is.
  ///   - tag: The case's number.
  ///   - body: Is given the place of what it holds, until it returns.
  /// - Returns: What the closure returns.
  package func lookingAtPayload<R>(
    of value: UnsafePointer<Value>,
    tag: Int,
    _ body: (UnsafeRawPointer) -> R,
  ) -> R {
    withUnsafeTemporaryAllocation(
      byteCount: MemoryLayout<Value>.size,
      alignment: MemoryLayout<Value>.alignment,
    ) { bytes in
      guard let place = bytes.baseAddress else {
        preconditionFailure("\(Value.self) takes no memory, but holds something")
      }
      // The bytes alone: nothing is retained, and nothing let go.
      place.copyMemory(from: value, byteCount: MemoryLayout<Value>.size)
      functions.projectPayload(of: place)
      guard payloads[tag].isIndirect, let type = payloads[tag].type else { return body(place) }
      return body(Box(at: place).contents(type))
    }
  }

  /// Changes the payload of a value.
  ///
  /// - Parameters:
  ///   - value: Where a value of the case is.
  ///   - tag: The case's number.
  ///   - body: Is given the place of what it holds, which nobody else has.
  package func changingPayload(
    of value: UnsafeMutablePointer<Value>,
    tag: Int,
    _ body: (UnsafeMutableRawPointer) -> Void,
  ) {
    let place = UnsafeMutableRawPointer(value)
    functions.projectPayload(of: place)
    if payloads[tag].isIndirect, let type = payloads[tag].type {
      // Others may have the box as well.
      let box = Box(at: place)
      body(box.replace(type))
    } else {
      body(place)
    }
    functions.injectTag(tag, at: place)
  }
}

/// A box in which an indirect case keeps what it holds.
private struct Box {
  private let place: UnsafeRawPointer

  init(at place: UnsafeRawPointer) { self.place = place }

  private var object: Unmanaged<AnyObject> { place.load(as: Unmanaged<AnyObject>.self) }

  /// Where that is: behind two words of the box's own.
  func contents<P>(_: P.Type) -> UnsafeRawPointer {
    let mask = MemoryLayout<P>.alignment - 1
    return UnsafeRawPointer(object.toOpaque()) + ((2 * word + mask) & ~mask)
  }

  /// Puts a new box with a copy in its place.
  ///
  /// - Returns: Where the copy is.
  func replace<P>(_: P.Type) -> UnsafeMutableRawPointer {
    let old = object
    // Nothing but the reference to a box.
    var boxed = Boxed<P>.value(contents(P.self).load(as: P.self))
    withUnsafeMutableBytes(of: &boxed) { boxed in
      let box = boxed.load(as: Unmanaged<AnyObject>.self)
      UnsafeMutableRawPointer(mutating: place).storeBytes(
        of: box.retain().toOpaque(),
        as: UnsafeMutableRawPointer.self,
      )
    }
    old.release()
    return UnsafeMutableRawPointer(mutating: contents(P.self))
  }

  private indirect enum Boxed<P> { case value(P) }
}

private let word = MemoryLayout<UInt>.size

/// The kinds of metadata whose value witnesses have an enum's part.
private enum MetadataKind: UInt {
  case enumeration = 0x201
  case optional = 0x202
}

// MARK: - Payload types

extension EnumLayout {
  /// What the cases hold, in the order of their numbers, from the fields that reflection knows.
  private static func payloads(in metadata: UnsafeRawPointer) -> [Payload] {
    guard metadata.load(as: UInt.self) == MetadataKind.enumeration.rawValue else { return [] }
    let descriptor = metadata.load(fromByteOffset: word, as: UnsafeRawPointer.self)
    // Flags, parent, name, access function, fields, number of cases whose payload takes memory,
    // number of the others: four bytes each.
    let count =
      descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF
      + descriptor.load(fromByteOffset: 24, as: UInt32.self)
    guard count > 0, let fields = (descriptor + 16).relative else { return [] }
    return (0..<Int(count)).map { index in
      // The fields begin after 16 bytes; each has flags, a type's name and a name.
      let field = fields + 16 + 12 * index
      let type = (field + 4).relative.flatMap { Self.type(named: $0, in: metadata, descriptor) }
      return Payload(
        type: type.map(unlabelled),
        isIndirect: field.load(as: UInt32.self) & 1 == 1,
      )
    }
  }

  private static func type(
    named name: UnsafeRawPointer,
    in metadata: UnsafeRawPointer,
    _ descriptor: UnsafeRawPointer,
  ) -> Any.Type? {
    _getTypeByMangledNameInContext(
      name.assumingMemoryBound(to: UInt8.self),
      UInt(mangledLength(of: name)),
      genericContext: descriptor,
      genericArguments: metadata + 2 * word,
    )
  }

  /// The length of a mangled name, in which references of four or eight bytes may stand.
  private static func mangledLength(of name: UnsafeRawPointer) -> Int {
    var length = 0
    while true {
      switch name.load(fromByteOffset: length, as: UInt8.self) {
      case 0: return length
      case 0x01...0x17: length += 5
      case 0x18...0x1F: length += 9
      default: length += 1
      }
    }
  }

  /// The type of the one element of a tuple, which is what a value with a label is; else the type
  /// itself.
  private static func unlabelled(_ type: Any.Type) -> Any.Type {
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    // A tuple's metadata: its kind, the number of its elements, their labels, their types.
    guard metadata.load(as: UInt.self) == 0x301,
      metadata.load(fromByteOffset: word, as: UInt.self) == 1
    else { return type }
    return metadata.load(fromByteOffset: 3 * word, as: Any.Type.self)
  }
}

extension UnsafeRawPointer {
  /// What the four bytes here lead to, which count from here; nil when they are zero.
  fileprivate var relative: UnsafeRawPointer? {
    let offset = load(as: Int32.self)
    return offset == 0 ? nil : self + Int(offset)
  }
}
